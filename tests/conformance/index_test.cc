// gather index_select scatter_set scatter_add_set index_add: every dtype of values and ids, any dim of any layout.
#include "reference/index.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;
using reference::Move;

struct Case {
  Shape shape;       ///< that is indexed into
  std::int64_t dim;  ///< from the front
  Shape ids;         ///< an index an element, or a slice
};

std::size_t dim_of(const Case& c) { return static_cast<std::size_t>(c.dim); }

const Case element_cases[] = {{{1}, 0, {1}},
                              {{7}, 0, {5}},
                              {{50}, 0, {1000}},
                              {{13, 17}, 0, {9, 17}},
                              {{13, 17}, 1, {13, 40}},
                              {{13, 17}, 0, {30, 5}},
                              {{13, 17}, 1, {4, 17}},
                              {{4, 6, 10}, 1, {3, 9, 7}},
                              {{4, 6, 10}, 2, {4, 6, 1}},
                              {{4, 6, 10}, 0, {1, 6, 10}},
                              {{2, 3, 2, 3, 2, 3, 2, 3}, 3, {2, 3, 2, 5, 1, 3, 2, 3}},
                              {{5, 3}, 0, {0, 3}},
                              {{5, 0}, 0, {2, 0}}};
/// Many blocks, many indices for one place, and several blocks of short lines.
const Case large_element_cases[] = {{{60, 330}, 0, {90, 330}}, {{330, 60}, 1, {330, 90}},
                                    {{3}, 0, {30000}},         {{403, 44}, 1, {403, 45}},
                                    {{701, 7}, 1, {701, 3}},   {{205, 46, 3}, 1, {205, 11, 3}}};

const Case slice_cases[] = {{{40, 2}, 0, {70}},   {{3, 30, 5}, 1, {17}},
                            {{7}, 0, {5}},        {{50, 8}, 0, {37}},
                            {{50, 64}, 0, {37}},  {{64, 50}, 1, {37}},
                            {{4, 6, 10}, 1, {9}}, {{4, 6, 40}, 1, {9}},
                            {{4, 6, 33}, 0, {9}}, {{2, 3, 2, 3, 2, 3, 2, 3}, 3, {5}},
                            {{5, 3}, 0, {0}},     {{5, 0}, 0, {4}}};
const Case large_slice_cases[] = {{{20, 9001}, 0, {11}},  {{9000, 5}, 0, {301}},   {{100, 130}, 0, {301}},
                                  {{130, 100}, 1, {301}}, {{400, 5}, 1, {3}},      {{400, 3, 2}, 1, {5}},
                                  {{401, 44}, 1, {44}},   {{17, 21, 46}, 2, {46}}, {{1001, 7}, 1, {19}},
                                  {{601, 1}, 1, {9}},     {{301, 33, 4}, 1, {8}}};

/// Random indices into `size` places, with some that point nowhere.
Elements make_ids(DType dtype, std::int64_t count, std::int64_t size) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = random_bits(104729 * i + static_cast<std::uint64_t>(size));
    values[i] = size == 0 || bits % 9 == 0
                    ? std::numeric_limits<Real>::infinity()  // saturates to the largest value
                    : static_cast<Real>(bits / 9 % static_cast<std::uint64_t>(size));
  }
  return reference::make_elements(dtype, values);
}

/// Sums of these stay far from the ends of every format.
const Elements& moderate_pool(DType dtype) {
  static const auto pools = [] {
    std::vector<Elements> pools;
    for (const DType type : all_dtypes) {
      std::vector<Real> values(4099);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::ldexp(static_cast<Real>(random_bits(7919 + i) >> 11), -51) - 1;
      pools.push_back(is_float(type) ? reference::make_elements(type, values)
                                     : random_patterns(type, 4099, 3));
    }
    return pools;
  }();
  return pools[static_cast<std::size_t>(dtype)];
}
Elements moderate(DType dtype, std::int64_t count, std::int64_t shift) {
  return repeat(moderate_pool(dtype), shift, count);
}

/// A view of values on the device, and they themselves in row-major order.
struct Operand {
  Elements storage;
  View view;
  Elements values;
  Tensor whole, tensor;

