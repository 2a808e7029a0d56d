// Calls that quantized operations refuse, and their reports of ids out of range.
#include <gtest/gtest.h>

#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "reference/strided.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

Tensor integers(DType dtype, const std::vector<Real>& values) {
  return upload(reference::make_elements(dtype, values));
}

/// The call throws, and has written nothing to its output.
template <class F>
void expect_untouched(const Shape& shape, DType dtype, std::initializer_list<std::string_view> parts,
                      F&& call_it) {
  const std::int64_t count =
      bytes_of(dtype, reference::count_of(shape)) / static_cast<std::int64_t>(size_of(dtype));
  const Elements poisoned = poison(dtype, count);
  const Tensor out = Tensor::from_host(device(), poisoned.bytes(), shape, dtype);
  const CallOptions options{.out = &out};
  expect_error(Code::invalid_argument, parts, [&] { call_it(options); });
  EXPECT_EQ(out.to_host(), poisoned.bytes()) << "the output was written";
}

TEST(QuantizedError, TensorsWithoutWholeBlocks) {
  expect_error(Code::invalid_argument, {"q4_0", "[3, 33]", "32"}, [] { zeros({3, 33}, DType::q4_0); });
  expect_error(Code::invalid_argument, {"q6_K", "[128]", "256"}, [] { zeros({128}, DType::q6_K); });
  expect_error(Code::invalid_argument, {"q8_0"}, [] { zeros({}, DType::q8_0); });
  const Tensor x = zeros({4, 64}, DType::q4_0);
  for (const Layout& layout :
       {Layout{{4, 32}, {64, 1}, 8}, Layout{{4, 32}, {48, 1}, 0}, Layout{{2, 32}, {64, 2}, 0},
        Layout{{32, 4}, {1, 64}, 0}, Layout{{4, 16}, {64, 1}, 0}, Layout{{0, 16}, {64, 1}, 0}})
    expect_error(Code::invalid_argument, {"q4_0", "32"}, [&] { x.with_layout(layout); });
  x.with_layout({{2, 32}, {-64, 1}, 96});
}

TEST(QuantizedError, Quantize) {
  expect_error(Code::invalid_argument, {"quantize", "[2, 40]", "32", "q4_0"},
               [] { quantize(zeros({2, 40}), DType::q4_0); });
  expect_error(Code::invalid_argument, {"quantize", "[2, 128]", "256", "q4_K"},
               [] { quantize(zeros({2, 128}), DType::q4_K); });
  expect_error(Code::invalid_argument, {"quantize", "[]", "q8_0"}, [] { quantize(zeros({}), DType::q8_0); });
  expect_untouched({2, 32}, DType::q4_0, {"quantize", "f64", "f32", "f16", "bf16"},
                   [](const CallOptions& o) { quantize(zeros({2, 32}, DType::f64), DType::q4_0, o); });
  expect_untouched({2, 32}, DType::q4_0, {"quantize", "q8_0"},
                   [](const CallOptions& o) { quantize(zeros({2, 32}, DType::q8_0), DType::q4_0, o); });
  expect_untouched({2, 32}, DType::q4_0, {"quantize", "f16", "q4_0", "tq2_0"},
                   [](const CallOptions& o) { quantize(zeros({2, 32}), DType::f16, o); });
  expect_untouched({2, 256}, DType::iq3_s, {"quantize", "iq3_s", "q4_0", "tq2_0"},
                   [](const CallOptions& o) { quantize(zeros({2, 256}), DType::iq3_s, o); });
  expect_untouched({2, 32}, DType::q4_1, {"quantize", "q4_1", "q4_0"},
                   [](const CallOptions& o) { quantize(zeros({2, 32}), DType::q4_0, o); });
  expect_untouched({3, 32}, DType::q4_0, {"quantize", "[3, 32]", "[2, 32]"},
                   [](const CallOptions& o) { quantize(zeros({2, 32}), DType::q4_0, o); });
}

