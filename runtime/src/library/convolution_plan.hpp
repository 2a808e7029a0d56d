#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernelgen/dtype.hpp"
#include "library/convolution.hpp"

namespace kernelgen {

/// Memory of a convolution: bytes that divide each address, up to 16, or the addresses.
template <class Value>
struct ConvolutionOperands {
  Value x, weight, y;
};

/// Memory that a library may have for one convolution.
constexpr std::int64_t convolution_workspace_limit = std::int64_t{256} << 20;

/// A way of a vendor's library to do a convolution, ready to run. Not of use when the vendor's handle is gone.
struct ConvolutionPlan {
  std::size_t workspace_bytes = 0;

  ConvolutionPlan() = default;
  virtual ~ConvolutionPlan() = default;
  ConvolutionPlan(const ConvolutionPlan&) = delete;
  ConvolutionPlan& operator=(const ConvolutionPlan&) = delete;
  /// Puts it into the stream that was set last. False, and nothing done, where the library finds that it cannot. Throws
  /// Error(device).
  virtual bool run(const ConvolutionOperands<void*>& operands, void* workspace) const = 0;
};

/// What a vendor's library has, on one device. One thread at a time uses it, with the device current.
class ConvolutionVendor {
 public:
  virtual ~ConvolutionVendor() = default;
  virtual bool takes(DType dtype) const = 0;
  /// Whether rows, channels and images of x may have gaps between them.
  virtual bool takes_gaps() const = 0;
  /// For the plans that are run from now on.
  virtual void set_stream(void* stream) const = 0;
  /// Up to `most` plans that may be used, best first by the library's estimate: such as multiply and add what is given,
  /// all of its digits, in one order. Ways by transforms (Winograd, FFT) spread an infinity over its neighbours. What
  /// lies outside of an operand may be taken for zeros. None where the library has none.
  virtual std::vector<std::unique_ptr<ConvolutionPlan>> plans(
      const Convolution& problem, const ConvolutionOperands<std::int64_t>& alignment,
      std::size_t most) const = 0;
};

}  // namespace kernelgen
