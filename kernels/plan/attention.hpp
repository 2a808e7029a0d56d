#pragma once
/// Structs and constants that attention kernels share with their callers.
#include "plan/abi.hpp"

namespace kg {

/// Strides in elements between sequences (in a paged cache: between pages), heads and rows. The elements of a
/// row are contiguous.
struct AttentionStrides {
  long long batch, head, row;
};

/// How the indices of work items become tiles. A tile is up to `rows_each` of the rows that share a key head, for one sequence, and
/// one split of the keys; row r is query r / group of head kv_head · group + r % group. Indices count, from the innermost, the key
/// heads of a section, the splits, the row tiles from the last to the first, and the sections of all sequences' key heads.
struct AttentionTiles {
  unsigned count;     ///< of indices, below 2^31; the last section's may be past the last head
  unsigned heads;     ///< key heads of all sequences
  Divisor section;    ///< indices of a section
  Divisor together;   ///< key heads of a section
  Divisor splits;     ///< as in AttentionShape
  Divisor key_heads;  ///< of a sequence
  Divisor group;      ///< as in AttentionShape
};

/// Sizes, strides and options of a call. Query t of a sequence of `queries` over `keys` is at position t +
/// keys - queries among the keys: both end together.
struct AttentionShape {
  unsigned batch, heads;   ///< of q
  unsigned group;          ///< query heads per key head; divides heads
  unsigned queries, keys;  ///< maximum rows per sequence
  unsigned width;          ///< elements per row
  unsigned page_rows;      ///< rows per page of a paged cache, or 0
  unsigned pages_each;     ///< block-table entries per sequence
  unsigned page_count;     ///< pages of the cache
  /// Ranges that the keys are split into, in multiples of attention_split_keys; with more than one, kernels write partial results
  unsigned splits;
  /// Visible keys before and after the query's position; INT_MAX: all
  int window_left, window_right;
  float scale;        ///< factor of the products of q and k
  float soft_cap;     ///< 0: none
  unsigned f32_rows;  ///< 1: q and the result are f32, T has 16 bits; mma kernels need warpgroups for this
  AttentionStrides q, k, v, y;
  long long mask[4];   ///< strides in elements between sequences, heads, queries, keys; 0 to broadcast
  long long slope[2];  ///< strides in elements between sequences, heads
  AttentionTiles tiles;
};

/// Whether rows of `width` elements consist of aligned packs of `pack` elements, if the first row is aligned.
constexpr bool attention_in_packs(const AttentionStrides& rows, unsigned width, unsigned pack) {
  return ((rows.batch | rows.head | rows.row | width) & (pack - 1)) == 0;
}

/// Maximum elements per row.
inline constexpr unsigned attention_widest = 256;

/// Rows per tile: by FMA instructions, by matrix instructions, and in attention_small.
inline constexpr unsigned attention_simt_rows = 8, attention_mma_rows = 128, attention_small_rows = 1;

/// attention_small: keys in flight per lane, in accesses of `pack` elements, and the number of lanes that
/// share a key.
constexpr unsigned attention_keys_together(unsigned pack) { return pack < 2 ? 1 : pack / 2; }
constexpr unsigned attention_key_lanes(unsigned width, unsigned pack, unsigned wave) {
  unsigned lanes = attention_keys_together(pack);
  while (lanes < wave && lanes * pack < width) lanes *= 2;
  return lanes;
}

/// Rows per tile on a CPU: as many as its panels have rows.
inline constexpr unsigned attention_cpu_rows = 64;

/// Threads of a block of the mma kernels, for rows of up to `width` elements.
constexpr unsigned attention_mma_threads(unsigned width, unsigned element_bytes, bool on_cuda) {
  return on_cuda && element_bytes == 2 && width <= 128 ? 128 : 256;
}

inline constexpr unsigned attention_min_panel_keys = 16, attention_cuda_panel_bytes = 16384;

/// Keys per shared-memory panel of about `panel_bytes`.
constexpr unsigned attention_mma_keys(unsigned width, unsigned element_bytes, unsigned panel_bytes) {
  const unsigned keys = panel_bytes / (width * element_bytes);
  return keys < attention_min_panel_keys ? attention_min_panel_keys : keys;
}

/// Bytes of dynamic shared memory of the mma kernels on CUDA: lines of queries, keys and values.
constexpr unsigned attention_shared_bytes(unsigned width, unsigned element_bytes) {
  const unsigned lines =
      attention_mma_rows + 2 * attention_mma_keys(width, element_bytes, attention_cuda_panel_bytes);
  return lines * (width * element_bytes + 16);
}

/// The same for tiles of two warpgroups, of attention_widest elements: threads per block, keys per stage, and shared memory for two
/// stages of keys and three of values.
inline constexpr unsigned attention_warpgroup_threads = 256, attention_warpgroup_keys = 64;
constexpr unsigned attention_warpgroup_shared_bytes(unsigned element_bytes) {
  return (attention_mma_rows + 5 * attention_warpgroup_keys) * attention_widest * element_bytes;
}

/// The same for tiles of one warpgroup, of which several share a multiprocessor. Stages of keys and of values: two of each, one of
/// keys, or one of each, whatever leaves room for as many blocks as registers do.
inline constexpr unsigned attention_rows64 = 64, attention_rows64_threads = 128, attention_rows64_keys = 64;
constexpr unsigned attention_rows64_stages(unsigned width) { return width <= 64 ? 4 : width <= 128 ? 3 : 2; }
constexpr unsigned attention_rows64_shared_bytes(unsigned width, unsigned element_bytes) {
  return (attention_rows64 + attention_rows64_stages(width) * attention_rows64_keys) * width * element_bytes;
}

/// Splits are multiples of this many keys.
inline constexpr unsigned attention_split_keys = 64;

/// First key of a split of a range of `count` keys. Splits are multiples of attention_split_keys, distributed
/// evenly.
template <class Count>
constexpr Count attention_split(Count count, unsigned split, unsigned splits) {
  const Count key_chunks = (count + attention_split_keys - 1) / attention_split_keys;
  const Count first = (key_chunks * split + splits - 1) / splits * attention_split_keys;
  return first < count ? first : count;
}

}  // namespace kg
