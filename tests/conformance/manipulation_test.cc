// concat, stack, the pads, roll, triangles and diagonals: elements are moved, bit for bit.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using Coordinates = std::vector<std::int64_t>;

/// The element of x, in row-major order, that the result has at these coordinates; -1 for the constant.
using SourceOf = std::function<std::int64_t(const Coordinates&)>;

std::int64_t flat(const Shape& shape, const Coordinates& at) {
  std::int64_t index = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

/// A contiguous result of that shape.
Elements moved(const Elements& x, const Shape& shape, const Elements& constant, const SourceOf& source) {
  Elements result(x.dtype(), reference::count_of(shape));
  Coordinates at(shape.size(), 0);
  for (std::int64_t i = 0; i < result.count(); ++i) {
    const std::int64_t from = source(at);
    std::memcpy(result.at(i), from < 0 ? constant.at(0) : x.at(from), size_of(x.dtype()));
    for (std::size_t d = shape.size(); d-- > 0 && ++at[d] == shape[d];) at[d] = 0;
  }
  return result;
}

/// Into the middle of a larger storage: the result has these bits, and all around it stays.
void expect_moved(const std::string& what, const Shape& shape, const Elements& wanted,
                  const std::function<Tensor(const CallOptions&)>& operation) {
  constexpr std::int64_t guard = 67;
  const Elements around = poison(wanted.dtype(), wanted.count() + 2 * guard);
  const Tensor whole = upload(around);
  Layout layout = Layout::contiguous(shape);
  layout.offset = guard;
  const Tensor out = whole.with_layout(layout);
  const Tensor result = operation({.out = &out});
  ASSERT_EQ(result.shape(), shape) << what;
  Elements expected = around;
  std::memcpy(expected.at(guard), wanted.at(0), wanted.bytes().size());
  ASSERT_EQ(download(whole).bytes(), expected.bytes()) << what;
}

struct Input {
  Tensor tensor;
  Elements elements;
};

Input make(DType dtype, const Shape& shape, Kind kind, std::int64_t shift = 3) {
  const View view = make_view(kind, shape);
  const Elements storage = repeat(pool(dtype), shift, view.storage);
  return {upload(storage).with_layout(view.layout), reference::gather(storage, view.layout)};
}

std::string describe(const char* operation, DType dtype, const Shape& shape, Kind kind) {
  return std::string(operation) + " " + std::string(name_of(dtype)) + " " + shape.to_string() + " " +
         std::string(name_of(kind));
}

// ---- concat and stack ----

void check_concat(DType dtype, const std::vector<Shape>& shapes, std::size_t dim, Kind first, Kind others) {
  std::vector<Tensor> tensors;
  std::vector<Elements> parts;
  Shape shape = shapes.front();
  shape[dim] = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    Input part = make(dtype, shapes[k], k == 0 ? first : others, static_cast<std::int64_t>(3 + 29 * k));
    tensors.push_back(part.tensor);
    parts.push_back(part.elements);
    shape[dim] += shapes[k][dim];
  }
  Elements wanted(dtype, reference::count_of(shape));
  std::int64_t start = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    Layout layout = Layout::contiguous(shape);
    layout = layout.narrow(static_cast<std::int64_t>(dim), start, shapes[k][dim]);
    reference::scatter(wanted, layout, parts[k]);
    start += shapes[k][dim];
  }
  const auto along = static_cast<std::int64_t>(dim);
  expect_moved(describe("concat", dtype, shape, first), shape, wanted,
               [&](const CallOptions& options) { return concat(tensors, along, options); });
  EXPECT_EQ(download(concat(tensors, along - static_cast<std::int64_t>(shape.size()))).bytes(),
            wanted.bytes());
}

