// add_rms_norm and add_layer_norm: a sum and its norm, along rows of every length that has its own code path.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/binary.hpp"
#include "reference/normalization.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr double eps = 1e-5;
constexpr std::int64_t guard = 19;

struct Operands {
  Tensor x, residual, weight, bias;
};

AddedNorm run(std::string_view operation, const Operands& in, const AddedNormOptions& options = {}) {
  if (operation == "add_rms_norm") return add_rms_norm(in.x, in.residual, in.weight, eps, options);
  return add_layer_norm(in.x, in.residual, in.weight, in.bias, eps, options);
}

/// Numbers in [low, low + width).
Elements spread(DType dtype, std::int64_t count, Real low, Real width, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(low + width * static_cast<Real>(random_bits(stream + static_cast<std::uint64_t>(i))) *
                               0x1p-64L);
  return reference::make_elements(dtype, values);
}

std::vector<Real> reals(const Elements& elements) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < elements.count(); ++i) values.push_back(real_at(elements, i));
  return values;
}

/// Both results as they should be: the sum as `add` gives it, the norm of sums in what they are computed in.
struct Expected {
  Elements sum;
  reference::Row norm;

  Expected(std::string_view operation, const Elements& x, const Elements& residual, const Elements& weight,
           const Elements& bias)
      : sum(reference::binary("add", x, residual)) {
    const DType computed = x.dtype() == DType::f64 ? DType::f64 : DType::f32;
    std::vector<Real> sums = reals(x);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      // f64's Real would be rounded twice.
      const Real added = computed == DType::f64 ? real_at(sum, static_cast<std::int64_t>(i))
                                                : sums[i] + real_at(residual, static_cast<std::int64_t>(i));
      sums[i] = real_at(reference::make_scalar(computed, added), 0);
    }
    const std::vector<Real> weights = reals(weight),
                            biases = operation == "add_rms_norm" ? std::vector<Real>() : reals(bias);
    const Real used_eps = computed == DType::f64 ? eps : static_cast<float>(eps);
    for (std::size_t start = 0; start < sums.size(); start += weights.size()) {
      const reference::Row row = reference::normalize({sums.data() + start, weights.size()}, weights, biases,
                                                      used_eps, accumulator_unit(x.dtype()));
      norm.values.insert(norm.values.end(), row.values.begin(), row.values.end());
      norm.slack.insert(norm.slack.end(), row.slack.begin(), row.slack.end());
    }
  }

  void compare(const std::string& what, const Elements& got_sum, const Elements& got_norm) const {
    expect_same_values(what + ", sum", got_sum, sum);
    expect_within(what + ", norm", got_norm, norm.values, norm.slack);
  }
};

/// What an operation is called with, on the device and as elements.
struct Case {
  std::string_view operation;
  Elements x, residual, weight, bias;  ///< as the operation sees them
  Operands operands;

  Case(std::string_view operation, DType dtype, const Shape& shape, Kind kind, Kind residual_kind)
      : operation(operation) {
    const View view = make_view(kind, shape), other = make_view(residual_kind, shape);
    const View row = make_view(kind == Kind::contiguous ? Kind::contiguous : Kind::stepped, {shape.back()});
    const auto make = [&](const View& as, Real low, Real width, std::uint64_t stream, Elements& elements) {
      const Elements storage = spread(dtype, as.storage, low, width, stream);
      elements = gather(storage, as.layout);
      return upload(storage).with_layout(as.layout);
    };
    operands = {make(view, -4, 8, 1, x), make(other, -1, 3, 500009, residual),
                make(row, 0.5, 1.5, 1000003, weight), make(row, -1, 2, 2000003, bias)};
  }

  std::string what() const {
    return std::string(operation) + " of " + operands.x.layout().to_string() + " and " +
           operands.residual.layout().to_string();
  }
  Expected expected() const { return {operation, x, residual, weight, bias}; }
};

void check(std::string_view operation, DType dtype, const Shape& shape, Kind kind = Kind::contiguous,
           Kind residual_kind = Kind::contiguous) {
  const Case c(operation, dtype, shape, kind, residual_kind);
  const AddedNorm results = run(operation, c.operands);
  ASSERT_EQ(results.sum.shape(), shape) << c.what();
  ASSERT_EQ(results.norm.shape(), shape) << c.what();
  c.expected().compare(c.what(), download(results.sum), download(results.norm));
}

void test_rows(std::string_view operation, DType dtype) {
  for (const std::int64_t n :
       {1, 2, 3, 7, 8, 16, 31, 64, 65, 129, 511, 1000, 1024, 2048, 4095, 4096, 4097, 8192, 10007, 40000}) {
    check(operation, dtype, {n > 2000 ? 2 : n > 100 ? 5 : 37, n});
    if (testing::Test::HasFailure()) return;
  }
  for (const std::int64_t n : {64, 4096, 9000}) check(operation, dtype, {3, n}, Kind::offset, Kind::offset);
  for (const Shape& shape : {Shape{5}, Shape{13, 17}, Shape{2, 3, 4, 40}, Shape{3, 1, 5}})
    for (const Kind kind : strided_kinds) {
      check(operation, dtype, shape, kind, Kind::contiguous);
      check(operation, dtype, shape, Kind::contiguous, kind);
    }
}

/// Results that are written past the CPU's caches, of rows that are held and of one that is not.
void test_beyond_caches(std::string_view operation, DType dtype) {
  check(operation, dtype, {1100, 4001});
  check(operation, dtype, {5, (1 << 20) + 1001});
}

