#pragma once
/// y = x Wᵀ for matrices W of quantized rows. Columns are rows of x, quantized to bytes (plan/quantized.hpp).
/// Also with a matrix selected per column by an index, as for mixtures of experts.
#include "device/atomic.hpp"
#include "elementwise/gated.hpp"
#include "engines/index_check.hpp"
#include "engines/spans.hpp"
#include "quantized/add_partial_products.hpp"
#include "quantized/product.hpp"
#include "quantized/split_bf16.hpp"
#if KG_GPU
#include "device/args_in_lds.hpp"
#include "quantized/tile_gpu.hpp"
#else
#include "quantized/tile_cpu.hpp"
#endif

namespace kg {

/// One of up to three matrices W that a launch multiplies columns by, and its results y. `parts` blocks share its rows; a missing
/// matrix has 0 of both.
template <class W>
struct QuantizedFactor {
  const W* w;
  u32 rows, parts;
  b8* y;

  KG_DEVICE QuantizedFactor(const W* w, u32 rows, u32 parts, b8* y) : w(w), rows(rows), parts(parts), y(y) {}
};

namespace detail {

/// Multiplies the rows of a matrix that belong to block `part` of `parts`.
template <int columns, class W, class Prepare, class Column, class Store>
KG_DEVICE void multiply_part(const BlockMatrix<W>& matrix, u32 part, u32 parts, u8* shared,
                             const Prepare& prepare, const Column& column, const Store& store) {
  if constexpr (is_gpu) {
    const u32 waves = block_size() / wave_size(), wave = thread_index() / wave_size();
    multiply_rows<columns>(matrix, part * waves + wave, parts * waves, wave, shared, prepare, column, store);
  } else {
    BlockMatrix<W> mine = matrix;
    const u32 begin = static_cast<u32>(u64{matrix.rows} * part / parts);
    mine.at = matrix.row(begin);
    mine.rows = static_cast<u32>(u64{matrix.rows} * (part + 1) / parts) - begin;
    multiply_rows<columns>(mine, 0, 1, 0, shared, prepare, column,
                           [&](u32 row, int c, f32 value) KG_INLINE { store(begin + row, c, value); });
  }
}

/// A tile of up to `width` columns: consecutive ones or, with `tiles`, those that group_columns listed for one expert.
struct ColumnTile {
  const u32* words;  ///< as in expert_tile_words, or null
  u64 first;
  u32 count, expert;

