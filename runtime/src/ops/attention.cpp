#include "kernelgen/ops/attention.hpp"

#include "ops/attention_call.hpp"
#include "ops/attention_check.hpp"
#include "ops/operand.hpp"

namespace kernelgen {
namespace {

/// Integers as contiguous u32 or i32, which kernels read in place; null if absent. Values outside i32's range are clamped to the
/// nearest.
Tensor read_ids(const Tensor* ids, const Stream& stream) {
  if (!ids) return {};
  const CallOptions options{.stream = stream};
  switch (ids->dtype()) {
    case DType::u32:
    case DType::i32:
      return make_contiguous(*ids, stream);
    case DType::i64:
      // By way of f64: a conversion between integers would drop the high bits, one from a float saturates.
      return to_dtype(to_dtype(*ids, DType::f64, options), DType::i32, options);
    default:
      return to_dtype(*ids, DType::i32, options);
  }
}

/// Strides of a tensor broadcast to a shape.
template <std::size_t N>
void set_strides(long long (&strides)[N], const Tensor& x, const Shape& shape) {
  const Layout spread = x.layout().broadcast_to(shape);
  for (std::size_t d = 0; d < N; ++d) strides[d] = spread.strides[d];
}

void set_extents(kg::AttentionShape& shape, const AttentionExtents& extents) {
  shape.batch = static_cast<unsigned>(extents.batch);
  shape.heads = static_cast<unsigned>(extents.heads);
  shape.group = static_cast<unsigned>(extents.heads / extents.kv_heads);
  shape.queries = static_cast<unsigned>(extents.queries);
  shape.keys = static_cast<unsigned>(extents.keys);
  shape.width = static_cast<unsigned>(extents.width);
  shape.page_rows = static_cast<unsigned>(extents.page_rows);
  shape.pages_each = static_cast<unsigned>(extents.pages_each);
  shape.page_count = static_cast<unsigned>(extents.page_count);
}

}  // namespace

AttentionResult attention(const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionOptions& options) {
  const AttentionExtents extents = check_attention(q, k, v, options);
  kg::AttentionShape shape = attention_numbers(extents, options);
  AttentionResult result = attention_results(q, k, v, options);
  if (result.y.elements() == 0) return result;
  set_extents(shape, extents);
  AttentionCall call{.q = make_rows_contiguous(q, options.stream),
                     .k = make_rows_contiguous(k, options.stream),
                     .v = make_rows_contiguous(v, options.stream),
                     .y = result.y,
                     .log_sum_exp = result.log_sum_exp,
                     .mask = {},
                     .alibi_slopes = {},
                     .sinks = {},
                     .query_lengths = read_ids(options.query_lengths, options.stream),
                     .key_lengths = read_ids(options.key_lengths, options.stream),
                     .block_table = read_ids(options.block_table, options.stream),
                     .shape = shape,
                     .stream = options.stream};
  if (options.mask) {
    call.mask = *options.mask;
    set_strides(call.shape.mask, call.mask, extents.logits());
  }
  if (options.alibi_slopes) {
    call.alibi_slopes = *options.alibi_slopes;
    set_strides(call.shape.slope, call.alibi_slopes, {extents.batch, extents.heads});
  }
  if (options.sinks) call.sinks = make_contiguous(*options.sinks, options.stream);
  call.run();
  return result;
}

}  // namespace kernelgen
