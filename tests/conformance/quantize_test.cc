// quantize, dequantize and get_rows: every format × dtype × layout, bit for bit equal to the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "quantized_case.hpp"
#include "reference/quantized.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;

/// Shapes in blocks of the last dim.
const Shape block_shapes[] = {{1}, {2},    {1, 1}, {3, 1}, {5, 3}, {3, 2, 2}, {2, 1, 3, 1, 2, 5},
                              {0}, {4, 0}, {0, 3}};
/// Many blocks of a device, and rows of odd numbers.
const Shape large_shapes[] = {{33, 17}, {1, 300}, {301, 1}};

Shape in_elements(Shape shape, DType format) {
  shape[shape.size() - 1] *= block_elements(format);
  return shape;
}

std::string text(const std::string& operation, DType format, DType dtype, const Shape& shape,
                 std::string_view kind) {
  return operation + " " + std::string(name_of(format)) + ", " + std::string(name_of(dtype)) + " " +
         shape.to_string() + ", " + std::string(kind);
}

/// Every 16 of them alike in size, so that blocks differ in their scales and most elements count; ties among them.
Elements sized(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    const std::uint64_t group = random_bits(stream + k / 16), bits = random_bits(stream + 7919 * k + 1);
    const Real size = std::ldexp(Real{1}, static_cast<int>(group % 13) - 6);
    const Real value = group / 16 % 4 == 0   ? static_cast<Real>(static_cast<int>(bits % 33) - 16) / 2
                       : group / 16 % 4 == 1 ? static_cast<Real>(bits) * 0x1p-64L
                                             : static_cast<Real>(bits) * 0x1p-63L - 1;
    values.push_back(size * value);
  }
  return reference::make_elements(dtype, values);
}

std::vector<float> floats(const Elements& elements) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < elements.count(); ++i)
    values.push_back(static_cast<float>(real_at(elements, i)));
  return values;
}

void check_quantize(DType format, const Elements& values, Kind kind, const Shape& shape) {
  const Input x = make_input(kind, shape, values);
  const Elements wanted(format, reference::quantize(format, floats(x.elements)));
  expect_exactly(text("quantize to", format, values.dtype(), shape, name_of(kind)), shape, wanted,
                 [&](const CallOptions& options) { return quantize(x.tensor, format, options); });
}

void test_quantize(DType format, DType dtype) {
  const Elements values = sized(dtype, 5000, 5);
  for (const Shape& shape : block_shapes)
    for (const Kind kind : strided_kinds) {
      check_quantize(format, values, kind, in_elements(shape, format));
      if (testing::Test::HasFailure()) return;
    }
  for (const Shape& shape : large_shapes)
    check_quantize(format, sized(dtype, 70000, 9), Kind::contiguous, in_elements(shape, format));
}

/// Blocks of zeros, of one number, of subnormals, of the largest numbers, with infinities and NaN.
void test_special_blocks(DType format, DType dtype) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity(),
                 nan = std::numeric_limits<Real>::quiet_NaN();
  const std::int64_t n = block_elements(format);
  const auto check = [&](const Elements& values) {
    check_quantize(format, values, Kind::contiguous, {values.count() / n, n});
  };
  const auto filled = [&](const std::vector<Real>& start, Real rest) {
    std::vector<Real> values = start;
    values.resize(static_cast<std::size_t>(n), rest);
    return reference::make_elements(dtype, values);
  };
  for (const Real value :
       {0.0L, -0.0L, 1.0L, -3.0L, 0x1p-24L, 1e-6L, 60000.0L, -65504.0L, infinity, -infinity, nan})
    check(filled({}, value));
  for (const Real rest : {0.0L, 1.0L, -0.25L}) {
    check(filled({rest, 1000}, rest));
    check(filled({nan}, rest));
    check(filled({rest, -7, nan, 3}, rest));
    check(filled({infinity}, rest));
    check(filled({rest, rest, -infinity, 5}, rest));
    check(filled({infinity, -infinity, nan, 1}, rest));
  }
  // Every bit pattern of 16 bits, or many of 32: specials, subnormals and the largest numbers in one block.
  check(repeat(pool(dtype), 0, 300 * n));
  // The end of f32, where sums and reciprocals overflow.
  if (dtype != DType::f32) return;
  for (const Real size :
       {0x1p127L, 0x1p-126L, 0x1p-127L, 0x1p-130L, 0x1p-149L, 1e-15L, 0x1p-14L / 127, 0x1p16L * 127}) {
    std::vector<Real> values;
    for (std::int64_t i = 0; i < 8 * n; ++i)
      values.push_back(size *
                       (static_cast<Real>(random_bits(static_cast<std::uint64_t>(i)) % 509) / 256 - 1));
    check(reference::make_elements(dtype, values));
  }
  // Around powers of two, where an exponent changes.
  std::vector<Real> values;
  for (int exponent = -126; exponent < 127; exponent += 11)
    for (int step = -50; step <= 3; ++step) {
      const Real top = std::ldexp(1 + static_cast<Real>(step) * (step < 0 ? 0x1p-24L : 0x1p-23L), exponent);
      for (std::int64_t i = 0; i < n; ++i)
        values.push_back(
            i == step + 50 - (step + 50) / 32 * 32 ? top : top * (static_cast<Real>(i % 17) / 16 - 0.5L));
    }
  check(reference::make_elements(dtype, values));
}

