// Matrix-instruction attention for AMD GPUs, executed by the host: rows of all widths, masked keys, terms
// added to logits, grouped heads, splits of the keys, and infinite values of masked keys.
#include "attention/mma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "attention/combine.hpp"
#include "elements.hpp"
#include "plan/attention_tiles.hpp"

namespace kg {
namespace {

using namespace simulated;

/// A call; what is off by default is not asked for.
struct Case {
  u32 batch, heads, group, queries, keys, width;
  i32 window_left = Limits<i32>::highest, window_right = Limits<i32>::highest;
  float soft_cap = 0;
  bool slopes = false, mask = false, sinks = false, lengths = false;
  bool unseen = false;  ///< values that no query sees are infinite
  u32 page_rows = 0, splits = 1, together = 1;
  float q_unit = 1, v_unit = 1;  ///< of normal elements

  AttentionShape shape() const {
    AttentionShape shape{};
    const auto rows = [&](u32 row_heads, u32 count) {
      const i64 row = width, head = count * row;
      return AttentionStrides{row_heads * head, head, row};
    };
    shape.batch = batch;
    shape.heads = heads;
    shape.group = group;
    shape.queries = queries;
    shape.keys = keys;
    shape.width = width;
    shape.splits = splits;
    shape.window_left = window_left;
    shape.window_right = window_right;
    shape.scale = 1 / (q_unit * std::sqrt(static_cast<float>(width)));
    shape.soft_cap = soft_cap;
    shape.q = shape.y = rows(heads, queries);
    shape.page_rows = page_rows;
    shape.pages_each = page_rows == 0 ? 0 : (keys + page_rows - 1) / page_rows;
    shape.page_count = batch * shape.pages_each;
    shape.k = shape.v = rows(heads / group, page_rows == 0 ? keys : page_rows);
    const i64 strides[] = {0, i64{queries} * keys, keys, 1};  // one mask for all sequences
    std::copy(std::begin(strides), std::end(strides), shape.mask);
    shape.slope[1] = 1;
    shape.tiles = kernelgen::attention_tiles(shape, attention_mma_rows, splits, together);
    return shape;
  }
};

template <class T>
std::vector<T> drawn(std::size_t count, std::mt19937& random, float unit = 1) {
  std::vector<T> all(count);
  std::generate(all.begin(), all.end(),
                [&] { return convert<T>(widen(draw<T>(Elements::normal, random)) * unit); });
  return all;
}

template <class T, class K>
struct Operands {
  const Case& of;
  AttentionShape shape = of.shape();
  std::mt19937 random{of.queries * 31 + of.keys * 7 + of.width};
  std::vector<T> q = drawn<T>(u64{of.batch} * of.heads * of.queries * of.width, random, of.q_unit);
  std::vector<K> k = drawn<K>(cache(), random), v = drawn<K>(cache(), random, of.v_unit);
  std::vector<T> mask = drawn<T>(u64{of.heads} * of.queries * of.keys, random);
  std::vector<f32> slopes = std::vector<f32>(of.heads, 0.125f), sinks = drawn<f32>(of.heads, random);
  std::vector<u32> query_lengths, key_lengths, pages;

