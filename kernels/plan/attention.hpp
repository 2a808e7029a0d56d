#pragma once
/// Attention: what its kernels share with their caller.
namespace kg {

/// Strides in elements between sequences (in a paged cache: pages), heads and rows. A row's elements are neighbours.
struct AttentionRows {
  long long batch, head, row;
};

/// Query t of a sequence of `queries` over `keys` stands at t + keys - queries among the keys: sequences end together.
struct AttentionShape {
  unsigned batch, heads;   ///< q's
  unsigned group;          ///< heads of q that share one of k and v
  unsigned queries, keys;  ///< rows of a sequence, at most
  unsigned width;          ///< elements of a row
  unsigned page_rows;      ///< rows of a page of a paged cache, 0 where k and v are none
  unsigned pages_each;     ///< entries of a sequence in the table of pages
  unsigned page_count;     ///< pages of the cache
  unsigned splits;         ///< parts that keys are cut into; with more than one, partial results are written
  int before, after;       ///< keys seen at most so far from the query's own; the largest int: all
  float scale;
  float soft_cap;  ///< 0: none
  AttentionRows q, k, v, y;
  long long mask[4];   ///< strides between sequences, heads, queries, keys
  long long slope[2];  ///< strides between sequences, heads
};

/// Whether rows of `width` elements, the first of which is aligned, are packs of `pack` aligned elements.
constexpr bool attention_in_packs(const AttentionRows& rows, unsigned width, unsigned pack) {
  return ((rows.batch | rows.head | rows.row | width) & (pack - 1)) == 0;
}

/// Widest row there is.
inline constexpr unsigned attention_widest = 256;

/// Queries, of one sequence and of heads that share keys, that a block takes at a time: by single multiplications, and by
/// matrix instructions.
inline constexpr unsigned attention_rows_each = 8, attention_tile_rows = 128;

/// Where single multiplications are made by waves: keys that a lane has on their way together, of which it has accesses of
/// `pack` elements, and lanes that share those.
constexpr unsigned attention_keys_together(unsigned pack) { return pack < 2 ? 1 : pack / 2; }
constexpr unsigned attention_key_lanes(unsigned width, unsigned pack, unsigned wave) {
  unsigned lanes = attention_keys_together(pack);
  while (lanes < wave && lanes * pack < width) lanes *= 2;
  return lanes;
}

/// And a CPU's: as many as the panels of its products have rows.
inline constexpr unsigned attention_cpu_rows = 64;

/// Pieces that a call is cut into, of which a block takes one at a time: for each sequence and head of k, runs of
/// `rows_each` of the rows that share it, each for every split. Row r is query r / group of head kv_head · group + r % group.
constexpr unsigned long long attention_pieces(const AttentionShape& shape, unsigned rows_each) {
  const unsigned long long rows = static_cast<unsigned long long>(shape.group) * shape.queries;
  return (rows + rows_each - 1) / rows_each * shape.splits * (shape.heads / shape.group) * shape.batch;
}

/// Threads of a block that works by matrix instructions on rows of up to `width` elements.
constexpr unsigned attention_tile_threads(unsigned width, unsigned element_bytes, bool on_cuda) {
  return on_cuda && element_bytes == 2 && width <= 128 ? 128 : 256;
}

inline constexpr unsigned attention_least_tile_keys = 16, attention_cuda_panel_bytes = 16384;

/// Keys that such a block has in shared memory, in panels of about `panel_bytes`.
constexpr unsigned attention_tile_keys(unsigned width, unsigned element_bytes, unsigned panel_bytes) {
  const unsigned keys = panel_bytes / (width * element_bytes);
  return keys < attention_least_tile_keys ? attention_least_tile_keys : keys;
}

/// Shared memory that its launch gives it on CUDA devices: lines of queries, keys and values.
constexpr unsigned attention_shared_bytes(unsigned width, unsigned element_bytes) {
  const unsigned lines =
      attention_tile_rows + 2 * attention_tile_keys(width, element_bytes, attention_cuda_panel_bytes);
  return lines * (width * element_bytes + 16);
}

/// The same where four waves multiply together: threads of a block, keys that it has at a time, and shared memory for two
/// stages of keys and three of values.
inline constexpr unsigned attention_warpgroup_threads = 256;
constexpr unsigned attention_warpgroup_keys(unsigned width) { return width == 128 ? 128 : 64; }
constexpr unsigned attention_warpgroup_shared_bytes(unsigned width, unsigned element_bytes) {
  return (attention_tile_rows + 5 * attention_warpgroup_keys(width)) * width * element_bytes;
}

/// Keys that splits are made of.
inline constexpr unsigned attention_split_keys = 64;

/// First of the keys of a split, of a range of `count` keys: whole multiples of attention_split_keys, dealt out evenly.
template <class Count>
constexpr Count attention_split(Count count, unsigned split, unsigned splits) {
  const Count pieces = (count + attention_split_keys - 1) / attention_split_keys;
  const Count first = (pieces * split + splits - 1) / splits * attention_split_keys;
  return first < count ? first : count;
}

}  // namespace kg
