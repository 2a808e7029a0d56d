#include "layouts.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "reference/strided.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;

constexpr std::size_t case_inputs = 3;

View contiguous_view(const Shape& shape) { return {Layout::contiguous(shape), count_of(shape)}; }

std::vector<std::int64_t> reversed_order(std::size_t rank) {
  std::vector<std::int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

View sliced_view(const Shape& shape) {
  Shape whole = shape;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) whole[dim] += 3;
  View view = contiguous_view(whole);
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    view.layout = view.layout.narrow(static_cast<std::int64_t>(dim), static_cast<std::int64_t>(1 + dim % 3),
                                     shape[dim]);
  return view;
}

View stepped_view(const Shape& shape) {
  Shape whole = shape;
  if (!shape.empty()) whole[shape.size() - 1] *= 2;
  View view = contiguous_view(whole);
  view.layout.shape = shape;
  if (!shape.empty()) view.layout.strides[shape.size() - 1] = 2;
  return view;
}

View reversed_view(const Shape& shape) {
  View view = contiguous_view(shape);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) view.layout.strides[dim] *= -1;
  if (view.storage > 0) view.layout.offset = view.storage - 1;
  return view;
}

/// Keeps the dims that `keeps` says, the others become 1.
template <class F>
View reduced_view(const Shape& shape, F&& keeps) {
  Shape reduced = shape;
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (!keeps(dim)) reduced[dim] = std::min<std::int64_t>(shape[dim], 1);
  return make_offset_view(reduced, 2);
}

View repeated_view(const View& view, const Shape& shape) {
  return {reference::repeated(view.layout, shape), view.storage};
}

View row_view(const Shape& shape) {
  return reduced_view(shape, [&](std::size_t dim) { return dim + 1 == shape.size(); });
}
View column_view(const Shape& shape) {
  return reduced_view(shape, [&](std::size_t dim) { return dim + 1 != shape.size(); });
}
View scalar_view(const Shape& shape) {
  return reduced_view(shape, [](std::size_t) { return false; });
}

Shape rank_shape(std::size_t rank) {
  constexpr std::array<std::int64_t, max_rank> extents{3, 2, 5, 1, 2, 3, 2, 4};
  return Shape(std::span(extents).first(rank));
}

LayoutCase kinds_case(const Shape& shape, const std::array<Kind, case_inputs>& kinds, std::size_t inputs) {
  LayoutCase result;
  for (std::size_t i = 0; i < inputs; ++i) {
    result.name += (i == 0 ? "" : ", ") + std::string(name_of(kinds[i]));
    result.views.push_back(make_view(kinds[i], shape));
  }
  return result;
}

/// One input: every kind. Two: every pair. Three: every pair, and a third that runs through all kinds.
void add_kinds(std::vector<LayoutCase>& cases, std::size_t inputs) {
  if (inputs == 1) {
    for (const Shape& shape : {Shape{13, 17}, Shape{6, 64}, Shape{130}, Shape{3, 5, 33}, Shape{2, 3, 4, 5}})
      for (const Kind kind : strided_kinds) cases.push_back(kinds_case(shape, {kind}, 1));
    return;
  }
  const std::size_t count = std::size(all_kinds);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b)
      cases.push_back(
          kinds_case({13, 17}, {all_kinds[a], all_kinds[b], all_kinds[(a + 2 * b + 1) % count]}, inputs));
  for (std::size_t a = 0; a < count; ++a)
    cases.push_back(kinds_case(
        {2, 3, 4, 16}, {all_kinds[a], all_kinds[(a + 5) % count], all_kinds[(a + 2) % count]}, inputs));
}

void add_ranks(std::vector<LayoutCase>& cases, std::size_t inputs) {
  for (std::size_t rank = 0; rank <= max_rank; ++rank) {
    const Shape shape = rank_shape(rank);
    const std::string name = "rank " + std::to_string(rank) + " ";
    for (const auto& kinds : {std::array{Kind::contiguous, Kind::contiguous, Kind::contiguous},
                              std::array{Kind::transposed, Kind::contiguous, Kind::sliced},
                              std::array{Kind::sliced, Kind::reversed, Kind::transposed}}) {
      cases.push_back(kinds_case(shape, kinds, inputs));
      cases.back().name.insert(0, name);
    }
  }
  // No two neighbouring dims can be merged.
  const std::vector<std::vector<std::int64_t>> orders{
      {4, 0, 5, 1, 6, 2, 7, 3}, {7, 5, 3, 1, 6, 4, 2, 0}, {1, 0, 3, 2, 5, 4, 7, 6}};
  for (std::size_t first = 0; first < orders.size(); ++first) {
    LayoutCase permuted{"rank 8 permuted", {}};
    for (std::size_t i = 0; i < inputs; ++i)
      permuted.views.push_back(
          make_permuted_view({2, 3, 2, 3, 2, 3, 2, 3}, orders[(first + i) % orders.size()]));
    cases.push_back(permuted);
  }
}

