// Calls that fused operations refuse, and invalid targets of cross_entropy.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

TEST(GateError, WrongDtypes) {
  expect_error(Code::invalid_argument, {"silu_mul", "i32", "f32"},
               [] { silu_mul(zeros({3}, DType::i32), zeros({3}, DType::i32)); });
  expect_error(Code::invalid_argument, {"gelu_mul", "f32", "f16"},
               [] { gelu_mul(zeros({3}), zeros({3}, DType::f16)); });
}

TEST(AddedNormError, OperandsThatDoNotFit) {
  const Tensor x = zeros({2, 3}), weight = zeros({3});
  expect_error(Code::invalid_argument,
               {"add_rms_norm", "[2, 3]", "residual", "[1, 3]", "one dtype and shape"},
               [&] { add_rms_norm(x, zeros({1, 3}), weight, 1e-5); });
  expect_error(Code::invalid_argument, {"add_layer_norm", "f32", "residual f16"},
               [&] { add_layer_norm(x, zeros({2, 3}, DType::f16), weight, weight, 1e-5); });
  expect_error(Code::invalid_argument, {"add_rms_norm", "[2, 3]", "[2]", "[3]"},
               [&] { add_rms_norm(x, x, zeros({2}), 1e-5); });
  expect_error(Code::invalid_argument, {"add_layer_norm", "bias f64"},
               [&] { add_layer_norm(x, x, weight, zeros({3}, DType::f64), 1e-5); });
  expect_error(Code::invalid_argument, {"add_rms_norm", "rank 0"},
               [&] { add_rms_norm(zeros({}), zeros({}), zeros({1}), 1e-5); });
  expect_error(Code::invalid_argument, {"add_layer_norm", "i32", "f32"}, [&] {
    const Tensor integers = zeros({2, 3}, DType::i32), row = zeros({3}, DType::i32);
    add_layer_norm(integers, integers, row, row, 1e-5);
  });
  for (const double eps : {-1.0, double{INFINITY}, double{NAN}, 1e300})
    expect_error(Code::invalid_argument, {"add_rms_norm", "eps", "not negative"},
                 [&] { add_rms_norm(x, x, weight, eps); });
  expect_error(Code::invalid_argument, {"add_rms_norm", "input 2 is a default-constructed Tensor"},
               [&] { add_rms_norm(x, Tensor(), weight, 1e-5); });
}

TEST(AddedNormError, OutputsThatWouldBeReadAgain) {
  const Tensor x = zeros({6}), residual = zeros({6}), weight = zeros({6}), out = zeros({12});
  const auto refused = [&](const AddedNormOptions& options, const char* why) {
    expect_error(Code::invalid_argument, {"add_rms_norm", why},
                 [&] { add_rms_norm(x, residual, weight, 1e-5, options); });
  };
  refused({.sum = &weight}, "overlaps");
  refused({.norm = &weight}, "overlaps");
  refused({.sum = &x, .norm = &x}, "overlaps");
  const Tensor low = out.narrow(0, 0, 6), high = out.narrow(0, 5, 6), five = out.narrow(0, 0, 5);
  refused({.sum = &low, .norm = &high}, "overlaps");
  refused({.sum = &five}, "out is f32 [5]");
  refused({.norm = &five}, "out is f32 [5]");
  const Tensor none;
  refused({.sum = &none}, "default-constructed Tensor");
  refused({.norm = &none}, "default-constructed Tensor");
  expect_error(Code::invalid_argument, {"add_rms_norm", "another layout"},
               [&] { add_rms_norm(low, residual, weight, 1e-5, {.sum = &high}); });
}

