#pragma once
/// Panels of matrices that are aligned and complete, loaded by whole accesses without bounds checks: the
/// common case.
#include "engines/panel_gpu.hpp"

namespace kg::detail {

/// Whether whole-pack accesses cover all of x, and 32-bit offsets reach every element of a part.
template <u32 rows, class Tile, class T>
KG_DEVICE bool is_whole(const Matrix<T>& x) {
  constexpr u32 width = panel_width<T>(rows * Tile::depth / block_threads);
  constexpr u64 lines = rows > Tile::depth ? rows : Tile::depth;
  const bool along_terms = x.row_stride != 1;
  const u64 line = static_cast<u64>(along_terms ? x.row_stride : x.term_stride);
  return x.terms != 0 && has_aligned_packs<width>(x) &&
         ((along_terms ? x.terms : x.rows) & (width - 1)) == 0 && line < (u64{1} << 31) / (lines * sizeof(T));
}

/// Terms of the first part; all later parts have `depth` terms.
template <u32 depth>
KG_DEVICE u32 short_part(u64 terms) {
  return static_cast<u32>(terms - 1) % depth + 1;
}

/// A panel of a matrix that is_whole(), from `first_row` on. begin() loads the first part of short_part()
/// terms, padded with zeros; load() loads the next full part. Rows past the end repeat the last rows; their
/// results are discarded.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct WholePanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::packs, Share::row, Share::term, Share::width;

  const T* next;  ///< start of the next part, uniform across the block
  i64 term_step;
  u32 offset[packs];  ///< bytes from there to this thread's packs

  KG_DEVICE WholePanel(const Matrix<T>& x, u64 first_row, bool along_terms)
      : Share(along_terms),
        next(x.data + static_cast<i64>(first_row) * x.row_stride),
        term_step(x.term_stride) {
    const u32 last = at_most(x.rows - first_row, rows) - (along_terms ? 1 : width);
    const u32 row_step = static_cast<u32>(x.row_stride), step = static_cast<u32>(x.term_stride);
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const u32 in_rows = row(p) < last ? row(p) : last;
      offset[p] = (in_rows * row_step + term(p) * step) * static_cast<u32>(sizeof(T));
    }
  }

  KG_DEVICE void begin(u32 terms) {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      held[p] = {};
      if (term(p) < terms) held[p] = load_pack<width>(at(next, offset[p]));
    }
    next += terms * term_step;
  }

  KG_DEVICE void load() {
    const T* const from = uniform_pointer(next);
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      offset[p] = optimization_barrier(offset[p]);  // keeps it 32 bits wide; the access extends it
      held[p] = load_pack<width>(at(from, offset[p]));
    }
    next += depth * term_step;
  }

 private:
  static KG_DEVICE const T* at(const T* from, u32 bytes) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
  }
};

}  // namespace kg::detail