void add_empty_and_single(std::vector<LayoutCase>& cases, std::size_t inputs) {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{2, 0, 4}, Shape{0, 0}})
    for (const Kind kind : {Kind::contiguous, Kind::transposed, Kind::sliced})
      cases.push_back(kinds_case(shape, {kind, Kind::contiguous, Kind::sliced}, inputs));
  for (const Shape& shape : {Shape{1}, Shape{1, 1, 1}})
    for (const Kind kind : {Kind::contiguous, Kind::sliced})
      cases.push_back(kinds_case(shape, {kind, Kind::scalar, Kind::reversed}, inputs));
}

void add_length(std::vector<LayoutCase>& cases, std::size_t inputs, std::int64_t length,
                std::int64_t offset) {
  LayoutCase result{"length " + std::to_string(length) + ", offset " + std::to_string(offset), {}};
  for (std::size_t i = 0; i < inputs; ++i)
    result.views.push_back(
        make_offset_view({length}, offset == 0 ? 0 : offset + static_cast<std::int64_t>(i)));
  cases.push_back(result);
}

void add_lengths(std::vector<LayoutCase>& cases, std::size_t inputs) {
  for (std::int64_t length = 1; length <= 67; ++length) {
    add_length(cases, inputs, length, 0);
    add_length(cases, inputs, length, 1 + length % 4);
  }
  for (const std::int64_t middle : {128, 256, 512, 1024, 2048, 4096, 8192})
    for (const std::int64_t length : {middle - 1, middle, middle + 1}) {
      add_length(cases, inputs, length, 0);
      add_length(cases, inputs, length, 1);
    }
}

void add_large(std::vector<LayoutCase>& cases, std::size_t inputs) {
  add_length(cases, inputs, (1 << 21) + 3, 0);
  cases.push_back(kinds_case({517, 1021}, {Kind::transposed, Kind::numpy_row, Kind::contiguous}, inputs));
  // Rows that no CPU gathers at once.
  cases.push_back(kinds_case({3, 2051}, {Kind::stepped, Kind::reversed, Kind::transposed}, inputs));
}

std::vector<LayoutCase> make_cases(std::size_t inputs) {
  std::vector<LayoutCase> cases;
  add_kinds(cases, inputs);
  add_ranks(cases, inputs);
  add_empty_and_single(cases, inputs);
  add_lengths(cases, inputs);
  add_large(cases, inputs);
  return cases;
}

/// `tiled` for input `which`, the others contiguous or, by `number`, of any kind.
LayoutCase tiled_case(const std::string& name, const View& tiled, std::size_t which, std::size_t inputs,
                      std::size_t number) {
  LayoutCase result{"tiles, " + name, {}};
  for (std::size_t i = 0; i < inputs; ++i) {
    const Kind other = number % 3 == 0 ? all_kinds[number / 3 % std::size(all_kinds)] : Kind::contiguous;
    result.views.push_back(i == which ? tiled : make_view(other, tiled.layout.shape));
    if (i != which) result.name += ", other " + std::string(name_of(other));
  }
  return result;
}

