#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "library/convolution.hpp"
#include "library/cudnn_library.hpp"

namespace kernelgen {

/// Memory of a convolution: bytes that divide each address, up to 16, or the addresses.
template <class Value>
struct ConvolutionOperands {
  Value x, weight, y;
};

/// A way of the library's to do a convolution, ready to run.
struct CudnnPlan {
  CudnnDescriptor configuration, plan;
  std::size_t workspace_bytes;

  /// Puts it into the handle's stream. False, and nothing done, where the library finds that it cannot.
  bool run(const CudnnLibrary& library, void* handle, const ConvolutionOperands<void*>& operands,
           void* workspace) const;
};

/// Up to `most` plans that may be used, best first by the library's estimate, and no more than two of an engine.
/// None where the library has none.
std::vector<CudnnPlan> cudnn_plans(const CudnnLibrary& library, void* handle, const Convolution& problem,
                                   const ConvolutionOperands<std::int64_t>& alignment, std::size_t most);

/// Whether cuDNN is asked for convolutions of it.
bool cudnn_takes(DType dtype);

}  // namespace kernelgen
