// softmax log_softmax rms_norm layer_norm, norms without weights, along rows of every length that has its own code path.
#include "reference/normalization.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr double eps = 1e-5;

std::vector<Real> reals(const Elements& elements) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < elements.count(); ++i) values.push_back(real_at(elements, i));
  return values;
}

/// Numbers in [low, low + width).
Elements spread(DType dtype, std::int64_t count, Real low, Real width, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        low + width * std::ldexp(static_cast<Real>(random_bits(stream + static_cast<std::uint64_t>(i)) >> 11),
                                 -53));
  return reference::make_elements(dtype, values);
}

Tensor run(std::string_view operation, const Tensor& x, const Tensor& weight, const Tensor& bias,
           const CallOptions& options = {}) {
  if (operation == "softmax") return softmax(x, options);
  if (operation == "log_softmax") return log_softmax(x, options);
  if (operation == "rms_norm") return rms_norm(x, weight, eps, options);
  if (operation == "plain_rms_norm") return plain_rms_norm(x, eps, options);
  if (operation == "plain_layer_norm") return plain_layer_norm(x, eps, options);
  if (operation == "l2_norm") return l2_norm(x, eps, options);
  return layer_norm(x, weight, bias, eps, options);
}

/// The reference of one row.
reference::Row expected_row(std::string_view operation, std::span<const Real> row,
                            std::span<const Real> weights, std::span<const Real> biases, Real used_eps,
                            Real u) {
  if (operation.ends_with("softmax")) return reference::softmax(operation, row, u);
  if (operation == "l2_norm") return reference::l2_norm(row, used_eps, u);
  const std::vector<Real> ones(row.size(), 1), zeros(row.size(), 0);
  if (operation.starts_with("plain")) weights = ones, biases = zeros;
  const bool is_centred = operation.ends_with("layer_norm");
  return reference::normalize(row, weights, is_centred ? biases : std::span<const Real>(), used_eps, u);
}

/// The reference of all rows of row-major elements.
reference::Row expected(std::string_view operation, const Elements& x, std::int64_t n, const Elements& weight,
                        const Elements& bias) {
  const Real u = accumulator_unit(x.dtype());
  const std::vector<Real> values = reals(x), weights = reals(weight), biases = reals(bias);
  const Real used_eps = x.dtype() == DType::f64 ? eps : static_cast<float>(eps);
  reference::Row all;
  for (std::size_t start = 0; start < values.size(); start += static_cast<std::size_t>(n)) {
    const std::span<const Real> row(values.data() + start, static_cast<std::size_t>(n));
    const reference::Row one = expected_row(operation, row, weights, biases, used_eps, u);
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.slack.insert(all.slack.end(), one.slack.begin(), one.slack.end());
  }
  return all;
}

/// Inputs in a view of that kind, the weights in every second element of theirs.
void check(std::string_view operation, DType dtype, const Shape& shape, Kind kind, Real low, Real width) {
  const std::string what =
      std::string(operation) + " of " + shape.to_string() + " " + std::string(name_of(kind));
  const std::int64_t n = shape.back();
  const View view = make_view(kind, shape);
  const Elements storage = spread(dtype, view.storage, low, width, 1);
  const View weight_view = make_view(kind == Kind::contiguous ? Kind::contiguous : Kind::stepped, {n});
  const Elements weights = spread(dtype, weight_view.storage, 0.5, 1.5, 1000003);
  const Elements biases = spread(dtype, weight_view.storage, -1, 2, 2000003);
  const Tensor x = upload(storage).with_layout(view.layout);
  const Tensor weight = upload(weights).with_layout(weight_view.layout);
  const Tensor bias = upload(biases).with_layout(weight_view.layout);
  const Tensor y = run(operation, x, weight, bias);
  ASSERT_EQ(y.shape(), shape) << what;
  const reference::Row wanted =
      expected(operation, gather(storage, view.layout), n, gather(weights, weight_view.layout),
               gather(biases, weight_view.layout));
  expect_within(what, download(y), wanted.values, wanted.slack);
}

