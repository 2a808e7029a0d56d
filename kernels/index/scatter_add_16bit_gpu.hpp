#pragma once
/// Scatter-add of 8- and 16-bit elements on GPUs in one launch, with the sums in shared memory: see ScatterBlockForm.
#include "device/atomic.hpp"
#include "device/pack_loop.hpp"
#include "engines/index_check.hpp"
#include "engines/positions.hpp"
#include "plan/scatter.hpp"

namespace kg {
namespace detail {

/// A pack's elements as Y.
template <class Y, int W, class T>
KG_DEVICE Pack<Y, W> convert_pack(const Pack<T, W>& pack) {
  return pack_by_loop<Y, W, loop_width<W, Y, T>()>(
      [](int e, const auto& from) KG_INLINE { return convert<Y>(from.get(e)); }, pack);
}

KG_DEVICE u32 clamp_index(u32 i, u32 count) { return i < count ? i : count - 1; }

/// Adds the sources `first`, first + block_size(), … below `end` to their sums. Those of `together` are located in step, and their
/// loads are in flight together.
template <u32 together, class T, class Sum>
KG_DEVICE void add_sources(Sum* sums, const T* source, u32 first, u32 end, const Ids& ids,
                           const Strided<3>& layout, i64 step, const IndexCheck& check) {
  u32 index[together];
  KG_UNROLL for (u32 k = 0; k < together; ++k) index[k] = clamp_index(first + k * block_size(), end);
  Position<3> at[together]{};
  locate<i64>(layout, index, at);
  i64 id[together];
  T value[together];
  ids.typed([&](auto typed) KG_INLINE {
    KG_UNROLL for (u32 k = 0; k < together; ++k) id[k] = widen_index(typed[at[k].offset[2]]);
  });
  KG_UNROLL for (u32 k = 0; k < together; ++k) value[k] = source[at[k].offset[1]];
  KG_UNROLL for (u32 k = 0; k < together; ++k) {
    if (first + k * block_size() >= end) continue;
    const i64 position = check.resolve(id[k], [&] { return u64{index[k]}; });
    if (position >= 0) atomic_add(sums + (at[k].offset[0] + position * step), convert<Sum>(value[k]));
  }
}

/// ScatterBlockForm::lines. Block b holds the sums of elements b · positions, … of y and adds sources b · sources, …, which
/// are those of the same lines. `layout` has the strides of y (0 along the indexed dim, where `step` applies), of the
/// source and of ids.
template <class T, class Sum>
KG_DEVICE void scatter_add_lines(Sum* sums, const T* x, T* y, u32 elements, u32 positions, const T* source,
                                 u32 sources, const Ids& ids, const Strided<3>& layout, i64 step,
                                 const IndexCheck& check) {
  constexpr u32 W = 16 / sizeof(T);
  const u32 begin = block_index() * positions, left = elements - begin,
            held = left < positions ? left : positions;
  // The elements before the first pack of y, those in packs, and those after them; all if there are few: packs would only add code
  // to fetch.
  const u32 first_pack = elements_to_alignment<W>(y + begin), before = first_pack < held ? first_pack : held;
  const u32 packs = held > block_size() ? (held - before) / W : 0;
  Sum* const first_sum = sums + (W - before);
  for (u32 p = thread_index(); p < packs; p += block_size()) {
    store_pack(sums + (p + 1) * W, convert_pack<Sum>(load_pack_overreading<W>(x + begin + before + p * W)));
  }
  for (u32 k = thread_index(); k < held - packs * W; k += block_size()) {
    const u32 i = k < before ? k : k + packs * W;
    first_sum[i] = convert<Sum>(x[begin + i]);
  }
  sync();
  const u32 first = block_index() * sources;
  const u32 end = layout.elements - first < sources ? layout.elements : first + sources;
  if (end - first <= block_size()) {
    if (first + thread_index() < end)
      add_sources<1>(first_sum - begin, source, first + thread_index(), end, ids, layout, step, check);
  } else {
    for (u32 index = first + thread_index(); index < end; index += 4 * block_size())
      add_sources<4>(first_sum - begin, source, index, end, ids, layout, step, check);
  }
  sync();
  for (u32 p = thread_index(); p < packs; p += block_size()) {
    store_pack(y + begin + before + p * W, convert_pack<T>(load_pack<W>(sums + (p + 1) * W)));
  }
  for (u32 k = thread_index(); k < held - packs * W; k += block_size()) {
    const u32 i = k < before ? k : k + packs * W;
    y[begin + i] = convert<T>(first_sum[i]);
  }
}

/// Loads elements `first`, … of a column's `count`, which are `inner` apart. Indices past the end are clamped to the last one, so that
/// no branch separates the loads; if `is_pack`, the elements are adjacent and none is past the end.
template <class T>
KG_DEVICE Pack<T, scatter_in_flight> load_column(const T* column, u32 first, u32 count, u32 inner,
                                                 bool is_pack) {
  if (is_pack) return load_pack_overreading<scatter_in_flight>(column + first);
  Pack<T, scatter_in_flight> pack{};
  KG_UNROLL for (int k = 0; k < int{scatter_in_flight}; ++k)
      pack.set(k, column[clamp_index(first + k, count) * inner]);
  return pack;
}

/// ScatterBlockForm::columns. A thread holds the sums of a column and adds its sources in their order, without atomics. Sums of
/// adjacent threads are adjacent. `layout` has three dims, innermost first: all after the indexed dim, merged; the indexed one; all
/// before it, merged. x, y and sources are contiguous; only the strides of ids are read.
template <class T, class Sum>
KG_DEVICE void scatter_add_columns(Sum* sums, const T* x, T* y, const T* source, const Ids& ids,
                                   const Strided<3>& layout, const IndexCheck& check) {
  constexpr u32 in_flight = scatter_in_flight, ids_in_flight = 4;
  // Columns are shorter than this: no type's padding is in range either.
  constexpr u8 none = Limits<u8>::highest;
  const u32 inner = layout.dim[0].extent, count = layout.dim[1].extent, size = static_cast<u32>(check.size);
  const u32 most = scatter_block_columns(block_size(), inner),
            apart = block_size() + scatter_padding(inner, size);
  const u32 begin = block_index() * most, left = inner * layout.dim[2].extent - begin,
            held = left < most ? left : most;
  const bool are_stored_by_line = inner < scatter_adjacent;
  if (thread_index() < held) {
    const u32 column = begin + thread_index(), line = divide(column, layout.dim[0]),
              c = column - line * inner;
    const u32 first = line * size * inner + c, first_source = line * count * inner + c;
    Sum* const mine = sums + thread_index();
    // The last pack of a column starts before the end of the one before it.
    const bool are_positions_packed = inner == 1 && size >= in_flight;
    KG_NO_UNROLL for (u32 p = 0; p < size; p += in_flight) {
      const u32 from = are_positions_packed && p > size - in_flight ? size - in_flight : p;
      const auto value = load_column(x + first, from, size, inner, are_positions_packed);
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) mine[clamp_index(from + k, size) * apart] =
          convert<Sum>(value.get(k));
    }
    const bool are_sources_packed = inner == 1 && count >= in_flight;
    const i64 first_id = c * layout.stride[2][0] + line * layout.stride[2][2], id_step = layout.stride[2][1];
    KG_NO_UNROLL for (u32 j = 0; j < count; j += in_flight) {
      const u32 from = are_sources_packed && j > count - in_flight ? count - in_flight : j;
      Pack<u8, in_flight> positions{};
      KG_UNROLL for (u32 h = 0; h < in_flight; h += ids_in_flight) ids.typed([&](auto typed) KG_INLINE {
        KG_UNROLL for (u32 k = h; k < h + ids_in_flight; ++k) {
          const i64 id = static_cast<i64>(typed[first_id + clamp_index(from + k, count) * id_step]);
          positions.set(k, static_cast<u64>(id) < size ? static_cast<u8>(id) : none);
        }
      });
      // Not before the ids: then registers would not suffice to keep all loads of these in flight.
      const auto value = load_column(source + first_source, from, count, inner, are_sources_packed);
      bool are_indices = true;
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        const u8 position = positions.get(k);
        are_indices &= position != none;
        // Adding -0 changes nothing; without branches, loads and conversions overlap.
        const bool is_added = position != none && from + k - j < count - j;  // not before j, nor past the end
        Sum& sum = mine[is_added ? position * apart : 0];
        sum = add(sum, is_added ? convert<Sum>(value.get(k)) : -Sum{});
      }
      // Only for invalid ids: reports need more code and registers, so the ids are read again in a loop of their own.
      if (!are_indices)
        KG_NO_UNROLL for (u32 k = j; k < count && k < j + in_flight; ++k)
            check.resolve(ids[first_id + k * id_step], [&] { return u64{first_source} + k * inner; });
    }
    if (!are_stored_by_line)
      KG_NO_UNROLL for (u32 p = 0; p < size; ++p) y[first + p * inner] = convert<T>(mine[p * apart]);
  }
  if (!are_stored_by_line) return;
  sync();
  const u32 line_elements = size * inner, lines_on = block_size() / line_elements,
            elements_on = block_size() - lines_on * line_elements;
  u32 line = thread_index() / line_elements, at = thread_index() - line * line_elements;
  T* const stored = y + begin * size;
  for (u32 i = thread_index(); i < held * size; i += block_size()) {
    const u32 p = divide(at, layout.dim[0]);
    stored[i] = convert<T>(sums[line * inner + at + p * (apart - inner)]);
    line += lines_on;
    at += elements_on;
    if (at < line_elements) continue;
    at -= line_elements;
    ++line;
  }
}

