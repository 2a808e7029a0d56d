#include "ops/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/table.hpp"

/// Rotary position embedding in ggml's modes.
namespace kernelgen::ggml {

Rope::Rope(const Node& node)
    : dims(integer(node, 1)),
      mode(integer(node, 2)),
      original_length(integer(node, 4)),
      base(real(node, 5)),
      scale(real(node, 6)),
      extrapolation(real(node, 7)),
      magnitude(real(node, 8)),
      fast(real(node, 9)),
      slow(real(node, 10)),
      sections{integer(node, 11), integer(node, 12), integer(node, 13), integer(node, 14)},
      first(integer(node, 15)),
      pairs(mode == vision ? node.ne[0] / 2 : dims / 2) {}

namespace {

/// Which of four positions turns the pair, and how often the frequency has been divided by then.
struct Sector {
  std::int64_t position, power;
};

Sector sector_of(const Rope& rope, std::int64_t pair) {
  if (!rope.has_sections()) return {0, pair};
  const auto& n = rope.sections;
  const std::int64_t sector = pair % (std::int64_t{n[0]} + n[1] + n[2] + n[3]);
  if (rope.mode == Rope::imrope) {
    for (const std::int64_t which : {1, 2, 0})
      if (sector % 3 == which && sector < 3 * n[static_cast<std::size_t>(which)]) return {which, pair};
    return {3, pair};
  }
  std::int64_t begin = 0, which = 0;
  while (which < 3 && sector >= begin + n[static_cast<std::size_t>(which)])
    begin += n[static_cast<std::size_t>(which++)];
  return {which, rope.mode == Rope::vision ? sector - begin : pair};
}

/// Radians per position of each pair, by YaRN (Peng et al., 2023) if the extrapolation factor is not 0.
std::vector<float> rates_of(const Rope& rope) {
  const auto correction = [&](double rotations) {
    return rope.dims * std::log(rope.original_length / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(rope.base));
  };
  const double low = std::max(0.0, std::floor(correction(rope.fast)));
  const double high = std::min(rope.dims - 1.0, std::ceil(correction(rope.slow)));
  std::vector<float> rates;
  for (std::int64_t pair = 0; pair < rope.pairs; ++pair) {
    const double power = static_cast<double>(sector_of(rope, pair).power);
    double rate = std::pow(rope.base, -2.0 * power / rope.dims);
    double mix = 0;
    if (rope.extrapolation != 0) {
      const double ramp = (static_cast<double>(pair) - low) / std::max(0.001, high - low);
      mix = (1 - std::clamp(ramp, 0.0, 1.0)) * rope.extrapolation;
    }
    rates.push_back(static_cast<float>(rate * (rope.scale * (1 - mix) + mix)));
  }
  return rates;
}

std::vector<std::int32_t> parameters_of(char table, const Node& node) {
  std::vector<std::int32_t> all{table};
  all.insert(all.end(), node.op_params, node.op_params + parameter_count);
  all.push_back(static_cast<std::int32_t>(node.ne[0]));
  return all;
}

/// Positions [tokens, pairs] in f32: of four per token, the one that turns the pair.
Tensor positions_of(const Call& call, const Rope& rope, std::int64_t tokens) {
  const Tensor positions =
      to_dtype(call.source(1).squeeze(0).squeeze(0).squeeze(0), DType::f32, call.options());
  if (!rope.has_sections()) return positions.reshape({tokens, 1});
  const Tensor which = call.constant(parameters_of('p', call.node()), DType::i32, [&] {
    std::vector<std::int32_t> chosen;
    for (std::int64_t pair = 0; pair < rope.pairs; ++pair)
      chosen.push_back(static_cast<std::int32_t>(sector_of(rope, pair).position));
    return chosen;
  });
  return index_select(positions.reshape({4, tokens}).transpose(0, 1), 1, which, call.options());
}

Angles make_angles(const Call& call, const Rope& rope, std::int64_t tokens) {
  const CallOptions options = call.options();
  Tensor rates = call.constant(parameters_of('r', call.node()), DType::f32, [&] { return rates_of(rope); });
  if (call.has(2))
    rates = div(rates, call.source(2).squeeze(0).squeeze(0).squeeze(0).narrow(0, 0, rope.pairs), options);
  const Tensor angles = mul(positions_of(call, rope, tokens), rates, options);
  const double stretch = rope.extrapolation == 0 ? 1 : 1 + 0.1 * std::log(1 / rope.scale);
  const double length = rope.magnitude * stretch;
  Tensor cosines = cos(angles, options), sines = sin(angles, options);
  if (length != 1) {
    cosines = affine(cosines, length, 0, options);
    sines = affine(sines, length, 0, options);
  }
  return {cosines, sines};
}

}  // namespace

Angles angles_of(const Call& call, const Rope& rope, std::int64_t tokens) {
  const Node *const positions = call.node().src[1], *const factors = call.node().src[2];
  const auto is_input = [](const Node& node) { return is_view(node) && node.view_src == nullptr; };
  if (!is_input(*positions) || (factors != nullptr && !is_input(*factors)))
    return make_angles(call, rope, tokens);
  Angles& kept = call.workspace().angles[{positions, factors, parameters_of('a', call.node())}];
  if (!kept.cos) kept = make_angles(call, rope, tokens);
  return kept;
}

namespace {

/// Rotates x [batch, tokens, heads, 2 · pairs] of any layout. The kernels read a pair before they write it, so the result may
/// be in x's memory, in the same layout.
Tensor rotated(const Rope& rope, const Tensor& x, const Angles& angles, const CallOptions& options) {
  if (rope.mode != Rope::normal) return rope_thd(x, angles.cos, angles.sin, options);
  const Shape& shape = x.shape();
  if (shape[0] != 1) {
    const CallOptions apart{.stream = options.stream};
    const Tensor by_heads = rope_i(x.transpose(1, 2), angles.cos, angles.sin, apart).transpose(1, 2);
    if (options.out == nullptr) return by_heads;
    copy_into(*options.out, by_heads, options.stream);
    return *options.out;
  }
  // Tokens are a batch whose sequences have one position, each with its own angles.
  const Shape tokens{shape[1], shape[2], 1, shape[3]};
  const Tensor from = x.squeeze(0).unsqueeze(2), cosines = angles.cos.unsqueeze(1),
               sines = angles.sin.unsqueeze(1);
  if (options.out == nullptr) return rope_i(from, cosines, sines, options).reshape(shape);
  const Tensor to = options.out->reshape(tokens);
  rope_i(from, cosines, sines, {.stream = options.stream, .out = &to});
  return *options.out;
}

template <bool is_back>
void rope_of(const Call& call) {
  const Rope rope(call.node());
  const Tensor x = call.f32(0);
  const std::int64_t width = 2 * rope.pairs, first = rope.first, n = x.shape()[3];
  Angles angles = angles_of(call, rope, x.shape()[1]);
  if (is_back) angles.sin = neg(angles.sin, call.options());
  if (width == n && x.dtype() == call.destination().dtype())
    return call.write([&](const CallOptions& options) { return rotated(rope, x, angles, options); });
  const Tensor turned = rotated(rope, x.narrow(3, first, width), angles, call.options());
  if (width == n) return call.put(turned);
  Tensor result = call.node().data == call.node().src[0]->data && x.dtype() == call.destination().dtype()
                      ? call.destination()
                      : copy(x, call.options());
  copy_into(result.narrow(3, first, width), turned, call.stream());
  if (result.data() != call.destination().data()) call.put(result);
}

bool is_rope(const Node& node) {
  const Node *x = node.src[0], *positions = node.src[1], *factors = node.src[2];
  if (!is_type(&node, {Type::f32, Type::f16}) || !is_type(x, {node.type}) || !is_same_shape(node, *x))
    return false;
  const Rope rope(node);
  const std::int64_t per_token = rope.has_sections() ? 4 : 1;
  if (!is_type(positions, {Type::i32}) || !is_contiguous(*positions) ||
      elements(*positions) != per_token * x->ne[2] || positions->ne[0] != elements(*positions))
    return false;
  if (factors != nullptr &&
      (!is_f32(factors) || factors->ne[0] < rope.pairs || factors->ne[0] != elements(*factors)))
    return false;
  const bool is_known = rope.mode == Rope::normal || rope.mode == Rope::neox || rope.mode == Rope::mrope ||
                        rope.mode == Rope::vision || rope.mode == Rope::imrope;
  const bool has_sum =
      !rope.has_sections() || rope.sections[0] + rope.sections[1] + rope.sections[2] + rope.sections[3] > 0;
  return is_known && has_sum && rope.dims > 0 && rope.dims % 2 == 0 && rope.first >= 0 &&
         rope.first + 2 * rope.pairs <= x->ne[0];
}

constexpr Operation operations[] = {
    {"ROPE", is_rope, rope_of<false>},
    {"ROPE_BACK", is_rope, rope_of<true>},
};

}  // namespace

Operations rope_operations() { return operations; }

}  // namespace kernelgen::ggml
