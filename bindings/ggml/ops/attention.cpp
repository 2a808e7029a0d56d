#include <algorithm>

#include "ops/softmax.hpp"
#include "ops/table.hpp"

/// Attention: by the library's own where it accepts the heads' widths, else composed of products and a softmax.
namespace kernelgen::ggml {
namespace {

constexpr std::int64_t widest_head = 256;

struct Attention {
  explicit Attention(const Call& call)
      : q(call.source(0)),
        k(call.source(1)),
        v(call.source(2)),
        scale(real(call.node(), 0)),
        max_bias(real(call.node(), 1)),
        soft_cap(real(call.node(), 2)) {}

  Tensor q, k, v;  ///< [batch, heads, rows, width]
  double scale, max_bias, soft_cap;
};

bool is_key_type(const Node* node) { return is_real(node) || is_block_type(node); }

bool is_attention(const Node& node) {
  const Node &q = *node.src[0], &k = *node.src[1], &v = *node.src[2];
  const Node *mask = node.src[3], *sinks = node.src[4];
  if (!is_f32(&node) || !is_f32(&q) || !is_key_type(&k) || !is_key_type(&v)) return false;
  if (q.ne[0] != k.ne[0] || k.ne[1] != v.ne[1] || k.ne[2] != v.ne[2] || q.ne[2] % k.ne[2] != 0 ||
      q.ne[3] != k.ne[3] || q.ne[3] != v.ne[3] || k.ne[1] == 0)
    return false;
  if (mask != nullptr && (!is_real(mask) || mask->ne[0] != k.ne[1] || mask->ne[1] < q.ne[1] ||
                          q.ne[2] % mask->ne[2] != 0 || q.ne[3] % mask->ne[3] != 0))
    return false;
  if (mask == nullptr && real(node, 1) != 0) return false;
  return sinks == nullptr || (is_f32(sinks) && elements(*sinks) == q.ne[2]);
}

/// The dtype in which the keys are read: their own, or f16 for blocks.
DType key_dtype(const Attention& attention) {
  if (is_quantized(attention.k.dtype())) return DType::f16;
  return attention.k.dtype();
}

/// The mask in that dtype, of a shape that broadcasts to [batch, heads, rows, keys].
Tensor mask_of(const Call& call, const Attention& attention, DType dtype) {
  const Shape& q = attention.q.shape();
  Tensor mask = repeated_mask(call, call.source(3).narrow(2, 0, q[2]), q);
  if (attention.max_bias != 0)
    mask = mul(call.as(mask, DType::f32),
               alibi_slopes(call, q[1], attention.max_bias).reshape({1, q[1], 1, 1}), call.options());
  return call.as(mask, dtype);
}

/// v with zeros up to q's width.
Tensor widened(const Call& call, const Tensor& v, std::int64_t width) {
  if (v.shape()[3] == width) return v;
  const std::int64_t before[] = {0}, after[] = {width - v.shape()[3]};
  return pad(v, before, after, 0, call.options());
}

void fused(const Call& call, const Attention& in) {
  const DType dtype = key_dtype(in);
  const std::int64_t width = in.q.shape()[3];
  AttentionOptions options{.stream = call.stream(), .scale = in.scale, .soft_cap = in.soft_cap};
  Tensor mask, sinks;
  if (call.has(3)) {
    mask = mask_of(call, in, dtype);
    options.mask = &mask;
  }
  if (call.has(4)) {
    sinks = call.contiguous(call.source(4)).reshape({in.q.shape()[1]});
    options.sinks = &sinks;
  }
  const Tensor v = widened(call, call.as(in.v, dtype), width);
  const Tensor k = call.as(in.k, dtype);
  const auto attend = [&](const CallOptions& to) {
    const Tensor out = to.out == nullptr ? Tensor() : to.out->transpose(1, 2);
    if (out) options.out = &out;
    return attention(in.q, k, v, options).y.transpose(1, 2);
  };
  if (in.v.shape()[3] == width)
    call.write_apart(attend);
  else
    call.put(attend(call.options()).narrow(3, 0, in.v.shape()[3]));
}

void composed(const Call& call, const Attention& in) {
  const CallOptions options = call.options();
  const DType dtype = key_dtype(in);
  const Tensor k = call.as(in.k, dtype), v = call.as(in.v, dtype);
  const std::int64_t batch = k.shape()[0], heads = k.shape()[1], group = in.q.shape()[1] / heads,
                     rows = in.q.shape()[2], keys = k.shape()[2], width = v.shape()[3];
  const Tensor q = call.contiguous(in.q).reshape({batch, heads, group * rows, in.q.shape()[3]});
  Tensor logits = matmul(q, k.transpose(2, 3), options).reshape({batch, heads * group, rows, keys});
  double scale = in.scale;
  if (in.soft_cap != 0) {
    logits = tanh(affine(logits, in.scale / in.soft_cap, 0, options), options);
    scale = in.soft_cap;
  }
  const Tensor weights = masked_softmax(call, logits, 3, scale, in.max_bias, options);
  const Tensor y = matmul(weights.reshape({batch, heads, group * rows, keys}), v, options);
  call.put(y.reshape({batch, heads * group, rows, width}).transpose(1, 2));
}

void attend(const Call& call) {
  const Attention in(call);
  const std::int64_t width = in.q.shape()[3];
  width <= widest_head&& in.v.shape()[3] <= width ? fused(call, in) : composed(call, in);
}

constexpr Operation operations[] = {{"FLASH_ATTN_EXT", is_attention, attend}};

}  // namespace

Operations attention_operations() { return operations; }

}  // namespace kernelgen::ggml