void test_concat(DType dtype) {
  for (const Kind first : strided_kinds)
    for (const Kind others : {Kind::contiguous, Kind::transposed}) {
      check_concat(dtype, {{7}, {0}, {5}}, 0, first, others);
      check_concat(dtype, {{3, 5}, {4, 5}}, 0, first, others);
      check_concat(dtype, {{3, 5}, {3, 1}, {3, 0}, {3, 33}}, 1, first, others);
      check_concat(dtype, {{2, 3, 4}, {2, 2, 4}, {2, 1, 4}}, 1, first, others);
      check_concat(dtype, {{2, 1, 2, 1, 2, 1, 2, 3}, {2, 1, 2, 2, 2, 1, 2, 3}}, 3, first, others);
    }
  check_concat(dtype, {{300, 170}, {300, 33}}, 1, Kind::contiguous, Kind::transposed);
  check_concat(dtype, {{0, 4}, {0, 4}}, 0, Kind::contiguous, Kind::contiguous);
}

void test_stack(DType dtype) {
  for (const Kind kind : strided_kinds)
    for (const std::int64_t dim : {0, 1, 2, -1}) {
      const Shape shape{4, 5};
      const Input a = make(dtype, shape, kind), b = make(dtype, shape, Kind::offset, 91);
      const Tensor tensors[] = {a.tensor, b.tensor};
      const std::size_t at = static_cast<std::size_t>(dim < 0 ? 2 : dim);
      Shape stacked = shape;
      stacked.insert(at, 2);
      Elements wanted(dtype, 40);
      for (std::int64_t k = 0; k < 2; ++k)
        reference::scatter(wanted, Layout::contiguous(stacked).narrow(static_cast<std::int64_t>(at), k, 1),
                           k == 0 ? a.elements : b.elements);
      expect_moved(describe("stack", dtype, stacked, kind), stacked, wanted,
                   [&](const CallOptions& options) { return stack(tensors, dim, options); });
    }
}

/// Blocks are concatenated and stacked whole.
void test_concat_of_blocks(DType dtype) {
  const std::int64_t n = 2 * block_elements(dtype);
  const Tensor x = upload(repeat(pool(DType::f32), 5, 6 * n)).reshape({6, n});
  const Tensor blocks = quantize(x, dtype), a = blocks.narrow(0, 0, 2), b = blocks.narrow(0, 2, 4);
  const Tensor rows[] = {a, b}, columns[] = {blocks.narrow(1, 0, n / 2), blocks.narrow(1, n / 2, n / 2)};
  EXPECT_EQ(concat(rows, 0).to_host(), blocks.to_host());
  EXPECT_EQ(concat(columns, 1).to_host(), blocks.to_host());
  const Tensor halves[] = {blocks.narrow(0, 0, 3), blocks.narrow(0, 3, 3)};
  EXPECT_EQ(stack(halves, 0).to_host(), blocks.to_host());
}

// ---- pad and roll ----

enum class Way { constant, reflect, replicate, circular };

constexpr double padding_value = 3;

Tensor call_pad(Way way, const Tensor& x, Counts before, Counts after, const CallOptions& options) {
  switch (way) {
    case Way::constant:
      return pad(x, before, after, padding_value, options);
    case Way::reflect:
      return pad_reflect(x, before, after, options);
    case Way::replicate:
      return pad_replicate(x, before, after, options);
    default:
      return pad_circular(x, before, after, options);
  }
}

/// Along one dim of n elements; -1 is the constant.
std::int64_t source_of(Way way, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  if (way == Way::constant) return -1;
  if (way == Way::replicate) return i < 0 ? 0 : n - 1;
  if (way == Way::circular) return (i + n) % n;
  return i < 0 ? -i : 2 * (n - 1) - i;
}