  explicit Operands(const Case& call) : of(call) {
    for (u32 b = 0; b < of.batch; ++b) {
      query_lengths.push_back(of.queries - 3 * b % of.queries);
      key_lengths.push_back(of.keys - (5 * b + 1) % of.keys);
    }
    for (u32 i = 0; i < shape.page_count; ++i) pages.push_back(shape.page_count - 1 - i);
  }
  u64 cache() const {
    const u64 rows = of.page_rows == 0 ? of.keys : u64{shape.pages_each} * of.page_rows;
    return of.batch * (of.heads / of.group) * rows * of.width;
  }
  u32 queries(u32 b) const { return of.lengths ? query_lengths[b] : of.queries; }
  u32 keys(u32 b) const { return of.lengths ? key_lengths[b] : of.keys; }
  u64 position(u32 b, u32 head, u32 j) const {
    const AttentionStrides& rows = shape.k;
    const u64 in_head = head / of.group * static_cast<u64>(rows.head);
    if (of.page_rows == 0) return b * static_cast<u64>(rows.batch) + in_head + j * static_cast<u64>(rows.row);
    return pages[b * shape.pages_each + j / of.page_rows] * static_cast<u64>(rows.batch) + in_head +
           j % of.page_rows * static_cast<u64>(rows.row);
  }
  u64 row(u32 b, u32 head, u32 t) const { return (u64{b} * of.heads + head) * of.queries + t; }
  bool sees(u32 b, u32 t, u32 j) const {
    const i64 position = i64{t} + keys(b) - queries(b);
    return t < queries(b) && j < keys(b) && i64{j} >= position - of.window_left &&
           i64{j} <= position + of.window_right;
  }
  double logit(u32 b, u32 head, u32 t, u32 j) const {
    double s = 0;
    for (u32 e = 0; e < of.width; ++e)
      s += static_cast<double>(widen(q[row(b, head, t) * of.width + e])) * widen(k[position(b, head, j) + e]);
    s *= shape.scale;
    if (of.soft_cap != 0) s = of.soft_cap * std::tanh(s / of.soft_cap);
    if (of.slopes) s -= slopes[head] * std::fabs(static_cast<double>(t) + keys(b) - queries(b) - j);
    if (of.mask) s += widen(mask[(u64{head} * of.queries + t) * of.keys + j]);
    return s;
  }
};

/// A row of the result by plain loops.
template <class T, class K>
std::vector<double> wanted_row(const Operands<T, K>& x, u32 b, u32 head, u32 t) {
  std::vector<double> sums(x.of.width);
  double weights = x.of.sinks ? std::exp(static_cast<double>(x.sinks[head])) : 0;
  for (u32 j = 0; j < x.of.keys; ++j) {
    if (!x.sees(b, t, j)) continue;
    const double weight = std::exp(x.logit(b, head, t, j));
    weights += weight;
    for (u32 e = 0; e < x.of.width; ++e) sums[e] += weight * widen(x.v[x.position(b, head, j) + e]);
  }
  for (double& sum : sums) sum = weights == 0 ? 0 : sum / weights;
  return sums;
}

template <u32 widest, class T, class K = T>
void check(const Case& of) {
  Operands<T, K> x(of);
  if (of.unseen)
    for (u32 b = 0; b < of.batch; ++b)
      for (u32 e = 0; e < of.width; ++e)
        x.v[x.position(b, 0, of.keys - 1) + e] = convert<K>(std::numeric_limits<float>::infinity());
  std::vector<T> y(x.q.size());
  const u64 rows = u64{of.batch} * of.heads * of.queries;
  std::vector<f32> log_sums(rows), partials(rows * of.splits * (2 + of.width));
  const auto given = [](bool is, const auto& all) { return is ? all.data() : nullptr; };
  const Attention<T, K> call(x.q.data(), x.k.data(), x.v.data(), y.data(), log_sums.data(), partials.data(),
                             given(of.mask, x.mask), given(of.slopes, x.slopes), given(of.sinks, x.sinks),
                             given(of.lengths, x.query_lengths), given(of.lengths, x.key_lengths),
                             given(of.page_rows != 0, x.pages), x.shape, nullptr, 0, 0);
  simulated::block.launch(2, 256, [&] { attention_mma<widest>(call); });
  if (of.splits > 1)
    simulated::block.launch(
        1, 256, [&] { attention_combine(partials.data(), call.sinks, y.data(), log_sums.data(), x.shape); });
  // Of weights and sums that are rounded to the type, or to f32.
  const double epsilon = same<T, f32> ? 0x1p-17 : same<T, f16> ? 0x1p-9 : 0x1p-6;
  for (u32 b = 0; b < of.batch; ++b)
    for (u32 head = 0; head < of.heads; ++head)
      for (u32 t = 0; t < of.queries; ++t) {
        const std::vector<double> wanted = wanted_row(x, b, head, t);
        for (u32 e = 0; e < of.width; ++e) {
          const double row = widen(y[x.row(b, head, t) * of.width + e]);
          ASSERT_NEAR(row, wanted[e], epsilon * (of.v_unit + std::fabs(wanted[e])))
              << "sequence " << b << ", head " << head << ", query " << t << ", element " << e;
        }
      }
}

template <class T>
class SimulatedAttentionOf : public testing::Test {};
using Types = testing::Types<f16, bf16, f32>;
TYPED_TEST_SUITE(SimulatedAttentionOf, Types, TypeNames);

TYPED_TEST(SimulatedAttentionOf, TakesRowsOfAllWidths) {
  check<64, TypeParam>({1, 1, 1, 40, 70, 64});
  check<64, TypeParam>({1, 1, 1, 17, 33, 40});
  check<64, TypeParam>({1, 1, 1, 3, 9, 7});
  check<128, TypeParam>({1, 1, 1, 20, 50, 128});
  if constexpr (sizeof(TypeParam) == 2) check<256, TypeParam>({1, 1, 1, 9, 40, 200});
}

TYPED_TEST(SimulatedAttentionOf, SharesHeadsAndHidesKeys) {
  check<64, TypeParam>({2, 4, 2, 37, 150, 64, Limits<i32>::highest, 0});
  check<64, TypeParam>({1, 2, 2, 70, 90, 32, 11, 3});
  check<64, TypeParam>({3, 2, 1, 21, 45, 64, Limits<i32>::highest, 0, 0, false, false, false, true});
}

TYPED_TEST(SimulatedAttentionOf, AddsToLogits) {
  check<64, TypeParam>({1, 2, 1, 20, 40, 64, Limits<i32>::highest, 0, 5, true, true});
  check<64, TypeParam>(
      {1, 2, 1, 20, 40, 64, Limits<i32>::highest, Limits<i32>::highest, 0, false, false, true});
}

TYPED_TEST(SimulatedAttentionOf, TakesPagesAndSplits) {
  Case pages{2, 2, 2, 12, 75, 64};
  pages.page_rows = 16;
  check<64, TypeParam>(pages);
  Case splits{1, 2, 1, 12, 300, 64};
  splits.splits = 3;
  check<64, TypeParam>(splits);
  // The second section has one head.
  splits = {1, 6, 2, 70, 100, 64, Limits<i32>::highest, 0};
  splits.splits = splits.together = 2;
  check<64, TypeParam>(splits);
}

TYPED_TEST(SimulatedAttentionOf, TakesNothingFromValuesThatNobodySees) {
  Case unseen{1, 1, 1, 12, 33, 64, Limits<i32>::highest, -1};
  unseen.unseen = true;
  check<64, TypeParam>(unseen);
}

/// Subnormal elements, and elements out of the range that a unit which flushes them is exact for.
TYPED_TEST(SimulatedAttentionOf, TakesElementsOfAnyMagnitude) {
  constexpr float small = same<TypeParam, f16> ? 0x1p-12f : 0x1p-60f;
  for (const float unit : {small, 256.0f}) {
    Case of{1, 2, 1, 20, 70, 64, Limits<i32>::highest, 0};
    of.q_unit = unit;
    check<64, TypeParam>(of);
    of.v_unit = unit;
    check<64, TypeParam>(of);
  }
}

TYPED_TEST(SimulatedAttentionOf, TakesKeysInF8) {
  if constexpr (sizeof(TypeParam) == 2) {
    check<64, TypeParam, f8e4m3>({1, 2, 2, 20, 70, 64, Limits<i32>::highest, 0});
    check<128, TypeParam, f8e4m3>({1, 1, 1, 20, 40, 96});
  }
}

}  // namespace
}  // namespace kg
