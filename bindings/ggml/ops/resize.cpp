#include <algorithm>
#include <cmath>

#include "ops/table.hpp"

/// Resizing in ggml's modes: width and height by interpolation, the other dims by the nearest element.
namespace kernelgen::ggml {
namespace {

enum Mode { nearest = 0, bilinear = 1, bicubic = 2 };
constexpr std::int32_t mode_mask = 0xff, align_corners = 1 << 8, antialias = 1 << 9;

/// One dim: how many elements become how many.
struct Axis {
  Axis(const Node& node, std::size_t d)
      : input(node.src[0]->ne[d]), output(node.ne[d]), flags(integer(node, 0)) {
    const bool is_aligned = (flags & align_corners) != 0;
    offset = is_aligned ? 0 : 0.5;
    factor = static_cast<double>(output) / static_cast<double>(input);
    if (is_aligned && input > 1 && output > 1)
      factor = static_cast<double>(output - 1) / static_cast<double>(input - 1);
  }
  std::vector<std::int32_t> key(char table) const {
    return {table, flags, static_cast<std::int32_t>(input), static_cast<std::int32_t>(output)};
  }

  std::int64_t input, output;
  std::int32_t flags;
  double offset, factor;
};

/// In f32, where an index rounds as in ggml.
std::vector<std::int32_t> nearest_ids(const Axis& axis) {
  const float factor = static_cast<float>(axis.output) / static_cast<float>(axis.input);
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < axis.output; ++i)
    ids.push_back(std::min(static_cast<std::int32_t>(static_cast<float>(i) / factor),
                           static_cast<std::int32_t>(axis.input - 1)));
  return ids;
}

/// Adds the four taps of cubic convolution (Keys, 1981, with a = -0.75).
void add_cubic(const Axis& axis, double position, float* row) {
  constexpr double a = -0.75;
  const double first = std::floor(position), t = position - first;
  const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const double taps[] = {far(t + 1), near(t), near(1 - t), far(2 - t)};
  for (std::int64_t k = 0; k < 4; ++k)
    row[std::clamp<std::int64_t>(static_cast<std::int64_t>(first) + k - 1, 0, axis.input - 1)] +=
        static_cast<float>(taps[k]);
}

/// Adds a triangle as wide as the elements that become one.
void add_triangle(const Axis& axis, double position, float* row) {
  const double reach = std::max(1.0, 1 / axis.factor);
  const auto begin = std::max<std::int64_t>(static_cast<std::int64_t>(position - reach + axis.offset), 0);
  const auto end =
      std::min<std::int64_t>(static_cast<std::int64_t>(position + reach + axis.offset), axis.input);
  double total = 0;
  const auto weight = [&](std::int64_t i) {
    return std::max(1 - std::abs((static_cast<double>(i) - position + axis.offset) / reach), 0.0);
  };
  for (std::int64_t i = begin; i < end; ++i) total += weight(i);
  for (std::int64_t i = begin; total > 0 && i < end; ++i) row[i] = static_cast<float>(weight(i) / total);
}

/// The weights of the input's elements in each output: [output, input].
Tensor weights_of(const Call& call, const Axis& axis) {
  const Tensor weights = call.constant(axis.key('w'), DType::f32, [&] {
    std::vector<float> matrix(static_cast<std::size_t>(axis.output * axis.input));
    for (std::int64_t i = 0; i < axis.output; ++i) {
      float* const row = &matrix[static_cast<std::size_t>(i * axis.input)];
      const double position = (static_cast<double>(i) + axis.offset) / axis.factor;
      (axis.flags & antialias) != 0 ? add_triangle(axis, position, row)
                                    : add_cubic(axis, position - axis.offset, row);
    }
    return matrix;
  });
  return weights.reshape({axis.output, axis.input});
}

/// The dims from `first` to `last`, in ggml's order, by the nearest element.
Tensor nearest_dims(const Call& call, Tensor x, std::size_t first, std::size_t last) {
  for (std::size_t d = first; d <= last; ++d) {
    const Axis axis(call.node(), d);
    if (axis.input == axis.output) continue;
    const Tensor ids = call.constant(axis.key('n'), DType::i32, [&] { return nearest_ids(axis); });
    x = index_select(x, static_cast<std::int64_t>(3 - d), ids, call.options());
  }
  return x;
}

void upscale(const Call& call) {
  const std::int32_t flags = integer(call.node(), 0), mode = flags & mode_mask;
  const Tensor x = nearest_dims(call, call.source(0), 2, 3);
  if (mode == nearest) return call.put(nearest_dims(call, x, 0, 1));
  const Axis width(call.node(), 0), height(call.node(), 1);
  if (mode == bilinear && (flags & antialias) == 0)
    return call.put(upsample_bilinear2d(x, {height.output, width.output}, (flags & align_corners) != 0, {},
                                        call.options()));
  const Tensor wide = matmul(x, weights_of(call, width).transpose(0, 1), call.options());
  call.put(matmul(weights_of(call, height), wide, call.options()));
}

bool is_upscale(const Node& node) {
  const std::int32_t flags = integer(node, 0), mode = flags & mode_mask;
  const bool is_known =
      (flags & ~(mode_mask | align_corners | antialias)) == 0 &&
      (mode == nearest || mode == bilinear || (mode == bicubic && (flags & antialias) == 0));
  return is_f32(&node) && is_f32(node.src[0]) && !is_empty(*node.src[0]) && is_known;
}

constexpr Operation operations[] = {{"UPSCALE", is_upscale, upscale}};

}  // namespace

Operations resize_operations() { return operations; }

}  // namespace kernelgen::ggml
