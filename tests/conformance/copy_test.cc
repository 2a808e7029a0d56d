// copy, copy_into, copy2d, const_set, zeros, to_host: operations that move or set elements.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/strided.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;
using reference::gather;
using reference::scatter;

void test_copy(DType dtype) {
  Subject subject = called_by_name("copy", {dtype}, dtype);
  subject.reference = [](std::span<const Elements> inputs) { return Wanted{inputs[0], {}}; };
  subject.run = [](std::span<const Tensor> tensors, const CallOptions& options) {
    return copy(tensors[0], options);
  };
  Walk walk(subject);
  walk.values();
  walk.layouts();
  walk.tiles();
}

/// Short rows, of which a CPU's threads begin in the middle and have more than they take at a time.
void test_copy_of_short_rows(DType dtype) {
  for (const Shape& shape : {Shape{9000, 3}, Shape{7, 900, 5}, Shape{300, 77}, Shape{3, 2, 5000}})
    for (const Kind kind : strided_kinds) {
      const View view = make_view(kind, shape);
      const Elements storage = repeat(pool(dtype), 3, view.storage);
      EXPECT_EQ(download(copy(upload(storage).with_layout(view.layout))).bytes(),
                gather(storage, view.layout).bytes())
          << name_of(kind) << " " << shape.to_string();
    }
}

/// to_host gives any view's elements in row-major order.
void test_to_host(DType dtype) {
  const Shape shape{13, 17};
  for (const Kind kind : strided_kinds) {
    const View view = make_view(kind, shape);
    const Elements storage = repeat(pool(dtype), 5, view.storage);
    EXPECT_EQ(upload(storage).with_layout(view.layout).to_host(), gather(storage, view.layout).bytes())
        << name_of(kind);
  }
}

/// Says where a storage differs from what it should hold, and whether that is inside the view that was
/// written.
void expect_storage(const Tensor& whole, const Elements& wanted, const std::string& what,
                    const Layout& view) {
  const Elements got = download(whole);
  if (got.bytes() == wanted.bytes()) return;
  std::int64_t at = 0;
  while (std::memcmp(got.at(at), wanted.at(at), size_of(got.dtype())) == 0) ++at;
  ADD_FAILURE() << what << " into the view " << view.to_string() << ": storage element " << at << " is "
                << reference::describe(got, at) << ", wanted " << reference::describe(wanted, at);
}

/// Shapes for views that are written: flat, small, with dims that cannot be merged, large enough for tiles,
/// empty.
const Shape written_shapes[] = {
    {1}, {17}, {13, 17}, {64, 130}, {3, 5, 33}, {2, 3, 4, 5}, {70, 257}, {0, 3}, {2, 3, 2, 3, 2, 3, 2, 3}};

/// Larger than the CPU's caches from four bytes an element on.
const Shape large_shape{2100, 2003};

void check_copy_into(DType dtype, const Shape& shape, Kind to, Kind from) {
  const View target = make_view(to, shape);
  const View source = make_view(from, shape);
  Elements wanted = poison(dtype, target.storage);
  const Elements values = repeat(pool(dtype), 11, source.storage);
  const Tensor whole = upload(wanted);
  copy_into(whole.with_layout(target.layout), upload(values).with_layout(source.layout));
  scatter(wanted, target.layout, gather(values, source.layout));
  expect_storage(whole, wanted,
                 "copy_into from " + std::string(name_of(from)) + " to " + std::string(name_of(to)),
                 target.layout);
}

void test_copy_into(DType dtype) {
  for (const Shape& shape : written_shapes)
    for (const Kind to : distinct_kinds)
      for (const Kind from : strided_kinds) {
        check_copy_into(dtype, shape, to, from);
        if (testing::Test::HasFailure()) return;
      }
  check_copy_into(dtype, large_shape, Kind::contiguous, Kind::contiguous);
  check_copy_into(dtype, large_shape, Kind::sliced, Kind::contiguous);
  check_copy_into(dtype, large_shape, Kind::transposed, Kind::contiguous);
}

void check_const_set(DType dtype, const Shape& shape, Kind kind, double value) {
  const View target = make_view(kind, shape);
  Elements wanted = poison(dtype, target.storage);
  const Tensor whole = upload(wanted);
  if (!reference::holds(dtype, value)) {
    test::expect_error(Code::invalid_argument, {"scalar: ", "with a tensor of "},
                       [&] { const_set(whole.with_layout(target.layout), value); });
    return;
  }
  const_set(whole.with_layout(target.layout), value);
  scatter(wanted, target.layout, repeat(reference::make_scalar(dtype, value), 0, count_of(shape)));
  expect_storage(whole, wanted, "const_set of " + std::to_string(value), target.layout);
}

void test_const_set(DType dtype) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Shape& shape : written_shapes)
    for (const Kind kind : distinct_kinds)
      for (const double value : {0.0, 1.0, -1.5, 0.5, 300.7, 1e30, infinity, -infinity}) {
        check_const_set(dtype, shape, kind, value);
        if (testing::Test::HasFailure()) return;
      }
  check_const_set(dtype, large_shape, Kind::contiguous, 7);
  check_const_set(dtype, large_shape, Kind::sliced, 7);
}