/// The pack at p, of which elements `begin` to `end` are wanted; the others are -0, which changes no sum.
template <u32 W, class Sum, class T>
KG_DEVICE Pack<T, W> load_some(const T* p, u32 begin, u32 end) {
  if (end - begin == W) return load_pack_overreading<W>(p);
  Pack<T, W> pack{};
  KG_UNROLL for (u32 e = 0; e < W; ++e) {
    const u32 there = e < begin ? begin : clamp_index(e, end);
    pack.set(static_cast<int>(e), there == e ? p[there] : convert<T>(-Sum{}));
  }
  return pack;
}

/// ScatterBlockForm::rows. `layout` has two dims: the elements of a row and the positions. A thread computes an aligned pack of y,
/// in which a row may end and the next one begin. `lists` are those of ScatterStep::link, `count` is the number of indices.
template <class T, class Sum>
KG_DEVICE void scatter_add_rows(const T* x, T* y, u32 elements, const T* source, const u32* lists, u32 count,
                                const Strided<3>& layout) {
  constexpr u32 W = scatter_row_pack;
  const u32 inner = layout.dim[0].extent, size = layout.dim[1].extent;
  const u32* const before = lists + size;
  const u32 skew = static_cast<u32>(reinterpret_cast<u64>(y) / sizeof(T) % W);  // of the first pack
  const u32 packs = (elements + skew + W - 1) / W, threads = static_cast<u32>(grid_threads());
  KG_NO_UNROLL for (u32 pack = block_index() * block_size() + thread_index(); pack < packs; pack += threads) {
    // Wanted elements of the pack, whose element 0 is y[first]: none before y, nor after its end.
    const i32 first = static_cast<i32>(pack * W - skew);
    const u32 begin = pack == 0 ? skew : 0, left = elements - static_cast<u32>(first),
              end = left < W ? left : W;
    auto sum = convert_pack<Sum>(load_some<W, Sum>(x + first, begin, end));
    u32 row = divide(static_cast<u32>(first) + begin, layout.dim[0]), from = begin;
    KG_NO_UNROLL while (from < end) {
      const i32 row_begin = static_cast<i32>(row * inner);
      const u32 rest = static_cast<u32>(row_begin - first) + inner, to = rest < end ? rest : end;
      const u32 line = divide(row, layout.dim[1]);
      KG_NO_UNROLL for (u32 next = lists[row - line * size]; next != 0; next = before[next - 1]) {
        const T* const source_row = source + (line * count + next - 1) * inner;
        sum = pack_by_loop<Sum, W, loop_width<W, T>()>(
            [](int e, const auto& all, const auto& one)
                KG_INLINE { return add(all.get(e), convert<Sum>(one.get(e))); },
            sum, load_some<W, Sum>(source_row + (first - row_begin), from, to));
      }
      from = to;
      ++row;
    }
    const auto result = convert_pack<T>(sum);
    if (end - begin == W)
      store_pack(y + first, result);
    else
      KG_UNROLL for (u32 e = 0; e < W; ++e) if (e >= begin && e < end) y[first + e] = result.get(e);
  }
}

