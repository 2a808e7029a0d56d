#pragma once
/// Mixtures of experts as candle's launchers call them: task i is row tokens[i] of the result, the product of a row of x
/// with the matrix experts[i]. If each task has a weight (weights[token]), x has a row per result row; otherwise
/// x has a row per `chosen` of them. Tasks are sorted by expert.
#include "candle/quantized_product.hpp"
#include "device/atomic.hpp"
#if KG_GPU
#include "engines/matrix_tile_gpu.hpp"
#endif

namespace kg::candle {

/// Bytes that a CPU or an AMD GPU keeps for a quantized row.
inline constexpr u32 moe_shared_bytes = 48 * 1024;

struct Tasks {
  const i32 *tokens, *experts;
  const f32* weights;
  u32 count, chosen;

  KG_DEVICE u32 source(u32 token) const { return weights ? token : token / chosen; }
  KG_DEVICE f32 weight(u32 token) const { return weights ? weights[token] : 1.0f; }
  /// The first task of an expert not below `expert`.
  KG_DEVICE u32 first_of(i32 expert) const {
    u32 low = 0, high = count;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (experts[middle] < expert)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// y, by few tasks per expert: a block quantizes a task's row of x to shared memory, n / 32 blocks of q8_1, and its
/// groups multiply rows of the matrix with it. The blocks along y share a task. Tasks whose expert does not exist have
/// no result.
template <class B>
KG_DEVICE void moe_vectors(const f32* x, const B* w, const i32* tokens, const i32* experts,
                           const f32* weights, f32* y, u32 matrices, u32 chosen, u32 count, u32 rows, u32 n) {
  KG_SHARED_BLOCK(space, moe_shared_bytes);
  q8_1* const column = reinterpret_cast<q8_1*>(space);
  const Tasks tasks{tokens, experts, weights, count, chosen};
  const Group group = block_group(slice_elements);
  const u32 slices = n / slice_elements;
  for (u32 i = block_index(); i < count; i += grid_size()) {
    const u32 expert = static_cast<u32>(experts[i]), token = static_cast<u32>(tokens[i]);
    if (expert >= matrices) continue;
    sync();  // the previous task must be finished
    for (u32 first = 0; first < slices; first += group.count) {
      const u32 k = first + group.index;
      const bool takes_part = group.index < group.count && k < slices;
      quantize_slice(group, takes_part, x + u64{tasks.source(token)} * n, n, k, column[takes_part ? k : 0]);
    }
    sync();
    const B* const matrix = w + u64{expert} * rows * (n / elements_of<B>);
    for (u32 first = block_index_y() * group.count; first < rows; first += grid_size_y() * group.count) {
      const u32 row = first + group.index;
      const bool takes_part = group.index < group.count && row < rows;
      const Sums<1> sums = row_products<1>(group, takes_part, matrix + u64{row} * (n / elements_of<B>),
                                           ByteRows{column, 0, 1}, slices, 1);
      if (takes_part && group.rank == 0) y[u64{token} * rows + row] = sums.at[0] * tasks.weight(token);
    }
  }
}

/// Elements, or blocks, of a row of n elements.
template <class T, class W>
KG_DEVICE u32 row_items(u32 n) {
  if constexpr (same<T, W>)
    return n;
  else
    return n / elements_of<W>;
}

/// Element `k` of row `row` of a matrix of n columns, plain or in blocks, as a T.
template <class T, class W>
KG_DEVICE T weight_element(const W* w, u64 row, u32 n, u32 k) {
  if constexpr (same<T, W>) {
    return w[row * n + k];
  } else {
    T element{};
    for_four(w + row * row_items<T, W>(n), k / 4, [&](u64 i, f32 value) KG_INLINE {
      if (i == k) element = convert<T>(value);
    });
    return element;
  }
}

#if KG_GPU

/// The rows of x for tasks `first` to `end` - 1, as the left panel of a tile. Rows past the end are zeros.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct TaskPanel : kg::detail::PanelShare<T, S, rows, depth, by_terms> {
  using Share = kg::detail::PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::packs, Share::row, Share::term, Share::width;

  const T* from[packs];
  u32 left[packs];  ///< terms from the next part on, of the pack's line
  bool aligned;

  KG_DEVICE TaskPanel(const T* x, const Tasks& tasks, u32 first, u32 end, u32 n)
      : Share(true), aligned(n % width == 0 && is_aligned<width>(x)) {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const u32 task = first + row(p);
      const u32 source = task < end ? tasks.source(static_cast<u32>(tasks.tokens[task])) : 0;
      from[p] = x + u64{source} * n + term(p);
      left[p] = task < end && term(p) < n ? n - term(p) : 0;
    }
  }
  KG_DEVICE void begin(u32) { load(); }
  KG_DEVICE void load() {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      held[p] = {};
      if (aligned && left[p] >= width) {
        held[p] = load_pack<width>(from[p]);
      } else {
        KG_UNROLL for (u32 e = 0; e < width; ++e) if (e < left[p]) held[p].set(static_cast<int>(e),
                                                                               from[p][e]);
      }
      from[p] += depth;
      left[p] = left[p] > depth ? left[p] - depth : 0;
    }
  }
};

