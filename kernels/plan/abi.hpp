#pragma once
/// Structs passed by value in kernel arguments, shared by kernels and their callers. Included by device code
/// in every dialect and by the runtime, so it has no dependencies.
namespace kg {

inline constexpr int max_rank = 8;

/// Division of a number below 2^31 by a constant: q = (high32(n · magic) + n) >> shift. Granlund and
/// Montgomery, "Division by invariant integers using multiplication", PLDI 1994, figure 4.1.
struct Divisor {
  unsigned extent;
  unsigned magic;
  unsigned shift;
};

/// Maps the flat, row-major index of an output element to offsets (in elements) into N operands. Dims are
/// innermost first. The caller merges adjacent dims that are contiguous in all operands, so rank is rarely
/// above 3. A launch covers fewer than 2^31 elements; callers split larger tensors.
template <int N>
struct Strided {
  unsigned rank;  ///< at least 1
  unsigned elements;
  Divisor dim[max_rank];
  long long stride[N][max_rank];
};

/// Elements that a GPU thread processes at a time. By the narrowest operand of at least two bytes, so that
/// every operand is accessed 16 bytes at a time; or by the widest, so that no operand needs more than one
/// access.
constexpr int pack_elements(const int* operand_bytes, int operands, bool by_widest) {
  int narrowest = 16, widest = 1;
  for (int i = 0; i < operands; ++i) {
    if (operand_bytes[i] > 1 && operand_bytes[i] < narrowest) narrowest = operand_bytes[i];
    if (operand_bytes[i] > widest) widest = operand_bytes[i];
  }
  return 16 / (by_widest ? widest : narrowest == 16 ? 1 : narrowest);
}

/// Threads per block of the core kernels.
inline constexpr unsigned block_threads = 256;

/// Side of the square tiles in which a GPU reads operands that are contiguous along another dim than the
/// result.
constexpr unsigned tile_side(unsigned element_bytes) { return element_bytes > 4 ? 32 : 64; }
/// The same on a CPU, where each row of a tile is on another page.
inline constexpr unsigned cpu_tile_side = 128;

/// A contiguous result divided into square tiles of two dims: the innermost, and the one along which the
/// first of N inputs is contiguous. The last tiles of a dim may extend past its end.
template <int N>
struct Tiles {
  unsigned columns, rows;  ///< extents of the two dims
  /// Origins of the tiles. Its dims are tiles along columns, tiles along rows, then the remaining dims.
  Strided<N + 1> origins;
  /// Strides inside a tile. Here and above, those of the inputs, then that of the result.
  long long column_stride[N + 1], row_stride[N + 1];
};

}  // namespace kg
