// cross_entropy and its log-sum-exp, along rows of every length that has its own code path.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/normalization.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();

DType log_sum_type(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

Real none_of(DType ids) {
  return reference::visit(ids, []<class T>(std::type_identity<T>) {
    if constexpr (reference::is_integer_element<T>) {
      return static_cast<Real>(std::numeric_limits<T>::max());
    } else {
      return Real{-1};
    }
  });
}

/// Places in rows of n, and every seventh the one that is none.
Elements make_targets(DType ids, std::int64_t count, std::int64_t n) {
  const std::int64_t end = std::min(n, static_cast<std::int64_t>(none_of(ids)));
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random_bits(777 + static_cast<std::uint64_t>(i));
    values.push_back(bits % 7 == 0 ? none_of(ids)
                                   : static_cast<Real>(bits / 7 % static_cast<std::uint64_t>(end)));
  }
  return reference::make_elements(ids, values);
}

Elements spread(DType dtype, std::int64_t count, Real low, Real width) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(low +
                     width * static_cast<Real>(random_bits(31 + static_cast<std::uint64_t>(i))) * 0x1p-64L);
  return reference::make_elements(dtype, values);
}

/// Compares both results with the reference of row-major logits and targets.
void compare(const std::string& what, const Elements& logits, const Elements& targets,
             const CrossEntropy& got) {
  const std::int64_t rows = targets.count(), n = logits.count() / rows;
  const Real u = accumulator_unit(logits.dtype());
  std::vector<Real> loss, loss_slack, sum, sum_slack, row(static_cast<std::size_t>(n));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) row[static_cast<std::size_t>(i)] = real_at(logits, r * n + i);
    const Real target = real_at(targets, r);
    const reference::CrossEntropy wanted = reference::cross_entropy(
        row, target == none_of(targets.dtype()) ? -1 : static_cast<std::int64_t>(target), u);
    loss.push_back(wanted.loss);
    loss_slack.push_back(wanted.loss_slack);
    sum.push_back(wanted.log_sum_exp);
    sum_slack.push_back(wanted.log_sum_exp_slack);
  }
  ASSERT_EQ(got.loss.dtype(), logits.dtype()) << what;
  ASSERT_EQ(got.log_sum_exp.dtype(), log_sum_type(logits.dtype())) << what;
  expect_within(what + ", loss", download(got.loss), loss, loss_slack);
  expect_within(what + ", log-sum-exp", download(got.log_sum_exp), sum, sum_slack);
}

void check(DType dtype, DType ids, const Shape& shape, Kind kind = Kind::contiguous,
           Kind target_kind = Kind::contiguous, Real low = -4, Real width = 8) {
  Shape outer = shape;
  outer.erase(outer.size() - 1);
  const View view = make_view(kind, shape), target_view = make_view(target_kind, outer);
  const Elements storage = spread(dtype, view.storage, low, width),
                 ids_storage = make_targets(ids, target_view.storage, shape.back());
  const Tensor logits = upload(storage).with_layout(view.layout),
               targets = upload(ids_storage).with_layout(target_view.layout);
  const std::string what = "cross_entropy of " + view.layout.to_string() + " with " +
                           std::string(name_of(ids)) + " " + target_view.layout.to_string();
  const CrossEntropy got = cross_entropy(logits, targets, {.wants_log_sum_exp = true});
  ASSERT_EQ(got.loss.shape(), outer) << what;
  ASSERT_EQ(got.log_sum_exp.shape(), outer) << what;
  compare(what, gather(storage, view.layout), gather(ids_storage, target_view.layout), got);
}

void test_rows(DType dtype) {
  std::size_t turn = 0;
  for (const std::int64_t n : {1,   2,    3,    7,    8,    16,   31,   64,   65,    100,   129,
                               511, 1000, 1024, 2048, 4095, 4096, 4097, 8192, 10007, 40000, 131072}) {
    const DType ids = integer_dtypes[turn++ % std::size(integer_dtypes)];
    check(dtype, ids, {n > 2000 ? 2 : n > 100 ? 5 : 37, n});
    if (testing::Test::HasFailure()) return;
  }
  for (const DType ids : integer_dtypes) {
    check(dtype, ids, {300, 20});
    for (const Kind kind : strided_kinds) {
      check(dtype, ids, {13, 17}, kind, Kind::contiguous);
      check(dtype, ids, {2, 3, 4, 40}, Kind::contiguous, kind);
    }
  }
  check(dtype, DType::u8, {5});
  check(dtype, DType::i64, {20000, 8});
  // Through a GPU's shared memory.
  check(dtype, DType::i64, {(2 << 20) / 13 + 7, 13});
  check(dtype, DType::i64, {1, (1 << 20) + 1001});
  for (const std::int64_t n : {64, 4096, 9000}) check(dtype, DType::u32, {3, n}, Kind::offset, Kind::offset);
}