/// Rows of blocks as the right panel of a tile, dequantized to T on their way to shared memory. Rows past the end
/// repeat the last one; their results are not stored.
template <class B, class T, class S, u32 rows, u32 depth, bool by_terms>
struct BlockPanel {
  static constexpr bool is_by_terms = by_terms;
  using Layout = kg::detail::PanelLayout<S, rows, depth, by_terms>;
  static constexpr u32 words = depth / 4, lines = kg::block_threads / words, each = rows / lines;

  const B* at[each];
  u32 next;  ///< term
  u32 word[each];
  f32 scale[each], offset[each];

  static KG_DEVICE u32 line(u32 i) { return thread_index() / words + i * lines; }

  KG_DEVICE BlockPanel(const B* w, u32 first, u32 end, u32 n) : next(thread_index() % words * 4) {
    KG_UNROLL for (u32 i = 0; i < each; ++i) {
      const u32 row = first + line(i) < end ? first + line(i) : end - 1;
      at[i] = w + u64{row} * (n / elements_of<B>);
    }
  }
  KG_DEVICE void begin(u32) { load(); }
  KG_DEVICE void load() {
    const int slice = static_cast<int>(next % elements_of<B> / slice_elements);
    const int w = static_cast<int>(next % slice_elements / 4), half = w / (slice_words / 2);
    KG_UNROLL for (u32 i = 0; i < each; ++i) {
      const B& block = at[i][next / elements_of<B>];
      word[i] = BlockFormat<B>::word(bytes_of(block), slice, w);
      scale[i] = BlockFormat<B>::scale(bytes_of(block), slice, half);
      offset[i] = offset_of(block, slice, half);
    }
    next += depth;
  }
  KG_DEVICE void store(S* to) const {
    KG_UNROLL for (u32 i = 0; i < each; ++i) KG_UNROLL for (int e = 0; e < 4; ++e)
        to[Layout::offset(line(i), thread_index() % words * 4 + e)] =
            kg::detail::to_multiplied<S>(convert<T>(block_element<B>(word[i], e, scale[i], offset[i])));
  }
};

/// The right panel of plain weights or of blocks.
template <class W, class T, class Tile>
struct WeightPanel {
  using type = BlockPanel<W, T, typename Tile::S, Tile::columns, Tile::depth, Tile::by_terms>;
  static KG_DEVICE type of(const W* w, u32 first, u32 rows, u32 n) { return {w, first, rows, n}; }
};
template <class T, class Tile>
struct WeightPanel<T, T, Tile> {
  using type = kg::detail::MatrixPanel<T, typename Tile::S, Tile::columns, Tile::depth, Tile::by_terms>;
  static KG_DEVICE type of(const T* w, u32 first, u32 rows, u32 n) {
    return {kg::detail::Matrix<T>{w, rows, n, i64{n}, 1}, first, true};
  }
};

#endif

