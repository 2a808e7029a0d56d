#pragma once
/// Tiles of a matrix product's results on GPUs: what a block computes from panels in shared memory.
#include "device/math.hpp"
#include "engines/panel_gpu.hpp"

// On NVIDIA two blocks on a multiprocessor hide what each waits for; left alone, the compiler takes registers for one.
#undef KG_BOUNDS
#define KG_BOUNDS KG_BOUNDS_OF_TWO

namespace kg::detail {

/// Terms added up one after another before they join the total: long sums stay as exact as sums of sums.
inline constexpr u32 matmul_chunk = 256;

/// Panels in shared memory: what is worked on and, with two stages, what comes next.
template <class S, u32 rows, u32 columns, u32 depth, bool by_terms>
struct TileStages {
  alignas(16) S left[panel_stages][PanelLayout<S, rows, depth, by_terms>::elements];
  alignas(16) S right[panel_stages][PanelLayout<S, columns, depth, by_terms>::elements];
};

/// A tile by fused multiply-adds: a thread computes `down` by `across` results, in groups of four neighbours
/// so that its operands are read 16 bytes at a time.
template <class T>
struct FmaTile {
  using S = widened<T>;
  static constexpr u32 depth = 16;
  static constexpr u32 down = sizeof(S) == 4 ? 8 : 4, across = 4;
  static constexpr u32 rows = 16 * down, columns = 16 * across;

  S part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = false, transposes = false;
  using Stages = TileStages<S, rows, columns, depth, by_terms>;
  /// Inside the tile: fours of neighbours, 64 apart.
  static KG_DEVICE u32 place(u32 thread, u32 i) { return i / 4 * 64 + thread * 4 + i % 4; }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 t = 0; t < depth; ++t) {
      S a[down], b[across];
      KG_UNROLL for (u32 i = 0; i < down; ++i) a[i] = left[t * Left::term_step + place(y, i)];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] = right[t * Right::term_step + place(x, j)];
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] = native::fma(a[i], b[j], part[i][j]);
      }
    }
  }
  KG_DEVICE void flush() {
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        total[i][j] += part[i][j];
        part[i][j] = 0;
      }
    }
  }
  /// Calls put(row, column, sum) for each result of this thread.
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) put(place(y, i), place(x, j), total[i][j]);
    }
  }
};

/// Terms up to which one sum in f32 is as good as sums of sums for a narrow result.
inline constexpr u32 short_sum = 4096;

/// A tile by matrix instructions, cut over the block's waves. Where it need not be `exact`, for narrow results of
/// short sums, it takes half the registers.
template <class T, u32 Rows, u32 Columns, bool exact>
struct UnitTile {
  using S = multiplied<T>;
  using Unit = MatrixUnit<S>;
  static constexpr bool sums_of_sums = exact || !is_narrow_float<T>;
  static constexpr u32 depth = sizeof(S) == 2 ? 32 : 16;
  static constexpr u32 rows = Rows, columns = Columns;
  static constexpr u32 waves = block_threads / Unit::lanes;
  static constexpr u32 waves_across = 2, waves_down = waves / waves_across;
  static constexpr u32 down = rows / waves_down / 16, across = columns / waves_across / 16;

  typename Unit::Sum part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = true, transposes = Unit::transposes;
  using Stages = TileStages<S, rows, columns, depth, by_terms>;
  static KG_DEVICE u32 first_row() { return thread_index() / Unit::lanes / waves_across * (down * 16); }
  static KG_DEVICE u32 first_column() { return thread_index() / Unit::lanes % waves_across * (across * 16); }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    left += first_row() * Left::row_step;
    right += first_column() * Right::row_step;
    KG_UNROLL for (u32 t = 0; t < depth; t += Unit::depth) {
      typename Unit::Side b[across];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] =
          Unit::template right<Right>(right + 16 * j * Right::row_step + t * Right::term_step);
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        const typename Unit::Side a =
            Unit::template left<Left>(left + 16 * i * Left::row_step + t * Left::term_step);
        KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] = Unit::multiply(a, b[j], part[i][j]);
      }
    }
  }
  KG_DEVICE void flush() {
    if constexpr (sums_of_sums) {
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        KG_UNROLL for (u32 j = 0; j < across; ++j) {
          KG_UNROLL for (int e = 0; e < Unit::results; ++e) total[i][j][e] += part[i][j][e];
          part[i][j] = {};
        }
      }
    }
  }
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 row = first_row(), column = first_column();
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        const typename Unit::Sum& sum = sums_of_sums ? total[i][j] : part[i][j];
        KG_UNROLL for (int e = 0; e < Unit::results; ++e)
            put(row + 16 * i + Unit::row(e), column + 16 * j + Unit::column(e), sum[e]);
      }
    }
  }
};

/// The tile for products of T: of that size by matrix instructions where there are any, else of its own.
template <class T, u32 Rows, u32 Columns, bool exact, bool by_unit = MatrixUnit<multiplied<T>>::exists>
struct ProductTile {
  using type = FmaTile<T>;
};
template <class T, u32 Rows, u32 Columns, bool exact>
struct ProductTile<T, Rows, Columns, exact, true> {
  using type = UnitTile<T, Rows, Columns, exact>;
};

/// Adds all `terms` of two panels up.
template <class Tile, class Left, class Right>
KG_DEVICE void sum_tile(Tile& tile, Left& left, Right& right, u64 terms, typename Tile::Stages& stages) {
  left.load();
  right.load();
  u32 stage = 0;
  for (u64 t = 0; t < terms; t += Tile::depth, stage = (stage + 1) % panel_stages) {
    if (panel_stages == 1) sync();  // of the part before everyone has read
    left.store(stages.left[stage]);
    right.store(stages.right[stage]);
    sync();
    if (t + Tile::depth < terms) {
      left.load();
      right.load();
    }
    tile.template multiply<typename Left::Layout, typename Right::Layout>(stages.left[stage],
                                                                          stages.right[stage]);
    if ((t + Tile::depth) % matmul_chunk == 0) tile.flush();
  }
  tile.flush();
  sync();  // the stages serve the next tile
}

}  // namespace kg::detail