  Operand(Elements elements, const View& view)
      : storage(std::move(elements)),
        view(view),
        values(reference::gather(storage, view.layout)),
        whole(upload(storage)),
        tensor(whole.with_layout(view.layout)) {}

  /// With `wanted` in the view, and all else as it was.
  Elements storage_with(const Elements& wanted) const {
    Elements result = storage;
    reference::scatter(result, view.layout, wanted);
    return result;
  }
};

Operand pooled(DType dtype, Kind kind, const Shape& shape, std::int64_t shift) {
  const View view = make_view(kind, shape);
  return Operand(repeat(pool(dtype), shift, view.storage), view);
}

/// ids in a strided view.
Operand ids_operand(DType dtype, Kind kind, const Case& c) {
  const View view = make_view(kind, c.ids);
  return Operand(make_ids(dtype, view.storage, c.shape[dim_of(c)]), view);
}

std::string text(std::string_view operation, const Case& c, DType dtype, DType ids, Kind kind) {
  return std::string(operation) + " of " + std::string(name_of(dtype)) + " by " + std::string(name_of(ids)) +
         " along dim " + std::to_string(c.dim) + " of " + c.shape.to_string() + ", ids " + c.ids.to_string() +
         ", " + std::string(name_of(kind));
}

/// The shape that is walked: ids', or the indexed one with a slice an index.
Shape walked(const Case& c, bool by_slice) {
  if (!by_slice) return c.ids;
  Shape shape = c.shape;
  shape[dim_of(c)] = c.ids[0];
  return shape;
}

std::vector<Move> moves_of(const Case& c, const Operand& ids, bool by_slice) {
  return reference::moves(walked(c, by_slice), dim_of(c), c.shape, ids.values, by_slice);
}

/// Whether dtypes of values and ids are walked through all kinds of layouts together: each of both once or twice.
bool thorough(DType dtype, DType ids) {
  return static_cast<std::size_t>(dtype) % std::size(integer_dtypes) == static_cast<std::size_t>(ids);
}

/// Calls check(case, kind, ids kind) for every case, with layouts of every kind or of one in turn.
template <class Kinds, class Check>
void for_each_layout(std::span<const Case> cases, std::span<const Case> large, const Kinds& kinds,
                     bool all_kinds, const Check& check) {
  std::size_t turn = 0;
  for (const Case& c : cases)
    for (std::size_t k = 0; k < (all_kinds ? std::size(kinds) : 1); ++k, ++turn) {
      check(c, kinds[turn % std::size(kinds)], strided_kinds[turn * 2 % std::size(strided_kinds)]);
      if (testing::Test::HasFailure()) return;
    }
  for (const Case& c : large) {
    check(c, Kind::contiguous, Kind::contiguous);
    if (all_kinds) check(c, Kind::transposed, Kind::stepped);
  }
}

void test_gather(DType dtype, DType ids_dtype, bool by_slice) {
  const std::string_view name = by_slice ? "index_select" : "gather";
  for_each_layout(
      by_slice ? std::span<const Case>(slice_cases) : element_cases,
      by_slice ? std::span<const Case>(large_slice_cases) : large_element_cases, strided_kinds,
      thorough(dtype, ids_dtype), [&](const Case& c, Kind kind, Kind ids_kind) {
        const Operand x = pooled(dtype, kind, c.shape, 7), ids = ids_operand(ids_dtype, ids_kind, c);
        const Shape shape = walked(c, by_slice);
        Elements storage = poison(dtype, count_of(shape) + 5);
        const Tensor whole = upload(storage);
        Layout inside = Layout::contiguous(shape);
        inside.offset = 3;
        const Tensor out = whole.with_layout(inside);
        const std::int64_t dim = c.dim - (c.dim % 2 == 0 ? 0 : static_cast<std::int64_t>(c.shape.size()));
        if (by_slice)
          index_select(x.tensor, dim, ids.tensor, {.out = &out});
        else
          gather(x.tensor, dim, ids.tensor, {.out = &out});
        reference::scatter(storage, inside, reference::gather(x.values, moves_of(c, ids, by_slice)));
        EXPECT_EQ(download(whole).bytes(), storage.bytes()) << text(name, c, dtype, ids_dtype, kind);
      });
}