void check_pad(Way way, DType dtype, Kind kind, const Shape& shape, const Coordinates& before,
               const Coordinates& after) {
  const Input x = make(dtype, shape, kind);
  const std::size_t first = shape.size() - before.size();
  Shape padded = shape;
  for (std::size_t k = 0; k < before.size(); ++k) padded[first + k] += before[k] + after[k];
  const Elements wanted =
      moved(x.elements, padded, reference::make_scalar(dtype, padding_value), [&](const Coordinates& at) {
        Coordinates from = at;
        for (std::size_t k = 0; k < before.size(); ++k) {
          const std::size_t d = first + k;
          from[d] = source_of(way, at[d] - before[k], shape[d]);
          if (from[d] < 0) return std::int64_t{-1};
        }
        return flat(shape, from);
      });
  expect_moved(describe("pad", dtype, padded, kind) + " in way " + std::to_string(static_cast<int>(way)),
               padded, wanted,
               [&](const CallOptions& options) { return call_pad(way, x.tensor, before, after, options); });
}

void test_pad(DType dtype) {
  for (const Way way : {Way::constant, Way::reflect, Way::replicate, Way::circular}) {
    for (const Kind kind : strided_kinds) {
      check_pad(way, dtype, kind, {7}, {2}, {6});
      check_pad(way, dtype, kind, {5, 4}, {1, 3}, {2, 0});
      check_pad(way, dtype, kind, {5, 4}, {4, 0}, {1, 0});
      check_pad(way, dtype, kind, {5, 4}, {0, 0}, {0, 0});
      check_pad(way, dtype, kind, {3, 5, 33}, {1}, {17});
      check_pad(way, dtype, kind, {3, 2, 4}, {1, 1, 0}, {2, 0, 0});
      check_pad(way, dtype, kind, {2, 2, 2, 2, 2, 2, 2, 3}, {0, 1, 0, 1, 1, 0, 0, 2},
                {1, 0, 1, 1, 0, 1, 0, 0});
      check_pad(way, dtype, kind, {3, 4}, {}, {});
      if (testing::Test::HasFailure()) return;
    }
    check_pad(way, dtype, Kind::contiguous, {70, 257}, {13, 200}, {69, 5});
    check_pad(way, dtype, Kind::transposed, {300, 301}, {0, 17}, {0, 40});
    check_pad(way, dtype, Kind::contiguous, {0, 3}, {0, 1}, {0, 1});
  }
  check_pad(Way::constant, dtype, Kind::contiguous, {4, 3}, {11, 9}, {40, 0});
  check_pad(Way::constant, dtype, Kind::contiguous, {0, 3}, {2, 1}, {1, 1});
  check_pad(Way::replicate, dtype, Kind::contiguous, {1, 3}, {5, 9}, {40, 0});
  check_pad(Way::constant, dtype, Kind::contiguous, {}, {}, {});
}

void check_roll(DType dtype, Kind kind, const Shape& shape, const Coordinates& shifts,
                const Coordinates& dims) {
  const Input x = make(dtype, shape, kind);
  const Elements wanted =
      moved(x.elements, shape, reference::make_scalar(dtype, 0), [&](const Coordinates& at) {
        Coordinates from = at;
        for (std::size_t k = 0; k < dims.size(); ++k) {
          const auto d =
              static_cast<std::size_t>(dims[k] < 0 ? dims[k] + static_cast<int>(shape.size()) : dims[k]);
          from[d] = ((from[d] - shifts[k]) % shape[d] + shape[d]) % shape[d];
        }
        return flat(shape, from);
      });
  expect_moved(describe("roll", dtype, shape, kind), shape, wanted,
               [&](const CallOptions& options) { return roll(x.tensor, shifts, dims, options); });
}

void test_roll(DType dtype) {
  for (const Kind kind : strided_kinds) {
    check_roll(dtype, kind, {7}, {3}, {0});
    check_roll(dtype, kind, {5, 4}, {-1}, {0});
    check_roll(dtype, kind, {5, 4}, {13, -21}, {-1, 0});
    check_roll(dtype, kind, {3, 4, 5}, {2, 1, 2}, {1, 2, 1});
    check_roll(dtype, kind, {2, 3, 2, 3, 2, 3, 2, 3}, {1, 2, 1}, {0, 3, 7});
    check_roll(dtype, kind, {3, 4}, {}, {});
  }
  check_roll(dtype, Kind::contiguous, {300, 301}, {7, 100}, {0, 1});
  EXPECT_EQ(roll(Tensor::zeros(device(), {0, 3}, dtype), Coordinates{1}, Coordinates{0}).shape(),
            (Shape{0, 3}));
}

