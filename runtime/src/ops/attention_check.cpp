#include "ops/attention_check.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "common/format.hpp"
#include "ops/index.hpp"
#include "ops/operation.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = attention_name;
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();

/// An operand of a call and its name in error messages.
struct Named {
  std::string_view name;
  const Tensor* tensor;  ///< null if not given
};

/// Operands that are read come first, then those that are written.
constexpr std::size_t read_operands = 9;
std::array<Named, read_operands + 2> operands_of(const Tensor& q, const Tensor& k, const Tensor& v,
                                                 const AttentionOptions& options) {
  return {{{"q", &q},
           {"k", &k},
           {"v", &v},
           {"mask", options.mask},
           {"alibi_slopes", options.alibi_slopes},
           {"sinks", options.sinks},
           {"query_lengths", options.query_lengths},
           {"key_lengths", options.key_lengths},
           {"block_table", options.block_table},
           {"out", options.out},
           {"log_sum_exp", options.log_sum_exp}}};
}

[[noreturn]] void refuse_shape(const Named& operand, std::string_view wanted) {
  invalid(formatted("{}: {} is {}; it has to be {}", name, operand.name, operand.tensor->shape().to_string(),
                    wanted));
}

void check_dtype(const Named& operand, DType dtype) {
  if (operand.tensor->dtype() != dtype)
    invalid(formatted("{}: {} is {}; it has to be {}", name, operand.name, name_of(operand.tensor->dtype()),
                      name_of(dtype)));
}

void check_extent(std::string_view what, Checked extent) {
  if (extent.value_or(-1) < 0 || extent.value_or(-1) > most)
    invalid(formatted("{}: {} are {}; there may be {}", name, what,
                      extent.fits() ? formatted("{}", extent.value_or(0)) : "more than 2^63 - 1", most));
}

/// Checks that k and v both have q's dtype, or are both f8e4m3, or both of 16 bits with q in f32.
void check_dtypes(const Tensor& q, const Tensor& k, const Tensor& v) {
  const DType keys = k.dtype();
  const bool is_narrower = q.dtype() == DType::f32 && (keys == DType::f16 || keys == DType::bf16);
  if (keys == v.dtype() && (keys == q.dtype() || keys == DType::f8e4m3 || is_narrower)) return;
  invalid(
      formatted("{}: q is {}, k {}, v {}; k and v have to be of q's dtype, both f8e4m3, or with q in f32 "
                "both f16 or bf16",
                name, name_of(q.dtype()), name_of(keys), name_of(v.dtype())));
}

AttentionExtents extents_of(const Tensor& q, const Tensor& k, const Tensor& v,
                            const AttentionOptions& options) {
  const Shape &queries = q.shape(), &keys = k.shape();
  const bool has_pages = options.block_table != nullptr;
  if (queries.size() != 4) refuse_shape({"q", &q}, "[batch, heads, queries, d]");
  AttentionExtents extents{queries[0], queries[1], queries[2], queries[3], 0, 0};
  const std::string wanted = has_pages ? formatted("[pages, heads of k, rows of a page, {}] for q {}",
                                                   extents.width, queries.to_string())
                                       : formatted("[{}, heads of k, keys, {}] for q {}", extents.batch,
                                                   extents.width, queries.to_string());
  if (keys.size() != 4 || keys[3] != extents.width || (!has_pages && keys[0] != extents.batch))
    refuse_shape({"k", &k}, wanted);
  if (!(v.shape() == keys))
    invalid(formatted("{}: v is {}, k {}; they must have one shape", name, v.shape().to_string(),
                      keys.to_string()));
  if (extents.width < 1 || extents.width > kg::attention_widest)
    invalid(formatted("{}: q is {}; its last dim has to be 1 to {}", name, queries.to_string(),
                      kg::attention_widest));
  extents.kv_heads = keys[1];
  if (extents.heads != 0 && (extents.kv_heads == 0 || extents.heads % extents.kv_heads != 0))
    invalid(formatted("{}: q has {} heads, k {}; those of q have to be a multiple of those of k", name,
                      extents.heads, extents.kv_heads));
  extents.keys = keys[2];
  if (has_pages) {
    const Named block_table{"block_table", options.block_table};
    const Shape& table = options.block_table->shape();
    if (table.size() != 2 || table[0] != extents.batch)
      refuse_shape(block_table, formatted("[{}, pages each]", extents.batch));
    extents.page_rows = keys[2];
    extents.pages_each = table[1];
    extents.page_count = keys[0];
    check_extent("entries of a sequence in block_table", extents.pages_each);
    check_extent("pages of the cache", extents.page_count);
    const Checked all = Checked(extents.pages_each) * extents.page_rows;
    check_extent("keys of a sequence, pages each times rows of a page,", all);
    extents.keys = all.value_or(0);
  }
  check_extent("sequences", extents.batch);
  check_extent("keys of a sequence", extents.keys);
  if (extents.heads != 0)
    check_extent("rows of q that share a head of k",
                 Checked(extents.heads / extents.kv_heads) * extents.queries);
  check_extent("rows of q", Checked(extents.batch) * extents.heads * extents.queries);
  return extents;
}

