#pragma once
/// What kernels and their callers share: structs that travel by value in kernel arguments. Included by device
/// code in every dialect and by the runtime, so it leans on nothing.
namespace kg {

inline constexpr int max_rank = 8;

/// Division of a number below 2^31 by a constant: q = (high32(n · magic) + n) >> shift.
/// Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994, figure 4.1.
struct Divisor {
  unsigned extent;
  unsigned magic;
  unsigned shift;
};

/// How the flat, row-major index of an output element maps to offsets (in elements) into N operands. Dims are
/// innermost first; adjacent dims that step alike are merged by the caller, so rank is rarely above 3. A
/// launch covers fewer than 2^31 elements; callers split what is larger.
template <int N>
struct Strided {
  unsigned rank;  ///< at least 1
  unsigned elements;
  Divisor dim[max_rank];
  long long stride[N][max_rank];
};

/// Elements a GPU thread takes at once: 16 bytes of the narrowest operand that has two bytes or more, so that
/// every operand is moved in accesses of 16 bytes, or 16 bytes of the widest, so that none takes more than
/// one.
constexpr int pack_elements(const int* operand_bytes, int operands, bool by_widest) {
  int narrowest = 16, widest = 1;
  for (int i = 0; i < operands; ++i) {
    if (operand_bytes[i] > 1 && operand_bytes[i] < narrowest) narrowest = operand_bytes[i];
    if (operand_bytes[i] > widest) widest = operand_bytes[i];
  }
  return 16 / (by_widest ? widest : narrowest == 16 ? 1 : narrowest);
}

/// Threads of a block in the core kernels.
inline constexpr unsigned block_threads = 256;

/// Side of the square tiles in which a GPU reads what steps by one along another dim than the result.
constexpr unsigned tile_side(unsigned element_bytes) { return element_bytes > 4 ? 32 : 64; }
/// And a CPU: each row of a tile lies in another page.
inline constexpr unsigned cpu_tile_side = 128;

/// A contiguous result cut into square tiles of two dims: the innermost, and one along which the first of N
/// inputs steps by one. The last tiles of a dim may reach past its end.
template <int N>
struct Tiles {
  unsigned columns, rows;  ///< extents of the two dims
  /// Where tiles begin: dims are tiles along columns, tiles along rows, then what dims are left.
  Strided<N + 1> places;
  /// Between neighbours inside a tile. Here and above, the inputs' strides and then the result's.
  long long column_stride[N + 1], row_stride[N + 1];
};

}  // namespace kg
