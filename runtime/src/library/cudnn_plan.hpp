#pragma once
#include "library/convolution_plan.hpp"
#include "library/cudnn_library.hpp"

namespace kernelgen {

/// As ConvolutionVendor::plans, and no more than two of an engine.
std::vector<std::unique_ptr<ConvolutionPlan>> cudnn_plans(const CudnnLibrary& library, void* handle,
                                                          const Convolution& problem,
                                                          const ConvolutionOperands<std::int64_t>& alignment,
                                                          std::size_t most);

/// Whether cuDNN computes convolutions of this dtype.
bool cudnn_takes(DType dtype);

}  // namespace kernelgen
