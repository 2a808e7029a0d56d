#pragma once
/// Tiles of a matrix product's results on GPUs, computed from panels in shared memory.
#include "device/math.hpp"
#include "engines/whole_panel_gpu.hpp"

namespace kg::detail {

/// Terms accumulated before they join the total, so that long sums keep the accuracy of sums of sums.
inline constexpr u32 matmul_chunk = 256;

/// Panels in shared memory: the current stage and, with two stages, the next.
template <class S, u32 rows, u32 columns, u32 depth, bool by_terms>
struct TileStages {
  alignas(16) S left[panel_stages][PanelLayout<S, rows, depth, by_terms>::elements];
  alignas(16) S right[panel_stages][PanelLayout<S, columns, depth, by_terms>::elements];
};

/// A tile by fused multiply-adds. A thread computes `down` by `across` results, in groups of four consecutive
/// ones, so that operands are read 16 bytes at a time.
template <class T>
struct FmaTile {
  using S = widened<T>;
  static constexpr u32 depth = 16;
  static constexpr u32 down = sizeof(S) == 4 ? 8 : 4, across = 4;
  static constexpr u32 rows = 16 * down, columns = 16 * across;

  S part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = false, transposes = false, sums_of_sums = true;
  using Stages = TileStages<S, rows, columns, depth, by_terms>;
  /// Row or column in the tile: groups of four, 64 apart.
  static KG_DEVICE u32 position(u32 thread, u32 i) { return i / 4 * 64 + thread * 4 + i % 4; }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 t = 0; t < depth; ++t) {
      S a[down], b[across];
      KG_UNROLL for (u32 i = 0; i < down; ++i) a[i] = left[t * Left::term_step + position(y, i)];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] = right[t * Right::term_step + position(x, j)];
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
  /// Calls put(row, column, sums) for each `run` of consecutive results in a row that this thread holds.
  static constexpr u32 run = across;
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 i = 0; i < down; ++i) put(position(y, i), position(x, 0), total[i]);
  }
};

/// Operands of as many instructions as one access loads.
template <class Unit>
struct Sides {
  typename Unit::Side side[Unit::together];
};

template <class Unit, class Layout, class S>
KG_DEVICE Sides<Unit> left_sides(const S* tile) {
  Sides<Unit> sides;
  if constexpr (Unit::together == 1)
    sides.side[0] = Unit::template left<Layout>(tile);
  else
    Unit::template load_together<Layout>(tile, sides.side);
  return sides;
}
template <class Unit, class Layout, class S>
KG_DEVICE Sides<Unit> right_sides(const S* tile) {
  Sides<Unit> sides;
  if constexpr (Unit::together == 1)
    sides.side[0] = Unit::template right<Layout>(tile);
  else
    Unit::template load_together<Layout>(tile, sides.side);
  return sides;
}

/// Number of terms up to which a single f32 sum is accurate enough for a narrow result.
inline constexpr u32 short_sum = 4096;

/// A tile by matrix instructions, distributed over the block's waves. Without `SumsOfSums` it needs half the
/// registers.
template <class Element, u32 Rows, u32 Columns, bool SumsOfSums>
struct UnitTile {
  using S = Element;
  using Unit = MatrixUnit<S>;
  static constexpr bool sums_of_sums = SumsOfSums;
  static constexpr u32 depth = sizeof(S) <= 2 ? 32 : 16;
  static constexpr u32 rows = Rows, columns = Columns;
  static constexpr u32 waves = block_threads / Unit::lanes;
  static constexpr u32 waves_across = 2, waves_down = waves / waves_across;
  static constexpr u32 down = rows / waves_down / 16, across = columns / waves_across / 16;

