#pragma once
/// How warpgroups store the results of a tile.
#include "attention/mma_work_gpu.hpp"
#include "device/warpgroup.hpp"

namespace kg::detail {

#if KG_WARPGROUPS

/// Rows of q or of the result, for RowAddresses.
struct RowLayout {
  u64 data;  ///< address of the first element
  AttentionStrides strides;
  u32 element_bytes;

  template <class T>
  KG_DEVICE RowLayout(const T* data, const AttentionStrides& strides, u32 element_bytes = sizeof(T))
      : data(reinterpret_cast<u64>(data)), strides(strides), element_bytes(element_bytes) {}
};

/// Addresses of a tile's rows first, first + step, ... They are integers because nvcc splits a wide store through a pointer that it
/// derives from a kernel argument.
template <u32 count>
struct RowAddresses {
  u64 of[count];

  template <class T, class K>
  KG_DEVICE RowAddresses(const AttentionTile<T, K>& tile, const RowLayout& rows, u32 first, u32 step) {
    const auto address = [&](i64 offset) KG_INLINE { return rows.data + offset * rows.element_bytes; };
    if (tile.sequence.all.shape.group == 1) {
      of[0] = address(tile.sequence.row_offset(rows.strides, tile.first_query + first));
      KG_UNROLL for (u32 i = 1; i < count; ++i) of[i] =
          of[i - 1] + step * rows.strides.row * rows.element_bytes;
    } else {
      KG_UNROLL for (u32 i = 0; i < count; ++i) of[i] =
          address(tile.head(first + i * step).row_offset(rows.strides, tile.query(first + i * step)));
    }
  }
};

/// How warpgroups store results: each wave stages a panel of 128 bytes of its rows in shared memory, and 8 threads copy a line.
template <class T, class TileOf>
struct WarpgroupResults : TileWork<T, T, TileOf> {
  using Base = TileWork<T, T, TileOf>;
  using Tile = TileOf;
  using Unit = typename Base::Unit;
  using Sum = typename Base::Sum;
  using Base::results;
  static constexpr u32 line_threads = 8, wave_lines = Unit::lanes / line_threads;
  using ResultRows = RowAddresses<Tile::wave_rows / wave_lines>;
  /// Elements of type E of a line.
  template <class E>
  static constexpr u32 line_elements = 128 / sizeof(E);

 protected:
  /// The rows that this thread stores.
  KG_DEVICE ResultRows result_rows(const AttentionTile<T, T>& tile, const RowLayout& rows) const {
    return {tile, rows, this->wave_row + line(), wave_lines};
  }
  /// Multiplies the sums of a line's columns, from `first` on, by their rows' factors and stores them as E by way of `panel`, which has
  /// a line of 128 bytes for each of the tile's rows. `checked` becomes NaN after a result that is not finite.
  template <class E>
  KG_DEVICE void store_panel(const AttentionTile<T, T>& tile, const ResultRows& rows, u32 first, Sum* sums,
                             const f32 (&share)[Unit::chained], void* panel, f32& checked) const {
    constexpr u32 columns = line_elements<E>, pack = 16 / sizeof(E);
    // Packs are swizzled, so that eight lines are in different banks.
    E* const lines = static_cast<E*>(panel) + this->wave_row * columns;
    const auto offset = [](u32 r, u32 column) KG_INLINE {
      return r * columns + ((column / pack ^ r) & 7) * pack + column % pack;
    };
    KG_UNROLL for (u32 p = 0; p < columns / 16; ++p) {
      Sum& sum = sums[p];
      KG_UNROLL for (int i = 0; i < Unit::results; ++i) {
        sum[i] *= share[Unit::chain(i)];
        checked = native::fma(sum[i], 0.0f, checked);
      }
      KG_UNROLL for (int i = 0; i < Unit::results; i += 2) {
        Pack<E, 2> pair{};
        if constexpr (sizeof(E) == 4) {
          KG_UNROLL for (int n = 0; n < 2; ++n) pair.set(n, sum[i + n]);
        } else {
          pair.word[0] = Unit::part(sum).word[i / 2];
        }
        store_pack(lines + offset(Tile::query(i), p * 16 + Unit::column(i)), pair);
      }
    }
    sync_wave();
    const u32 e = thread_index() % line_threads * pack;
    Pack<E, pack> packs[Tile::wave_rows / wave_lines];
    KG_UNROLL for (u32 i = 0; i < Tile::wave_rows / wave_lines; ++i) packs[i] =
        load_pack<pack>(lines + offset(line() + i * wave_lines, e));
    KG_UNROLL for (u32 i = 0; i < Tile::wave_rows / wave_lines; ++i) {
      const u32 r = this->wave_row + line() + i * wave_lines;
      if (r >= tile.count || first + e >= tile.sequence.all.shape.width) continue;
      E* const to = reinterpret_cast<E*>(rows.of[i]) + first + e;
      if constexpr (sizeof(E) == 4) {  // partial results are aligned to 8 bytes
        KG_UNROLL for (u32 n = 0; n < pack; n += 2)
            store_pack(to + n, Pack<E, 2>{packs[i].word[n], packs[i].word[n + 1]});
      } else {
        store_pack(to, packs[i]);
      }
    }
  }
  /// The factor of the sums of chain c in its row's result, or in its partial result: 0 for a row without keys. Stores the row's
  /// log-sum-exp or the state of the partial result.
  KG_DEVICE f32 share_of_row(const AttentionTile<T, T>& tile, u32 c) const {
    const u32 r = this->wave_row + Tile::chain_query(c);
    AttentionState state = results.state(0, c);
    if (r >= tile.count) return 0;
    const u32 t = tile.query(r);
    const AttentionHead<T, T> head = tile.head(r);
    if (t >= head.queries || state.row_sum == 0) state = {negative_infinity(), 0};
    const bool stores = Tile::first_term() == 0;
    f32 share = 1;
    if (head.all.shape.splits == 1)
      share = finish_query(head, t, state, stores);
    else if (stores)
      *partial_rows(head.all).state(head.row(t), tile.split) = state;
    return state.row_sum == 0 ? 0.0f : share;
  }

 private:
  static KG_DEVICE u32 line() { return thread_index() % Unit::lanes / line_threads; }
};

#endif

}  // namespace kg::detail