// ---- triangles and diagonals ----

void check_triangle(DType dtype, Kind kind, const Shape& shape, std::int64_t diagonal) {
  const Input x = make(dtype, shape, kind);
  for (const bool is_lower : {true, false}) {
    const Elements wanted =
        moved(x.elements, shape, reference::make_scalar(dtype, padding_value), [&](const Coordinates& at) {
          const std::int64_t right = at[shape.size() - 1] - at[shape.size() - 2];
          return (is_lower ? right <= diagonal : right >= diagonal) ? flat(shape, at) : -1;
        });
    expect_moved(describe(is_lower ? "tril" : "triu", dtype, shape, kind), shape, wanted,
                 [&](const CallOptions& options) {
                   return is_lower ? tril(x.tensor, diagonal, padding_value, options)
                                   : triu(x.tensor, diagonal, padding_value, options);
                 });
  }
}

void test_triangles(DType dtype) {
  for (const Kind kind : strided_kinds)
    for (const std::int64_t diagonal : {0, 2, -3, 9, -9}) {
      check_triangle(dtype, kind, {5, 7}, diagonal);
      check_triangle(dtype, kind, {2, 3, 7, 5}, diagonal);
      check_triangle(dtype, kind, {1, 1}, diagonal);
    }
  check_triangle(dtype, Kind::transposed, {2, 2, 2, 2, 2, 2, 3, 3}, 1);
  check_triangle(dtype, Kind::contiguous, {300, 301}, 17);
  check_triangle(dtype, Kind::contiguous, {3, 4}, std::numeric_limits<std::int64_t>::max());
  check_triangle(dtype, Kind::contiguous, {3, 4}, std::numeric_limits<std::int64_t>::min());
  const Input x = make(dtype, {4, 4}, Kind::contiguous);
  const Tensor y = copy(x.tensor);
  tril(y, 0, 0, {.out = &y});
  EXPECT_EQ(download(y).bytes(), download(tril(x.tensor)).bytes()) << "in place";
}

void test_diag(DType dtype) {
  for (const Shape& shape : {Shape{1}, Shape{7}, Shape{3, 5}, Shape{2, 3, 4}, Shape{3, 0}, Shape{0, 3}})
    for (const Kind kind : strided_kinds) {
      const Input x = make(dtype, shape, kind);
      Shape square = shape;
      square.push_back(shape.back());
      const Elements wanted =
          moved(x.elements, square, reference::make_scalar(dtype, 0), [&](const Coordinates& at) {
            const bool is_diagonal = at[shape.size()] == at[shape.size() - 1];
            return is_diagonal ? flat(shape, Coordinates(at.begin(), at.end() - 1)) : -1;
          });
      expect_moved(describe("diag", dtype, square, kind), square, wanted,
                   [&](const CallOptions& options) { return diag(x.tensor, options); });
    }
}

}  // namespace

void register_manipulation_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("concat", types, [dtype] { test_concat(dtype); });
    register_test("stack", types, [dtype] { test_stack(dtype); });
    register_test("pad", types, [dtype] { test_pad(dtype); });
    register_test("roll", types, [dtype] { test_roll(dtype); });
    register_test("triangle", types, [dtype] { test_triangles(dtype); });
    register_test("diag", types, [dtype] { test_diag(dtype); });
  }
  for (const DType dtype : {DType::q4_0, DType::q8_0, DType::q6_K, DType::mxfp4})
    register_test("concat", std::string(name_of(dtype)), [dtype] { test_concat_of_blocks(dtype); });
}

}  // namespace kernelgen::conformance