/// Checks for f32 and one of the shapes.
void check_numbers(const Named& operand, std::initializer_list<Shape> shapes, std::string_view wanted) {
  if (!operand.tensor) return;
  check_dtype(operand, DType::f32);
  for (const Shape& shape : shapes)
    if (operand.tensor->shape() == shape) return;
  refuse_shape(operand, wanted);
}

void check_lengths(const Named& operand, std::int64_t batch) {
  if (!operand.tensor) return;
  check_ids(formatted("{}: {}", name, operand.name), *operand.tensor);
  if (!(operand.tensor->shape() == Shape{batch})) refuse_shape(operand, formatted("[{}]", batch));
}

void check_mask(const Tensor* mask, DType type, const Shape& logits) {
  if (!mask) return;
  check_dtype({"mask", mask}, type);
  bool fits = mask->shape().size() <= logits.size();
  const std::size_t missing = logits.size() - std::min(mask->shape().size(), logits.size());
  for (std::size_t d = missing; fits && d < logits.size(); ++d)
    fits = mask->shape()[d - missing] == logits[d] || mask->shape()[d - missing] == 1;
  if (!fits) refuse_shape({"mask", mask}, formatted("{}, or to broadcast to it", logits.to_string()));
}

/// The number of visible keys on one side of the window.
int side_of(std::string_view what, std::optional<std::int64_t> keys) {
  if (!keys) return static_cast<int>(most);
  if (*keys < 0)
    invalid(formatted("{}: {} is {}; it has to be 0 or more, or be left out", name, what, *keys));
  return static_cast<int>(std::min(*keys, most));
}

float number(std::string_view what, double value) {
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow))
    invalid(formatted("{}: {} is {}; it has to be finite in f32", name, what, value));
  return narrow;
}

/// Whether no two elements of a layout share memory, judged by strides alone: each dim's stride exceeds the
/// span of all dims with smaller strides.
bool has_no_overlap(const Layout& layout) {
  const auto step = [&](std::size_t d) { return std::abs(layout.strides[d]); };
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    std::int64_t reached = 0;
    for (std::size_t inner = 0; inner < layout.rank(); ++inner)
      if (step(inner) < step(d) || (step(inner) == step(d) && inner > d))
        reached += (layout.shape[inner] - 1) * step(inner);
    if (step(d) <= reached) return false;
  }
  return true;
}

/// options.out, checked, or a new tensor.
Tensor result_of(const Tensor& q, const AttentionOptions& options, Inputs inputs) {
  if (!options.out) return Tensor::empty(q.device(), q.shape(), q.dtype(), options.stream);
  const Tensor& out = *options.out;
  const bool has_rows = out.layout().rank() == 4 && (out.shape()[3] == 1 || out.layout().strides[3] == 1);
  if (out.dtype() != q.dtype() || !(out.shape() == q.shape()) ||
      (out.elements() > 0 && !(has_rows && has_no_overlap(out.layout()))))
    invalid(formatted(
        "{}: out is {} {}; it has to be {} {}, without overlap, and with a stride of 1 in its last dim", name,
        name_of(out.dtype()), out.layout().to_string(), name_of(q.dtype()), q.shape().to_string()));
  check_apart(name, "out", out, inputs);
  return out;
}

