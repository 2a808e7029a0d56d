#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

/// Maximum number of dims of a tensor.
inline constexpr std::size_t max_rank = 8;

/// Up to eight integers stored inline: a shape, or strides in elements.
class Dims {
 public:
  constexpr Dims() = default;
  Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  /// Throws Error(invalid_argument) for more than eight values.
  explicit Dims(std::span<const std::int64_t> values);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t operator[](std::size_t i) const { return values_[i]; }
  std::int64_t& operator[](std::size_t i) { return values_[i]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + size_; }
  const std::int64_t* data() const { return values_.data(); }
  std::int64_t back() const { return values_[size_ - 1]; }

  /// Throws Error(invalid_argument) if there are eight values already.
  void push_back(std::int64_t value);
  void insert(std::size_t at, std::int64_t value);
  void erase(std::size_t at);

  bool operator==(const Dims& other) const;
  /// "[2, 3]"
  std::string to_string() const;

 private:
  std::array<std::int64_t, max_rank> values_{};
  std::size_t size_ = 0;
};

/// Extents, slowest dim first.
using Shape = Dims;

/// Positions of a tensor's elements in its storage: element (i0, i1, …) is at offset + Σ i_d · strides[d],
/// all counted in elements. A stride of 0 repeats elements (broadcast); strides may be negative. Extents may
/// be 0 (no elements).
struct Layout {
  Shape shape;
  Dims strides;
  std::int64_t offset = 0;

  /// Row-major, without gaps. Throws Error(invalid_argument) for a negative extent or more than 2^63 - 1
  /// elements.
  static Layout contiguous(const Shape& shape);

  std::size_t rank() const { return shape.size(); }
  /// Throws Error(invalid_argument) for more than 2^63 - 1.
  std::int64_t elements() const;
  /// Whether elements follow one another in row-major order from `offset` on (any offset); always true
  /// without elements, whatever the strides.
  bool is_contiguous() const;

  /// The range of positions that a layout reaches.
  struct Extent {
    std::int64_t first;  ///< lowest element position
    std::int64_t last;   ///< highest element position; below `first` if there is no element
  };
  /// Throws Error(invalid_argument) if a position does not fit 64 bits.
  Extent extent() const;

  /// Views. A negative `dim` counts from the end. Each throws Error(invalid_argument) with the shape if no
  /// such view exists.
  Layout transpose(std::int64_t dim0, std::int64_t dim1) const;
  Layout permute(std::span<const std::int64_t> order) const;
  Layout narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  Layout squeeze(std::int64_t dim) const;
  Layout unsqueeze(std::int64_t dim) const;
  /// NumPy's rule: trailing dims match or are 1. At most 2^63 - 1 elements.
  Layout broadcast_to(const Shape& target) const;
  /// The same elements in row-major order with another shape, if this needs no copy.
  Layout reshape(const Shape& target) const;

  bool operator==(const Layout&) const = default;
  std::string to_string() const;
};

/// The shape to which both broadcast (NumPy's rule). Throws Error(invalid_argument) with `operation` and both
/// shapes.
Shape broadcast_shapes(std::string_view operation, const Shape& a, const Shape& b);

/// `dim` counted from the start, for a shape of that rank. Throws Error(invalid_argument).
std::size_t normalize_dim(std::string_view operation, std::int64_t dim, std::size_t rank);

}  // namespace kernelgen
