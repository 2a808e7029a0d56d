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

/// The inputs and numbers of a call, in place, so that it allocates nothing for them.
struct GivenOperands {
  std::array<Tensor, KERNELGEN_MAX_INPUTS> tensors;
  std::array<Scalar, KERNELGEN_MAX_SCALARS> numbers{0, 0, 0, 0, 0, 0, 0, 0};

  GivenOperands(const kernelgen_tensor* const* inputs, size_t input_count, const kernelgen_scalar* scalars,
                size_t scalar_count) {
    need_at_most(KERNELGEN_MAX_INPUTS, input_count, "input_count");
    need_at_most(KERNELGEN_MAX_SCALARS, scalar_count, "scalar_count");
    if (input_count != 0) need(inputs, "inputs");
    if (scalar_count != 0) need(scalars, "scalars");
    for (std::size_t i = 0; i < input_count; ++i) tensors[i] = input(inputs[i], "an element of inputs");
    for (std::size_t i = 0; i < scalar_count; ++i) numbers[i] = scalar_of(scalars[i]);
  }
};

}  // namespace

kernelgen_status kernelgen_call(const char* operation, const kernelgen_tensor* const* inputs,
                                size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const std::string_view name = &need(operation, "operation");
    const GivenOperands given(inputs, input_count, scalars, scalar_count);
    run(out, stream, result, [&](const CallOptions& options) {
      return kernelgen::call(name, std::span(given.tensors.data(), input_count),
                             std::span(given.numbers.data(), scalar_count), options);
    });
  });
}

kernelgen_status kernelgen_call_all(const char* operation, const kernelgen_tensor* const* inputs,
                                    size_t input_count, const kernelgen_scalar* scalars, size_t scalar_count,
                                    const kernelgen_stream* stream, kernelgen_tensor** results,
                                    size_t capacity, size_t* count) {
  return guarded(__func__, [&] {
    const std::string_view name = &need(operation, "operation");
    size_t& written = need(count, "count");
    if (capacity != 0) need(results, "results");
    const GivenOperands given(inputs, input_count, scalars, scalar_count);
    kernelgen::Results made =
        kernelgen::call_all(name, std::span(given.tensors.data(), input_count),
                            std::span(given.numbers.data(), scalar_count), stream_of(stream));
    if (made.size() > capacity)
      fail("capacity", "is " + std::to_string(capacity) + "; " + std::string(name) + " has " +
                           std::to_string(made.size()) + " results");
    std::array<std::unique_ptr<kernelgen_tensor>, KERNELGEN_MAX_RESULTS> handles;
    for (std::size_t i = 0; i < made.size(); ++i) handles[i].reset(new kernelgen_tensor{std::move(made[i])});
    for (std::size_t i = 0; i < made.size(); ++i) results[i] = handles[i].release();
    written = made.size();
  });
}
