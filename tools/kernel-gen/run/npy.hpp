#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

/// NumPy's .npy files (numpy.lib.format, versions 1.0 to 3.0; little-endian). NumPy has no bf16 and no
/// f8e4m3: they are stored as void elements of their width ('<V2', '|V1'), as the Python package ml_dtypes
/// does.
namespace kernelgen::tool {

struct NpyArray {
  DType dtype = DType::f32;
  Shape shape;
  /// The elements are in column-major order: row-major with the reversed shape.
  bool fortran_order = false;
  /// The elements, within the bytes that were read.
  std::string_view data;
};

/// Reads an array from a file's bytes, which the result points into; copies nothing and allocates nothing
/// that a file could make large. `as` gives the elements' dtype in place of the file's: needed for void
/// elements and for those of a width only (u2); of the same width as the file's. bool reads as u8. Throws
/// BadInput naming `file` and the byte, for anything that is not a whole and well-formed file, big-endian
/// elements, structured elements, a type we do not have or a rank above 8.
NpyArray read_npy(std::string_view bytes, const std::string& file, std::optional<DType> as = std::nullopt);

/// What stands before the row-major elements of such an array in a file of version 1.0.
std::string npy_header(DType dtype, const Shape& shape);

}  // namespace kernelgen::tool