std::vector<LayoutCase> make_tiled_cases(std::size_t inputs) {
  std::vector<LayoutCase> cases;
  const auto add = [&](const std::string& name, const View& view) {
    for (std::size_t which = 0; which < inputs; ++which)
      cases.push_back(tiled_case(name, view, which, inputs, cases.size()));
  };
  for (const std::int64_t rows : {1, 15, 16, 63, 64, 65, 129})
    for (const std::int64_t columns : {1, 15, 16, 63, 64, 65, 129})
      add(Shape{rows, columns}.to_string(), make_view(Kind::transposed, {rows, columns}));
  add("transposed part", {make_view(Kind::sliced, {65, 33}).layout.transpose(0, 1), (65 + 3) * (33 + 3)});
  add("columns backwards", {{{17, 40}, {1, -20}, 20 * 39 + 2}, 20 * 40});
  add("columns apart", {{{30, 20}, {1, 64}, 5}, 20 * 64});
  add("slices, outer dim innermost", make_permuted_view({33, 3, 65}, {2, 1, 0}));
  add("slices, middle dim innermost", make_permuted_view({3, 65, 33}, {0, 2, 1}));
  add("slices above one another", make_permuted_view({2, 17, 3, 34}, {1, 3, 0, 2}));
  add("slices of stride 0", {{{3, 20, 21}, {0, 1, 20}, 1}, 20 * 21 + 1});
  return cases;
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view names[] = {
      "contiguous",    "offset view",      "transposed",       "sliced",    "stepped",      "reversed",
      "broadcast row", "broadcast column", "broadcast scalar", "NumPy row", "NumPy column", "NumPy scalar"};
  return names[static_cast<std::size_t>(kind)];
}

View make_offset_view(const Shape& shape, std::int64_t offset) {
  View view = contiguous_view(shape);
  view.layout.offset = offset;
  view.storage += offset == 0 ? 0 : offset + 5;
  return view;
}

View make_permuted_view(const Shape& shape, const std::vector<std::int64_t>& order) {
  Shape memory = shape;
  for (std::size_t dim = 0; dim < order.size(); ++dim)
    memory[static_cast<std::size_t>(order[dim])] = shape[dim];
  const View view = contiguous_view(memory);
  return {view.layout.permute(order), view.storage};
}

View make_view(Kind kind, const Shape& shape) {
  switch (kind) {
    case Kind::contiguous:
      return contiguous_view(shape);
    case Kind::offset:
      return make_offset_view(shape, 3);
    case Kind::transposed:
      return make_permuted_view(shape, reversed_order(shape.size()));
    case Kind::sliced:
      return sliced_view(shape);
    case Kind::stepped:
      return stepped_view(shape);
    case Kind::reversed:
      return reversed_view(shape);
    case Kind::row:
      return repeated_view(row_view(shape), shape);
    case Kind::column:
      return repeated_view(column_view(shape), shape);
    case Kind::scalar:
      return repeated_view(scalar_view(shape), shape);
    case Kind::numpy_row:
      return make_offset_view({shape.back()}, 2);
    case Kind::numpy_column:
      return column_view(shape);
    case Kind::numpy_scalar:
      break;
  }
  return make_offset_view({}, 2);
}

Shape result_shape(const std::vector<View>& views) {
  std::size_t rank = 0;
  for (const View& view : views) rank = std::max(rank, view.layout.rank());
  Shape shape;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::int64_t extent = 1;
    for (const View& view : views) {
      if (dim + view.layout.rank() < rank) continue;
      const std::int64_t own = view.layout.shape[dim + view.layout.rank() - rank];
      if (own != 1) extent = own;
    }
    shape.push_back(extent);
  }
  return shape;
}

const std::vector<LayoutCase>& layout_cases(std::size_t inputs) {
  static const std::array<std::vector<LayoutCase>, case_inputs> cases{make_cases(1), make_cases(2),
                                                                      make_cases(3)};
  return cases[inputs - 1];
}

const std::vector<LayoutCase>& tiled_cases(std::size_t inputs) {
  static const std::array<std::vector<LayoutCase>, case_inputs> cases{
      make_tiled_cases(1), make_tiled_cases(2), make_tiled_cases(3)};
  return cases[inputs - 1];
}

std::vector<LayoutCase> in_place_cases(std::size_t inputs, std::size_t in_place) {
  std::vector<LayoutCase> cases;
  for (const Shape& shape : {Shape{1}, Shape{31}, Shape{13, 17}, Shape{5001}}) {
    for (const Kind other : all_kinds) {
      LayoutCase result{"in place on input " + std::to_string(in_place), {}};
      for (std::size_t i = 0; i < inputs; ++i)
        result.views.push_back(i == in_place ? make_offset_view(shape, 3) : make_view(other, shape));
      if (inputs > 1) result.name += ", others " + std::string(name_of(other));
      cases.push_back(result);
      if (inputs == 1) break;
    }
  }
  return cases;
}

}  // namespace kernelgen::conformance