/// ScatterBlockForm::hash_table. One block adds few sources to y. Nothing is written to y before all sources are added.
template <class T, class Sum>
KG_DEVICE void scatter_add_few(Sum* sums, T* y, u32 slots, const T* source, const Ids& ids,
                               const Strided<3>& layout, i64 step, const IndexCheck& check) {
  const ScatterHashTable<Sum> table{reinterpret_cast<ScatterSlot<Sum>*>(sums), slots};
  for (u32 i = thread_index(); i < slots; i += block_size())
    table.slots[i] = bit_cast<ScatterSlot<Sum>>(scatter_empty_slot);
  sync();
  for (u32 index = thread_index(); index < layout.elements; index += block_size()) {
    const Position<3> at = locate(layout, index);
    const Sum value = convert<Sum>(source[at.offset[1]]);
    const i64 selected = check.resolve(ids[at.offset[2]], [&] { return u64{index}; });
    if (selected < 0) continue;
    const u32 position = static_cast<u32>(at.offset[0] + selected * step);
    table.add_source(position, value, convert<Sum>(y[position]));
  }
  sync();
  for (u32 i = thread_index(); i < slots; i += block_size()) {
    const ScatterSlot<Sum> slot = table.slots[i];
    if (slot.key != 0) y[slot.key - 1] = convert<T>(slot.sum);
  }
}

}  // namespace detail