  KG_DEVICE ColumnTile(const b8* tiles, u32 index, u32 width, u64 columns)
      : words(tiles ? reinterpret_cast<const u32*>(tiles) + index * expert_tile_words(width) : nullptr),
        first(u64{index} * width),
        count(words                     ? words[1]
              : columns - first < width ? static_cast<u32>(columns - first)
                                        : width),
        expert(words ? words[0] : 0) {}
  KG_DEVICE u64 column(u32 c) const { return words ? words[2 + c] : first + c; }
};

}  // namespace detail

/// Quantizes columns of x, `x_row` elements apart, into consecutive quantized columns.
KG_DEVICE void quantize_columns(const void* x, u32 activation_type, b8* out, u64 columns, u64 terms,
                                i64 x_row) {
  for_each_span(columns, 1, [&](u64 c, u64) KG_INLINE {
    const QuantizedColumn column{out + c * quantized_column_bytes(terms),
                                 static_cast<u32>(terms / slice_elements)};
    quantize_column(x, static_cast<ActivationType>(activation_type),
                    static_cast<u64>(static_cast<i64>(c) * x_row), column);
  });
}

/// Computes y[v] = W · x[v / results_per_column] for each v < `columns` and each of three matrices W.
///
/// x has rows of `terms` elements (at most quantized_shared_terms), `x_row` elements apart; rows of W are `row_bytes` bytes apart.
/// y is [columns, rows], of x's type. With ids, W is matrix ids[v] of `experts`, `expert_bytes` bytes apart. Out-of-range ids are
/// reported by `fault`, `call` and `operation` (engines/index_check.hpp) and give zeros; so does the largest value of the ids'
/// type, without a report.
///
/// With a gate, results are f32, and the second matrix has as many rows as the first but no blocks (parts = 0): the first
/// matrix's blocks multiply by both and store the gate's function of the two products to the first y.
template <class W>
KG_DEVICE void quantized_vector(const QuantizedFactor<W>& first, const QuantizedFactor<W>& second,
                                const QuantizedFactor<W>& third, const void* x, u32 activation_type,
                                u64 terms, i64 row_bytes, u64 columns, u32 results_per_column, i64 x_row,
                                u32 gate, const b8* ids, u32 id_type, u64 experts, i64 expert_bytes,
                                b64* fault, u64 call, u64 operation) {
  KG_SHARED_BLOCK(space, quantized_column_bytes(quantized_shared_terms));
  const QuantizedColumn column{space + ring_bytes<W>(block_size()), static_cast<u32>(terms / slice_elements)};
  const auto store_type = static_cast<ActivationType>(activation_type);
  // Read once per task, so shared memory saves registers.
  struct Operands {
    QuantizedFactor<W> first, second, third;
    const b8* ids;
    i64 expert_bytes;
    IndexCheck check;
  };
  const Operands given{first, second,       third,
                       ids,   expert_bytes, IndexCheck(fault, call, operation, experts, 1, columns)};
#if KG_GPU
  KG_SHARED ArgsInLds<Operands> shared_args;
  store_args(shared_args, given);
  const auto operands = [&]() KG_INLINE { return load_args(shared_args, given); };
  const auto in_global_memory = [](auto* p) KG_INLINE {
    native::in_global_memory(p);
    return p;
  };
#else
  const auto operands = [&] { return given; };
  const auto in_global_memory = [](auto* p) { return p; };
#endif
  const u32 two = first.parts + second.parts, parts = two + third.parts;
  u32 held = ~0u;  // the row of x in `column`
  for_each_span(columns * parts, 1, [&](u64 task, u64) KG_INLINE {
    const u32 v = static_cast<u32>(task) / parts, block_of_column = static_cast<u32>(task) - v * parts;
    Operands all = operands();
    all.ids = in_global_memory(all.ids);
    all.check.fault = in_global_memory(all.check.fault);
    const auto of_factor = [&](auto of_first, auto of_second, auto of_third) KG_INLINE {
      return block_of_column < all.first.parts ? of_first : block_of_column < two ? of_second : of_third;
    };
    const W* const w = of_factor(all.first.w, all.second.w, all.third.w);
    b8* const y = in_global_memory(of_factor(all.first.y, all.second.y, all.third.y));
    const u32 rows = of_factor(all.first.rows, all.second.rows, all.third.rows),
              sharing = of_factor(all.first.parts, all.second.parts, all.third.parts),
              part = block_of_column - of_factor(0u, all.first.parts, two);
    const i64 expert = all.ids ? all.check.resolve(load_index(all.ids, static_cast<IdType>(id_type), v),
                                                   [&] { return u64{v}; })
                               : 0;
    if (expert < 0) {
      for (u64 row = u64{part} * block_size() + thread_index(); row < rows;
           row += u64{sharing} * block_size())
        store_activation(y, store_type, u64{v} * rows + row, 0.0f);
      return;
    }
    const auto prepare = [&]() KG_INLINE {
      if (held == v / results_per_column) return;
      held = v / results_per_column;
      sync();
      quantize_column(x, store_type, static_cast<u64>(i64{held} * x_row), column);
      sync();
    };
    const u8* at = reinterpret_cast<const u8*>(w) + expert * all.expert_bytes;
    // y holds the first product between the passes: the thread that stored it also computes the second one.
    for (u32 pass = 0; pass < (gate ? 2 : 1); ++pass) {
      if (pass) {
        const Operands again = operands();
        at = reinterpret_cast<const u8*>(again.second.w) + expert * again.expert_bytes;
      }
      const BlockMatrix<W> matrix{in_global_memory(at), rows, column.slices, row_bytes};
      detail::multiply_part<1>(
          matrix, part, sharing, space, prepare, [&](int) { return column; },
          [&](u32 row, int, f32 value) KG_INLINE {
            const u64 i = u64{v} * rows + row;
            if (pass) value = gated(static_cast<GateType>(gate), reinterpret_cast<const f32*>(y)[i], value);
            store_activation(y, store_type, i, value);
          });
    }
  });
}

/// y[v] = W · x[v / results_per_column] for columns that quantize_columns wrote to `x_quantized`, `count` at a time: tile t
/// has columns t · count, … of `columns`, or with `tiles` those that group_columns listed. `parts` blocks share the rows of W
/// for one tile.
template <int count, class W>
KG_DEVICE void quantized_columns_product(const W* w, const b8* x_quantized, b8* y, u32 activation_type,
                                         u32 rows, u64 terms, i64 row_bytes, u64 columns,
                                         u64 results_per_column, u32 parts, const b8* tiles, u64 tile_count,
                                         i64 expert_bytes) {
  // Staging ring of StagedRow. On CUDA the launch sets its size; elsewhere rows are not staged.
  KG_SHARED_BLOCK(ring, 16);
  // In shared memory to save registers.
  KG_SHARED u64 column_at[count], result_at[count];
  const auto store_type = static_cast<ActivationType>(activation_type);
  const u32 slices = static_cast<u32>(terms / slice_elements);
  const u64 bytes = quantized_column_bytes(terms);
#if !KG_GPU
  if (!tiles && columns > count && has_byte_dots()) {
    const BlockMatrix<W> matrix{reinterpret_cast<const u8*>(w), rows, slices, row_bytes};
    multiply_columns(matrix, reinterpret_cast<const u8*>(x_quantized), columns,
                     [&](u32 row, u64 c, f32 value)
                         KG_INLINE { store_activation(y, store_type, c * rows + row, value); });
    return;
  }
#endif
  for_each_span(tile_count * parts, 1, [&](u64 task, u64) KG_INLINE {
    const u32 t = static_cast<u32>(task) / parts, part = static_cast<u32>(task) - t * parts;
    const detail::ColumnTile tile(tiles, t, count, columns);
    const u32 taken = tile.count;
    if (taken == 0) return;
    sync();
    for (u32 c = thread_index(); c < count; c += block_size()) {
      const u64 number = tile.column(c < taken ? c : 0);
      column_at[c] = number / results_per_column * bytes;
      result_at[c] = number * rows;
    }
    sync();
    const BlockMatrix<W> matrix{reinterpret_cast<const u8*>(w) + i64{tile.expert} * expert_bytes, rows,
                                slices, row_bytes};
    detail::multiply_part<count>(
        matrix, part, parts, ring, [] {},
        [&](int c) KG_INLINE { return QuantizedColumn{const_cast<b8*>(x_quantized) + column_at[c], slices}; },
        [&](u32 row, int c, f32 value) KG_INLINE {
          if (static_cast<u32>(c) < taken) store_activation(y, store_type, result_at[c] + row, value);
        });
  });
}

/// quantized_columns_product for tiles of quantized_tile_columns columns, by matrix instructions. The terms are split into
/// `k_splits` ranges, 1 with `tiles`; y is [k_splits, columns, rows], partial products for add_partial_products. Empty on CPUs.
template <class W>
KG_DEVICE void quantized_tiles_product(const W* w, const b8* x_quantized, b8* y, u32 activation_type,
                                       u32 rows, u64 terms, i64 row_bytes, u64 columns,
                                       u64 results_per_column, u32 k_splits, const b8* tiles, u64 tile_count,
                                       i64 expert_bytes) {
#if KG_GPU
  KG_SHARED u64 column_at[quantized_tile_columns], result_at[quantized_tile_columns];
  const u32 slices = static_cast<u32>(terms / slice_elements),
            parts = (rows + quantized_tile_rows - 1) / quantized_tile_rows;
  const u32 split_slices = static_cast<u32>(quantized_split_slices(slices, k_splits));
  const u64 bytes = quantized_column_bytes(terms);
  // Read once per tile, so kept out of scalar registers.
  const UniformPointer<b8> results(y);
  const UniformPointer<const b8> groups(tiles);
  const Uniform64 all(columns), matrix_bytes(static_cast<u64>(expert_bytes));
  const Uniform store_type(activation_type);
  for_each_span(tile_count * parts * k_splits, 1, [&](u64 task, u64) KG_INLINE {
    const u32 split = static_cast<u32>(task) % k_splits, rest = static_cast<u32>(task) / k_splits,
              t = rest / parts, part = rest - t * parts;
    const detail::ColumnTile tile(groups.get(), t, quantized_tile_columns, all);
    if (tile.count == 0) return;
    sync();
    for (u32 c = thread_index(); c < quantized_tile_columns; c += block_size()) {
      const u64 number = tile.column(c < tile.count ? c : 0);
      column_at[c] = number / results_per_column * bytes;
      result_at[c] = (split * all + number) * rows;
    }
    sync();
    const BlockMatrix<W> matrix{
        reinterpret_cast<const u8*>(w) + i64{tile.expert} * static_cast<i64>(static_cast<u64>(matrix_bytes)),
        rows, slices, row_bytes};
    const u32 first = split * split_slices,
              end = slices - first < split_slices ? slices : first + split_slices;
    detail::multiply_tile(matrix, part * quantized_tile_rows, x_quantized, column_at, tile.count, first, end,
                          [&](u32 row, u32 c, f32 value) KG_INLINE {
                            store_activation(results.get(),
                                             static_cast<ActivationType>(static_cast<u32>(store_type)),
                                             result_at[c] + row, value);
                          });
  });
#else
  (void)w, (void)x_quantized, (void)y, (void)activation_type, (void)rows, (void)terms, (void)row_bytes,
      (void)columns, (void)results_per_column, (void)k_splits, (void)tiles, (void)tile_count,
      (void)expert_bytes;
#endif
}

namespace detail {

/// Experts whose counts are in shared memory.
inline constexpr u32 shared_experts = is_gpu ? 1024 : 1;

}  // namespace detail

/// Groups columns by expert, in one block. `tiles_out` receives tiles of up to `width` columns with one expert
/// (expert_tile_words). Tiles of an expert are adjacent; the order is otherwise unspecified. There is room for `tile_count`
/// tiles, up to one per expert plus one per `width` columns; unused ones come last and have no columns. `counts` is workspace of
/// 3 · experts + 1 words. y is [columns, rows]: rows of columns with out-of-range ids, or the largest value of the ids' type, are
/// set to zero.
KG_DEVICE void group_columns(const b8* ids, u32 id_type, u64 columns, u64 experts, b8* tiles_out,
                             u64 tile_count, u32 width, u32* counts, b8* y, u32 activation_type, u64 rows,
                             b64* fault, u64 call, u64 operation) {
  KG_SHARED u32 nearby[3 * detail::shared_experts + 1];
  const IndexCheck check(fault, call, operation, experts, 1, columns);
  u32* const tiles = reinterpret_cast<u32*>(tiles_out);
  u32* const all_counts = experts <= detail::shared_experts ? nearby : counts;
  // Of each expert: its columns, those that are in tiles already, and its first tile. `used` counts the tiles of all.
  u32 *const wanted = all_counts, *const taken = all_counts + experts,
             *const first = all_counts + 2 * experts, *const used = all_counts + 3 * experts;
  const u64 me = thread_index(), all = block_size();
  const auto tile = [&](u64 t) KG_INLINE { return tiles + t * expert_tile_words(width); };
  for (u64 t = me; t < tile_count; t += all) tile(t)[1] = 0;
  for (u64 i = me; i < 3 * experts + 1; i += all) all_counts[i] = 0;
  sync();
  const auto expert_of = [&](u64 c) {
    return check.resolve(load_index(ids, static_cast<IdType>(id_type), c), [&] { return c; });
  };
  for (u64 c = me; c < columns; c += all) {
    const i64 expert = expert_of(c);
    if (expert >= 0)
      atomic_add(&wanted[expert], 1u);
    else
      for (u64 row = 0; row < rows; ++row)
        store_activation(y, static_cast<ActivationType>(activation_type), c * rows + row, 0.0f);
  }
  sync();
  for (u64 e = me; e < experts; e += all) {
    // Atomic, because this thread's cache may lack the additions of other threads.
    const u32 count = atomic_load(&wanted[e]), mine = (count + width - 1) / width;
    first[e] = mine > 0 ? atomic_count(used, mine) : 0;
    for (u32 t = 0; t < mine; ++t) {
      const u32 left = count - t * width;
      u32* const to = tile(first[e] + t);
      to[0] = static_cast<u32>(e);
      to[1] = left < width ? left : width;
    }
  }
  sync();
  for (u64 c = me; c < columns; c += all) {
    const i64 expert = expert_of(c);
    if (expert < 0) continue;
    const u32 number = atomic_count(&taken[expert], 1u);
    tile(first[expert] + number / width)[2 + number % width] = static_cast<u32>(c);
  }
}

}  // namespace kg