/// More elements than a GPU runs threads: threads take several, or a column of rows that share its index.
void test_many_gathers(DType dtype) {
  constexpr std::int64_t threads = 104 * 2048;  // of a gfx90a
  for (const Case& c :
       {Case{{threads / 33, 7}, 1, {40}}, Case{{threads / 290, 9}, 1, {300}},
        Case{{threads / 13, 5, 3}, 1, {6}}, Case{{threads / 5, 9}, 0, {2 * threads / 9 + 5000, 9}}}) {
    const bool by_slice = c.ids.size() == 1;
    const Operand x = pooled(dtype, Kind::contiguous, c.shape, 7),
                  ids = ids_operand(DType::i32, Kind::contiguous, c);
    const Tensor got =
        by_slice ? index_select(x.tensor, c.dim, ids.tensor) : gather(x.tensor, c.dim, ids.tensor);
    EXPECT_EQ(download(got).bytes(), reference::gather(x.values, moves_of(c, ids, by_slice)).bytes())
        << text("gather", c, dtype, DType::i32, Kind::contiguous);
  }
}

/// A source with more elements than ids in every dim.
Shape larger(const Shape& shape) {
  Shape result = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) result[d] += d % 3;
  return result;
}

/// The part of a source that ids reach.
Elements reached(const Operand& source, const Shape& shape) {
  Layout layout = source.view.layout;
  layout.shape = shape;
  return reference::gather(source.storage, layout);
}

void test_scatter_set(DType dtype, DType ids_dtype) {
  for_each_layout(element_cases, large_element_cases, distinct_kinds, thorough(dtype, ids_dtype),
                  [&](const Case& c, Kind kind, Kind ids_kind) {
                    const Operand y(poison(dtype, make_view(kind, c.shape).storage),
                                    make_view(kind, c.shape));
                    const Operand ids = ids_operand(ids_dtype, ids_kind, c);
                    const Operand source = pooled(dtype, ids_kind, larger(c.ids), 13);
                    scatter_set(y.tensor, c.dim, ids.tensor, source.tensor);
                    const Elements wanted =
                        reference::scatter_set(y.values, reached(source, c.ids), moves_of(c, ids, false));
                    EXPECT_EQ(download(y.whole).bytes(), y.storage_with(wanted).bytes())
                        << text("scatter_set", c, dtype, ids_dtype, kind);
                  });
}

void expect_sums(const std::string& what, const Elements& got, const Elements& y, const Elements& source,
                 const std::vector<Move>& moves) {
  if (!is_float(got.dtype())) {
    EXPECT_EQ(got.bytes(), reference::scatter_add_wrapping(y, source, moves).bytes()) << what;
    return;
  }
  const reference::Sums sums = reference::scatter_add(y, source, moves);
  std::vector<Real> slack;
  for (std::size_t i = 0; i < sums.values.size(); ++i) {
    // One after another, so n roundings; to one term none is added.
    const auto n = static_cast<Real>(sums.terms[i] - 1);
    slack.push_back(n * accumulator_unit(got.dtype()) * sums.magnitudes[i]);
  }
  expect_within(what, got, sums.values, slack);
}

void test_scatter_add(DType dtype, DType ids_dtype) {
  for (const bool deterministic : {false, true})
    for_each_layout(element_cases, large_element_cases, distinct_kinds, thorough(dtype, ids_dtype),
                    [&](const Case& c, Kind kind, Kind ids_kind) {
                      const View view = make_view(kind, c.shape);
                      const Operand y(moderate(dtype, view.storage, 3), view);
                      const Operand ids = ids_operand(ids_dtype, ids_kind, c);
                      const View source_view = make_view(ids_kind, larger(c.ids));
                      const Operand source(moderate(dtype, source_view.storage, 5), source_view);
                      scatter_add_set(y.tensor, c.dim, ids.tensor, source.tensor, deterministic);
                      const Elements after = download(y.whole), got = reference::gather(after, view.layout);
                      const std::string what = text("scatter_add_set", c, dtype, ids_dtype, kind);
                      expect_sums(what, got, y.values, reached(source, c.ids), moves_of(c, ids, false));
                      EXPECT_EQ(after.bytes(), y.storage_with(got).bytes())
                          << what << ": wrote outside its view";
                    });
}

