// Calls that concat, pad, roll, triangles, sequences, set_rows and the norms without weights refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "environment.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;
using Numbers = std::vector<std::int64_t>;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

TEST(ConcatError, Operands) {
  const Tensor a = zeros({2, 3}), other_dtype = zeros({2, 3}, DType::f16), other_shape = zeros({3, 4});
  const auto join = [&](std::vector<Tensor> tensors, std::int64_t dim) { concat(tensors, dim); };
  expect_error(Code::invalid_argument, {"concat", "no inputs"}, [&] { join({}, 0); });
  expect_error(Code::invalid_argument, {"concat", "input 2", "default-constructed Tensor"},
               [&] { join({a, {}}, 0); });
  expect_error(Code::invalid_argument, {"concat", "f32", "input 2 f16"}, [&] { join({a, other_dtype}, 0); });
  expect_error(Code::invalid_argument, {"concat", "[2, 3]", "[3, 4]", "dim 1"},
               [&] { join({a, other_shape}, 1); });
  expect_error(Code::invalid_argument, {"concat", "dim 2", "rank 2"}, [&] { join({a, a}, 2); });
  expect_error(Code::invalid_argument, {"concat", "rank 0"}, [&] { join({zeros({})}, 0); });
  const Tensor both[] = {a, a}, out = zeros({4, 4}), inside = zeros({4, 3}), within = inside.narrow(0, 1, 2);
  const Tensor overlapping[] = {a, within};
  expect_error(Code::invalid_argument, {"concat", "[4, 4]", "[4, 3]"},
               [&] { concat(both, 0, {.out = &out}); });
  expect_error(Code::invalid_argument, {"concat", "overlaps"},
               [&] { concat(overlapping, 0, {.out = &inside}); });
}

TEST(ConcatError, Stack) {
  const Tensor a = zeros({2, 3});
  const auto join = [&](std::vector<Tensor> tensors, std::int64_t dim) { stack(tensors, dim); };
  expect_error(Code::invalid_argument, {"stack", "no inputs"}, [&] { join({}, 0); });
  expect_error(Code::invalid_argument, {"stack", "[2, 3]", "input 2 [2, 4]"},
               [&] { join({a, zeros({2, 4})}, 0); });
  expect_error(Code::invalid_argument, {"stack", "dim 3"}, [&] { join({a}, 3); });
  expect_error(Code::invalid_argument, {"stack", "rank 8"},
               [&] { join({zeros({1, 1, 1, 1, 1, 1, 1, 1})}, 0); });
  expect_error(Code::invalid_argument, {"stack", "q8_0", "last dim"},
               [&] { join({zeros({2, 32}, DType::q8_0)}, -1); });
}

TEST(PadError, Numbers) {
  const Tensor x = zeros({4, 5});
  expect_error(Code::invalid_argument, {"pad", "default-constructed Tensor"},
               [] { pad({}, Numbers{}, Numbers{}); });
  expect_error(Code::invalid_argument, {"pad", "1 numbers before", "2 after"},
               [&] { pad(x, Numbers{1}, Numbers{1, 1}); });
  expect_error(Code::invalid_argument, {"pad", "3 numbers", "[4, 5]"},
               [&] { pad(x, Numbers{1, 1, 1}, Numbers{1, 1, 1}); });
  expect_error(Code::invalid_argument, {"pad", "-1 elements before dim 1", "negative"},
               [&] { pad(x, Numbers{-1}, Numbers{1}); });
  expect_error(Code::invalid_argument, {"pad", "2^63 - 1"},
               [&] { pad(x, Numbers{std::numeric_limits<std::int64_t>::max()}, Numbers{1}); });
  expect_error(Code::invalid_argument, {"pad_reflect", "5 elements after dim 1", "at most 4"},
               [&] { pad_reflect(x, Numbers{0}, Numbers{5}); });
  expect_error(Code::invalid_argument, {"pad_circular", "6 elements before dim 1", "at most 5"},
               [&] { pad_circular(x, Numbers{6}, Numbers{0}); });
  expect_error(Code::invalid_argument, {"pad_replicate", "dim 0", "at most 0"},
               [&] { pad_replicate(zeros({0, 5}), Numbers{1, 0}, Numbers{0, 0}); });
  expect_error(Code::invalid_argument, {"scalar", "u8"},
               [&] { pad(zeros({4}, DType::u8), Numbers{1}, Numbers{1}, 300); });
  expect_error(Code::invalid_argument, {"pad", "q8_0"},
               [&] { pad(zeros({2, 32}, DType::q8_0), Numbers{1, 0}, Numbers{0, 0}); });
  const Tensor out = zeros({4, 6});
  expect_error(Code::invalid_argument, {"pad", "[4, 6]", "[4, 7]"},
               [&] { pad(x, Numbers{1}, Numbers{1}, 0, {.out = &out}); });
}

