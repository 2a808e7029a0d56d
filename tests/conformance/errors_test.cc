// Calls that operations refuse: the error names the operation, what was given and what would work, and
// nothing is written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "environment.hpp"
#include "kernelgen/error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

Tensor tensor(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

/// The call throws Error with that code, and its message holds every part.
template <class F>
void expect_error(Code code, const std::vector<std::string>& parts, F&& call_it) {
  try {
    call_it();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << part << "' is missing in: " << error.what();
  }
}

/// An output full of poison; every test ends with it untouched.
class OperationError : public testing::Test {
 protected:
  static constexpr std::int64_t count = 12;

  void use(const Shape& shape, DType dtype = DType::f32) {
    poisoned_ = poison(dtype, count);
    whole_ = upload(poisoned_);
    Layout layout = Layout::contiguous(shape);
    layout.offset = 1;
    out_ = whole_.with_layout(layout);
  }
  CallOptions options() const { return {.out = &out_}; }
  void TearDown() override {
    if (whole_) {
      EXPECT_EQ(whole_.to_host(), poisoned_.bytes()) << "the output was written";
    }
  }

  Elements poisoned_;
  Tensor whole_;
  Tensor out_;
};

TEST_F(OperationError, WrongDtype) {
  use({3}, DType::i32);
  expect_error(Code::invalid_argument, {"exp", "i32", "f32"},
               [&] { exp(tensor({3}, DType::i32), options()); });
  expect_error(Code::invalid_argument, {"powf", "i32"}, [&] { powf(tensor({3}, DType::i32), 2, options()); });
  expect_error(Code::invalid_argument, {"elu", "i32"}, [&] { elu(tensor({3}, DType::i32), 1, options()); });
}

TEST_F(OperationError, InputsOfDifferentDtypes) {
  use({3});
  expect_error(Code::invalid_argument, {"add", "f32", "f16"},
               [&] { add(tensor({3}), tensor({3}, DType::f16), options()); });
  expect_error(Code::invalid_argument, {"where_cond: a is f32, b i64", "one dtype"},
               [&] { where_cond(tensor({3}, DType::u8), tensor({3}), tensor({3}, DType::i64), options()); });
}

TEST_F(OperationError, FloatCondition) {
  use({3});
  expect_error(Code::invalid_argument, {"where_cond: the condition is f32", "u8, u32, i16, i32 or i64"},
               [&] { where_cond(tensor({3}), tensor({3}), tensor({3}), options()); });
}

TEST_F(OperationError, ShapesThatDoNotBroadcast) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"mul", "[2, 3]", "[2, 4]"},
               [&] { mul(tensor({2, 3}), tensor({2, 4}), options()); });
  expect_error(Code::invalid_argument, {"lt", "[2, 3]", "[0]"}, [&] { lt(tensor({2, 3}), tensor({0})); });
}

TEST_F(OperationError, OutputOfAnotherShape) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"add", "[2, 3]", "[3, 2]"},
               [&] { add(tensor({3, 2}), tensor({3, 2}), options()); });
  expect_error(Code::invalid_argument, {"exp", "[2, 3]", "[6]"}, [&] { exp(tensor({6}), options()); });
}

TEST_F(OperationError, OutputOfAnotherDtype) {
  use({3}, DType::f16);
  expect_error(Code::invalid_argument, {"exp", "f16", "f32"}, [&] { exp(tensor({3}), options()); });
  expect_error(Code::invalid_argument, {"eq", "f16", "u8"}, [&] { eq(tensor({3}), tensor({3}), options()); });
}

TEST_F(OperationError, OutputThatIsNotContiguous) {
  use({2, 3});
  out_ = out_.transpose(0, 1);
  expect_error(Code::invalid_argument, {"neg", "contiguous"}, [&] { neg(tensor({3, 2}), options()); });
}

