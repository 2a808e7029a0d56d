// Calls that attention refuses, and its reports of invalid lengths and block tables.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

Tensor integers(DType dtype, const std::vector<Real>& values) {
  return upload(reference::make_elements(dtype, values));
}

/// A layout of that many elements in a storage of one, where no more are needed.
Tensor huge(const Shape& shape, DType dtype = DType::f32) {
  Layout layout{shape, {}, 0};
  for (std::size_t d = 0; d < shape.size(); ++d) layout.strides.push_back(0);
  return zeros({1}, dtype).with_layout(layout);
}

class AttentionError : public testing::Test {
 protected:
  void refuses(std::initializer_list<std::string_view> parts, const AttentionOptions& options = {}) const {
    expect_error(Code::invalid_argument, parts, [&] { attention(q, k, v, options); });
  }

  Tensor q = zeros({2, 4, 3, 8}), k = zeros({2, 2, 5, 8}), v = k;
};

TEST_F(AttentionError, Dtypes) {
  q = k = v = zeros({1, 1, 1, 1}, DType::f64);
  refuses({"attention", "f64", "f16", "bf16", "f32"});
  q = zeros({1, 1, 1, 1});
  refuses({"attention", "q is f32, k f64, v f64",
           "of q's dtype, both f8e4m3, or with q in f32 both f16 or bf16"});
  k = zeros({1, 1, 1, 1}, DType::f8e4m3);
  refuses({"attention", "k f8e4m3, v f64"});
  v = q;
  refuses({"attention", "k f8e4m3, v f32"});
}

TEST_F(AttentionError, Shapes) {
  const auto of = [&](const Shape& a, const Shape& b, const Shape& c) {
    q = zeros(a);
    k = zeros(b);
    v = zeros(c);
  };
  of({4, 3, 8}, {2, 5, 8}, {2, 5, 8});
  refuses({"attention: q is [4, 3, 8]", "[batch, heads, queries, d]"});
  of({2, 4, 3, 8}, {2, 2, 5, 7}, {2, 2, 5, 7});
  refuses({"attention: k is [2, 2, 5, 7]", "[2, heads of k, keys, 8]", "[2, 4, 3, 8]"});
  of({2, 4, 3, 8}, {3, 2, 5, 8}, {3, 2, 5, 8});
  refuses({"attention: k is [3, 2, 5, 8]", "[2, heads of k, keys, 8]"});
  of({2, 4, 3, 8}, {2, 2, 5, 8}, {2, 2, 6, 8});
  refuses({"attention: v is [2, 2, 6, 8], k [2, 2, 5, 8]"});
  of({2, 4, 3, 8}, {2, 3, 5, 8}, {2, 3, 5, 8});
  refuses({"attention", "q has 4 heads, k 3", "multiple"});
  of({2, 4, 3, 8}, {2, 0, 5, 8}, {2, 0, 5, 8});
  refuses({"attention", "q has 4 heads, k 0"});
  for (const std::int64_t width : {0, 257}) {
    of({2, 4, 3, width}, {2, 2, 5, width}, {2, 2, 5, width});
    refuses({"attention", q.shape().to_string(), "last dim has to be 1 to 256"});
  }
}

TEST_F(AttentionError, ExtentsOfMoreThan31Bits) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  k = v = huge({2, 2, most + 1, 8});
  refuses({"attention: keys of a sequence are 2147483648", "2147483647"});
  k = v = zeros({2, 2, 5, 8});
  q = huge({2, 4, most / 2 + 1, 8});
  refuses({"attention: rows of q that share a head of k are 2147483648", "2147483647"});
  q = huge({most + 1, 4, 0, 8});
  k = v = huge({most + 1, 2, 5, 8});
  refuses({"attention: sequences are 2147483648"});
  q = zeros({2, 4, 3, 8});
  k = v = huge({3, 2, 1 << 20, 8});
  const Tensor pages = huge({2, 1 << 20}, DType::u32);
  refuses({"attention: keys of a sequence, pages each times rows of a page, are 1099511627776"},
          {.block_table = &pages});
  k = v = huge({most + 1, 2, 4, 8});
  const Tensor one = zeros({2, 1}, DType::u32);
  refuses({"attention: pages of the cache are 2147483648"}, {.block_table = &one});
}

