#pragma once
#include <initializer_list>
#include <optional>
#include <string_view>

#include "ops/operation.hpp"

namespace kernelgen {

/// Runs a built-in element-wise operation. `function` is the caller's name for error messages. `result` is as
/// in map().
Tensor elementwise(Builtin op, std::string_view function, std::initializer_list<const Tensor*> inputs,
                   std::initializer_list<Scalar> scalars, const CallOptions& options,
                   std::optional<DType> result = std::nullopt);

}  // namespace kernelgen
