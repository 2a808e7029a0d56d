#include <array>
#include <cmath>
#include <limits>

#include "ops/table.hpp"

/// Operations that place elements, or numbers, at other positions.
namespace kernelgen::ggml {
namespace {

bool is_repeat(const Node& node) {
  return is_plain(&node) && is_type(node.src[0], {node.type}) && Tiling::fits(node, *node.src[0]);
}

void repeat(const Call& call) {
  const Tensor out = call.destination(), x = call.source(0);
  const Tiling tiling(out.shape(), x.shape());
  copy_into(tiling.split(out), tiling.repeat(x), call.stream());
}

bool is_concat(const Node& node) {
  return is_type(node.src[0], {node.type}) && is_type(node.src[1], {node.type});
}

void concat_of(const Call& call) {
  const Tensor parts[] = {call.source(0), call.source(1)};
  const std::int64_t along = 3 - integer(call.node(), 0);
  call.write_apart([&](const CallOptions& options) { return concat(parts, along, options); });
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

void pad_of(const Call& call) {
  const Node& node = call.node();
  std::array<std::int64_t, max_dims> before{}, after{};
  for (std::size_t d = 0; d < max_dims; ++d) {
    before[max_dims - 1 - d] = integer(node, 2 * d);
    after[max_dims - 1 - d] = integer(node, 2 * d + 1);
  }
  call.write_apart([&](const CallOptions& options) {
    return integer(node, 8) != 0 ? pad_circular(call.source(0), before, after, options)
                                 : pad(call.source(0), before, after, 0, options);
  });
}

bool is_pad_reflect(const Node& node) {
  const std::int64_t n = node.src[0]->ne[0];
  return is_f32(&node) && is_f32(node.src[0]) && integer(node, 0) < n && integer(node, 1) < n;
}

void pad_reflect_of(const Call& call) {
  const std::int64_t before[] = {integer(call.node(), 0)}, after[] = {integer(call.node(), 1)};
  call.write_apart(
      [&](const CallOptions& options) { return pad_reflect(call.source(0), before, after, options); });
}

bool is_plain_map(const Node& node) {
  return is_plain(&node) && is_type(node.src[0], {node.type}) && is_same_shape(node, *node.src[0]);
}

void roll_of(const Call& call) {
  const std::int64_t shifts[] = {integer(call.node(), 0), integer(call.node(), 1), integer(call.node(), 2),
                                 integer(call.node(), 3)};
  constexpr std::int64_t dims[] = {3, 2, 1, 0};
  call.write_apart([&](const CallOptions& options) { return roll(call.source(0), shifts, dims, options); });
}

bool is_f32_node(const Node& node) { return is_f32(&node); }
bool is_real_node(const Node& node) { return is_real(&node); }

void arange_of(const Call& call) {
  call.put(call.range(call.node().ne[0], real(call.node(), 0), real(call.node(), 2)));
}

void fill(const Call& call) { const_set(call.destination(), real(call.node(), 0), call.stream()); }

bool is_diag(const Node& node) { return is_f32(&node) && is_f32(node.src[0]) && is_contiguous(node); }

void diag_of(const Call& call) {
  const Tensor x = call.source(0).squeeze(2);
  call.write_apart([&](const CallOptions& options) { return diag(x, options); });
}

bool is_mask(const Node& node) { return is_f32(&node) && is_plain_map(node); }

void below(const Call& call, std::int64_t diagonal, double other) {
  call.write([&](const CallOptions& options) { return tril(call.source(0), diagonal, other, options); });
}

void diag_mask_inf(const Call& call) {
  below(call, integer(call.node(), 0), -std::numeric_limits<double>::infinity());
}

void diag_mask_zero(const Call& call) { below(call, integer(call.node(), 0), 0); }

/// Above the diagonal, with it (0) or without (1); below, with it (2) or without (3).
void tri(const Call& call) {
  const std::int32_t kind = integer(call.node(), 0);
  if (kind >= 2) return below(call, kind == 2 ? 0 : -1, 0);
  call.write([&](const CallOptions& options) { return triu(call.source(0), kind, 0, options); });
}

bool is_tri(const Node& node) { return is_mask(node) && integer(node, 0) >= 0 && integer(node, 0) < 4; }

bool is_timestep_embedding(const Node& node) { return is_f32(&node) && is_f32(node.src[0]); }

void timestep_embedding_of(const Call& call) {
  const Tensor times = call.contiguous(call.source(0)).reshape({call.source(0).elements()});
  call.put(timestep_embedding(times, integer(call.node(), 0), integer(call.node(), 1), call.options()));
}

constexpr Operation operations[] = {
    {"REPEAT", is_repeat, repeat},
    {"CONCAT", is_concat, concat_of},
    {"PAD", is_pad, pad_of},
    {"PAD_REFLECT_1D", is_pad_reflect, pad_reflect_of},
    {"ROLL", is_plain_map, roll_of},
    {"ARANGE", is_f32_node, arange_of},
    {"FILL", is_real_node, fill},
    {"DIAG", is_diag, diag_of},
    {"DIAG_MASK_INF", is_mask, diag_mask_inf},
    {"DIAG_MASK_ZERO", is_mask, diag_mask_zero},
    {"TRI", is_tri, tri},
    {"TIMESTEP_EMBEDDING", is_timestep_embedding, timestep_embedding_of},
};

}  // namespace

Operations shape_operations() { return operations; }

}  // namespace kernelgen::ggml