TEST(QuantizedError, Dequantize) {
  const Tensor x = zeros({2, 64}, DType::q5_1);
  expect_untouched({2, 64}, DType::f32, {"dequantize", "f32"},
                   [](const CallOptions& o) { dequantize(zeros({2, 64}), DType::f32, o); });
  expect_untouched({2, 64}, DType::f64, {"dequantize", "f64", "f32", "f16", "bf16"},
                   [&](const CallOptions& o) { dequantize(x, DType::f64, o); });
  expect_untouched({2, 64}, DType::q8_0, {"dequantize", "q8_0", "f32", "f16", "bf16"},
                   [&](const CallOptions& o) { dequantize(x, DType::q8_0, o); });
  expect_untouched({64, 2}, DType::f32, {"dequantize", "[64, 2]", "[2, 64]"},
                   [&](const CallOptions& o) { dequantize(x, DType::f32, o); });
}

TEST(QuantizedError, GetRows) {
  const Tensor table = zeros({5, 256}, DType::q4_K), ids = zeros({3}, DType::u32);
  expect_untouched({3, 256}, DType::f32, {"get_rows", "f64"},
                   [&](const CallOptions& o) { get_rows(zeros({5, 256}, DType::f64), ids, DType::f32, o); });
  expect_untouched({3, 256}, DType::f32, {"get_rows", "ids", "f32", "u32"},
                   [&](const CallOptions& o) { get_rows(table, zeros({3}), DType::f32, o); });
  expect_untouched({3, 256}, DType::i32, {"get_rows", "i32", "f32", "f16", "bf16"},
                   [&](const CallOptions& o) { get_rows(table, ids, DType::i32, o); });
  expect_untouched({3, 256}, DType::f32, {"get_rows", "[1, 5, 256]", "rank of 2"},
                   [&](const CallOptions& o) { get_rows(table.unsqueeze(0), ids, DType::f32, o); });
  expect_untouched({4, 256}, DType::f32, {"get_rows", "[4, 256]", "[3, 256]"},
                   [&](const CallOptions& o) { get_rows(table, ids, DType::f32, o); });
}

TEST(QuantizedError, Products) {
  const Tensor w = zeros({7, 64}, DType::q8_0), x = zeros({3, 64});
  expect_untouched({3, 7}, DType::f32, {"quantized_matmul", "[3, 32]", "[7, 64]"},
                   [&](const CallOptions& o) { quantized_matmul(zeros({3, 32}), w, o); });
  expect_untouched({3, 7}, DType::f32, {"quantized_matmul", "f64", "f32", "f16", "bf16"},
                   [&](const CallOptions& o) { quantized_matmul(zeros({3, 64}, DType::f64), w, o); });
  expect_untouched({3, 7}, DType::f32, {"quantized_matmul", "f32"},
                   [&](const CallOptions& o) { quantized_matmul(x, zeros({7, 64}), o); });
  expect_untouched({3, 7}, DType::f32, {"quantized_matmul", "[64]"},
                   [&](const CallOptions& o) { quantized_matmul(x, zeros({64}, DType::q8_0), o); });
  expect_untouched({3, 7}, DType::f16, {"quantized_matmul", "f16", "f32"},
                   [&](const CallOptions& o) { quantized_matmul(x, w, o); });
  expect_untouched({7, 3}, DType::f32, {"quantized_matmul", "[7, 3]", "[3, 7]"},
                   [&](const CallOptions& o) { quantized_matmul(x, w, o); });
  expect_error(Code::invalid_argument, {"quantized_matmul", "[]"}, [&] { quantized_matmul(zeros({}), w); });
}

