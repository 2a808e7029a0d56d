#pragma once
#include <span>
#include <string_view>

#include "kernelgen/tensor.hpp"

namespace kernelgen::conformance {

/// Calls the C++ function of that name, one that is written from the manifests and takes tensors alone. Throws
/// std::logic_error if there is none or it takes another number of them.
Tensor call_function(std::string_view operation, std::span<const Tensor> inputs);

}  // namespace kernelgen::conformance
