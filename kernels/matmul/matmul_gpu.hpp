#pragma once
/// Matrix products by tiles on GPUs.
#include "device/args_in_lds.hpp"
#include "engines/grid_stride.hpp"
#include "engines/matrix_tile_gpu.hpp"
#include "matmul/results.hpp"
#include "matmul/scaled_mfma_panel_gpu.hpp"
#include "plan/matmul.hpp"

namespace kg::detail {

/// One thread per result, for block sizes that the tiles do not support.
template <class T, class Out, int N>
KG_DEVICE void multiply_singly(const MatrixPair<T>& all, Out y, const Strided<N>& batch) {
  using F = widened<T>;
  const u64 slice = all.a.rows * all.b.rows;
  for_each_index(slice * batch.elements, [&](u64 index) KG_INLINE {
    const MatrixPair<T> x = all.slice(batch, static_cast<u32>(index / slice));
    const T* a = x.a.data + static_cast<i64>(index % slice / x.b.rows) * x.a.row_stride;
    const T* b = x.b.data + static_cast<i64>(index % x.b.rows) * x.b.row_stride;
    F total = 0;
    for (u64 first = 0; first < x.a.terms; first += matmul_chunk) {
      const u64 end = x.a.terms - first < matmul_chunk ? x.a.terms : first + matmul_chunk;
      F part = 0;
      for (u64 t = first; t < end; ++t)
        part = native::fma(widen(a[static_cast<i64>(t) * x.a.term_stride]),
                           widen(b[static_cast<i64>(t) * x.b.term_stride]), part);
      total += part;
    }
    put_result(y, index, slice, all.b.rows, batch, total);
  });
}

/// The panel type: whole accesses only, or any matrix.
template <bool whole, class T, class S, u32 rows, u32 depth, bool by_terms>
struct PanelOf {
  using type = MatrixPanel<T, S, rows, depth, by_terms>;
};
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PanelOf<true, T, S, rows, depth, by_terms> {
  using type = WholePanel<T, S, rows, depth, by_terms>;
};

/// Stores a tile's results times `factor`.
template <class Tile, class T, class Out>
KG_DEVICE void store_tile(const Tile& tile, const MatrixPair<T>& x, const Out& y, u64 first_row,
                          u64 first_column, f32 factor = 1) {
  constexpr int run = Tile::run;
  const u64 rows = x.a.rows, columns = x.b.rows;
  const bool in_packs = (columns & (run - 1)) == 0 && is_aligned<run>(address_of(y));
  tile.results([&](u32 i, u32 j, const auto& sums) KG_INLINE {
    const u64 row = first_row + i, column = first_column + j;
    if (row >= rows || column >= columns) return;
    const auto to = results_at(y, row, column, columns);
    auto* const address = address_of(to);
    if (in_packs) {
      Pack<typename ResultType<Out>::type, run> pack{};
      KG_UNROLL for (int k = 0; k < run; ++k) pack.set(k, result_of(to, k, sums[k] * factor));
      store_pack(address, pack);
    } else {
      KG_UNROLL for (int k = 0; k < run; ++k) if (column + k < columns) address[k] =
          result_of(to, k, sums[k] * factor);
    }
  });
}

/// Computes the tile of a slice at (first_row, first_column). left_by_terms and right_by_terms give the
/// panels' layouts in shared memory.
template <class Tile, bool whole, bool left_by_terms, bool right_by_terms, class T, class Out>
KG_DEVICE void multiply_tile(const MatrixPair<T>& x, const Out& y, u64 first_row, u64 first_column,
                             typename Tile::Stages& stages) {
  using Left = typename PanelOf<whole, T, typename Tile::S, Tile::rows, Tile::depth, left_by_terms>::type;
  using Right =
      typename PanelOf<whole, T, typename Tile::S, Tile::columns, Tile::depth, right_by_terms>::type;
  // A tile whose unit transposes takes panels in the operands' own layout.
  constexpr bool as_they_come = whole && Tile::transposes;
  Left left(x.a, first_row, as_they_come ? left_by_terms : x.a.row_stride != 1);
  Right right(x.b, first_column, as_they_come ? right_by_terms : x.b.row_stride != 1);
  Tile tile;
  if constexpr (whole)
    sum_whole_tile(tile, left, right, x.a.terms, stages);
  else
    sum_tile(tile, left, right, x.a.terms, Tile::depth, stages);
  store_tile(tile, x, y, first_row, first_column);
}

/// multiply_tile for operands that are whole (is_whole).
template <class Tile, class T, class Out>
KG_DEVICE void multiply_whole_tile(const MatrixPair<T>& x, const Out& y, u64 first_row, u64 first_column,
                                   typename Tile::Stages& stages) {
  if constexpr (Tile::transposes) {
    const bool left = x.a.row_stride != 1, right = x.b.row_stride != 1;
    if (left && right)
      multiply_tile<Tile, true, true, true>(x, y, first_row, first_column, stages);
    else if (left)
      multiply_tile<Tile, true, true, false>(x, y, first_row, first_column, stages);
    else if (right)
      multiply_tile<Tile, true, false, true>(x, y, first_row, first_column, stages);
    else
      multiply_tile<Tile, true, false, false>(x, y, first_row, first_column, stages);
  } else {
    multiply_tile<Tile, true, Tile::by_terms, Tile::by_terms>(x, y, first_row, first_column, stages);
  }
}

/// Computes a tile by T's own matrix unit. Returns false if an element was out of its range; results are then
/// not stored. `out_of_range` is in shared memory.
template <class Tile, class T, class Out>
KG_DEVICE bool multiply_scaled_mfma_tile(const MatrixPair<T>& x, const Out& y, u64 first_row,
                                         u64 first_column, typename Tile::Stages& stages, u32& out_of_range) {
  ScaledMfmaPanel<T, Tile::rows, Tile::depth, Tile::by_terms> left(x.a, first_row, x.a.row_stride != 1);
  ScaledMfmaPanel<T, Tile::columns, Tile::depth, Tile::by_terms> right(x.b, first_column,
                                                                       x.b.row_stride != 1);
  Tile tile;
  sum_whole_tile(tile, left, right, x.a.terms, stages);
  if (is_so_for_any(left.products.needs_fallback() || right.products.needs_fallback(), out_of_range))
    return false;
  store_tile(tile, x, y, first_row, first_column, ScaledMfma<T>::unscale * ScaledMfma<T>::unscale);
  return true;
}

/// Tiles of a product of T: for any operands, for whole operands, and by T's own unit (scaled_mfma).
template <class T, bool scaled = ScaledMfma<T>::exists>
struct ProductTiles {
  using Unit = MatrixUnit<multiplied<T>>;
  using Tile = typename ProductTile<T, Unit::tile_rows, Unit::tile_columns, true>::type;
  using QuickTile = typename ProductTile<T, Unit::tile_rows, Unit::tile_columns, false>::type;
  struct Shared {
    typename Tile::Stages stages;
  };

