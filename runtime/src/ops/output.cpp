#include "ops/output.hpp"

#include "common/dtype_names.hpp"
#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

void invalid(const std::string& message) { throw Error(Code::invalid_argument, message); }

void check_stream(const Device& device, const Stream& stream) { state_of(device).queue(stream); }

void use_operands(const Stream& stream, Inputs read, Inputs written) {
  const Inputs some = read.empty() ? written : read;
  if (some.empty()) return;
  const bool is_followed = state_of(some[0]->device()).follows_uses();
  if (is_followed)
    for (const Tensor* tensor : read) tensor->use(stream, Access::read);
  // Refuses memory that is read-only, followed or not.
  for (const Tensor* tensor : written)
    if (is_followed || tensor->storage()->is_read_only()) tensor->use(stream, Access::write);
}

void check_same_device(std::string_view operation, const Device& a, const Device& b) {
  if (a == b) return;
  invalid(formatted("{}: {}", operation, describe_two(state_of(a), state_of(b))));
}

void check_tensors(std::string_view operation, Inputs inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!*inputs[k]) invalid(formatted("{}: input {} is a default-constructed Tensor", operation, k + 1));
    check_same_device(operation, inputs[0]->device(), inputs[k]->device());
  }
}

void check_inputs(std::string_view operation, Inputs inputs) {
  check_tensors(operation, inputs);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (is_quantized(inputs[k]->dtype()))
      invalid(formatted("{}: input {} is {}; it takes no quantized tensors: dequantize makes plain ones",
                        operation, k + 1, name_of(inputs[k]->dtype())));
}

void check_float(std::string_view operation, const Tensor& x) {
  if (is_float(x.dtype())) return;
  invalid(formatted("{}: no kernel for dtype {}; it accepts {}", operation, name_of(x.dtype()),
                    joined(dtype_names(is_float), " ")));
}

namespace {

/// Whether the address ranges of a and b are disjoint.
bool are_apart(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage()) return true;
  const Layout::Extent p = a.layout().extent(), q = b.layout().extent();
  const auto begin = [](const Tensor& t, const Layout::Extent& e) { return bytes_of(t.dtype(), e.first); };
  const auto end = [](const Tensor& t, const Layout::Extent& e) { return bytes_of(t.dtype(), e.last + 1); };
  return p.first > p.last || q.first > q.last || end(b, q) <= begin(a, p) || end(a, p) <= begin(b, q);
}

}  // namespace

void check_apart(std::string_view operation, std::string_view what, const Tensor& out, Inputs inputs) {
  for (const Tensor* input : inputs)
    if (!are_apart(out, *input))
      invalid(formatted("{}: {} overlaps an input; give it separate memory", operation, what));
}

void check_out(std::string_view operation, const Tensor& out, const Shape& shape, DType dtype, Inputs inputs,
               InPlace in_place) {
  if (out.dtype() != dtype || !(out.shape() == shape) || !out.layout().is_contiguous())
    invalid(formatted("{}: out is {} {}{}; it has to be {} {}, contiguous", operation, name_of(out.dtype()),
                      out.shape().to_string(), out.layout().is_contiguous() ? "" : " with strides",
                      name_of(dtype), shape.to_string()));
  if (out.storage()->is_read_only())
    invalid(formatted(
        "{}: out is read-only memory, as its owner lent it; it has to be memory that may be written",
        operation));
  if (in_place == InPlace::refused) {
    check_apart(operation, "out", out, inputs);
    return;
  }
  for (const Tensor* entry : inputs) {
    const Tensor& input = *entry;
    if (are_apart(out, input)) continue;
    const bool same = size_of(input.dtype()) == size_of(dtype) &&
                      input.layout().extent().first == out.layout().extent().first &&
                      input.shape() == shape && input.layout().is_contiguous();
    if (!same)
      invalid(
          formatted("{}: out overlaps an input with another layout ({}); in place they must be the same view",
                    operation, input.layout().to_string()));
  }
}

Tensor output(std::string_view operation, const Device& device, const Shape& shape, DType dtype,
              const CallOptions& options, Inputs inputs, InPlace in_place) {
  Tensor out;
  if (options.out) {
    check_stream(device, options.stream);
    if (!*options.out) invalid(formatted("{}: out is a default-constructed Tensor", operation));
    check_same_device(operation, device, options.out->device());
    check_out(operation, *options.out, shape, dtype, inputs, in_place);
    out = *options.out;
  } else {
    out = Tensor::empty(device, shape, dtype, options.stream);
  }
  const Tensor* const written = &out;
  use_operands(options.stream, inputs, {&written, 1});
  return out;
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