TEST_F(OperationError, UnknownOperation) {
  const Tensor x = tensor({3});
  expect_error(Code::not_found, {"sigmoyd", "sigmoid"}, [&] { call("sigmoyd", {&x, 1}); });
  expect_error(Code::not_found, {"maximun", "maximum"}, [&] { call("maximun", std::array{x, x}); });
}

TEST_F(OperationError, WrongNumberOfInputsOrScalars) {
  use({3});
  const Tensor x = tensor({3});
  const std::array<Scalar, 1> one{2};
  expect_error(Code::invalid_argument, {"add", "1", "2"}, [&] { call("add", {&x, 1}, {}, options()); });
  expect_error(Code::invalid_argument, {"affine", "1", "2"},
               [&] { call("affine", {&x, 1}, one, options()); });
  expect_error(Code::invalid_argument, {"exp", "1", "0"}, [&] { call("exp", {&x, 1}, one, options()); });
}

TEST_F(OperationError, TensorsOnDifferentDevices) {
  use({3});
  const Device other = Device::open("cpu:1");
  ASSERT_FALSE(other == device());
  const Tensor far = Tensor::zeros(other, {3}, DType::f32);
  expect_error(Code::invalid_argument, {"add", device().location(), other.location()},
               [&] { add(tensor({3}), far, options()); });
  expect_error(Code::invalid_argument, {"exp", other.location()}, [&] { exp(far, options()); });
  expect_error(Code::invalid_argument, {"copy", other.location()}, [&] { copy_into(out_, far); });
}

TEST_F(OperationError, RankNine) {
  expect_error(Code::invalid_argument, {"9", "8"}, [] { tensor({1, 1, 1, 1, 1, 1, 1, 1, 1}); });
  const Tensor x = tensor({1, 1, 1, 1, 1, 1, 1, 2});
  expect_error(Code::invalid_argument, {"8"}, [&] { x.unsqueeze(0); });
}

TEST_F(OperationError, ViewOutsideTheStorage) {
  const Tensor x = tensor({2, 3});
  Layout layout = Layout::contiguous({2, 3});
  layout.offset = 1;
  expect_error(Code::invalid_argument, {"6"}, [&] { x.with_layout(layout); });
  layout.offset = -1;
  expect_error(Code::invalid_argument, {"-1"}, [&] { x.with_layout(layout); });
  layout.offset = 0;
  layout.strides[0] = -3;
  expect_error(Code::invalid_argument, {"-3"}, [&] { x.with_layout(layout); });
  layout.strides[0] = std::int64_t{1} << 62;
  layout.shape[0] = 4;
  expect_error(Code::invalid_argument, {}, [&] { x.with_layout(layout); });
}

TEST_F(OperationError, CopyInto) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"copy", "[2, 3]", "[3, 2]"},
               [&] { copy_into(out_, tensor({3, 2})); });
  expect_error(Code::invalid_argument, {"copy", "f32", "f64"},
               [&] { copy_into(out_, tensor({2, 3}, DType::f64)); });
}

TEST_F(OperationError, Copy2dPastTheEnd) {
  use({10});
  const Tensor source = tensor({10});
  expect_error(Code::invalid_argument, {"copy2d", "source"}, [&] { copy2d(out_, source, 3, 3, 3, 4); });
  expect_error(Code::invalid_argument, {"copy2d", "destination"}, [&] { copy2d(out_, source, 3, 3, 4, 3); });
  expect_error(Code::invalid_argument, {"copy2d", "source"}, [&] { copy2d(out_, source, 2, 3, 3, 3, 0, 5); });
  expect_error(Code::invalid_argument, {"copy2d", "destination"},
               [&] { copy2d(out_, source, 2, 3, 3, 3, 5, 0); });
  expect_error(Code::invalid_argument, {"copy2d"}, [&] { copy2d(out_, source, -1, 3, 3, 3); });
  expect_error(Code::invalid_argument, {"copy2d"}, [&] { copy2d(out_, source, 1, 3, 3, 3, -1, 0); });
  expect_error(Code::invalid_argument, {"copy2d"},
               [&] { copy2d(out_, source, std::int64_t{1} << 40, 3, std::int64_t{1} << 40, 0); });
  expect_error(Code::invalid_argument, {"copy2d", "f32", "f16"},
               [&] { copy2d(out_, tensor({10}, DType::f16), 2, 3, 3, 3); });
}