TEST_F(AttentionError, Numbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  refuses({"attention: window_left is -1", "0 or more"}, {.window_left = -1});
  refuses({"attention: window_right is -7"}, {.window_right = -7});
  refuses({"attention: scale is inf", "finite"}, {.scale = infinity});
  refuses({"attention: scale is 1e+300", "finite in f32"}, {.scale = 1e300});
  refuses({"attention: soft_cap is -1", "positive"}, {.soft_cap = -1});
  refuses({"attention: soft_cap is 1e-300", "positive"}, {.soft_cap = 1e-300});
  refuses({"attention: soft_cap is nan"}, {.soft_cap = std::numeric_limits<double>::quiet_NaN()});
}

TEST_F(AttentionError, OtherOperands) {
  const Tensor none;
  refuses({"attention: mask is a default-constructed Tensor"}, {.mask = &none});
  const Tensor narrow = zeros({3, 5}, DType::f16), wrong = zeros({3, 4}), deep = zeros({1, 2, 4, 3, 5});
  refuses({"attention: mask is f16", "f32"}, {.mask = &narrow});
  refuses({"attention: mask is [3, 4]", "[2, 4, 3, 5]", "broadcast"}, {.mask = &wrong});
  refuses({"attention: mask is [1, 2, 4, 3, 5]"}, {.mask = &deep});
  const Tensor slopes = zeros({4}, DType::f16), few = zeros({2});
  refuses({"attention: alibi_slopes is f16", "f32"}, {.alibi_slopes = &slopes});
  refuses({"attention: alibi_slopes is [2]", "[4] or [2, 4]"}, {.alibi_slopes = &few});
  refuses({"attention: sinks is [2]", "[4]"}, {.sinks = &few});
  refuses({"attention: query_lengths", "f32", "i64"}, {.query_lengths = &few});
  const Tensor three = zeros({3}, DType::i32), table = zeros({3, 1}, DType::i32), real = zeros({2, 1});
  refuses({"attention: query_lengths is [3]", "[2]"}, {.query_lengths = &three});
  refuses({"attention: key_lengths is [3]", "[2]"}, {.key_lengths = &three});
  refuses({"attention: block_table is [3, 1]", "[2, pages each]"}, {.block_table = &table});
  refuses({"attention: block_table", "f32", "i64"}, {.block_table = &real});
}

TEST_F(AttentionError, Results) {
  const Tensor narrow = zeros({2, 4, 3, 8}, DType::f16), small = zeros({2, 4, 3, 7}), sums = zeros({2, 4, 4});
  refuses({"attention: out is f16", "f32 [2, 4, 3, 8]"}, {.out = &narrow});
  refuses({"attention: out is f32", "[2, 4, 3, 7]"}, {.out = &small});
  const Tensor stepped = zeros({2, 4, 3, 16}).with_layout({{2, 4, 3, 8}, {192, 48, 16, 2}, 0});
  refuses({"attention: out is f32", "stride of 1 in its last dim"}, {.out = &stepped});
  const Tensor repeated = huge({2, 4, 3, 8}),
               folded = zeros({400}).with_layout({{2, 4, 3, 8}, {96, 24, 4, 1}, 0});
  refuses({"attention: out is f32", "without overlap"}, {.out = &repeated});
  refuses({"attention: out is f32", "without overlap"}, {.out = &folded});
  refuses({"attention: out overlaps an input"}, {.out = &q});
  refuses({"attention: log_sum_exp is f32", "[2, 4, 4]", "f32 [2, 4, 3]"}, {.log_sum_exp = &sums});
  const Tensor both = zeros({2 * 4 * 3 * 9}), y = both.with_layout(Layout::contiguous({2, 4, 3, 8})),
               part = both.with_layout({{2, 4, 3}, {12, 3, 1}, 180});
  refuses({"attention: log_sum_exp overlaps"}, {.out = &y, .log_sum_exp = &part});
}

/// Bad lengths and block tables: the first is reported, its sequence has no rows, the next call works.
class BadAttention : public testing::Test {
 protected:
  void reports(std::initializer_list<std::string_view> parts, const AttentionOptions& options) const {
    expect_error(Code::index_out_of_range, parts, [&] { attention(q, k, v, options).y.to_host(); });
    device().synchronize();
    EXPECT_NO_THROW(attention(q, k, v).y.to_host());
  }

  Tensor q = zeros({3, 4, 3, 8}), k = zeros({3, 2, 5, 8}), v = k;
};

