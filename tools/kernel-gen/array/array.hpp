#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// Why arrays cannot be put together. Reads on from "column N: ".
struct ArrayFault {
  std::string why;
};

using ArrayShape = std::vector<std::int64_t>;

/// The product of extents. Throws ArrayFault for more elements than a reference may compute.
std::size_t count_elements(const ArrayShape& shape);
/// A whole number. Throws ArrayFault for others.
std::int64_t whole_number(double value);
/// "[2, 3]"
std::string spell_extents(const ArrayShape& shape);

/// A contiguous array of doubles: what references compute with.
struct Array {
  ArrayShape shape;
  std::vector<double> data;
  bool is_truth = false;  ///< of 0 and 1, as comparisons give

  static Array filled(ArrayShape shape, double value);
  static Array scalar(double value, bool is_truth = false) { return {{}, {value}, is_truth}; }

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  /// The dim that `axis` names, negative ones from the end. Throws ArrayFault.
  std::size_t dim(std::int64_t axis) const;
  Array reshaped(ArrayShape to) const;
  /// Dim i of the result is dim order[i].
  Array transposed(const std::vector<std::size_t>& order) const;
  /// Throws ArrayFault unless its shape can be broadcast to that.
  Array broadcast_to(const ArrayShape& to) const;
};

/// The elements of x at the indices along a dim, whose place their dims take. Throws ArrayFault.
Array taken(const Array& x, const Array& indices, std::size_t dim);

/// The shape that both are broadcast to. Throws ArrayFault.
ArrayShape common_shape(const ArrayShape& a, const ArrayShape& b);

template <class F>
Array for_each(Array x, F f) {
  for (double& value : x.data) value = f(value);
  x.is_truth = false;
  return x;
}

template <class F>
Array for_each(const Array& a, const Array& b, F f) {
  const ArrayShape shape = common_shape(a.shape, b.shape);
  Array result = a.broadcast_to(shape);
  const Array other = b.broadcast_to(shape);
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = f(result.data[i], other.data[i]);
  result.is_truth = false;
  return result;
}

/// An array's rows along some of its dims, which become the last one.
struct ArrayRows {
  Array moved;      ///< [kept dims…, reduced dims…]
  ArrayShape kept;  ///< the shape without the reduced dims
  ArrayShape ones;  ///< the shape with 1 for each of the reduced dims
  std::size_t n;    ///< elements of a row
  std::size_t rows;

  ArrayRows(const Array& x, const std::vector<std::size_t>& dims);
  const double* row(std::size_t index) const { return moved.data.data() + index * n; }
  double* row(std::size_t index) { return moved.data.data() + index * n; }
};

/// x with each row along `dim` replaced: f(row, n).
template <class F>
Array for_each_row(const Array& x, std::size_t dim, F f) {
  ArrayRows rows(x, {dim});
  for (std::size_t r = 0; r < rows.rows; ++r) f(rows.row(r), rows.n);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i + 1 < x.shape.size(); ++i) order.push_back(i);
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(dim), x.shape.size() - 1);
  return rows.moved.transposed(order);
}

}  // namespace kernelgen::tool
