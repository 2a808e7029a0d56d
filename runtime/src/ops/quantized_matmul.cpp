#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/quantized_columns.hpp"
#include "ops/expert_product.hpp"
#include "ops/index.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/quantized_product.hpp"

namespace kernelgen {
namespace {

void check_length(std::string_view operation, const Tensor& x, const Tensor& weights) {
  if (x.shape().empty() || x.shape().back() != weights.shape().back())
    invalid(formatted("{}: x is {}, weights are {}; their last dims must match", operation,
                      x.shape().to_string(), weights.shape().to_string()));
}

/// Throws Error unless weights are [experts, rows, n], quantized or plain.
void check_matrices(std::string_view operation, const Tensor& weights) {
  const bool is_plain =
      weights.dtype() == DType::f32 || weights.dtype() == DType::f16 || weights.dtype() == DType::bf16;
  if (!is_plain) return check_quantized(operation, "weights", weights, 3);
  if (weights.shape().size() != 3)
    invalid(formatted("{}: weights are {}; they need a rank of 3", operation, weights.shape().to_string()));
}

/// Whether there is nothing to multiply: y is empty, or its sums have no terms. The latter sets y to 0.
bool fill_if_trivial(const Tensor& y, std::int64_t terms, const Stream& stream) {
  if (y.elements() == 0) return true;
  if (terms > 0) return false;
  const_set(y, 0, stream);
  return true;
}

/// `bytes`: as QuantizedProduct::bytes.
Tensor multiply(const Tensor& x, Tensor& bytes, const Tensor& weights, const CallOptions& options) {
  constexpr const char* name = "quantized_matmul";
  const Tensor* const inputs[] = {&x, &weights};
  check_tensors(name, inputs);
  check_activation(name, "x is", x.dtype());
  check_quantized(name, "weights", weights, 2);
  check_length(name, x, weights);
  Shape shape = x.shape();
  shape[shape.size() - 1] = weights.shape()[0];
  const Tensor y = output(name, x.device(), shape, x.dtype(), options, inputs);
  if (fill_if_trivial(y, x.shape().back(), options.stream)) return y;
  const BlockRows blocks(weights, options.stream);
  const ActivationRows columns(x, options.stream);
  QuantizedProduct{blocks, blocks.rows, columns, y, columns.rows, 1, nullptr, options.stream, &bytes}.run();
  return y;
}

Tensor multiply_indexed(const Tensor& x, Tensor& bytes, const Tensor& weights, const Tensor& ids,
                        const CallOptions& options) {
  static constexpr IndexOperation operation{"indexed_matmul"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&x, &weights, &ids};
  check_tensors(name, inputs);
  check_activation(name, "x is", x.dtype());
  check_matrices(name, weights);
  check_ids(name, ids);
  check_length(name, x, weights);
  const Shape &of_x = x.shape(), &of_ids = ids.shape();
  if (of_x.size() != 3 || of_ids.size() != 2 || of_x[0] != of_ids[0] ||
      (of_x[1] != 1 && of_x[1] != of_ids[1]))
    invalid(formatted(
        "{}: x is {}, ids are {}; they have to be [tokens, k, n] or [tokens, 1, n], and [tokens, k]", name,
        of_x.to_string(), of_ids.to_string()));
  const Tensor y =
      output(name, x.device(), {of_ids[0], of_ids[1], weights.shape()[1]}, x.dtype(), options, inputs);
  if (fill_if_trivial(y, of_x[2], options.stream)) return y;
  DeviceState& state = state_of(x.device());
  const Tensor contiguous_ids = make_contiguous(ids, options.stream);
  const std::int64_t rows = weights.shape()[1];
  if (!is_quantized(weights.dtype())) {
    multiply_by_experts(operation, x, weights, contiguous_ids, y, options.stream);
    return y;
  }
  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(options.stream));
  const BlockRows blocks(weights, options.stream);
  const ActivationRows columns(x, options.stream);
  const ExpertChoice choice{contiguous_ids, weights.shape()[0], blocks.row_bytes * rows, call, operation};
  const std::int64_t results_per_column = of_x[1] == 1 ? of_ids[1] : 1;
  QuantizedProduct{blocks,  rows,           columns, y, ids.elements(), results_per_column,
                   &choice, options.stream, &bytes}
      .run();
  return y;
}

}  // namespace

Tensor quantized_matmul(const Tensor& x, const Tensor& weights, const CallOptions& options) {
  Tensor bytes;
  return multiply(x, bytes, weights, options);
}

Tensor quantized_matmul(QuantizedColumns& x, const Tensor& weights, const CallOptions& options) {
  return multiply(x.x, x.bytes, weights, options);
}

Tensor indexed_matmul(const Tensor& x, const Tensor& weights, const Tensor& ids, const CallOptions& options) {
  Tensor bytes;
  return multiply_indexed(x, bytes, weights, ids, options);
}

Tensor indexed_matmul(QuantizedColumns& x, const Tensor& weights, const Tensor& ids,
                      const CallOptions& options) {
  return multiply_indexed(x.x, x.bytes, weights, ids, options);
}

}  // namespace kernelgen