TEST_F(OperationError, FromHostOfAnotherSize) {
  const std::vector<std::byte> bytes(10);
  expect_error(Code::invalid_argument, {"10", "12", "[3]"},
               [&] { Tensor::from_host(device(), bytes, {3}, DType::f32); });
}

TEST_F(OperationError, ReduceAlongNoSuchDim) {
  use({3});
  const std::int64_t dim = 2;
  expect_error(Code::invalid_argument, {"sum", "2"},
               [&] { sum(tensor({3, 4}), {&dim, 1}, false, options()); });
}

TEST_F(OperationError, ReduceAlongADimTwice) {
  use({3});
  const std::int64_t dims[] = {1, -1};
  expect_error(Code::invalid_argument, {"max", "[3, 4]", "twice"},
               [&] { max(tensor({3, 4}), dims, false, options()); });
}

TEST_F(OperationError, ExtremeOfNoElement) {
  use({3});
  const std::int64_t dim = 1;
  expect_error(Code::invalid_argument, {"min", "[3, 0]"},
               [&] { min(tensor({3, 0}), {&dim, 1}, false, options()); });
  expect_error(Code::invalid_argument, {"argmax", "[3, 0]"},
               [&] { argmax(tensor({3, 0}), dim, false, options()); });
}

TEST_F(OperationError, ReduceIntoAWrongOut) {
  use({3});
  const std::int64_t dim = 1;
  expect_error(Code::invalid_argument, {"argmin", "f32", "u32"},
               [&] { argmin(tensor({3, 4}), dim, false, options()); });
  expect_error(Code::invalid_argument, {"sum", "[3]", "[3, 1]"},
               [&] { sum(tensor({3, 4}), {&dim, 1}, true, options()); });
}

TEST_F(OperationError, MatmulOfWrongShapes) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"matmul", "[2, 4]", "[5, 3]", "must match"},
               [&] { matmul(tensor({2, 4}), tensor({5, 3}), options()); });
  expect_error(Code::invalid_argument, {"matmul", "[4]", "[4, 3]", "rank"},
               [&] { matmul(tensor({4}), tensor({4, 3}), options()); });
  expect_error(Code::invalid_argument, {"matmul", "[2, 4]", "[]", "rank"},
               [&] { matmul(tensor({2, 4}), tensor({}), options()); });
  expect_error(Code::invalid_argument, {"matmul", "[2, 1, 4]", "[3, 4, 3]", "batch"},
               [&] { matmul(tensor({2, 1, 4}), tensor({3, 4, 3}), options()); });
  expect_error(Code::invalid_argument, {"matmul", "out", "[2, 3]", "[2, 5]"},
               [&] { matmul(tensor({2, 4}), tensor({4, 5}), options()); });
}

TEST_F(OperationError, MatmulOfWrongDtypes) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"matmul", "f16", "f32"},
               [&] { matmul(tensor({2, 4}, DType::f16), tensor({4, 3}), options()); });
  expect_error(Code::invalid_argument, {"matmul", "i32", "bf16"},
               [&] { matmul(tensor({2, 4}, DType::i32), tensor({4, 3}, DType::i32), options()); });
}

TEST_F(OperationError, MatmulIntoItsInput) {
  use({3, 3});
  expect_error(Code::invalid_argument, {"matmul", "overlaps"},
               [&] { matmul(out_, tensor({3, 3}), options()); });
}