/// Logits far from zero, whose sum's logarithm has few digits left of their differences.
void test_far_from_zero(DType dtype) {
  const Real far = dtype == DType::f8e4m3 ? 300 : 1e4L;
  for (const std::int64_t n : {50, 1000, 9000})
    for (const Real low : {-far, far - 8, Real{0}}) {
      check(dtype, DType::i32, {3, n}, Kind::contiguous, Kind::contiguous, low, 8);
      check(dtype, DType::i32, {3, n}, Kind::contiguous, Kind::contiguous, -far, 2 * far);
    }
  // Each step of a rising row is the greatest element so far.
  for (const std::int64_t n : {4096, 70000}) {
    std::vector<Real> rising, falling;
    for (std::int64_t i = 0; i < n; ++i) rising.push_back(static_cast<Real>(i) * 100 / static_cast<Real>(n));
    falling.assign(rising.rbegin(), rising.rend());
    for (const std::vector<Real>& row : {rising, falling}) {
      const Elements logits = reference::make_elements(dtype, row),
                     targets = reference::make_elements(DType::u32, std::vector<Real>{17});
      compare("a monotonous row", logits, targets,
              cross_entropy(upload(logits).reshape({1, n}), upload(targets), {.wants_log_sum_exp = true}));
    }
  }
}

void test_specials(DType dtype) {
  if (dtype == DType::f8e4m3) return;  // has no infinities
  struct Row {
    std::vector<Real> logits;
    Real target, loss, log_sum_exp;
  };
  const Row cases[] = {{{0, -infinity, 0, -infinity}, 0, std::log(2.0L), std::log(2.0L)},
                       {{0, -infinity, 0, -infinity}, 1, infinity, std::log(2.0L)},
                       {{1, infinity, 0, -infinity}, 0, infinity, infinity},
                       {{1, infinity, 0, -infinity}, 1, nan, infinity},
                       {{infinity, infinity, 0, 0}, 2, infinity, infinity},
                       {{-infinity, -infinity, -infinity, -infinity}, 2, nan, -infinity},
                       {{0, nan, 0, 0}, 0, nan, nan},
                       {{infinity, nan, 0, 0}, 0, nan, nan},
                       {{0, nan, 0, 0}, 4294967295.0L, 0, nan}};
  for (const std::int64_t n : {4, 512, 9001, 40001}) {
    std::vector<Real> logits, targets, losses, sums;
    for (const Row& c : cases) {
      // Filled up with what adds nothing.
      logits.insert(logits.end(), c.logits.begin(), c.logits.end());
      logits.insert(logits.end(), static_cast<std::size_t>(n - 4), -infinity);
      targets.push_back(c.target);
      losses.push_back(c.loss);
      sums.push_back(c.log_sum_exp);
    }
    const auto rows = static_cast<std::int64_t>(targets.size());
    const CrossEntropy got =
        cross_entropy(upload(reference::make_elements(dtype, logits)).reshape({rows, n}),
                      upload(reference::make_elements(DType::u32, targets)), {.wants_log_sum_exp = true});
    const std::vector<Real> slack(targets.size(), 8 * accumulator_unit(dtype));
    expect_within("loss of specials", download(got.loss), losses, slack);
    expect_within("log-sum-exp of specials", download(got.log_sum_exp), sums, slack);
  }
}

/// Outputs surrounded by guard elements; only the log-sum-exp where requested.
void test_outputs(DType dtype) {
  const Tensor logits = upload(spread(dtype, 5 * 30, -4, 8)).reshape({5, 30});
  const Elements targets = make_targets(DType::i32, 5, 30), poisoned = poison(dtype, 9),
                 sums_poisoned = poison(log_sum_type(dtype), 9);
  const Tensor whole = upload(poisoned), whole_sums = upload(sums_poisoned);
  const Tensor loss = whole.with_layout({{5}, {1}, 2}), sums = whole_sums.with_layout({{5}, {1}, 2});
  const CrossEntropy plain = cross_entropy(logits, upload(targets));
  EXPECT_FALSE(plain.log_sum_exp);
  const CrossEntropy got = cross_entropy(logits, upload(targets), {.loss = &loss, .log_sum_exp = &sums});
  EXPECT_EQ(got.loss.data(), loss.data());
  EXPECT_EQ(got.log_sum_exp.data(), sums.data());
  EXPECT_EQ(download(got.loss).bytes(), download(plain.loss).bytes());
  compare("into outputs", download(logits), targets, got);
  for (const auto& [tensor, before] : {std::pair{whole, poisoned}, {whole_sums, sums_poisoned}}) {
    const Elements after = download(tensor);
    EXPECT_TRUE(std::equal(after.at(0), after.at(2), before.at(0)));
    EXPECT_TRUE(std::equal(after.at(7), after.at(9), before.at(7)));
  }
  for (const Shape& shape : {Shape{0, 3}, Shape{0, 0}, Shape{2, 0, 7}}) {
    Shape outer = shape;
    outer.erase(outer.size() - 1);
    EXPECT_EQ(cross_entropy(Tensor::zeros(device(), shape, dtype), Tensor::zeros(device(), outer, DType::u8))
                  .loss.shape(),
              outer);
  }
}

}  // namespace

void register_cross_entropy_tests() {
  for (const DType dtype : float_dtypes)
    register_test("cross_entropy", std::string(name_of(dtype)), [dtype] {
      test_rows(dtype);
      test_far_from_zero(dtype);
      test_specials(dtype);
      test_outputs(dtype);
    });
}

}  // namespace kernelgen::conformance