void test_index_add(DType dtype, DType ids_dtype) {
  for (const bool deterministic : {false, true})
    for_each_layout(
        slice_cases, large_slice_cases, strided_kinds, thorough(dtype, ids_dtype),
        [&](const Case& c, Kind kind, Kind ids_kind) {
          const View view = make_view(kind, c.shape), source_view = make_view(ids_kind, walked(c, true));
          const Operand x(moderate(dtype, view.storage, 3), view);
          const Operand ids = ids_operand(ids_dtype, ids_kind, c);
          const Operand source(moderate(dtype, source_view.storage, 5), source_view);
          const Tensor result = index_add(x.tensor, c.dim, ids.tensor, source.tensor, deterministic);
          ASSERT_EQ(result.shape(), c.shape);
          const std::string what = text("index_add", c, dtype, ids_dtype, kind);
          expect_sums(what, download(result), x.values, source.values, moves_of(c, ids, true));
          EXPECT_EQ(download(x.whole).bytes(), x.storage.bytes()) << what << ": wrote its input";
        });
}

/// Added in f32 and rounded once: in f16 the sum would stand still at 2048, in bf16 at 256, in f8e4m3 at 16.
void test_narrow_sums(DType dtype) {
  constexpr std::int64_t n = 440;
  const Tensor ids = upload(repeat(reference::make_scalar(DType::u32, 0), 0, n));
  const Tensor ones = upload(repeat(reference::make_scalar(dtype, 1), 0, n));
  const Tensor zeros = Tensor::zeros(device(), {3}, dtype);
  for (const bool deterministic : {false, true})
    EXPECT_EQ(real_at(download(index_add(zeros, 0, ids, ones, deterministic)), 0),
              real_at(reference::make_scalar(dtype, n), 0));
  // Of many places a few change.
  for (const bool deterministic : {false, true}) {
    constexpr std::int64_t place = 60000;
    Elements wanted = moderate(dtype, 70001, 5);
    std::memcpy(wanted.at(place), reference::make_scalar(dtype, 0).at(0), size_of(dtype));
    const Tensor x = upload(wanted);
    const Tensor places = upload(repeat(reference::make_scalar(DType::u32, place), 0, n));
    std::memcpy(wanted.at(place), reference::make_scalar(dtype, n).at(0), size_of(dtype));
    EXPECT_EQ(download(index_add(x, 0, places, ones, deterministic)).bytes(), wanted.bytes())
        << deterministic;
    scatter_add_set(x, 0, places, ones, deterministic);
    EXPECT_EQ(download(x).bytes(), wanted.bytes()) << deterministic;
  }
}

/// Lines that share their indices, of more elements than are converted at a time, are what each by itself is.
void test_many_narrow_sums(DType dtype) {
  constexpr std::int64_t lines = 11, size = 500'001;
  const Tensor x = upload(moderate(dtype, lines * size, 3)).reshape({lines, size});
  const Tensor source = upload(moderate(dtype, lines * size, 5)).reshape({lines, size});
  std::vector<Real> places(size);
  for (std::int64_t i = 0; i < size; ++i)
    places[static_cast<std::size_t>(i)] = static_cast<Real>(size - 1 - i);
  const Tensor ids = upload(reference::make_elements(DType::i32, places));
  const Tensor all = index_add(x, 1, ids, source, false);
  for (std::int64_t line = 0; line < lines; ++line) {
    const Tensor alone = index_add(x.narrow(0, line, 1), 1, ids, source.narrow(0, line, 1), false);
    EXPECT_EQ(download(copy(all.narrow(0, line, 1))).bytes(), download(alone).bytes()) << line;
  }
}

