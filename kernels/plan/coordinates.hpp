#pragma once
/// The argument of kernels that need an element's coordinates, shared with their callers.
#include "plan/abi.hpp"

namespace kg {

/// Maps the flat, row-major index of an element of a contiguous result to coordinates in a strided source,
/// dim by dim, innermost first: coordinate c of the result is coordinate c + start of the source. A launch
/// covers fewer than 2^31 elements; callers split larger results.
struct Coordinates {
  unsigned rank;  ///< at least 1
  unsigned elements;
  Divisor dim[max_rank];  ///< of the result
  long long start[max_rank];
  long long extent[max_rank], stride[max_rank];  ///< of the source
};

/// What the elements around a tensor are.
enum class Padding : unsigned {
  constant,   ///< a number
  reflect,    ///< the tensor mirrored at its first and last element, which are not repeated
  replicate,  ///< the nearest element
  circular    ///< the elements of the other end
};

}  // namespace kg