void test_rows(std::string_view operation, DType dtype) {
  for (const std::int64_t n :
       {1,   2,   3,   4,    5,    6,    7,    8,    9,    13,   16,   31,    64,    65,    100,  129,
        257, 511, 515, 1000, 1023, 1024, 2048, 4095, 4096, 4097, 8192, 10007, 16384, 16640, 40000}) {
    const std::int64_t rows = n > 2000 ? 2 : n > 100 ? 5 : 37;
    check(operation, dtype, {rows, n}, Kind::contiguous, -4, 8);
    if (testing::Test::HasFailure()) return;
  }
  for (const Shape& shape : {Shape{5}, Shape{13, 17}, Shape{2, 3, 4, 40}, Shape{9, 512}, Shape{3, 1, 5}})
    for (const Kind kind : strided_kinds) check(operation, dtype, shape, kind, -3, 6);
}

/// More elements than the sum of a part takes, in a CPU's thread and in a GPU's block; and rows in parts that all begin
/// elsewhere between two accesses.
void test_long_row(std::string_view operation, DType dtype) {
  check(operation, dtype, {3, 100003}, Kind::contiguous, -4, 8);
  check(operation, dtype, {1, (1 << 20) + 1001}, Kind::contiguous, -4, 8);
}

/// So many that a GPU takes them through shared memory.
void test_many_short_rows(std::string_view operation, DType dtype) {
  const auto rows = [&](std::int64_t n) {
    return (2 << 20) / (n * static_cast<std::int64_t>(size_of(dtype))) + 7;
  };
  check(operation, dtype, {rows(3), 3}, Kind::contiguous, -4, 8);
  check(operation, dtype, {rows(13), 13}, Kind::offset, -4, 8);
}

/// One element to the front: pointers are not aligned for packs.
void test_unaligned(std::string_view operation, DType dtype) {
  for (const std::int64_t n : {64, 4096, 9000}) check(operation, dtype, {3, n}, Kind::offset, -4, 8);
}

/// A mean far from zero, which E[x²] - E[x]² would not survive; large numbers for softmax.
void test_far_from_zero(std::string_view operation, DType dtype) {
  const Real low = dtype == DType::f8e4m3 ? 200 : 1000;
  for (const std::int64_t n : {50, 1000, 9000}) check(operation, dtype, {3, n}, Kind::contiguous, low, 100);
}

void test_specials(std::string_view operation, DType dtype) {
  // A NaN spoils its row and no other.
  constexpr std::int64_t n = 300;
  Elements values = spread(dtype, 3 * n, -1, 2, 5);
  const Elements nan = reference::make_scalar(dtype, std::numeric_limits<Real>::quiet_NaN());
  std::memcpy(values.at(n + 77), nan.at(0), size_of(dtype));
  const Tensor weight = upload(spread(dtype, n, 1, 1, 9));
  const Elements got =
      download(run(operation, upload(values).with_layout(Layout::contiguous({3, n})), weight, weight));
  for (std::int64_t i = 0; i < 3 * n; ++i)
    ASSERT_EQ(std::isnan(real_at(got, i)), i / n == 1) << operation << " element " << i;
  // Nothing to do.
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 5}}) {
    const Tensor x = Tensor::zeros(device(), shape, dtype),
                 w = Tensor::zeros(device(), {shape.back()}, dtype);
    EXPECT_EQ(run(operation, x, w, w).shape(), shape);
  }
  constexpr std::int64_t any_width = std::int64_t{1} << 33;
  const Tensor x = Tensor::zeros(device(), {0, any_width}, dtype),
               w = Tensor::zeros(device(), {1}, dtype).broadcast_to({any_width});
  EXPECT_EQ(run(operation, x, w, w).shape(), x.shape());
}

