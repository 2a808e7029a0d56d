#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/layout.hpp"

/// The layout classes that every operation is walked through.
namespace kernelgen::conformance {

/// A layout and the number of elements of the storage it is in.
struct View {
  Layout layout;
  std::int64_t storage = 0;
};

enum class Kind {
  contiguous,
  offset,      ///< contiguous, from an odd position on
  transposed,  ///< all dims reversed in memory
  sliced,      ///< a part of every dim
  stepped,     ///< every second element of the last dim
  reversed,    ///< negative strides
  row,         ///< one row repeated, stride 0
  column,      ///< one column repeated, stride 0
  scalar,      ///< one element repeated, all strides 0
  // The same as shapes that the operation broadcasts by NumPy's rule: [n], [.., 1], [].
  numpy_row,
  numpy_column,
  numpy_scalar,
};
std::string_view name_of(Kind kind);

/// Views whose elements do not share memory, then those by stride 0, then NumPy's.
inline constexpr Kind distinct_kinds[] = {Kind::contiguous, Kind::offset,  Kind::transposed,
                                          Kind::sliced,     Kind::stepped, Kind::reversed};
inline constexpr Kind strided_kinds[] = {Kind::contiguous, Kind::offset,  Kind::transposed,
                                         Kind::sliced,     Kind::stepped, Kind::reversed,
                                         Kind::row,        Kind::column,  Kind::scalar};
inline constexpr Kind all_kinds[] = {Kind::contiguous, Kind::offset,       Kind::transposed,
                                     Kind::sliced,     Kind::stepped,      Kind::reversed,
                                     Kind::row,        Kind::column,       Kind::scalar,
                                     Kind::numpy_row,  Kind::numpy_column, Kind::numpy_scalar};

View make_view(Kind kind, const Shape& shape);
/// Contiguous, from element `offset` on, with a few elements after it.
View make_offset_view(const Shape& shape, std::int64_t offset);
/// Contiguous in memory under the reverse of `order`, so that view dim d is memory dim order[d].
View make_permuted_view(const Shape& shape, const std::vector<std::int64_t>& order);

/// One call: a view for every input.
struct LayoutCase {
  std::string name;
  std::vector<View> views;
};

/// The shape that the views broadcast to.
Shape result_shape(const std::vector<View>& views);

/// Every class, for an operation of 1 to 3 inputs. The large ones come last.
const std::vector<LayoutCase>& layout_cases(std::size_t inputs);

/// One input steps by one along another dim than the innermost, in shapes around the sides of tiles.
const std::vector<LayoutCase>& tiled_cases(std::size_t inputs);

/// Contiguous inputs with extra elements around them: what an operation may work on in place.
std::vector<LayoutCase> in_place_cases(std::size_t inputs, std::size_t in_place);

}  // namespace kernelgen::conformance