TEST(RopeOfBothError, OperandsThatDoNotFit) {
  const Tensor q = zeros({1, 4, 3, 8}), k = zeros({1, 2, 3, 8}), angles = zeros({3, 4});
  expect_error(Code::invalid_argument, {"rope_qk", "k is [1, 2, 3]", "[batch, heads, positions, d]"},
               [&] { rope_qk(q, zeros({1, 2, 3}), angles, angles); });
  expect_error(Code::invalid_argument, {"rope_i_qk", "cos", "for k [1, 2, 3, 6]"},
               [&] { rope_i_qk(q, zeros({1, 2, 3, 6}), angles, angles); });
  expect_error(Code::invalid_argument, {"rope_thd_qk", "cos", "for q [1, 4, 3, 8]", "[4, 4]"},
               [&] { rope_thd_qk(q, k, angles, angles); });
  expect_error(Code::invalid_argument, {"rope_qk", "k f16"},
               [&] { rope_qk(q, zeros({1, 2, 3, 8}, DType::f16), angles, angles); });
  expect_error(Code::invalid_argument, {"rope_qk", "i32"},
               [&] { rope_qk(zeros({1, 4, 3, 8}, DType::i32), k, angles, angles); });
  expect_error(Code::invalid_argument, {"rope_qk", "overlaps"},
               [&] { rope_qk(q, k, angles, angles, {.q = &q}); });
  const Tensor out = zeros({1, 2, 3, 8});
  expect_error(Code::invalid_argument, {"rope_qk", "overlaps"},
               [&] { rope_qk(k, k, angles, angles, {.q = &out, .k = &out}); });
}

TEST(RopeSetRowsError, OperandsThatDoNotFit) {
  const Tensor q = zeros({2, 4, 8}), k = zeros({2, 1, 8}), v = zeros({2, 6}), angles = zeros({2, 4});
  const Tensor keys = zeros({5, 8}), values = zeros({5, 6}), ids = zeros({2}, DType::i64);
  const auto refused = [&](std::initializer_list<std::string_view> parts, const auto& call) {
    EXPECT_TRUE(expect_error(Code::invalid_argument, parts, call).starts_with("rope_set_rows"));
  };
  const Tensor none;
  refused({"q is [2, 8]", "[tokens, heads, d]"},
          [&] { rope_set_rows(zeros({2, 8}), k, v, angles, angles, keys, ids, values, ids); });
  refused({"k [3, 1, 8]"},
          [&] { rope_set_rows(q, zeros({3, 1, 8}), v, angles, angles, keys, ids, values, ids); });
  refused({"k [2, 1, 6]"},
          [&] { rope_set_rows(q, zeros({2, 1, 6}), v, angles, angles, keys, ids, values, ids); });
  refused({"even d"}, [&] {
    rope_set_rows(zeros({2, 4, 7}), zeros({2, 1, 7}), v, angles, angles, keys, ids, values, ids);
  });
  refused({"v is [3, 6]", "[2, n]"},
          [&] { rope_set_rows(q, k, zeros({3, 6}), angles, angles, keys, ids, values, ids); });
  refused({"v is f16"},
          [&] { rope_set_rows(q, k, zeros({2, 6}, DType::f16), angles, angles, keys, ids, values, ids); });
  refused({"sin is [1, 4]", "[2, 4]"},
          [&] { rope_set_rows(q, k, v, angles, zeros({1, 4}), keys, ids, values, ids); });
  refused({"keys are [5, 6]", "[rows, 8]"},
          [&] { rope_set_rows(q, k, v, angles, angles, values, ids, values, ids); });
  refused({"values are f64"},
          [&] { rope_set_rows(q, k, v, angles, angles, keys, ids, zeros({5, 6}, DType::f64), ids); });
  refused({"ids of keys are [3]", "[2]"},
          [&] { rope_set_rows(q, k, v, angles, angles, keys, zeros({3}, DType::i64), values, ids); });
  refused({"ids are f32"}, [&] { rope_set_rows(q, k, v, angles, angles, keys, ids, values, zeros({2})); });
  refused({"8 apart", "contiguous"},
          [&] { rope_set_rows(q, k, v, angles, angles, zeros({8, 8}).transpose(0, 1), ids, values, ids); });
  const Tensor cache = zeros({5, 8});
  refused({"values", "overlaps"},
          [&] { rope_set_rows(q, k, zeros({2, 8}), angles, angles, cache, ids, cache, ids); });
  refused({"out", "overlaps"}, [&] {
    rope_set_rows(q, q, v, angles, angles, zeros({5, 32}), ids, values, ids, false, {.out = &q});
  });
  refused({"default-constructed Tensor"},
          [&] { rope_set_rows(q, k, none, angles, angles, keys, ids, values, ids); });
}