/// More elements than caches hold sums of, and two sources for each of a few of them.
void test_scattered_narrow_sums(DType dtype) {
  constexpr std::int64_t size = (8 << 20) + 5, count = (128 << 10) + 4, step = 127;
  const Elements two = reference::make_scalar(dtype, 2);
  Elements wanted(dtype, size);
  std::vector<Real> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    positions.push_back(static_cast<Real>(i / 2 * step));
    std::memcpy(wanted.at(i / 2 * step), two.at(0), size_of(dtype));
  }
  const Tensor y = Tensor::zeros(device(), {size}, dtype);
  scatter_add_set(y, 0, upload(reference::make_elements(DType::i32, positions)),
                  upload(repeat(reference::make_scalar(dtype, 1), 0, count)), false);
  EXPECT_EQ(download(y).bytes(), wanted.bytes());
}

/// The smallest numbers there are survive being added.
void test_subnormal_sums(DType dtype) {
  Elements tiny(dtype, 3);
  tiny.at(0)[0] = std::byte{1};
  tiny.at(1)[0] = std::byte{2};
  const Tensor ids = upload(reference::make_elements(DType::i64, std::array<Real, 3>{0, 0, 0}));
  for (const bool deterministic : {false, true}) {
    const Tensor y = Tensor::zeros(device(), {2}, dtype);
    scatter_add_set(y, 0, ids, upload(tiny), deterministic);
    EXPECT_EQ(bits_at(download(y), 0), 3u) << deterministic;
  }
}

/// In the order of the indices: the same bits each time, equal to those of sequential additions.
void test_deterministic_sums(DType dtype) {
  constexpr std::int64_t n = 20000, size = 7;
  const Elements ids = make_ids(DType::u32, n, size), source = moderate(dtype, n, 21);
  const Tensor zeros = Tensor::zeros(device(), {size}, dtype);
  const Elements first = download(index_add(zeros, 0, upload(ids), upload(source), true));
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(download(index_add(zeros, 0, upload(ids), upload(source), true)).bytes(), first.bytes());
}

/// Source and destination in one storage.
void test_overlap(DType dtype) {
  const Elements values = repeat(pool(dtype), 5, 12);
  const Tensor whole = upload(values);
  const Tensor y = whole.with_layout({{8}, {1}, 0}), source = whole.with_layout({{8}, {1}, 2});
  const Elements ids = reference::make_elements(DType::u8, std::array<Real, 8>{7, 6, 5, 4, 3, 2, 1, 0});
  scatter_set(y, 0, upload(ids), source);
  Elements wanted = values;
  for (std::int64_t i = 0; i < 8; ++i) std::memcpy(wanted.at(7 - i), values.at(2 + i), size_of(dtype));
  EXPECT_EQ(download(whole).bytes(), wanted.bytes());
}

}  // namespace

void register_index_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    for (const DType ids : integer_dtypes) {
      const std::string both = types + "_" + std::string(name_of(ids));
      register_test("gather", both, [=] { test_gather(dtype, ids, false); });
      register_test("index_select", both, [=] { test_gather(dtype, ids, true); });
      register_test("scatter_set", both, [=] { test_scatter_set(dtype, ids); });
      register_test("scatter_add_set", both, [=] { test_scatter_add(dtype, ids); });
      register_test("index_add", both, [=] { test_index_add(dtype, ids); });
    }
    register_test("index_many_gathers", types, [=] { test_many_gathers(dtype); });
    register_test("scatter_overlap", types, [=] { test_overlap(dtype); });
    if (!is_float(dtype)) continue;
    register_test("index_subnormal_sums", types, [=] { test_subnormal_sums(dtype); });
    register_test("index_deterministic_sums", types, [=] { test_deterministic_sums(dtype); });
    if (size_of(dtype) >= 4) continue;
    register_test("index_narrow_sums", types, [=] { test_narrow_sums(dtype); });
    register_test("index_many_narrow_sums", types, [=] { test_many_narrow_sums(dtype); });
    register_test("index_scattered_narrow_sums", types, [=] { test_scattered_narrow_sums(dtype); });
  }
}

}  // namespace kernelgen::conformance