TEST(RollError, Numbers) {
  const Tensor x = zeros({4, 5});
  expect_error(Code::invalid_argument, {"roll", "2 shifts", "1 dims"},
               [&] { roll(x, Numbers{1, 2}, Numbers{0}); });
  expect_error(Code::invalid_argument, {"roll", "dim 2", "rank 2"}, [&] { roll(x, Numbers{1}, Numbers{2}); });
  expect_error(Code::invalid_argument, {"roll", "overlaps"},
               [&] { roll(x, Numbers{1}, Numbers{0}, {.out = &x}); });
}

TEST(TriangleError, Shapes) {
  expect_error(Code::invalid_argument, {"tril", "[3]", "two dims"}, [] { tril(zeros({3})); });
  expect_error(Code::invalid_argument, {"triu", "default-constructed Tensor"}, [] { triu({}); });
  expect_error(Code::invalid_argument, {"diag", "[]"}, [] { diag(zeros({})); });
}

TEST(SequenceError, Numbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_error(Code::invalid_argument, {"arange", "device"}, [] { arange({}, 0, 1, 1, DType::f32); });
  expect_error(Code::invalid_argument, {"arange", "step is 0"},
               [] { arange(device(), 0, 1, 0, DType::f32); });
  expect_error(Code::invalid_argument, {"arange", "inf"},
               [&] { arange(device(), 0, infinity, 1, DType::f32); });
  expect_error(Code::invalid_argument, {"scalar"}, [] { arange(device(), 0, 1, 0.5, DType::i32); });
  expect_error(Code::invalid_argument, {"scalar"}, [] { arange(device(), 300, 301, 1, DType::u8); });
  expect_error(Code::invalid_argument, {"arange", "2^63"}, [] { arange(device(), 0, 1e30, 1, DType::f64); });
  const Tensor x = zeros({3});
  expect_error(Code::invalid_argument, {"timestep_embedding", "[3, 1]", "rank 1"},
               [] { timestep_embedding(zeros({3, 1}), 8); });
  expect_error(Code::invalid_argument, {"timestep_embedding", "columns is -1"},
               [&] { timestep_embedding(x, -1); });
  expect_error(Code::invalid_argument, {"timestep_embedding", "max_period"},
               [&] { timestep_embedding(x, 8, -2); });
  expect_error(Code::invalid_argument, {"timestep_embedding", "i32"},
               [] { timestep_embedding(zeros({3}, DType::i32), 8); });
}

