// set_rows into plain and quantized tensors, and get_rows from plain ones.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Every id once, in another order; the largest value of the type, which is skipped, as the last one.
Elements some_ids(DType dtype, std::int64_t rows, std::int64_t count) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<Real>((i * 5 + 3) % rows));
  Elements ids = reference::make_elements(dtype, values);
  const bool is_signed = dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  std::memset(ids.at(count - 1), 0xff, size_of(dtype));
  if (is_signed) *(reinterpret_cast<unsigned char*>(ids.at(count - 1)) + size_of(dtype) - 1) = 0x7f;
  return ids;
}

/// The rows of `destination` that ids name, one after the other by calls whose own tests are elsewhere.
void set_one_by_one(const Tensor& destination, const std::vector<std::int64_t>& places,
                    const Tensor& source) {
  const DType dtype = destination.dtype();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    const Tensor row = copy(source.narrow(-2, static_cast<std::int64_t>(i), 1));
    const Tensor converted = is_quantized(dtype) ? quantize(row, dtype) : to_dtype(row, dtype);
    copy_into(destination.narrow(-2, places[i], 1), converted);
  }
}

void check(const Tensor& whole, const Tensor& expected_whole, const Layout& layout, const Tensor& source,
           DType id_type, const std::string& what) {
  const Tensor destination = whole.with_layout(layout);
  const std::int64_t rows = destination.shape()[destination.shape().size() - 2],
                     m = source.shape()[source.shape().size() - 2];
  const Elements ids = some_ids(id_type, rows, m);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < m; ++i) places.push_back(i + 1 == m ? -1 : (i * 5 + 3) % rows);
  const View id_view = make_view(Kind::stepped, {m});
  Elements id_storage(id_type, id_view.storage);
  reference::scatter(id_storage, id_view.layout, ids);
  set_rows(destination, upload(id_storage).with_layout(id_view.layout), source);
  set_one_by_one(expected_whole.with_layout(layout), places, source);
  EXPECT_EQ(whole.to_host(), expected_whole.to_host()) << what;
}

void test_plain(DType dtype) {
  std::size_t turn = 0;
  constexpr DType id_types[] = {DType::u8, DType::u32, DType::i16, DType::i32, DType::i64};
  for (const Kind kind : distinct_kinds)
    for (const Kind source_kind : strided_kinds)
      for (const DType source_type : activation_dtypes) {
        const View view = make_view(kind, {2, 7, 33});
        const Elements around = poison(dtype, view.storage);
        const Input source = make_input(source_kind, {2, 6, 33}, pool(source_type));
        check(upload(around), upload(around), view.layout, source.tensor, id_types[turn++ % 5],
              "set_rows of " + std::string(name_of(source_type)) + " " + std::string(name_of(source_kind)) +
                  " to " + std::string(name_of(dtype)) + " " + std::string(name_of(kind)));
        if (testing::Test::HasFailure()) return;
      }
  const Elements around = poison(dtype, 11 * 5000);
  const Input source = make_input(Kind::contiguous, {9, 5000}, pool(DType::f32));
  check(upload(around), upload(around), Layout::contiguous({11, 5000}), source.tensor, DType::i64,
        "long rows");
}

void test_quantized(DType dtype) {
  const std::int64_t block = block_elements(dtype), n = 3 * block;
  const Elements values = moderate(DType::f32, 4099, 31);
  for (const DType source_type : activation_dtypes) {
    const Tensor source = to_dtype(upload(repeat(values, 7, 2 * 6 * n)), source_type).reshape({2, 6, n});
    const auto fresh = [&] {
      return quantize(upload(repeat(values, 99, 2 * 8 * 2 * n)).reshape({2, 8, 2 * n}), dtype);
    };
    const Tensor whole = fresh(), expected = fresh();
    // The second half of each row, and rows in the order of their matrices.
    const Tensor half = whole.narrow(2, n, n);
    check(whole, expected, half.layout(), source, DType::i32, "set_rows to " + std::string(name_of(dtype)));
    const Tensor flat_source = source.reshape({12, n});
    check(whole, expected, whole.reshape({16, 2 * n}).narrow(1, 0, n).layout(), flat_source, DType::i64,
          "set_rows to flat " + std::string(name_of(dtype)));
  }
}

/// One list of ids for all matrices, or one for each.
void test_broadcast_ids() {
  const Tensor source = upload(repeat(pool(DType::f32), 3, 2 * 3 * 4)).reshape({2, 3, 4});
  const std::vector<Real> lists = {2, 0, 4, 1, 3, 0};
  const Tensor ids = upload(reference::make_elements(DType::i64, lists)).reshape({2, 3});
  for (const bool is_shared : {true, false}) {
    const Tensor y = Tensor::zeros(device(), {2, 5, 4}, DType::f32),
                 wanted = Tensor::zeros(device(), {2, 5, 4}, DType::f32);
    set_rows(y, is_shared ? ids.narrow(0, 0, 1) : ids, source);
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < 3; ++i)
        copy_into(
            wanted.narrow(0, b, 1).narrow(
                1, static_cast<std::int64_t>(lists[static_cast<std::size_t>((is_shared ? 0 : b * 3) + i)]),
                1),
            source.narrow(0, b, 1).narrow(1, i, 1));
    EXPECT_EQ(y.to_host(), wanted.to_host()) << (is_shared ? "shared ids" : "ids of each");
  }
  set_rows(Tensor::zeros(device(), {0, 5, 4}, DType::f16), ids.narrow(0, 0, 1),
           Tensor::zeros(device(), {0, 3, 4}, DType::f32));
}

void test_get_plain_rows(DType table_type) {
  for (const Kind kind : strided_kinds)
    for (const DType wanted : activation_dtypes) {
      const Input table = make_input(kind, {7, 33}, pool(table_type));
      const Tensor ids = upload(some_ids(DType::i32, 7, 6)).reshape({2, 3});
      const Tensor rows = get_rows(table.tensor, ids, wanted);
      ASSERT_EQ(rows.shape(), (Shape{2, 3, 33}));
      const Tensor selected = index_select(table.tensor, 0, ids.reshape({6}));
      const Tensor expected = wanted == table_type ? selected : to_dtype(selected, wanted);
      EXPECT_EQ(rows.to_host(), expected.to_host()) << name_of(kind) << " to " << name_of(wanted);
    }
}

}  // namespace

void register_set_rows_tests() {
  for (const DType dtype : activation_dtypes) {
    register_test("set_rows", std::string(name_of(dtype)), [dtype] { test_plain(dtype); });
    register_test("get_rows", std::string(name_of(dtype)) + "_table",
                  [dtype] { test_get_plain_rows(dtype); });
  }
  for (const DType dtype : reference::quantizable_formats())
    register_test("set_rows", std::string(name_of(dtype)), [dtype] { test_quantized(dtype); });
  register_test("set_rows", "broadcast_ids", test_broadcast_ids);
}

}  // namespace kernelgen::conformance
