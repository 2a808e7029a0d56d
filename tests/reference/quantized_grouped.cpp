// The K formats: 256 elements in groups of 16 or 32, whose scales, and minima, are whole multiples of the block's.
#include <algorithm>
#include <array>
#include <cmath>

#include "quantized.hpp"
#include "step_search.hpp"

namespace kernelgen::reference {
namespace {

/// A block's elements and what has been chosen for them.
struct Groups {
  const float* x;
  int size, count;
  std::array<int, 256> codes{};
  std::array<float, 16> steps{}, minima{};

  Values values(int g) const { return {x + g * size, static_cast<std::size_t>(size)}; }
  Codes group_codes(int g) { return {codes.data() + g * size, static_cast<std::size_t>(size)}; }
};

/// How q2_K weights errors, and how q4_K and q5_K do.
std::array<float, 32> weights_of(DType format, Values x) {
  float base = 0;
  if (format != DType::q2_K) {
    for (const float v : x) base += v * v;
    base = std::sqrt(base / static_cast<float>(x.size()));
  }
  std::array<float, 32> weights{};
  for (std::size_t i = 0; i < x.size(); ++i) weights[i] = base + std::fabs(x[i]);
  return weights;
}

LineSearch search_of(DType format) {
  if (format == DType::q2_K) return {3, -0.5f, 0.1f, 15, false};
  if (format == DType::q4_K) return {15, -1.0f, 0.1f, 20, true};
  return {31, -0.5f, 0.1f, 15, true};
}

/// Writes all codes; those of groups whose step, as it can be read from the block, is not 0 are chosen again for that step.
void write_codes(DType format, Groups& groups, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  for (int g = 0; g < groups.count; ++g) {
    const int scale = read(block, scale_at(format, g)) - (format == DType::q3_K ? 32 : 0);
    const float step = read_f16(block, layout.step) * static_cast<float>(scale);
    float minimum = 0;
    if (layout.second >= 0)
      minimum = read_f16(block, layout.second) * static_cast<float>(read(block, minimum_at(format, g)));
    for (int i = g * groups.size; i < (g + 1) * groups.size; ++i) {
      int& code = groups.codes[static_cast<std::size_t>(i)];
      if (step != 0)
        code = std::clamp(nearest((groups.x[i] + minimum) / step), -layout.zero,
                          layout.levels - layout.zero - 1) +
               layout.zero;
      write(block, code_at(format, i), code);
    }
  }
}

/// q2_K, q4_K and q5_K: x ~ step * scale * code - step of minima * minimum.
void quantize_lines(DType format, Groups& groups, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  float largest_step = 0, largest_minimum = 0;
  for (int g = 0; g < groups.count; ++g) {
    const auto weights = weights_of(format, groups.values(g));
    const Line line =
        search_line(search_of(format), groups.values(g),
                    {weights.data(), static_cast<std::size_t>(groups.size)}, groups.group_codes(g));
    groups.steps[static_cast<std::size_t>(g)] = line.step;
    groups.minima[static_cast<std::size_t>(g)] = -line.minimum;
    if (line.step > largest_step) largest_step = line.step;
    if (-line.minimum > largest_minimum) largest_minimum = -line.minimum;
  }
  const int levels = format == DType::q2_K ? 15 : 63;
  const auto scaled = [&](float value, float largest) {
    const int code = largest > 0 ? nearest(static_cast<float>(levels) / largest * value) : 0;
    return std::min(levels, code & 0xff);
  };
  for (int g = 0; g < groups.count; ++g) {
    write(block, scale_at(format, g), scaled(groups.steps[static_cast<std::size_t>(g)], largest_step));
    write(block, minimum_at(format, g), scaled(groups.minima[static_cast<std::size_t>(g)], largest_minimum));
  }
  write_f16(block, layout.step, largest_step / static_cast<float>(levels));
  write_f16(block, layout.second, largest_minimum / static_cast<float>(levels));
  write_codes(format, groups, block);
}

/// q3_K and q6_K: x ~ step * scale * code, both signed. The extreme step gets the lowest scale.
void quantize_signed(DType format, Groups& groups, std::byte* block) {
  const bool is_q3 = format == DType::q3_K;
  float largest = 0;
  for (int g = 0; g < groups.count; ++g) {
    float& step = groups.steps[static_cast<std::size_t>(g)];
    step = (is_q3 ? search_by_change : search_around)(groups.values(g), groups.group_codes(g));
    if (std::fabs(step) > std::fabs(largest)) largest = step;
  }
  if (!is_q3 && std::fabs(largest) < 1e-15f) return;
  if (largest != 0) {
    const float inverse = (is_q3 ? -32.0f : -128.0f) / largest;
    write_f16(block, layout_of(format).step, 1 / inverse);
    for (int g = 0; g < groups.count; ++g) {
      const int scale = nearest(inverse * groups.steps[static_cast<std::size_t>(g)]);
      write(block, scale_at(format, g),
            is_q3 ? std::clamp<int>(static_cast<std::int8_t>(scale), -32, 31) + 32 : std::min(127, scale));
    }
  }
  write_codes(format, groups, block);
}

}  // namespace

void quantize_grouped(DType format, const float* x, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  Groups groups{x, layout.group, layout.elements / layout.group};
  if (layout.second >= 0)
    quantize_lines(format, groups, block);
  else
    quantize_signed(format, groups, block);
}

}  // namespace kernelgen::reference
