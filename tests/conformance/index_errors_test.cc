// Calls that operations by index refuse, and their reports of indices out of range.
#include <gtest/gtest.h>

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

TEST(IndexError, FloatIds) {
  const Tensor x = zeros({3, 4}), ids = zeros({2}), all = zeros({3, 4});
  expect_error(Code::invalid_argument, {"index_select", "f32", "u8", "i64"},
               [&] { index_select(x, 0, ids); });
  expect_error(Code::invalid_argument, {"gather", "f32", "u32"}, [&] { gather(x, 0, all); });
  expect_error(Code::invalid_argument, {"scatter_set", "f32"}, [&] { scatter_set(x, 0, all, all); });
  expect_error(Code::invalid_argument, {"scatter_add_set", "f32"}, [&] { scatter_add_set(x, 0, all, all); });
  expect_error(Code::invalid_argument, {"index_add", "f32"}, [&] { index_add(x, 0, ids, zeros({2, 4})); });
}

TEST(IndexError, ShapesThatDoNotFit) {
  const Tensor x = zeros({3, 4});
  const auto ids = [](const Shape& shape) { return zeros(shape, DType::u32); };
  expect_error(Code::invalid_argument, {"gather", "[3, 5]", "[3, 4]", "dim 0"},
               [&] { gather(x, 0, ids({3, 5})); });
  expect_error(Code::invalid_argument, {"gather", "[3]", "[3, 4]"}, [&] { gather(x, 0, ids({3})); });
  expect_error(Code::invalid_argument, {"index_select", "[1, 2]", "rank 1"},
               [&] { index_select(x, 0, ids({1, 2})); });
  expect_error(Code::invalid_argument, {"scatter_set", "[3, 5]", "[3, 4]", "dim 0"},
               [&] { scatter_set(x, 0, ids({3, 5}), zeros({3, 5})); });
  expect_error(Code::invalid_argument, {"scatter_add_set", "[4, 4]", "[2, 4]"},
               [&] { scatter_add_set(x, 0, ids({4, 4}), zeros({2, 4})); });
  expect_error(Code::invalid_argument, {"index_add", "[2, 3]", "[3, 4]", "[2, 4]"},
               [&] { index_add(x, 0, ids({2}), zeros({2, 3})); });
  expect_error(Code::invalid_argument, {"index_select", "2"}, [&] { index_select(x, 2, ids({1})); });
}

TEST(IndexError, DtypesThatDiffer) {
  const Tensor x = zeros({3, 4}), ids = zeros({3, 4}, DType::u8), other = zeros({3, 4}, DType::f16);
  expect_error(Code::invalid_argument, {"scatter_set", "f16", "f32"}, [&] { scatter_set(x, 0, ids, other); });
  expect_error(Code::invalid_argument, {"index_add", "f16", "f32"},
               [&] { index_add(x, 0, zeros({3}, DType::u8), other); });
}

TEST(IndexError, OutputThatOverlaps) {
  const Tensor x = zeros({3, 4});
  expect_error(Code::invalid_argument, {"index_select", "overlaps"},
               [&] { index_select(x, 0, zeros({3}, DType::u8), {.out = &x}); });
}

