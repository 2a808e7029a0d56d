#include "ops/output.hpp"

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

void invalid(const std::string& message) { throw Error(Code::invalid_argument, message); }

void check_stream(const Device& device, const Stream& stream) { state_of(device).queue(stream); }

void check_same_device(std::string_view operation, const Device& a, const Device& b) {
  if (a == b) return;
  invalid(formatted("{}: {}", operation, describe_two(state_of(a), state_of(b))));
}

void check_inputs(std::string_view operation, Inputs inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!*inputs[k]) invalid(formatted("{}: input {} is no tensor", operation, k + 1));
    check_same_device(operation, inputs[0]->device(), inputs[k]->device());
  }
}

void check_float(std::string_view operation, const Tensor& x) {
  if (!is_float(x.dtype()))
    invalid(formatted("{}: no kernel for dtype {}; it accepts bf16 f16 f32 f64 f8e4m3", operation,
                      name_of(x.dtype())));
}

void check_out(std::string_view operation, const Tensor& out, const Shape& shape, DType dtype, Inputs inputs,
               InPlace in_place) {
  if (out.dtype() != dtype || !(out.shape() == shape) || !out.layout().is_contiguous())
    invalid(formatted("{}: out is {} {}{}; it has to be {} {}, contiguous", operation, name_of(out.dtype()),
                      out.shape().to_string(), out.layout().is_contiguous() ? "" : " with strides",
                      name_of(dtype), shape.to_string()));
  const Layout::Extent written = out.layout().extent();
  for (const Tensor* entry : inputs) {
    const Tensor& input = *entry;
    if (input.storage() != out.storage()) continue;
    const Layout::Extent read = input.layout().extent();
    const auto in_size = static_cast<std::int64_t>(size_of(input.dtype()));
    const auto out_size = static_cast<std::int64_t>(size_of(dtype));
    const bool apart = written.first > written.last || read.first > read.last ||
                       (read.last + 1) * in_size <= written.first * out_size ||
                       (written.last + 1) * out_size <= read.first * in_size;
    if (apart) continue;
    if (in_place == InPlace::refused)
      invalid(formatted("{}: out overlaps an input; it has to be memory of its own", operation));
    const bool same = in_size == out_size && read.first == written.first && input.shape() == shape &&
                      input.layout().is_contiguous();
    if (!same)
      invalid(
          formatted("{}: out overlaps an input with another layout ({}); in place they must be the same view",
                    operation, input.layout().to_string()));
  }
}

Tensor output(std::string_view operation, const Device& device, const Shape& shape, DType dtype,
              const CallOptions& options, Inputs inputs, InPlace in_place) {
  if (!options.out) return Tensor::empty(device, shape, dtype, options.stream);
  check_stream(device, options.stream);
  if (!*options.out) invalid(formatted("{}: out is no tensor", operation));
  check_same_device(operation, device, options.out->device());
  check_out(operation, *options.out, shape, dtype, inputs, in_place);
  return *options.out;
}

Indexed outputs(std::string_view operation, const Tensor& x, const Shape& shape,
                const IndexedOptions& options) {
  const Tensor* const input = &x;
  Indexed results;
  results.values =
      output(operation, x.device(), shape, x.dtype(), {options.stream, options.values}, {&input, 1});
  const Tensor* const taken[] = {&x, &results.values};
  results.indices =
      output(operation, x.device(), shape, DType::u32, {options.stream, options.indices}, taken);
  return results;
}

}  // namespace kernelgen