TEST_F(BadAttention, Lengths) {
  const Tensor longer = integers(DType::u32, {3, 4, 9}), negative = integers(DType::i32, {0, 3, -2}),
               wide = integers(DType::i64, {0, 4294967297.0L, 0}),
               deep = integers(DType::i64, {-4294967295.0L, 0, 0}), byte = integers(DType::u8, {1, 255, 2}),
               good = integers(DType::i16, {0, 5, 1});
  reports({"attention: query_lengths has 4 at position 1", "less than 4"}, {.query_lengths = &longer});
  reports({"attention: key_lengths has 9 at position 2", "less than 6"}, {.key_lengths = &longer});
  reports({"attention: key_lengths has -2 at position 2", "less than 6"}, {.key_lengths = &negative});
  // What i32 cannot hold is cut to what it can, not to its low bits.
  reports({"attention: key_lengths has 2147483647 at position 1"}, {.key_lengths = &wide});
  reports({"attention: query_lengths has -2147483648 at position 0"}, {.query_lengths = &deep});
  reports({"attention: query_lengths has 255 at position 1"}, {.query_lengths = &byte});
  reports({"attention: query_lengths has 4 at position 1"},
          {.query_lengths = &longer, .key_lengths = &negative});
  EXPECT_NO_THROW(attention(q, k, v, {.key_lengths = &good}).y.to_host());
}

TEST_F(BadAttention, SequencesHaveNoRows) {
  const Tensor lengths = integers(DType::i32, {5, 6, 2});
  const Tensor ones = zeros({3, 2, 5, 8});
  const_set(ones, 1);
  const AttentionResult attended =
      attention(q, k, ones, {.wants_log_sum_exp = true, .key_lengths = &lengths});
  expect_error(Code::index_out_of_range, {"key_lengths has 6 at position 1"}, [] { device().synchronize(); });
  const Elements y = download(attended.y), sums = download(attended.log_sum_exp);
  for (std::int64_t i = 0; i < y.count(); ++i) EXPECT_EQ(real_at(y, i), i / 96 == 1 ? 0 : 1) << i;
  for (std::int64_t i = 0; i < sums.count(); ++i) EXPECT_EQ(std::isinf(real_at(sums, i)), i / 12 == 1) << i;
}

TEST_F(BadAttention, Pages) {
  k = v = zeros({4, 2, 5, 8});
  const Tensor outside = integers(DType::u32, {3, 2, 1, 4, 0, 7}).reshape({3, 2}),
               negative = integers(DType::i32, {3, 2, 1, 1, -1, 0}).reshape({3, 2}),
               first = integers(DType::u8, {5, 6, 5}), nothing = integers(DType::u8, {0, 0, 0});
  const auto told = [&](std::initializer_list<std::string_view> parts, const AttentionOptions& options) {
    expect_error(Code::index_out_of_range, parts, [&] { attention(q, k, v, options).y.to_host(); });
    device().synchronize();
  };
  told({"attention: block_table has 4 at position 3", "less than 4"}, {.block_table = &outside});
  told({"attention: block_table has -1 at position 4", "less than 4"}, {.block_table = &negative});
  told({"attention: block_table has 4 at position 3"}, {.key_lengths = &first, .block_table = &outside});
  // What no key needs is not read.
  EXPECT_NO_THROW(attention(q, k, v, {.key_lengths = &nothing, .block_table = &outside}).y.to_host());
  k = v = zeros({0, 2, 5, 8});
  told({"attention: block_table has 3 at position 0", "less than 0"}, {.block_table = &outside});
}

TEST_F(BadAttention, NothingWithoutRows) {
  const Tensor lengths = integers(DType::i32, {-1, 99, 7});
  q = zeros({3, 4, 0, 8});
  EXPECT_NO_THROW(attention(q, k, v, {.query_lengths = &lengths}).y.to_host());
}

/// In rows of several blocks and splits, in another stream.
TEST_F(BadAttention, OfTheEarliestCallOfAStream) {
  const Stream stream = device().new_stream();
  q = zeros({2, 2, 1, 64}, DType::f16);
  k = v = zeros({2, 2, 5000, 64}, DType::f16);
  const Tensor bad = integers(DType::u32, {5001, 7}), worse = integers(DType::u32, {9999, 9999});
  attention(q, k, v, {.stream = stream, .key_lengths = &bad});
  attention(q, k, v, {.stream = stream, .key_lengths = &worse});
  device().new_stream().synchronize();
  expect_error(Code::index_out_of_range, {"attention: key_lengths has 5001 at position 0"},
               [&] { stream.synchronize(); });
  stream.synchronize();
}

}  // namespace
}  // namespace kernelgen::conformance