TEST(NormError, OfGroups) {
  expect_error(Code::invalid_argument, {"group_norm", "[4]", "[batch, channels, ...]"},
               [] { group_norm(zeros({4}), 1, 1e-5); });
  expect_error(Code::invalid_argument, {"group_norm", "3 groups", "4 channels"},
               [] { group_norm(zeros({2, 4}), 3, 1e-5); });
  expect_error(Code::invalid_argument, {"group_norm", "0 groups"},
               [] { group_norm(zeros({2, 4}), 0, 1e-5); });
  expect_error(Code::invalid_argument, {"group_norm", "i32"},
               [] { group_norm(zeros({2, 4}, DType::i32), 2, 1e-5); });
  expect_error(Code::invalid_argument, {"l2_norm", "eps is -1"}, [] { l2_norm(zeros({2, 4}), -1); });
  expect_error(Code::invalid_argument, {"plain_rms_norm", "rank 0"}, [] { plain_rms_norm(zeros({}), 1e-5); });
}

TEST(ScaledSoftmaxError, Operands) {
  const Tensor x = zeros({2, 3, 4, 5});
  const auto refuse = [&](std::initializer_list<std::string_view> parts,
                          const ScaledSoftmaxOptions& options) {
    expect_error(Code::invalid_argument, parts, [&] { scaled_softmax(x, options); });
  };
  const Tensor mask = zeros({4, 6}), wide = zeros({1, 2, 3, 4, 5}), whole = zeros({4, 5}, DType::i32),
               heads = zeros({4}), half_heads = zeros({3}, DType::f16), good_mask = zeros({4, 5});
  refuse({"scaled_softmax", "[4, 6]", "[2, 3, 4, 5]"}, {.mask = &mask});
  refuse({"scaled_softmax", "[1, 2, 3, 4, 5]"}, {.mask = &wide});
  refuse({"scaled_softmax", "mask is i32", "f16 or f32"}, {.mask = &whole});
  refuse({"scaled_softmax", "slopes", "[4]", "[2, 3, 4, 5]"}, {.slopes = &heads});
  refuse({"scaled_softmax", "sinks", "f16"}, {.sinks = &half_heads});
  refuse({"scaled_softmax", "scale is", "finite"}, {.scale = std::numeric_limits<double>::infinity()});
  refuse({"scaled_softmax", "overlaps"}, {.out = &good_mask, .mask = &good_mask});
  expect_error(Code::invalid_argument, {"scaled_softmax", "i32"},
               [] { scaled_softmax(zeros({3}, DType::i32)); });
}

TEST(SetRowsError, Operands) {
  const Tensor y = zeros({4, 32}), ids = zeros({2}, DType::i64), source = zeros({2, 32});
  expect_error(Code::invalid_argument, {"set_rows", "ids are f32"}, [&] { set_rows(y, zeros({2}), source); });
  expect_error(Code::invalid_argument, {"set_rows", "source is i32"},
               [&] { set_rows(y, ids, zeros({2, 32}, DType::i32)); });
  expect_error(Code::invalid_argument, {"set_rows", "destination is f64"},
               [&] { set_rows(zeros({4, 32}, DType::f64), ids, source); });
  expect_error(Code::invalid_argument, {"set_rows", "[4, 32]", "[2, 31]", "[..., rows, n]"},
               [&] { set_rows(y, ids, zeros({2, 31})); });
  expect_error(Code::invalid_argument, {"set_rows", "[3]", "[2]"},
               [&] { set_rows(y, zeros({3}, DType::i64), source); });
  expect_error(Code::invalid_argument, {"set_rows", "overlaps"},
               [&] { set_rows(y, ids, y.narrow(0, 0, 2)); });
}

TEST(SetRowsError, IdsOutOfRange) {
  for (const DType dtype : {DType::f16, DType::q8_0}) {
    const Tensor y = zeros({4, 32}, dtype), before = copy(y);
    const std::int64_t list[] = {7, -2};
    const Tensor ids = Tensor::from_host(device(), std::as_bytes(std::span(list)), {2}, DType::i64);
    set_rows(y, ids, zeros({2, 32}));
    expect_error(Code::index_out_of_range, {"set_rows", "7", "4"}, [&] { y.to_host(); });
    EXPECT_EQ(y.to_host(), before.to_host());
  }
}

}  // namespace
}  // namespace kernelgen::conformance