void test_softmax_infinities(DType dtype) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Real values[] = {0, -infinity, 0, -infinity};
  const Elements got = download(softmax(upload(reference::make_elements(dtype, values))));
  const Elements wanted = reference::make_elements(dtype, std::vector<Real>{0.5, 0, 0.5, 0});
  EXPECT_EQ(got.bytes(), wanted.bytes());
  // inf - inf is NaN, whichever way a row of that length goes.
  for (const std::int64_t n : {5, 300, 9001, 40001}) {
    for (const bool log : {false, true}) {
      std::vector<Real> rows(static_cast<std::size_t>(3 * n), 1);
      rows[static_cast<std::size_t>(n / 2)] = infinity;
      std::fill_n(rows.begin() + n, n, -infinity);
      const Tensor x = upload(reference::make_elements(dtype, rows)).with_layout(Layout::contiguous({3, n}));
      const Elements y = download(log ? log_softmax(x) : softmax(x));
      for (std::int64_t i = 0; i < 3 * n; ++i)
        ASSERT_EQ(std::isnan(real_at(y, i)), i < 2 * n)
            << "rows of " << n << ", element " << i << (log ? ", log" : "");
    }
  }
}

void test_in_place(std::string_view operation, DType dtype) {
  for (const std::int64_t n : {33, 512, 9000, 9001, 40001}) {
    const Elements values = spread(dtype, 2 * n, -2, 4, 3), weights = spread(dtype, n, 0.5, 1, 4);
    const Tensor x = upload(values).with_layout(Layout::contiguous({2, n}));
    const Tensor weight = upload(weights);
    run(operation, x, weight, weight, {.out = &x});
    const reference::Row wanted = expected(operation, values, n, weights, weights);
    expect_within(std::string(operation) + " in place", download(x), wanted.values, wanted.slack);
  }
}

/// Rows shorter than eps keep their direction; a row of zeros stays one.
void test_l2_of_short_rows(DType dtype) {
  const Elements values = reference::make_elements(dtype, std::vector<Real>{0, 0, 0.25, -0.125});
  const Tensor y = l2_norm(upload(values).with_layout(Layout::contiguous({2, 2})), 0.5);
  EXPECT_EQ(download(y).bytes(),
            reference::make_elements(dtype, std::vector<Real>{0, 0, 0.5, -0.25}).bytes());
}

void test_group_norm(DType dtype) {
  for (const Shape& shape : {Shape{2, 6, 5, 7}, Shape{3, 4}, Shape{1, 4, 9000}, Shape{2, 8, 3}})
    for (const std::int64_t groups : {1, 2, static_cast<int>(shape[1])})
      for (const Kind kind : strided_kinds) {
        const View view = make_view(kind, shape);
        const Elements storage = spread(dtype, view.storage, -3, 6, 11), x = gather(storage, view.layout);
        const std::int64_t n = x.count() / (shape[0] * groups);
        const reference::Row wanted = expected("plain_layer_norm", x, n, x, x);
        const Tensor y = group_norm(upload(storage).with_layout(view.layout), groups, eps);
        ASSERT_EQ(y.shape(), shape);
        expect_within("group_norm of " + shape.to_string() + " in " + std::to_string(groups), download(y),
                      wanted.values, wanted.slack);
      }
  EXPECT_EQ(group_norm(Tensor::zeros(device(), {0, 4, 3}, dtype), 2, eps).shape(), (Shape{0, 4, 3}));
}

}  // namespace

void register_normalization_tests() {
  for (const std::string_view operation :
       {"softmax", "log_softmax", "rms_norm", "layer_norm", "plain_rms_norm", "plain_layer_norm", "l2_norm"})
    for (const DType dtype : float_dtypes)
      register_test(std::string(operation), std::string(name_of(dtype)), [operation, dtype] {
        test_rows(operation, dtype);
        test_long_row(operation, dtype);
        test_many_short_rows(operation, dtype);
        test_unaligned(operation, dtype);
        test_far_from_zero(operation, dtype);
        test_specials(operation, dtype);
        test_in_place(operation, dtype);
      });
  for (const DType dtype : float_dtypes) {
    register_test("l2_norm", std::string(name_of(dtype)) + "_short",
                  [dtype] { test_l2_of_short_rows(dtype); });
    register_test("group_norm", std::string(name_of(dtype)), [dtype] { test_group_norm(dtype); });
  }
  for (const DType dtype : float_dtypes)
    if (dtype != DType::f8e4m3)
      register_test("softmax_infinities", std::string(name_of(dtype)),
                    [dtype] { test_softmax_infinities(dtype); });
}

}  // namespace kernelgen::conformance