/// -1 is not a number of an unsigned dtype, NaN is one of floats alone. What is refused leaves the elements as they are.
void test_const_set_of_odd_values(DType dtype) {
  const auto set = [&](const Scalar& value) {
    const Tensor x = upload(poison(dtype, 3));
    const_set(x, value);
    return download(x);
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [&](const Scalar& value) {
    test::expect_error(Code::invalid_argument, {"scalar: ", "with a tensor of "}, [&] { set(value); });
  };
  if (reference::holds(dtype, -1)) {
    EXPECT_EQ(reference::real_at(set(std::int64_t{-1}), 2), -1);
  } else {
    refuses(std::int64_t{-1});
  }
  if (!is_float(dtype)) return refuses(nan);
  EXPECT_TRUE(std::isnan(reference::real_at(set(nan), 2)));
}

/// Views with strides of 2^31 elements, of which kernels of 32-bit strides must not see any.
void test_wide_strides() {
  constexpr std::int64_t wide = std::int64_t{1} << 31;
  const Tensor whole = Tensor::empty(device(), {wide + 5}, DType::u8);
  for (const Layout& layout : {Layout{{5, 2}, {1, wide}, 0}, Layout{{2, 5}, {wide, 1}, 0},
                               Layout{{2, 5, 1}, {-wide, 1, wide}, wide}}) {
    const Tensor view = whole.with_layout(layout);
    const Elements values = repeat(pool(DType::u8), 3, view.elements());
    const Tensor same = upload(values).reshape(view.shape());
    copy_into(view, same);
    EXPECT_EQ(download(copy(view)).bytes(), values.bytes()) << layout.to_string();
    EXPECT_EQ(download(add(view, view)).bytes(), download(add(same, same)).bytes()) << layout.to_string();
    EXPECT_EQ(download(add(view, same)).bytes(), download(add(same, same)).bytes()) << layout.to_string();
  }
}

void test_zeros(DType dtype) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{13, 17}, Shape{100003}}) {
    const Tensor zeros = Tensor::zeros(device(), shape, dtype);
    EXPECT_EQ(zeros.shape(), shape);
    const std::vector<std::byte> bytes = zeros.to_host();
    EXPECT_EQ(bytes, std::vector<std::byte>(static_cast<std::size_t>(count_of(shape)) * size_of(dtype)));
  }
}

void test_copy2d(DType dtype) {
  struct Rows {
    std::int64_t rows, columns, to_stride, from_stride, to_offset, from_offset;
  };
  for (const Rows& r : {Rows{1, 1, 1, 1, 0, 0}, Rows{3, 5, 5, 5, 0, 0}, Rows{7, 13, 17, 19, 0, 0},
                        Rows{7, 13, 17, 19, 3, 5}, Rows{64, 64, 128, 64, 64, 0}, Rows{129, 33, 40, 35, 1, 2},
                        Rows{5, 4096, 4100, 4099, 2, 1}, Rows{2, 100000, 100000, 100001, 0, 0},
                        Rows{0, 5, 5, 5, 0, 0}, Rows{5, 0, 5, 5, 0, 0}, Rows{4, 6, 8, 0, 0, 1}}) {
    const auto needed = [&](std::int64_t stride, std::int64_t offset) {
      return offset + (r.rows == 0 ? 0 : (r.rows - 1) * stride) + r.columns + 3;
    };
    const Elements source = repeat(pool(dtype), 3, needed(r.from_stride, r.from_offset));
    Elements wanted = poison(dtype, needed(r.to_stride, r.to_offset));
    const Tensor target = upload(wanted);
    copy2d(target, upload(source), r.rows, r.columns, r.to_stride, r.from_stride, r.to_offset, r.from_offset);
    for (std::int64_t row = 0; row < r.rows; ++row)
      std::memcpy(wanted.at(r.to_offset + row * r.to_stride), source.at(r.from_offset + row * r.from_stride),
                  static_cast<std::size_t>(r.columns) * size_of(dtype));
    expect_storage(target, wanted,
                   "copy2d of " + std::to_string(r.rows) + " rows of " + std::to_string(r.columns),
                   Layout::contiguous({target.elements()}));
  }
}

}  // namespace

void register_copy_tests() {
  register_test("copy_of_wide_strides", "u8", test_wide_strides);
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("copy", types, [dtype] { test_copy(dtype); });
    register_test("copy_of_short_rows", types, [dtype] { test_copy_of_short_rows(dtype); });
    register_test("to_host", types, [dtype] { test_to_host(dtype); });
    register_test("copy_into", types, [dtype] { test_copy_into(dtype); });
    register_test("const_set", types, [dtype] { test_const_set(dtype); });
    register_test("const_set_odd_values", types, [dtype] { test_const_set_of_odd_values(dtype); });
    register_test("zeros", types, [dtype] { test_zeros(dtype); });
    register_test("copy2d", types, [dtype] { test_copy2d(dtype); });
  }
}

}  // namespace kernelgen::conformance
