#pragma once
#include <initializer_list>
#include <optional>
#include <string_view>

#include "ops/operation.hpp"

namespace kernelgen {

/// Runs an element-wise operation of the library's own; `function` is who is called, for messages. `result` as in map().
Tensor elementwise(Builtin op, std::string_view function, std::initializer_list<const Tensor*> inputs,
                   std::initializer_list<Scalar> scalars, const CallOptions& options,
                   std::optional<DType> result = std::nullopt);

}  // namespace kernelgen
