#include <array>
#include <string_view>

#include "call.hpp"

using kernelgen::CallOptions;
using kernelgen::Scalar;
using kernelgen::Tensor;
using namespace kernelgen::capi;

namespace {

void need_at_most(std::size_t most, std::size_t count, const char* parameter) {
  if (count > most)
    fail(parameter, "is " + std::to_string(count) + "; an operation has at most " + std::to_string(most));
}

}  // namespace

kernelgen_status kernelgen_call(const char* operation, const kernelgen_tensor* const* inputs,
                                size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const std::string_view name = &need(operation, "operation");
    need_at_most(KERNELGEN_MAX_INPUTS, input_count, "input_count");
    need_at_most(KERNELGEN_MAX_SCALARS, scalar_count, "scalar_count");
    if (input_count != 0) need(inputs, "inputs");
    if (scalar_count != 0) need(scalars, "scalars");
    // In place, so that a call allocates nothing for them.
    std::array<Tensor, KERNELGEN_MAX_INPUTS> tensors;
    for (std::size_t i = 0; i < input_count; ++i) tensors[i] = input(inputs[i], "an element of inputs");
    std::array<Scalar, KERNELGEN_MAX_SCALARS> numbers{0, 0, 0, 0, 0, 0, 0, 0};
    for (std::size_t i = 0; i < scalar_count; ++i) numbers[i] = scalar_of(scalars[i]);
    run(out, stream, result, [&](const CallOptions& options) {
      return kernelgen::call(name, std::span(tensors.data(), input_count),
                             std::span(numbers.data(), scalar_count), options);
    });
  });
}
