#include <array>
#include <cmath>
#include <limits>

#include "ops/table.hpp"

/// Operations that place elements, or numbers, at other positions.
namespace kernelgen::ggml {
namespace {

/// ggml's dim d, of a tensor's four.
std::int64_t dim(std::int64_t d) { return 3 - d; }

bool is_repeat(const Node& node) {
  return is_plain(&node) && is_type(node.src[0], {node.type}) && Tiling::fits(node, *node.src[0]);
}

void repeat(const Call& call) {
  const Tensor out = call.destination(), x = call.source(0);
  const Tiling tiling(out.shape(), x.shape());
  copy_into(tiling.split(out), tiling.repeat(x), call.stream());
}

bool is_concat(const Node& node) {
  if (!is_type(node.src[0], {node.type}) || !is_type(node.src[1], {node.type})) return false;
  return is_plain(&node) || integer(node, 0) > 0;
}

void concat(const Call& call) {
  const Tensor out = call.destination(), a = call.source(0), b = call.source(1);
  const std::int64_t along = dim(integer(call.node(), 0)), n = a.shape()[static_cast<std::size_t>(along)];
  copy_into(out.narrow(along, 0, n), a, call.stream());
  copy_into(out.narrow(along, n, b.shape()[static_cast<std::size_t>(along)]), b, call.stream());
}

/// Elements before and after each dim, in pairs; then whether they repeat the other end instead of zeros.
bool is_pad(const Node& node) {
  if (!is_f32(&node) || !is_f32(node.src[0])) return false;
  for (std::size_t d = 0; d < max_dims; ++d) {
    const std::int32_t before = integer(node, 2 * d), after = integer(node, 2 * d + 1);
    if (before < 0 || after < 0) return false;
    if (integer(node, 8) != 0 && (before > node.src[0]->ne[d] || after > node.src[0]->ne[d])) return false;
  }
  return true;
}

void pad(const Call& call) {
  const Node& node = call.node();
  const Tensor out = call.destination(), x = call.source(0);
  const_set(out, 0, call.stream());
  Tensor inside = out;
  for (std::int64_t d = 0; d < 4; ++d)
    inside = inside.narrow(dim(d), integer(node, static_cast<std::size_t>(2 * d)), node.src[0]->ne[d]);
  copy_into(inside, x, call.stream());
  if (integer(node, 8) == 0) return;
  // One dim after the other, so that corners repeat what the dims before them wrote.
  for (std::int64_t d = 0; d < 4; ++d) {
    const std::int64_t before = integer(node, static_cast<std::size_t>(2 * d)), n = node.src[0]->ne[d],
                       after = integer(node, static_cast<std::size_t>(2 * d + 1));
    if (before > 0) copy_into(out.narrow(dim(d), 0, before), out.narrow(dim(d), n, before), call.stream());
    if (after > 0)
      copy_into(out.narrow(dim(d), before + n, after), out.narrow(dim(d), before, after), call.stream());
  }
}

/// x with the order of the last dim's elements reversed.
Tensor reversed(const Tensor& x) {
  Layout layout = x.layout();
  layout.offset += (layout.shape[3] - 1) * layout.strides[3];
  layout.strides[3] = -layout.strides[3];
  return x.with_layout(layout);
}

bool is_pad_reflect(const Node& node) {
  const std::int64_t n = node.src[0]->ne[0];
  return is_f32(&node) && is_f32(node.src[0]) && integer(node, 0) < n && integer(node, 1) < n;
}

void pad_reflect(const Call& call) {
  const Tensor out = call.destination(), x = call.source(0);
  const std::int64_t before = integer(call.node(), 0), after = integer(call.node(), 1), n = x.shape()[3];
  copy_into(out.narrow(3, before, n), x, call.stream());
  if (before > 0) copy_into(out.narrow(3, 0, before), reversed(x.narrow(3, 1, before)), call.stream());
  if (after > 0)
    copy_into(out.narrow(3, before + n, after), reversed(x.narrow(3, n - 1 - after, after)), call.stream());
}

bool is_plain_map(const Node& node) {
  return is_plain(&node) && is_type(node.src[0], {node.type}) && is_same_shape(node, *node.src[0]);
}

void roll_from(const Call& call, const Tensor& out, const Tensor& x, std::int64_t d) {
  if (d == 4) return copy_into(out, x, call.stream());
  const std::int64_t n = x.shape()[static_cast<std::size_t>(dim(d))];
  const std::int64_t shift = ((integer(call.node(), static_cast<std::size_t>(d)) % n) + n) % n;
  roll_from(call, out.narrow(dim(d), shift, n - shift), x.narrow(dim(d), 0, n - shift), d + 1);
  if (shift > 0) roll_from(call, out.narrow(dim(d), 0, shift), x.narrow(dim(d), n - shift, shift), d + 1);
}

void roll(const Call& call) { roll_from(call, call.destination(), call.source(0), 0); }

bool is_f32_node(const Node& node) { return is_f32(&node); }

void arange(const Call& call) {
  call.put(call.range(call.node().ne[0], real(call.node(), 0), real(call.node(), 2)));
}

void fill(const Call& call) { const_set(call.destination(), real(call.node(), 0), call.stream()); }

bool is_diag(const Node& node) { return is_f32(&node) && is_f32(node.src[0]) && is_contiguous(node); }

void diag(const Call& call) {
  const Tensor out = call.destination(), x = call.source(0).squeeze(2);
  const_set(out, 0, call.stream());
  Layout layout = out.layout();
  layout.strides[3] += layout.strides[2];
  layout.shape.erase(2);
  layout.strides.erase(2);
  copy_into(out.with_layout(layout), x, call.stream());
}

/// Element (row, column) of the last two dims is kept where `compare(column, row + shift)`, else replaced.
Tensor kept_where(const Call& call, Tensor (*compare)(const Tensor&, const Tensor&, const CallOptions&),
                  double shift, double other) {
  const Tensor x = call.source(0);
  const std::int64_t columns = x.shape()[3], rows = x.shape()[2];
  const Tensor is_kept =
      compare(call.range(columns, 0, 1), call.range(rows, shift, 1).unsqueeze(1), call.options());
  return where_cond(is_kept.broadcast_to(x.shape()), x, call.number(other, x.dtype()).broadcast_to(x.shape()),
                    call.options());
}

bool is_mask(const Node& node) { return is_f32(&node) && is_plain_map(node); }

void diag_mask_inf(const Call& call) {
  call.put(kept_where(call, le, integer(call.node(), 0), -std::numeric_limits<double>::infinity()));
}

void diag_mask_zero(const Call& call) { call.put(kept_where(call, le, integer(call.node(), 0), 0)); }

/// Above the diagonal, with it (0) or without (1); below, with it (2) or without (3).
void tri(const Call& call) {
  constexpr auto compares = std::to_array({ge, gt, le, lt});
  call.put(kept_where(call, compares[static_cast<std::size_t>(integer(call.node(), 0))], 0, 0));
}

bool is_tri(const Node& node) { return is_mask(node) && integer(node, 0) >= 0 && integer(node, 0) < 4; }

bool is_timestep_embedding(const Node& node) { return is_f32(&node) && is_f32(node.src[0]); }

/// cos and sin of t / period^(j / half).
void timestep_embedding(const Call& call) {
  const CallOptions options = call.options();
  const std::int64_t width = integer(call.node(), 0), half = width / 2;
  const double step = -std::log(static_cast<double>(integer(call.node(), 1))) / static_cast<double>(half);
  const Tensor rates = exp(call.range(half, 0, step), options);
  const Tensor times = call.contiguous(call.source(0)).reshape({call.source(0).elements(), 1});
  const Tensor angles = mul(times, rates, options), out = call.destination().squeeze(0).squeeze(0);
  copy_into(out.narrow(1, 0, half), cos(angles, options), call.stream());
  copy_into(out.narrow(1, half, half), sin(angles, options), call.stream());
  if (width % 2 != 0) const_set(out.narrow(1, 2 * half, 1), 0, call.stream());
}

constexpr Operation operations[] = {
    {"REPEAT", is_repeat, repeat},
    {"CONCAT", is_concat, concat},
    {"PAD", is_pad, pad},
    {"PAD_REFLECT_1D", is_pad_reflect, pad_reflect},
    {"ROLL", is_plain_map, roll},
    {"ARANGE", is_f32_node, arange},
    {"FILL", is_f32_node, fill},
    {"DIAG", is_diag, diag},
    {"DIAG_MASK_INF", is_mask, diag_mask_inf},
    {"DIAG_MASK_ZERO", is_mask, diag_mask_zero},
    {"TRI", is_tri, tri},
    {"TIMESTEP_EMBEDDING", is_timestep_embedding, timestep_embedding},
};

}  // namespace

Operations shape_operations() { return operations; }

}  // namespace kernelgen::ggml