/// Results in the operands' memory, or between elements that must stay as they are.
void test_outputs(std::string_view operation, DType dtype) {
  enum Place { fresh, guarded, in_x, in_residual };
  for (const std::int64_t n : {5, 33, 512, 4096, 9000, 9001, 40001})
    for (const auto& [sum_place, norm_place] : {std::pair{in_x, fresh},
                                                {in_residual, fresh},
                                                {fresh, in_x},
                                                {fresh, in_residual},
                                                {in_x, in_residual},
                                                {in_residual, in_x},
                                                {guarded, guarded},
                                                {in_x, guarded}}) {
      const Case c(operation, dtype, {3, n}, Kind::contiguous, Kind::contiguous);
      const Elements poisoned = poison(dtype, 3 * n + 2 * guard);
      const Tensor around[] = {upload(poisoned), upload(poisoned)};
      const auto place_of = [&](Place place, const Tensor& whole) -> Tensor {
        if (place == guarded) return whole.with_layout({{3, n}, {n, 1}, guard});
        return place == in_x ? c.operands.x : place == in_residual ? c.operands.residual : Tensor();
      };
      const Tensor sum = place_of(sum_place, around[0]), norm = place_of(norm_place, around[1]);
      const AddedNorm results =
          run(operation, c.operands, {.sum = sum ? &sum : nullptr, .norm = norm ? &norm : nullptr});
      const std::string what =
          c.what() + ", into " + std::to_string(sum_place) + " and " + std::to_string(norm_place);
      EXPECT_TRUE(!sum || results.sum.data() == sum.data()) << what;
      EXPECT_TRUE(!norm || results.norm.data() == norm.data()) << what;
      c.expected().compare(what, download(results.sum), download(results.norm));
      for (const Tensor& whole : around) {
        const Elements after = download(whole);
        EXPECT_TRUE(std::equal(after.at(0), after.at(guard), poisoned.at(0))) << what;
        EXPECT_TRUE(std::equal(after.at(guard + 3 * n), after.at(2 * guard + 3 * n), poisoned.at(0))) << what;
      }
    }
  // One tensor as both terms, and in place of it.
  Case c(operation, dtype, {2, 600}, Kind::contiguous, Kind::contiguous);
  c.operands.residual = c.operands.x;
  c.residual = c.x;
  const AddedNorm results = run(operation, c.operands, {.sum = &c.operands.x});
  c.expected().compare("x + x in place", download(results.sum), download(results.norm));
}

void test_specials(std::string_view operation, DType dtype) {
  // A NaN, or an infinity and another of the other sign, spoils its row and no other.
  constexpr std::int64_t n = 300;
  const Real infinity = std::numeric_limits<Real>::infinity();
  Elements x = spread(dtype, 3 * n, -1, 2, 5), residual = spread(dtype, 3 * n, -1, 2, 6);
  const auto put = [&](Elements& to, std::int64_t at, Real value) {
    std::memcpy(to.at(at), reference::make_scalar(dtype, value).at(0), size_of(dtype));
  };
  put(residual, n + 77, std::nanl(""));
  const Tensor weight = upload(spread(dtype, n, 1, 1, 9));
  const auto rows = [&](const Elements& elements) { return upload(elements).reshape({3, n}); };
  AddedNorm results = run(operation, {rows(x), rows(residual), weight, weight});
  const Elements sum = download(results.sum), norm = download(results.norm);
  for (std::int64_t i = 0; i < 3 * n; ++i) {
    ASSERT_EQ(std::isnan(real_at(norm, i)), i / n == 1) << operation << " element " << i;
    ASSERT_EQ(std::isnan(real_at(sum, i)), i == n + 77) << operation << " element " << i;
  }
  if (dtype != DType::f8e4m3) {
    put(x, 5, infinity);
    put(residual, 5, -infinity);
    results = run(operation, {rows(x), rows(residual), weight, weight});
    EXPECT_TRUE(std::isnan(real_at(download(results.sum), 5)));
    EXPECT_TRUE(std::isnan(real_at(download(results.norm), 6)));
  }
  // The norm is that of sums that their dtype has no room for.
  if (dtype == DType::f16) {
    const Tensor large =
        upload(reference::make_elements(dtype, std::vector<Real>{60000, -60000, 60000, 60000}));
    const Tensor one = upload(reference::make_elements(dtype, std::vector<Real>(4, 1)));
    results = run("add_rms_norm", {large, large, one, one});
    EXPECT_TRUE(std::isinf(real_at(download(results.sum), 0)));
    EXPECT_EQ(real_at(download(results.norm), 1), -1);
  }
  // Nothing to do.
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 5}}) {
    const Tensor none = Tensor::zeros(device(), shape, dtype),
                 row = Tensor::zeros(device(), {shape.back()}, dtype);
    EXPECT_EQ(run(operation, {none, none, row, row}).sum.shape(), shape);
    EXPECT_EQ(run(operation, {none, none, row, row}).norm.shape(), shape);
  }
}

}  // namespace

void register_added_norm_tests() {
  for (const std::string_view operation : {"add_rms_norm", "add_layer_norm"})
    for (const DType dtype : float_dtypes)
      register_test(std::string(operation), std::string(name_of(dtype)), [operation, dtype] {
        test_rows(operation, dtype);
        test_outputs(operation, dtype);
        test_specials(operation, dtype);
        if (dtype == DType::f32) test_beyond_caches(operation, dtype);
      });
}

}  // namespace kernelgen::conformance