TEST(OperationLibrary, MatmulWithALibraryThatIsMissing) {
  if (device().kind() != DeviceKind::cpu) GTEST_SKIP() << "only the CPU asks for a library";
  ::setenv("KERNELGEN_BLAS_LIBRARY", "/no/such/blas.so", 1);
  expect_error(Code::unsupported, {"KERNELGEN_BLAS_LIBRARY", "/no/such/blas.so"},
               [&] { matmul(tensor({512, 512}), tensor({512, 512})); });
  ::unsetenv("KERNELGEN_BLAS_LIBRARY");
}

TEST_F(OperationError, NormsOfWrongWeights) {
  use({2, 3});
  expect_error(Code::invalid_argument, {"rms_norm", "[2, 3]", "[2]"},
               [&] { rms_norm(tensor({2, 3}), tensor({2}), 1e-5, options()); });
  expect_error(Code::invalid_argument, {"layer_norm", "f32", "f16"},
               [&] { layer_norm(tensor({2, 3}), tensor({3}), tensor({3}, DType::f16), 1e-5, options()); });
  expect_error(Code::invalid_argument, {"rms_norm", "eps", "-1"},
               [&] { rms_norm(tensor({2, 3}), tensor({3}), -1, options()); });
  // f32 has no room for the last one.
  for (const double eps : {double{INFINITY}, double{NAN}, 1e300})
    expect_error(Code::invalid_argument, {"rms_norm", "eps", "finite"},
                 [&] { rms_norm(tensor({2, 3}), tensor({3}), eps, options()); });
  rms_norm(tensor({2}, DType::f64), tensor({2}, DType::f64), 1e300);
  expect_error(Code::invalid_argument, {"softmax", "rank 0"}, [&] { softmax(tensor({}), options()); });
  expect_error(Code::invalid_argument, {"log_softmax", "i32", "f32"},
               [&] { log_softmax(tensor({2, 3}, DType::i32), options()); });
}

TEST(ReduceError, IndexBeyond32Bits) {
  const Tensor one = tensor({1});
  const Tensor many = one.broadcast_to({std::int64_t{1} << 32});
  expect_error(Code::invalid_argument, {"argmax", "4294967296"}, [&] { argmax(many, 0); });
}

