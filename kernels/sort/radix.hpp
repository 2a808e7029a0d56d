#pragma once
/// Stable radix sort of rows that many blocks share: each pass moves the keys to the order of one digit, least significant first.
/// The digits of all passes are counted once; a pass reads each tile of a row once (look_back.hpp).
#include "device/order.hpp"
#include "engines/spans.hpp"
#include "engines/turn.hpp"
#include "sort/look_back.hpp"
#include "sort/radix_block.hpp"

namespace kg {
namespace detail {

/// A tile of contiguous elements of one row.
struct RowTile {
  u64 row;
  u32 number, first, size;

  KG_DEVICE RowTile(u32 index, u32 n, u32 tile) {
    const u32 tiles = (n - 1) / tile + 1, in_row = index % tiles;
    row = index / tiles;
    number = in_row;
    first = in_row * tile;
    size = n - first < tile ? n - first : tile;
  }
};

/// The tiles of rows of n elements; fewer than 2^32.
KG_DEVICE u64 tiles_of(u64 rows, u32 n, u32 tile) { return rows * ((n - 1) / tile + 1); }

/// Calls f(tile) for all tiles.
template <class F>
KG_DEVICE void for_each_tile(u64 rows, u32 n, u32 tile, F f) {
  for_each_span(tiles_of(rows, n, tile), 1,
                [&](u64 task, u64) KG_INLINE { f(RowTile(static_cast<u32>(task), n, tile)); });
}

}  // namespace detail

/// Converts x to unsigned keys in the requested order, and adds to counts[row][pass][digit].
template <class T>
KG_DEVICE void radix_keys(const T* x, T* keys, u32* counts, u64 rows, u32 n, u32 tile, u32 order) {
  constexpr u32 passes = sizeof(T), each = is_gpu ? radix_each(sizeof(T)) : 64;
  KG_SHARED u32 count[passes * digits];
  detail::for_each_tile(rows, n, tile, [&](const detail::RowTile& part) KG_INLINE {
    const T* const from = x + part.row * n + part.first;
    auto* const to = reinterpret_cast<OrderBits<T>*>(keys) + part.row * n + part.first;
    KG_NO_UNROLL for (u32 i = thread_index(); i < passes * digits; i += block_size()) count[i] = 0;
    sync();
    for (u32 begin = thread_index(); begin < part.size; begin += each * block_size()) {
      OrderBits<T> key[each];
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = begin + e * block_size();
        if (i < part.size) key[e] = order_bits(from[i], order);
      }
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = begin + e * block_size();
        if (i >= part.size) continue;
        to[i] = key[e];
        KG_UNROLL for (u32 pass = 0; pass < passes; ++pass)
            histogram_add(&count[pass * digits + detail::digit_of(key[e], pass * digit_bits)]);
      }
    }
    sync();
    KG_NO_UNROLL for (u32 i = thread_index(); i < passes * digits; i += block_size()) if (count[i] != 0)
        atomic_count(counts + part.row * passes * digits + i, count[i]);
    sync();
  });
}

/// Moves keys and their source indices to the order of digit `pass`. `indices` is null in the first pass, where the source index is
/// the position; `next_keys` is null in the last. `counts` are those of radix_keys(). `words` and `turn` are 0 before; see LookBack and
/// for_each_in_turn(). Clears `next_words`, those of the next pass, unless it is null. A GPU block has at least a thread per
/// radix_each() elements of a tile.
template <class K>
KG_DEVICE void radix_move(const K* keys, const u32* indices, K* next_keys, u32* next_indices,
                          const u32* counts, u32* words, u32* next_words, u32* turn, u64 rows, u32 n,
                          u32 tile, u32 pass) {
  const u32 shift = pass * digit_bits;
  for_each_in_turn(turn, detail::tiles_of(rows, n, tile), [&](u32 task) KG_INLINE {
    const detail::RowTile part(task, n, tile);
    const u64 base = part.row * n, first_word = (part.row * ((n - 1) / tile + 1) + part.number) * digits;
    const K* const from = keys + base + part.first;
    const u32* const from_indices = indices ? indices + base + part.first : nullptr;
    K* const to_keys = next_keys ? next_keys + base : nullptr;
    if (next_words)
      KG_NO_UNROLL for (u32 digit = thread_index(); digit < digits; digit += block_size())
          next_words[first_word + digit] = 0;
    const detail::LookBack look_back{words + first_word, counts + (part.row * sizeof(K) + pass) * digits,
                                     part.number, tile};
    if constexpr (is_gpu) {
      using Block = detail::RadixBlock<K>;
      KG_SHARED u32 shifts[digits], counter[Block::most_waves * digits];
      KG_SHARED typename Block::Word ordered[Block::each * block_threads];
      const detail::RadixMove<K> move{from, from_indices, to_keys, next_indices + base, part.first, shift};
      Block(shifts, counter, ordered).run(move, part.size, look_back);
    } else {
      u32 next[digits] = {};
      for (u32 i = 0; i < part.size; ++i) ++next[detail::digit_of(from[i], shift)];
      for (u32 digit = 0; digit < digits; ++digit) look_back.announce(digit, next[digit]);
      for (u32 digit = 0, smaller = 0; digit < digits; smaller += look_back.total(digit++))
        next[digit] = look_back.begin_of(digit, next[digit], smaller);
      for (u32 i = 0; i < part.size; ++i) {
        const u32 to = next[detail::digit_of(from[i], shift)]++;
        next_indices[base + to] = from_indices ? from_indices[i] : part.first + i;
        if (to_keys) to_keys[to] = from[i];
      }
    }
  });
}

/// y[i] = x[indices[i]] within each row; x has `length` elements per row, y and indices have n.
template <class T>
KG_DEVICE void take_indices(const T* x, const u32* indices, T* y, u64 rows, u64 length, u32 n, u32 tile) {
  detail::for_each_tile(rows, n, tile, [&](const detail::RowTile& part) KG_INLINE {
    const u64 base = part.row * n + part.first;
    for (u32 i = thread_index(); i < part.size; i += block_size())
      y[base + i] = x[part.row * length + indices[base + i]];
  });
}

}  // namespace kg