TEST(CrossEntropyError, OperandsThatDoNotFit) {
  const Tensor logits = zeros({2, 5}), targets = zeros({2}, DType::i64);
  expect_error(Code::invalid_argument, {"cross_entropy", "[2, 5]", "targets [3]", "[2]"},
               [&] { cross_entropy(logits, zeros({3}, DType::i64)); });
  expect_error(Code::invalid_argument, {"cross_entropy", "ids are f32", "u8"},
               [&] { cross_entropy(logits, zeros({2})); });
  expect_error(Code::invalid_argument, {"cross_entropy", "i32", "f32"},
               [&] { cross_entropy(zeros({2, 5}, DType::i32), targets); });
  expect_error(Code::invalid_argument, {"cross_entropy", "rank 0"},
               [&] { cross_entropy(zeros({}), zeros({}, DType::u8)); });
  expect_error(Code::invalid_argument, {"cross_entropy", "[2, 0]", "at least one"},
               [&] { cross_entropy(zeros({2, 0}), targets); });
  const Tensor loss = zeros({2}), half = zeros({2}, DType::f16);
  expect_error(Code::invalid_argument, {"cross_entropy", "overlaps"},
               [&] { cross_entropy(logits, targets, {.loss = &loss, .log_sum_exp = &loss}); });
  expect_error(Code::invalid_argument, {"cross_entropy", "out is f16", "f32"},
               [&] { cross_entropy(zeros({2, 5}, DType::f16), targets, {.log_sum_exp = &half}); });
}

/// Each in a separate row between valid ones: the first is reported, all give 0, the other rows are right.
TEST(BadTarget, IsReportedByItsFirstPosition) {
  const std::vector<Real> targets = {0, 2, -1, 5, 1, 32767};
  for (const DType ids : {DType::i16, DType::i32, DType::i64}) {
    const Tensor loss = zeros({6});
    expect_error(Code::index_out_of_range, {"cross_entropy", "index -1", "number 2", "dim 1", "size 5"}, [&] {
      cross_entropy(zeros({6, 5}), upload(reference::make_elements(ids, targets)), {.loss = &loss});
      device().synchronize();
    });
    const Elements got = download(loss);
    for (const std::int64_t row : {0, 1, 4}) EXPECT_NEAR(real_at(got, row), std::log(5.0), 1e-6);
    for (const std::int64_t row : {2, 3, 5}) EXPECT_EQ(real_at(got, row), 0);
  }
  device().synchronize();
}

TEST(BadTarget, TheLargestValueIsNone) {
  for (const auto& [dtype, value] :
       std::vector<std::pair<DType, Real>>{{DType::u8, 255},
                                           {DType::u32, 4294967295.0L},
                                           {DType::i16, 32767},
                                           {DType::i32, 2147483647},
                                           {DType::i64, 9223372036854775807.0L}}) {
    const auto ids = [&](Real id) { return upload(reference::make_elements(dtype, std::vector<Real>{id})); };
    EXPECT_EQ(real_at(download(cross_entropy(zeros({1, 3}), ids(value)).loss), 0), 0);
    // One less is an index like any other.
    expect_error(Code::index_out_of_range, {"cross_entropy", "size 3"},
                 [&] { cross_entropy(zeros({1, 3}), ids(value - 1)).loss.to_host(); });
  }
  // 255 classes end where u8's does.
  const Tensor logits = zeros({1, 300});
  EXPECT_EQ(real_at(download(cross_entropy(
                                 logits, upload(reference::make_elements(DType::u8, std::vector<Real>{255})))
                                 .loss),
                    0),
            0);
}

}  // namespace
}  // namespace kernelgen::conformance