/// y = x plus the sources that indices add to each position. x and y have the same `elements` contiguous elements and may
/// alias; ScatterBlockForm::hash_table does not read x, whose elements y has already. `form` is a ScatterBlockForm; `positions` and
/// `sources` are per block for `lines`, and `positions` is the number of slots for `hash_table`. `layout` has the strides of y (0
/// along the indexed dim), of the source and of ids; `step` is y's stride along the indexed dim. `rows` takes lists as ids, and as `sources`
/// the number of indices.
template <class T>
KG_DEVICE void scatter_add_block(const T* x, T* y, u32 elements, u32 form, u32 positions, u32 sources,
                                 const T* source, const void* ids, u32 id_type, const Strided<3>& layout,
                                 i64 step, const IndexCheck& check) {
  using Sum = sum_of<T>;
  alignas(16) KG_SHARED Sum sums[scatter_block_sums];
  const Ids typed(ids, id_type);
  switch (static_cast<ScatterBlockForm>(form)) {
    case ScatterBlockForm::lines:
      return detail::scatter_add_lines(sums, x, y, elements, positions, source, sources, typed, layout, step,
                                       check);
    case ScatterBlockForm::columns:
      return detail::scatter_add_columns(sums, x, y, source, typed, layout, check);
    case ScatterBlockForm::rows:
      return detail::scatter_add_rows<T, Sum>(x, y, elements, source, static_cast<const u32*>(ids), sources,
                                              layout);
    case ScatterBlockForm::hash_table:
      return detail::scatter_add_few(sums, y, positions, source, typed, layout, step, check);
  }
}

}  // namespace kg