/// Each of these reads or writes at -1 and after the end: the first is reported, reads give 0, writes change nothing,
/// and the next call works.
TEST(BadIndex, IsReportedByItsFirstPosition) {
  const Tensor ids = integers(DType::i32, {0, 2, -1, 5, 1, -7}), square = ids.reshape({2, 3});
  const Elements before = repeat(pool(DType::f32), 3, 20);
  const Tensor whole = upload(before), source = zeros({6}), wide = zeros({2, 3});
  const Tensor y = whole.with_layout({{5}, {1}, 9});
  expect_error(Code::index_out_of_range, {"gather", "index -1", "number 2", "dim 0", "size 5"}, [&] {
    const Tensor out = whole.with_layout({{6}, {1}, 0});
    gather(zeros({5}), 0, ids, {.out = &out});
    device().synchronize();
  });
  {
    Elements wanted = before;
    std::memset(wanted.at(0), 0, 6 * 4);
    EXPECT_EQ(download(whole).bytes(), wanted.bytes());
  }
  const Elements now = download(whole);
  expect_error(Code::index_out_of_range, {"index_select", "index -1", "number 2", "dim 1", "size 5"},
               [&] { index_select(zeros({4, 5, 40}), 1, ids).to_host(); });
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const std::int64_t inner : {1, 3})
      expect_error(Code::index_out_of_range, {"index_add", "index -1", "number 2", "dim 1", "size 5"}, [&] {
        index_add(zeros({4, 5, inner}, dtype), 1, ids, zeros({4, 6, inner}, dtype)).to_host();
      });
  for (const bool deterministic : {false, true})
    expect_error(Code::index_out_of_range, {"scatter_add_set", "index -1", "number 2", "dim 0", "size 5"},
                 [&] {
                   scatter_add_set(y, 0, ids, source, deterministic);
                   device().synchronize();
                 });
  EXPECT_EQ(download(whole).bytes(), now.bytes());
  expect_error(Code::index_out_of_range, {"scatter_set", "index -1", "number 2", "dim 1", "size 3"}, [&] {
    scatter_set(zeros({2, 3}), 1, square, wide);
    device().synchronize();
  });
  device().synchronize();
  EXPECT_EQ(real_at(download(index_select(integers(DType::u8, {4, 5}), 0, integers(DType::u8, {1}))), 0), 5);
}

TEST(BadIndex, OfTheEarliestCall) {
  const Tensor x = zeros({5});
  const Tensor late = integers(DType::i64, {9}), early = integers(DType::i64, {0, 0, 0, 8});
  index_select(x, 0, early);
  index_select(x, 0, late);
  expect_error(Code::index_out_of_range, {"index 8", "number 3"}, [] { device().synchronize(); });
  device().synchronize();
}

/// A bad index of another stream is reported by a wait for that stream, and by one for the device.
TEST(BadIndex, InAStream) {
  const Stream stream = device().new_stream(), idle = device().new_stream();
  const Tensor x = zeros({5}), ids = integers(DType::u32, {5}), good = integers(DType::u32, {4});
  index_select(x, 0, good);
  index_select(x, 0, ids, {.stream = stream});
  expect_error(Code::index_out_of_range, {"index 5", "number 0"}, [&] { stream.synchronize(); });
  idle.synchronize();
  device().synchronize();
}

TEST(BadIndex, TheLargestValueIsNone) {
  const Tensor x = integers(DType::u8, {1, 2, 3});
  for (const auto& [dtype, value] : std::vector<std::pair<DType, Real>>{
           {DType::u8, 255}, {DType::u32, 4294967295.0L}, {DType::i16, 32767}, {DType::i32, 2147483647}})
    EXPECT_EQ(real_at(download(gather(x, 0, integers(dtype, {value}))), 0), 0);
  // One less is an index like any other.
  expect_error(Code::index_out_of_range, {"index 254"},
               [&] { gather(x, 0, integers(DType::u8, {254})).to_host(); });
}

TEST(BadIndex, ManyAtOnce) {
  const Tensor ids = integers(DType::i64, std::vector<Real>(100000, -3));
  expect_error(Code::index_out_of_range, {"index -3", "number 0 "},
               [&] { gather(zeros({10}), 0, ids).to_host(); });
}

/// Nothing is read or written, so nothing is bad.
TEST(BadIndex, NotWithoutElements) {
  const Tensor ids = integers(DType::i32, {-1, 99});
  index_select(zeros({3, 0}), 0, ids);
  index_add(zeros({3, 0}), 0, ids, zeros({2, 0}));
  device().synchronize();
}

TEST(BadIndex, OfADimWithoutElements) {
  expect_error(Code::index_out_of_range, {"size 0"},
               [] { index_select(zeros({0, 3}), 0, integers(DType::i32, {0})).to_host(); });
}

}  // namespace
}  // namespace kernelgen::conformance