TEST(SortError, MoreElementsThanWordsCount) {
  const Tensor one = tensor({1});
  const Tensor many = one.broadcast_to({(std::int64_t{1} << 32) - 1});
  expect_error(Code::invalid_argument, {"arg_sort", "4294967295", "4293918717"},
               [&] { arg_sort(many, true); });
  expect_error(Code::invalid_argument, {"top_k", "4293918718", "4293918717"},
               [&] { top_k(many, 4'293'918'718); });
}

TEST_F(OperationError, SortOfRankZero) {
  use({});
  expect_error(Code::invalid_argument, {"arg_sort", "rank 0"},
               [&] { arg_sort(tensor({}), true, options()); });
  expect_error(Code::invalid_argument, {"sort", "rank 0"},
               [&] { sort(tensor({}), true, {.values = &out_}); });
}

TEST_F(OperationError, SortIntoAWrongOut) {
  use({3});
  expect_error(Code::invalid_argument, {"arg_sort", "f32", "u32"},
               [&] { arg_sort(tensor({3}), true, options()); });
  expect_error(Code::invalid_argument, {"sort", "[3]", "[2, 3]"},
               [&] { sort(tensor({2, 3}), true, {.values = &out_}); });
}

TEST_F(OperationError, SortInPlace) {
  use({3});
  expect_error(Code::invalid_argument, {"sort", "overlaps"}, [&] { sort(out_, true, {.values = &out_}); });
}

TEST_F(OperationError, SortIntoOneMemory) {
  use({3}, DType::u32);
  expect_error(Code::invalid_argument, {"sort", "overlaps"},
               [&] { sort(tensor({3}, DType::u32), true, {.values = &out_, .indices = &out_}); });
}

TEST_F(OperationError, TopKOfMoreThanThereAre) {
  use({3});
  expect_error(Code::invalid_argument, {"top_k", "k is 5", "dim 1", "[3, 4]", "0 to 4"},
               [&] { top_k(tensor({3, 4}), 5); });
  expect_error(Code::invalid_argument, {"top_k", "k is -1"}, [&] { top_k(tensor({3, 4}), -1, 0); });
  expect_error(Code::invalid_argument, {"top_k", "dim 0", "rank 0"}, [&] { top_k(tensor({}), 0, 0); });
  expect_error(Code::invalid_argument, {"top_k", "dim 2", "rank 2"}, [&] { top_k(tensor({3, 4}), 1, 2); });
  expect_error(Code::invalid_argument, {"top_k"}, [&] { top_k(Tensor(), 1); });
}

TEST_F(OperationError, TopKIntoAWrongOut) {
  use({3});
  expect_error(Code::invalid_argument, {"top_k", "[3]", "[2]"},
               [&] { top_k(tensor({4}), 2, 0, {.values = &out_}); });
  expect_error(Code::invalid_argument, {"top_k", "f32", "u32"},
               [&] { top_k(tensor({4}), 3, 0, {.indices = &out_}); });
  expect_error(Code::invalid_argument, {"top_k", "overlaps"}, [&] { top_k(out_, 3, 0, {.values = &out_}); });
}

TEST_F(OperationError, CumsumAlongNoSuchDim) {
  use({3});
  expect_error(Code::invalid_argument, {"cumsum", "dim 1", "rank 1"},
               [&] { cumsum(tensor({3}), 1, options()); });
  expect_error(Code::invalid_argument, {"cumsum", "dim 0", "rank 0"}, [&] { cumsum(tensor({}), 0); });
  expect_error(Code::invalid_argument, {"cumsum", "[3]", "[4]"}, [&] { cumsum(tensor({4}), 0, options()); });
  expect_error(Code::invalid_argument, {"cumsum", "f32", "f16"},
               [&] { cumsum(tensor({3}, DType::f16), 0, options()); });
}

/// In place is the same view, nothing else.
TEST_F(OperationError, CumsumOverAnotherViewOfItsInput) {
  use({3});
  Layout layout = out_.layout();
  ++layout.offset;
  expect_error(Code::invalid_argument, {"cumsum", "overlaps"},
               [&] { cumsum(out_.with_layout(layout), 0, options()); });
}

TEST_F(OperationError, ExtremesWithPlaces) {
  use({3}, DType::u32);
  expect_error(Code::invalid_argument, {"max_with_index", "[3, 0]"},
               [&] { max_with_index(tensor({3, 0}), 1); });
  expect_error(Code::invalid_argument, {"min_with_index", "dim 2"},
               [&] { min_with_index(tensor({3, 4}), 2); });
  expect_error(Code::invalid_argument, {"max_with_index", "overlaps"}, [&] {
    max_with_index(tensor({3, 4}, DType::u32), 1, false, {.values = &out_, .indices = &out_});
  });
  expect_error(Code::invalid_argument, {"min_with_index", "f32", "u32"},
               [&] { min_with_index(tensor({3, 4}), 1, false, {.values = &out_}); });
  const Tensor many = tensor({1}).broadcast_to({std::int64_t{1} << 32});
  expect_error(Code::invalid_argument, {"max_with_index", "4294967296"}, [&] { max_with_index(many, 0); });
  expect_error(Code::invalid_argument, {"top_k", "4294967296"}, [&] { top_k(many, 1); });
}

TEST(SortError, IndexBeyond32Bits) {
  const Tensor many = tensor({1}).broadcast_to({std::int64_t{1} << 32});
  expect_error(Code::invalid_argument, {"arg_sort", "4294967296"}, [&] { arg_sort(many); });
}

}  // namespace
}  // namespace kernelgen::conformance