  template <class Out>
  static KG_DEVICE void multiply(const MatrixPair<T>& x, const Out& y, u64 row, u64 column, Shared& shared) {
    // A unit that transposes has four loops for whole operands, all with QuickTile. Other units have one more
    // loop per tile, if scalar pointers leave them enough registers.
    if constexpr (Tile::transposes || has_scalar_pointers) {
      const bool whole = is_whole<Tile::rows, Tile>(x.a) && is_whole<Tile::columns, Tile>(x.b);
      if (whole && (same<Tile, QuickTile> || x.a.terms <= short_sum))
        return multiply_whole_tile<QuickTile>(x, y, row, column, shared.stages);
      if constexpr (!Tile::transposes && !same<Tile, QuickTile>) {
        if (whole) return multiply_whole_tile<Tile>(x, y, row, column, shared.stages);
      }
    }
    multiply_tile<Tile, false, Tile::by_terms, Tile::by_terms>(x, y, row, column, shared.stages);
  }
};

template <class T>
struct ProductTiles<T, true> {
  using Unit = MatrixUnit<T>;
  using Tile = typename ProductTile<T, Unit::tile_rows, Unit::tile_columns, true>::type;
  template <bool sums_of_sums>
  using ScaledMfmaTile = UnitTile<T, Tile::rows, Tile::columns, sums_of_sums>;
  struct Shared {
    union {
      typename Tile::Stages stages;
      typename ScaledMfmaTile<true>::Stages scaled_mfma_stages;
    };
    u32 out_of_range;
  };

  template <class Out>
  static KG_DEVICE void multiply(const MatrixPair<T>& x, const Out& y, u64 row, u64 column, Shared& shared) {
    if (is_whole<Tile::rows, ScaledMfmaTile<true>>(x.a) &&
        is_whole<Tile::columns, ScaledMfmaTile<true>>(x.b)) {
      if (x.a.terms <= short_sum ? multiply_scaled_mfma_tile<ScaledMfmaTile<false>>(
                                       x, y, row, column, shared.scaled_mfma_stages, shared.out_of_range)
                                 : multiply_scaled_mfma_tile<ScaledMfmaTile<true>>(
                                       x, y, row, column, shared.scaled_mfma_stages, shared.out_of_range))
        return;
    }
    multiply_tile<Tile, false, Tile::by_terms, Tile::by_terms>(x, y, row, column, shared.stages);
  }
};

template <class T, class Out>
struct Product {
  MatrixPair<T> operands;
  Out y;
};

/// native::in_global_memory for the operands of a product and all that its results need.
template <class T, class Y>
KG_DEVICE void product_in_global_memory(T*& a, T*& b, Y*& y) {
  native::in_global_memory(a, b, y);
}
template <class T, class Op, class Y, class... X>
KG_DEVICE void product_in_global_memory(T*& a, T*& b, MappedResults<Op, Y, X...>& to) {
  native::in_global_memory(a, b, to.y);
  to.operands.for_each_pointer([](auto*& x) KG_INLINE { native::in_global_memory(x); });
}

template <class T, class Out, int N>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, const Out& y, const Strided<N>& batch) {
  using Tile = typename ProductTiles<T>::Tile;
  static_assert(Tile::rows >= matmul_tile && Tile::columns >= matmul_tile,
                "the grid is made for tiles no smaller");
  if (block_size() != block_threads) return multiply_singly(all, y, batch);
  KG_SHARED typename ProductTiles<T>::Shared shared;
  KG_SHARED ArgsInLds<Product<T, Out>> shared_args;
  const Product<T, Out> given{all, y};
  store_args(shared_args, given);
  const u64 across = (all.b.rows + Tile::columns - 1) / Tile::columns;
  const u64 slice_tiles = (all.a.rows + Tile::rows - 1) / Tile::rows * across;
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    Product<T, Out> product = load_args(shared_args, given);
    product_in_global_memory(product.operands.a.data, product.operands.b.data, product.y);
    const MatrixPair<T> x = product.operands.slice(batch, slice);
    ProductTiles<T>::multiply(x, slice_of(product.y, slice, x.a.rows * x.b.rows, batch),
                              in_slice / across * Tile::rows, in_slice % across * Tile::columns, shared);
  }
}

}  // namespace kg::detail
