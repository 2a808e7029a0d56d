#include "array/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kernelgen::tool {
namespace {

constexpr std::size_t most_elements = std::size_t{1} << 24, most_dims = 16;

/// Elements from one index of each dim to the next; 0 where `shape` has extent 1 or lacks the dim.
std::vector<std::size_t> steps_of(const ArrayShape& shape, const ArrayShape& to) {
  std::vector<std::size_t> steps(to.size());
  std::size_t step = 1;
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::int64_t extent = shape[shape.size() - i];
    steps[to.size() - i] = extent == 1 ? 0 : step;
    step *= static_cast<std::size_t>(extent);
  }
  return steps;
}

/// The elements of `data` in the order of the index of `shape`, `steps` apart.
std::vector<double> gathered(const std::vector<double>& data, const ArrayShape& shape,
                             const std::vector<std::size_t>& steps) {
  std::vector<double> result;
  const std::size_t count = count_elements(shape);
  result.reserve(count);
  std::vector<std::int64_t> index(shape.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(data[at]);
    for (std::size_t d = shape.size(); d-- > 0;) {
      at += steps[d];
      if (++index[d] < shape[d]) break;
      at -= steps[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

std::size_t count_elements(const ArrayShape& shape) {
  if (shape.size() > most_dims) throw ArrayFault{fmt::format("an array has more than {} dims", most_dims)};
  std::size_t count = 1;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw ArrayFault{fmt::format("shape {} has a negative extent", spell_extents(shape))};
    if (static_cast<std::uint64_t>(extent) > most_elements / count)
      throw ArrayFault{
          fmt::format("an array of shape {} has more than {} elements", spell_extents(shape), most_elements)};
    count *= static_cast<std::size_t>(extent);
  }
  return count;
}

std::int64_t whole_number(double value) {
  if (!(std::abs(value) < 0x1p53) || value != std::floor(value))
    throw ArrayFault{fmt::format("{} is not a whole number", value)};
  return static_cast<std::int64_t>(value);
}

std::string spell_extents(const ArrayShape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Array Array::filled(ArrayShape shape, double value) {
  const std::size_t count = count_elements(shape);
  return {std::move(shape), std::vector<double>(count, value)};
}

std::size_t Array::dim(std::int64_t axis) const {
  if (axis < -rank() || axis >= rank())
    throw ArrayFault{
        fmt::format("axis {} is out of range for an array of shape {}", axis, spell_extents(shape))};
  return static_cast<std::size_t>(axis < 0 ? axis + rank() : axis);
}

Array Array::reshaped(ArrayShape to) const {
  if (const auto open = std::ranges::find(to, -1); open != to.end()) {
    *open = 1;
    const std::size_t others = count_elements(to);
    *open = others == 0 ? 0 : static_cast<std::int64_t>(data.size() / others);
  }
  if (count_elements(to) != data.size())
    throw ArrayFault{fmt::format("an array of shape {} cannot be reshaped to {}", spell_extents(shape),
                                 spell_extents(to))};
  return {std::move(to), data, is_truth};
}

Array Array::transposed(const std::vector<std::size_t>& order) const {
  const std::vector<std::size_t> own = steps_of(shape, shape);
  ArrayShape to;
  std::vector<std::size_t> steps;
  for (const std::size_t dim : order) {
    to.push_back(shape[dim]);
    steps.push_back(own[dim]);
  }
  std::vector<double> moved = gathered(data, to, steps);
  return {std::move(to), std::move(moved), is_truth};
}

Array Array::broadcast_to(const ArrayShape& to) const {
  if (shape == to) return *this;
  bool fits = shape.size() <= to.size();
  for (std::size_t i = 1; fits && i <= shape.size(); ++i) {
    const std::int64_t extent = shape[shape.size() - i];
    fits = extent == 1 || extent == to[to.size() - i];
  }
  if (!fits)
    throw ArrayFault{
        fmt::format("shape {} cannot be broadcast to {}", spell_extents(shape), spell_extents(to))};
  return {to, gathered(data, to, steps_of(shape, to)), is_truth};
}

Array taken(const Array& x, const Array& indices, std::size_t dim) {
  std::vector<std::size_t> order = {dim};
  for (std::size_t d = 0; d < x.shape.size(); ++d)
    if (d != dim) order.push_back(d);
  const Array first = x.transposed(order);
  const std::size_t each = x.shape[dim] == 0 ? 0 : first.data.size() / static_cast<std::size_t>(x.shape[dim]);
  Array result{indices.shape, {}, x.is_truth};
  result.shape.insert(result.shape.end(), first.shape.begin() + 1, first.shape.end());
  for (const double index : indices.data) {
    const std::int64_t given = whole_number(index), at = given < 0 ? given + x.shape[dim] : given;
    if (at < 0 || at >= x.shape[dim])
      throw ArrayFault{
          fmt::format("index {} is outside of dim {} of shape {}", given, dim, spell_extents(x.shape))};
    const auto from = first.data.begin() + static_cast<std::ptrdiff_t>(each) * at;
    result.data.insert(result.data.end(), from, from + static_cast<std::ptrdiff_t>(each));
  }
  // The indices' dims go where the dim was.
  std::vector<std::size_t> back;
  for (std::size_t d = 0; d < dim; ++d) back.push_back(indices.shape.size() + d);
  for (std::size_t d = 0; d < indices.shape.size(); ++d) back.push_back(d);
  for (std::size_t d = dim + 1; d < x.shape.size(); ++d) back.push_back(indices.shape.size() + d - 1);
  return result.transposed(back);
}

ArrayShape common_shape(const ArrayShape& a, const ArrayShape& b) {
  const ArrayShape &longer = a.size() >= b.size() ? a : b, &shorter = a.size() >= b.size() ? b : a;
  ArrayShape shape = longer;
  for (std::size_t i = 1; i <= shorter.size(); ++i) {
    std::int64_t& extent = shape[shape.size() - i];
    const std::int64_t other = shorter[shorter.size() - i];
    if (extent == 1)
      extent = other;
    else if (other != 1 && other != extent)
      throw ArrayFault{
          fmt::format("shapes {} and {} have no common shape", spell_extents(a), spell_extents(b))};
  }
  return shape;
}

ArrayRows::ArrayRows(const Array& x, const std::vector<std::size_t>& dims) : ones(x.shape) {
  std::vector<std::size_t> order;
  ArrayShape reduced;
  const auto is_reduced = [&](std::size_t dim) { return std::ranges::find(dims, dim) != dims.end(); };
  for (std::size_t dim = 0; dim < x.shape.size(); ++dim)
    if (!is_reduced(dim)) {
      order.push_back(dim);
      kept.push_back(x.shape[dim]);
    }
  for (std::size_t dim = 0; dim < x.shape.size(); ++dim)
    if (is_reduced(dim)) {
      order.push_back(dim);
      reduced.push_back(x.shape[dim]);
      ones[dim] = 1;
    }
  moved = x.transposed(order);
  n = count_elements(reduced);
  rows = count_elements(kept);
}

}  // namespace kernelgen::tool
