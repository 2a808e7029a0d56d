#include "ops/block_rows.hpp"

#include "common/dtype_names.hpp"
#include "common/format.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "ops/output.hpp"

namespace kernelgen {

std::optional<std::int64_t> row_distance(const Layout& layout) {
  std::optional<std::int64_t> distance;
  std::int64_t next = 0;
  for (std::size_t d = layout.rank() - 1; d-- > 0;) {
    if (layout.shape[d] == 1) continue;
    if (distance && layout.strides[d] != next) return std::nullopt;
    if (!distance) distance = layout.strides[d];
    next = layout.strides[d] * layout.shape[d];
  }
  return distance.value_or(layout.shape.back());
}

BlockRows::BlockRows(const Tensor& quantized, const Stream& stream)
    : tensor(quantized), n(quantized.shape().back()) {
  rows = n == 0 ? 0 : quantized.elements() / n;
  auto distance = row_distance(quantized.layout());
  if (!distance) {
    tensor = copy(quantized, {.stream = stream});
    distance = n;
  }
  row_bytes = bytes_of(tensor.dtype(), *distance);
}

void check_quantized(std::string_view operation, std::string_view called, const Tensor& x, std::size_t rank) {
  if (!is_quantized(x.dtype()))
    invalid(formatted("{}: {} are {}; they have to be quantized, as q4_0 is", operation, called,
                      name_of(x.dtype())));
  if (rank != 0 && x.shape().size() != rank)
    invalid(
        formatted("{}: {} are {}; they need a rank of {}", operation, called, x.shape().to_string(), rank));
}

void check_quantizable(std::string_view operation, std::string_view called, DType dtype) {
  if (is_quantizable(dtype)) return;
  invalid(formatted("{}: {} {}; values are quantized to {}", operation, called, name_of(dtype),
                    joined(dtype_names(is_quantizable), " ")));
}

void check_activation(std::string_view operation, std::string_view called, DType dtype) {
  if (dtype != DType::f32 && dtype != DType::f16 && dtype != DType::bf16)
    invalid(formatted("{}: {} {}; it takes f32, f16 and bf16", operation, called, name_of(dtype)));
}

}  // namespace kernelgen