TEST(QuantizedError, Experts) {
  const Tensor w = zeros({4, 7, 32}, DType::q4_0), x = zeros({3, 2, 32}), ids = zeros({3, 2}, DType::u32);
  const Shape shape{3, 2, 7};
  const auto expect = [&](std::initializer_list<std::string_view> parts, const Tensor& a, const Tensor& b,
                          const Tensor& c) {
    expect_untouched(shape, DType::f32, parts, [&](const CallOptions& o) { indexed_matmul(a, b, c, o); });
  };
  expect({"indexed_matmul", "[3, 2, 64]", "[4, 7, 32]"}, zeros({3, 2, 64}), w, ids);
  expect({"indexed_matmul", "[3, 3, 32]", "[3, 2]"}, zeros({3, 3, 32}), w, ids);
  expect({"indexed_matmul", "[2, 2, 32]", "[3, 2]"}, zeros({2, 2, 32}), w, ids);
  expect({"indexed_matmul", "[7, 32]"}, x, zeros({7, 32}, DType::q4_0), ids);
  expect({"indexed_matmul", "[3, 32]"}, zeros({3, 32}), w, ids);
  expect({"indexed_matmul", "[6]"}, x, w, zeros({6}, DType::u32));
  expect({"indexed_matmul", "ids", "f32"}, x, w, zeros({3, 2}));
  expect({"indexed_matmul", "f64"}, zeros({3, 2, 32}, DType::f64), w, ids);
  expect({"indexed_matmul", "f64"}, x, zeros({4, 7, 32}, DType::f64), ids);
}

/// Reading gives 0 there; the next wait reports the first bad index, and later calls work.
TEST(QuantizedBadIndex, OfARow) {
  const Tensor table = zeros({5, 32}, DType::q8_0), ids = integers(DType::i32, {0, 4, -1, 5, 2});
  const Tensor out = upload(poison(DType::f32, 5 * 32)).reshape({5, 32});
  expect_error(Code::index_out_of_range, {"get_rows", "index -1", "number 2", "dim 0", "size 5"}, [&] {
    get_rows(table, ids, DType::f32, {.out = &out});
    device().synchronize();
  });
  EXPECT_EQ(download(out).bytes(), Elements(DType::f32, 5 * 32).bytes());
  expect_error(Code::index_out_of_range, {"get_rows", "index 9", "number 1"},
               [&] { get_rows(table, integers(DType::i64, {1, 9}), DType::f16).to_host(); });
  expect_error(Code::index_out_of_range, {"get_rows", "index 254", "size 5"},
               [&] { get_rows(table, integers(DType::u8, {255, 254}), DType::f16).to_host(); });
  get_rows(table, integers(DType::u8, {255, 4}), DType::f32).to_host();
}

TEST(QuantizedBadIndex, OfAnExpert) {
  const Tensor w = zeros({4, 7, 32}, DType::q4_0);
  for (const std::int64_t tokens : {1, 3, 200}) {
    std::vector<Real> numbers(static_cast<std::size_t>(2 * tokens), 3);
    numbers[1] = 4;
    const Tensor ids = integers(DType::u32, numbers).reshape({tokens, 2});
    const Tensor out = upload(poison(DType::f32, tokens * 14)).reshape({tokens, 2, 7});
    expect_error(Code::index_out_of_range, {"indexed_matmul", "index 4", "number 1", "dim 0", "size 4"}, [&] {
      indexed_matmul(zeros({tokens, 1, 32}), w, ids, {.out = &out});
      device().synchronize();
    });
    EXPECT_EQ(download(out).bytes(), Elements(DType::f32, tokens * 14).bytes()) << tokens;
  }
}

TEST(QuantizedBadIndex, NotWithoutElements) {
  get_rows(zeros({3, 0}, DType::q4_0), integers(DType::i32, {-1, 99}), DType::f32);
  indexed_matmul(zeros({1, 1, 32}), zeros({4, 0, 32}, DType::q4_0),
                 integers(DType::u32, {9}).reshape({1, 1}));
  device().synchronize();
}

}  // namespace
}  // namespace kernelgen::conformance