void check_dequantize(DType format, DType dtype, RowKind kind, const Shape& shape, const Elements& blocks) {
  const BlockInput x = make_block_input(kind, shape, blocks);
  expect_exactly(text("dequantize", format, dtype, shape, name_of(kind)), shape, rounded(dtype, x.values),
                 [&](const CallOptions& options) { return dequantize(x.tensor, dtype, options); });
}

void test_dequantize(DType format, DType dtype) {
  // All bytes, so all scales: infinite, NaN and subnormal ones too.
  const Elements any = random_patterns(format, 400, 17), moderate = moderate_blocks(format, 400, 18);
  for (const Shape& shape : block_shapes)
    for (const RowKind kind : row_kinds)
      for (const Elements* blocks : {&any, &moderate}) {
        check_dequantize(format, dtype, kind, in_elements(shape, format), *blocks);
        if (testing::Test::HasFailure()) return;
      }
  for (const Shape& shape : large_shapes)
    check_dequantize(format, dtype, RowKind::contiguous, in_elements(shape, format), any);
}

/// Every byte that codes can be, also as exponent of mxfp4, and scales of f16 in steps.
void test_every_code(DType format) {
  const std::size_t size = size_of(format);
  Elements blocks(format, 256 * 4);
  const reference::BlockLayout layout = reference::layout_of(format);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    for (std::size_t k = 0; k < size; ++k)
      blocks.at(b)[k] = static_cast<std::byte>(b + (k % 2 == 0 ? 0 : 101) * static_cast<std::int64_t>(k));
    if (layout.step >= 0) reference::write_f16(blocks.at(b), layout.step, static_cast<float>(b - 500) / 64);
  }
  check_dequantize(format, DType::f32, RowKind::contiguous, {blocks.count() * block_elements(format)},
                   blocks);
}

Elements make_ids(DType dtype, std::int64_t count, std::int64_t rows) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random_bits(104729 * static_cast<std::uint64_t>(i) + 1);
    values.push_back(bits % 9 == 0
                         ? std::numeric_limits<Real>::infinity()  // the type's largest value: no row
                         : static_cast<Real>(bits / 9 % static_cast<std::uint64_t>(rows)));
  }
  return reference::make_elements(dtype, values);
}

void check_rows(DType format, DType dtype, DType ids_dtype, RowKind kind, Kind ids_kind, const Shape& table,
                const Shape& ids_shape) {
  const BlockInput x = make_block_input(kind, table, moderate_blocks(format, 100, 23));
  const Input ids = make_input(ids_kind, ids_shape, make_ids(ids_dtype, 1000, table[0]));
  const auto n = static_cast<std::size_t>(table[1]);
  std::vector<float> wanted;
  for (std::int64_t i = 0; i < ids.elements.count(); ++i) {
    const Real row = real_at(ids.elements, i);
    if (row < static_cast<Real>(table[0])) {
      const auto first = x.values.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(n);
      wanted.insert(wanted.end(), first, first + static_cast<std::ptrdiff_t>(n));
    } else {
      wanted.insert(wanted.end(), n, 0.0f);
    }
  }
  Shape shape = ids_shape;
  shape.push_back(table[1]);
  expect_exactly(text("get_rows of", format, dtype, table, name_of(kind)) + ", ids " +
                     std::string(name_of(ids_dtype)) + " " + ids_shape.to_string() + " " +
                     std::string(name_of(ids_kind)),
                 shape, rounded(dtype, wanted),
                 [&](const CallOptions& options) { return get_rows(x.tensor, ids.tensor, dtype, options); });
}

void test_get_rows(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  std::size_t turn = 0;
  for (const DType ids : integer_dtypes)
    for (const Shape& ids_shape :
         {Shape{}, Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 1, 3}, Shape{0}, Shape{2, 0}})
      for (const RowKind kind : row_kinds) {
        const Kind ids_kind = strided_kinds[turn++ % std::size(strided_kinds)];
        check_rows(format, dtype, ids, kind, ids_kind, {11, 3 * n}, ids_shape);
        if (testing::Test::HasFailure()) return;
      }
  check_rows(format, dtype, DType::u32, RowKind::contiguous, Kind::contiguous, {100, 9 * n}, {301});
  check_rows(format, dtype, DType::i64, RowKind::sliced, Kind::stepped, {3, 33 * n}, {40, 5});
  check_rows(format, dtype, DType::u32, RowKind::contiguous, Kind::contiguous, {5, 0}, {4});
}

}  // namespace

void register_quantize_tests() {
  for (const DType format : reference::block_formats) {
    for (const DType dtype : activation_dtypes) {
      const std::string types = std::string(name_of(format)) + "_" + std::string(name_of(dtype));
      if (is_quantizable(format)) {
        register_test("quantize", types, [=] { test_quantize(format, dtype); });
        register_test("quantize_specials", types, [=] { test_special_blocks(format, dtype); });
      }
      register_test("dequantize", types, [=] { test_dequantize(format, dtype); });
      register_test("get_rows", types, [=] { test_get_rows(format, dtype); });
    }
    register_test("dequantize_codes", std::string(name_of(format)), [=] { test_every_code(format); });
  }
}

}  // namespace kernelgen::conformance