/// y, by tiles of the tasks of an expert and the rows of its matrix. A block has the rows from block_index() tiles on,
/// and every expert that is its index along y.
template <class T, class W, class Y>
KG_DEVICE void moe_tiles(const T* x, const W* w, const i32* tokens, const i32* experts, const f32* weights,
                         Y* y, u32 matrices, u32 chosen, u32 count, u32 rows, u32 n) {
  const Tasks tasks{tokens, experts, weights, count, chosen};
  for (u32 expert = block_index_y(); expert < matrices; expert += grid_size_y()) {
    const u32 begin = tasks.first_of(static_cast<i32>(expert)),
              end = tasks.first_of(static_cast<i32>(expert) + 1);
    const W* const matrix = w + u64{expert} * rows * row_items<T, W>(n);
#if KG_GPU
    using Tile = typename kg::detail::ProductTile<T, 64, 128, false>::type;
    KG_SHARED typename Tile::Stages stages;
    for (u32 left = block_index() * Tile::columns; left < rows; left += grid_size() * Tile::columns)
      for (u32 top = begin; top < end; top += Tile::rows) {
        TaskPanel<T, typename Tile::S, Tile::rows, Tile::depth, Tile::by_terms> a(x, tasks, top, end, n);
        auto b = WeightPanel<W, T, Tile>::of(matrix, left, rows, n);
        Tile tile;
        kg::detail::sum_tile(tile, a, b, n, Tile::depth, stages);
        tile.results([&](u32 i, u32 j, const auto& sums) KG_INLINE {
          if (top + i >= end) return;
          const u32 token = static_cast<u32>(tasks.tokens[top + i]);
          const f32 weight = tasks.weight(token);
          KG_UNROLL for (u32 k = 0; k < Tile::run; ++k) if (left + j + k < rows)
              y[u64{token} * rows + left + j + k] = convert<Y>(sums[k] * weight);
        });
      }
#else
    for (u32 task = begin; task < end; ++task) {
      const u32 token = static_cast<u32>(tasks.tokens[task]);
      const T* const from = x + u64{tasks.source(token)} * n;
      for (u32 row = block_index(); row < rows; row += grid_size()) {
        f32 sum = 0;
        for (u32 k = 0; k < n; ++k) sum += widen(from[k]) * widen(weight_element<T>(matrix, row, n, k));
        y[u64{token} * rows + row] = convert<Y>(sum * tasks.weight(token));
      }
    }
#endif
  }
}

/// Groups tasks by expert, each group padded to a multiple of `group` tasks: `sorted` receives the tasks, or `count`
/// where a group has none, `experts` the expert of each `group` slots or -1, `total` the number of slots, and `first`,
/// of matrices + 1 elements, is changed. One block.
KG_DEVICE void moe_align(const i32* ids, i32* sorted, i32* experts, i32* total, i32* first, u32 matrices,
                         u32 group, u32 count, u32 slots) {
  const u32 me = thread_index(), all = block_size();
  u32* const at = reinterpret_cast<u32*>(first);
  for (u32 i = me; i < slots; i += all) sorted[i] = static_cast<i32>(count);
  for (u32 e = me; e <= matrices; e += all) at[e] = 0;
  sync();
  for (u32 i = me; i < count; i += all)
    if (static_cast<u32>(ids[i]) < matrices) atomic_add(&at[ids[i]], 1u);
  sync();
  if (me == 0) {
    u32 sum = 0;
    for (u32 e = 0; e <= matrices; ++e) {
      const u32 mine = e < matrices ? (atomic_load(&at[e]) + group - 1) / group * group : 0;
      at[e] = sum;
      for (u32 i = sum; i < sum + mine; i += group) experts[i / group] = static_cast<i32>(e);
      sum += mine;
    }
    *total = static_cast<i32>(sum);
    for (u32 i = sum / group; i < (slots + group - 1) / group; ++i) experts[i] = -1;
  }
  sync();
  for (u32 i = me; i < count; i += all)
    if (static_cast<u32>(ids[i]) < matrices) sorted[atomic_count(&at[ids[i]], 1u)] = static_cast<i32>(i);
}

}  // namespace kg::candle