Tensor log_sums_of(const Tensor& q, const Tensor& y, const AttentionOptions& options, Inputs inputs) {
  const Shape shape{q.shape()[0], q.shape()[1], q.shape()[2]};
  if (!options.log_sum_exp)
    return options.wants_log_sum_exp ? Tensor::empty(q.device(), shape, DType::f32, options.stream)
                                     : Tensor();
  const Tensor& out = *options.log_sum_exp;
  if (out.dtype() != DType::f32 || !(out.shape() == shape) || !out.layout().is_contiguous())
    invalid(formatted("{}: log_sum_exp is {} {}; it has to be f32 {}, contiguous", name, name_of(out.dtype()),
                      out.layout().to_string(), shape.to_string()));
  check_apart(name, "log_sum_exp", out, inputs);
  const Tensor* const result = &y;
  check_apart(name, "log_sum_exp", out, {&result, 1});
  return out;
}

}  // namespace

AttentionExtents check_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const AttentionOptions& options) {
  for (const Named& operand : operands_of(q, k, v, options)) {
    if (!operand.tensor) continue;
    if (!*operand.tensor) invalid(formatted("{}: {} is a default-constructed Tensor", name, operand.name));
    check_same_device(name, q.device(), operand.tensor->device());
  }
  check_stream(q.device(), options.stream);
  const DType type = q.dtype();
  const Operation operation = Operation::builtin(q.device(), Builtin::attention);
  operation.kernel({&type, 1}, operation.form("simt"));  // throws on other dtypes
  check_dtypes(q, k, v);
  const AttentionExtents extents = extents_of(q, k, v, options);
  const std::int64_t batch = extents.batch, heads = extents.heads;
  check_mask(options.mask, size_of(k.dtype()) == 2 ? k.dtype() : type, extents.logits());
  check_numbers({"alibi_slopes", options.alibi_slopes}, {{heads}, {batch, heads}},
                formatted("[{}] or [{}, {}]", heads, batch, heads));
  check_numbers({"sinks", options.sinks}, {{heads}}, formatted("[{}]", heads));
  check_lengths({"query_lengths", options.query_lengths}, batch);
  check_lengths({"key_lengths", options.key_lengths}, batch);
  if (options.block_table) check_ids(formatted("{}: block_table", name), *options.block_table);
  return extents;
}

kg::AttentionShape attention_numbers(const AttentionExtents& extents, const AttentionOptions& options) {
  kg::AttentionShape shape{};
  shape.window_left = side_of("window_left", options.window_left);
  shape.window_right = side_of("window_right", options.window_right);
  if (options.causal) shape.window_right = 0;
  shape.scale = number("scale", options.scale.value_or(1.0 / std::sqrt(static_cast<double>(extents.width))));
  shape.soft_cap = number("soft_cap", options.soft_cap);
  if (shape.soft_cap < 0 || (shape.soft_cap == 0 && options.soft_cap != 0))
    invalid(
        formatted("{}: soft_cap is {}; it has to be a positive f32, or 0 for none", name, options.soft_cap));
  return shape;
}

AttentionResult attention_results(const Tensor& q, const Tensor& k, const Tensor& v,
                                  const AttentionOptions& options) {
  std::array<const Tensor*, read_operands> inputs{};
  std::size_t count = 0;
  const auto operands = operands_of(q, k, v, options);
  for (const Named& operand : std::span(operands).first(read_operands))
    if (operand.tensor) inputs[count++] = operand.tensor;
  const Inputs given = Inputs(inputs).first(count);
  const Tensor y = result_of(q, options, given);
  const Tensor log_sums = log_sums_of(q, y, options, given);
  const Tensor* const written[] = {&y, &log_sums};
  use_operands(options.stream, given, Inputs(written).first(log_sums ? 2 : 1));
  return {y, log_sums};
}

}  // namespace kernelgen