  typename Unit::Sum part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = true, transposes = Unit::transposes;
  /// If an instruction's consecutive sums are down a column, the operands are swapped so that they are along
  /// a row.
  static constexpr bool swapped = !Unit::chains_left;
  static constexpr u32 run = Unit::neighbours;
  using Stages = TileStages<S, rows, columns, depth, by_terms>;
  static KG_DEVICE u32 first_row() { return thread_index() / Unit::lanes / waves_across * (down * 16); }
  static KG_DEVICE u32 first_column() { return thread_index() / Unit::lanes % waves_across * (across * 16); }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    left += first_row() * Left::row_step;
    right += first_column() * Right::row_step;
    KG_UNROLL for (u32 t = 0; t < depth; t += Unit::together * Unit::depth) {
      Sides<Unit> b[across];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] =
          right_sides<Unit, Right>(right + 16 * j * Right::row_step + t * Right::term_step);
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        const Sides<Unit> a = left_sides<Unit, Left>(left + 16 * i * Left::row_step + t * Left::term_step);
        KG_UNROLL for (u32 s = 0; s < Unit::together; ++s) {
          KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] =
              swapped ? Unit::multiply(b[j].side[s], a.side[s], part[i][j])
                      : Unit::multiply(a.side[s], b[j].side[s], part[i][j]);
        }
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
    using Result = decltype(part[0][0][0] + 0);
    const u32 row = first_row(), column = first_column();
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        const typename Unit::Sum& sum = sums_of_sums ? total[i][j] : part[i][j];
        KG_UNROLL for (int e = 0; e < Unit::results; e += run) {
          Result sums[run];
          KG_UNROLL for (u32 k = 0; k < run; ++k) sums[k] = sum[e + static_cast<int>(k)];
          put(row + 16 * i + (swapped ? Unit::column(e) : Unit::row(e)),
              column + 16 * j + (swapped ? Unit::row(e) : Unit::column(e)), sums);
        }
      }
    }
  }
};

/// The tile for products of T: of the given size by matrix instructions if the target has them, else FmaTile.
/// Without `exact`, for narrow results of short sums, it uses fewer registers.
template <class T, u32 Rows, u32 Columns, bool exact, bool by_unit = MatrixUnit<multiplied<T>>::exists>
struct ProductTile {
  using type = FmaTile<T>;
};
template <class T, u32 Rows, u32 Columns, bool exact>
struct ProductTile<T, Rows, Columns, exact, true> {
  using type = UnitTile<multiplied<T>, Rows, Columns, exact || !is_narrow_float<T>>;
};

/// Stores a panel whose packs have a direction known at run time (RuntimeDirection) or at compile time (StaticDirection).
struct RuntimeDirection {
  template <class Panel, class S>
  static KG_DEVICE void store(Panel& panel, S* to) {
    panel.store(to);
  }
};
template <bool lengthwise>
struct StaticDirection {
  template <class Panel, class S>
  static KG_DEVICE void store(Panel& panel, S* to) {
    panel.template store_as<lengthwise>(to);
  }
};

/// Accumulates all `terms` of two panels, depth terms at a time; the first part has `first` terms, or fewer
/// if there are fewer.
template <class LeftDirection = RuntimeDirection, class RightDirection = RuntimeDirection, class Tile,
          class Left, class Right>
KG_DEVICE void sum_tile(Tile& tile, Left& left, Right& right, u64 terms, u32 first,
                        typename Tile::Stages& stages) {
  left.begin(first);
  right.begin(first);
  u32 stage = 0;
  for (u64 parts = (terms + Tile::depth - 1) / Tile::depth; parts != 0;) {
    u64 together = parts;
    if (Tile::sums_of_sums && together > matmul_chunk / Tile::depth) together = matmul_chunk / Tile::depth;
    const u64 later = parts - together;
    for (; parts != later; stage = (stage + 1) % panel_stages) {
      if (panel_stages == 1) sync();  // the previous part may still be read
      LeftDirection::store(left, stages.left[stage]);
      RightDirection::store(right, stages.right[stage]);
      sync();
      if (--parts != 0) {
        left.load();
        right.load();
      }
      tile.template multiply<typename Left::Layout, typename Right::Layout>(stages.left[stage],
                                                                            stages.right[stage]);
    }
    tile.flush();
  }
  sync();  // the stages are reused by the next tile
}

/// sum_tile with a separate loop for each combination of directions.
template <class Tile, class Left, class Right>
KG_DEVICE void sum_whole_tile(Tile& tile, Left& left, Right& right, u64 terms,
                              typename Tile::Stages& stages) {
  const u32 first = short_part<Tile::depth>(terms);
  const bool left_lengthwise = left.is_lengthwise(), right_lengthwise = right.is_lengthwise();
  if (left_lengthwise && right_lengthwise)
    sum_tile<StaticDirection<true>, StaticDirection<true>>(tile, left, right, terms, first, stages);
  else if (left_lengthwise)
    sum_tile<StaticDirection<true>, StaticDirection<false>>(tile, left, right, terms, first, stages);
  else if (right_lengthwise)
    sum_tile<StaticDirection<false>, StaticDirection<true>>(tile, left, right, terms, first, stages);
  else
    sum_tile<StaticDirection<false>, StaticDirection<false>>(tile, left, right, terms, first, stages);
}

}  // namespace kg::detail
