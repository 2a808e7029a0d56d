#include "ops/table.hpp"

/// Sums, norms and other operations on rows.
namespace kernelgen::ggml {
namespace {

constexpr std::int64_t last[] = {3}, all[] = {0, 1, 2, 3};

bool is_f32_map(const Node& node) {
  return is_f32(&node) && is_f32(node.src[0]) && is_same_shape(node, *node.src[0]);
}
bool is_f32_rows(const Node& node) { return is_f32(&node) && is_f32(node.src[0]) && node.src[0]->ne[0] > 0; }

/// ggml's own sum reads the elements of a row as neighbours; a graph with other rows has no result to agree with.
bool is_sum(const Node& node) { return is_f32_rows(node) && node.src[0]->nb[0] == sizeof(float); }

void sum_of(const Call& call) {
  call.write_apart([&](const CallOptions& options) { return sum(call.source(0), all, true, options); });
}

void sum_rows(const Call& call) {
  call.write_apart([&](const CallOptions& options) { return sum(call.source(0), last, true, options); });
}

void mean_of(const Call& call) {
  call.write_apart([&](const CallOptions& options) { return mean(call.source(0), last, true, options); });
}

void cumsum_of(const Call& call) {
  call.write([&](const CallOptions& options) { return cumsum(call.source(0), 3, options); });
}

bool is_repeat_back(const Node& node) {
  return is_f32(&node) && is_f32(node.src[0]) && Tiling::fits(*node.src[0], node);
}

/// The sum over all repetitions of an element.
void repeat_back(const Call& call) {
  const Tensor x = call.source(0), out = call.destination();
  Layout layout{{}, {}, x.layout().offset};
  for (const bool is_outer : {true, false})
    for (std::size_t d = 0; d < 4; ++d) {
      const std::int64_t n = out.shape()[d], stride = x.layout().strides[d];
      layout.shape.push_back(is_outer ? x.shape()[d] / n : n);
      layout.strides.push_back(is_outer ? stride * n : stride);
    }
  call.put(sum(x.with_layout(layout), all, false, call.options()));
}

template <Tensor (*function)(const Tensor&, double, const CallOptions&)>
void norm(const Call& call) {
  call.write(
      [&](const CallOptions& options) { return function(call.source(0), real(call.node(), 0), options); });
}

bool is_group_norm(const Node& node) {
  const std::int64_t groups = integer(node, 0);
  return is_f32_map(node) && groups > 0 && node.ne[2] % groups == 0;
}

void group_norm_of(const Call& call) {
  call.write([&](const CallOptions& options) {
    return group_norm(call.source(0), integer(call.node(), 0), real(call.node(), 1), options);
  });
}

constexpr Operation operations[] = {
    {"SUM", is_sum, sum_of},
    {"SUM_ROWS", is_f32_rows, sum_rows},
    {"MEAN", is_f32_rows, mean_of},
    {"CUMSUM", is_f32_map, cumsum_of},
    {"REPEAT_BACK", is_repeat_back, repeat_back},
    {"RMS_NORM", is_f32_map, norm<plain_rms_norm>},
    {"NORM", is_f32_map, norm<plain_layer_norm>},
    {"L2_NORM", is_f32_map, norm<l2_norm>},
    {"GROUP_NORM", is_group_norm, group_norm_of},
};

}  // namespace

Operations row_operations() { return operations; }

}  // namespace kernelgen::ggml
