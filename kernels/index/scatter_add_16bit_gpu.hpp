#pragma once
/// Scatter-add of 8- and 16-bit elements on GPUs in one launch, with the sums in shared memory: see ScatterBlockForm.
#include "device/atomic.hpp"
#include "engines/index_check.hpp"
#include "engines/position.hpp"
#include "plan/scatter.hpp"

namespace kg {
namespace detail {

/// ScatterBlockForm::lines. Block b holds the sums of elements b · places, … of y and adds sources b · sources, …, which
/// are those of the same lines. `layout` has the strides of y (0 along the indexed dim, where `step` applies), of the
/// source and of ids.
template <class T, class Sum>
KG_DEVICE void scatter_add_lines(Sum* sums, const T* x, T* y, u32 elements, u32 places, const T* source,
                                 u32 sources, const Ids& ids, const Strided<3>& layout, i64 step,
                                 const IndexCheck& check) {
  const u32 begin = block_index() * places, left = elements - begin, held = left < places ? left : places;
  for (u32 i = thread_index(); i < held; i += block_size()) sums[i] = convert<Sum>(x[begin + i]);
  sync();
  const u32 first = block_index() * sources;
  const u32 end = layout.elements - first < sources ? layout.elements : first + sources;
  for (u32 index = first + thread_index(); index < end; index += block_size()) {
    const Position<3> at = locate(layout, index);
    const Sum value = convert<Sum>(source[at.offset[1]]);
    const i64 place = check.resolve(ids[at.offset[2]], [&] { return u64{index}; });
    if (place >= 0) atomic_add(sums + (at.offset[0] + place * step - begin), value);
  }
  sync();
  for (u32 i = thread_index(); i < held; i += block_size()) y[begin + i] = convert<T>(sums[i]);
}

KG_DEVICE u32 clamp_index(u32 i, u32 count) { return i < count ? i : count - 1; }

/// ScatterBlockForm::columns. A thread holds the sums of a column and adds its sources in their order, without atomics. Sums of
/// adjacent threads are adjacent. `layout` has three dims, innermost first: all after the indexed dim, merged; the indexed one; all
/// before it, merged. x, y and sources are contiguous; only the strides of ids are read.
template <class T, class Sum>
KG_DEVICE void scatter_add_columns(Sum* sums, const T* x, T* y, const T* source, const Ids& ids,
                                   const Strided<3>& layout, const IndexCheck& check) {
  constexpr u32 in_flight = scatter_in_flight, ids_in_flight = 4, none = Limits<u32>::highest;
  const u32 apart = block_size(), inner = layout.dim[0].extent, count = layout.dim[1].extent;
  const u32 size = static_cast<u32>(check.size), columns = inner * layout.dim[2].extent;
  Sum* const mine = sums + thread_index();
  for (u32 column = block_index() * apart + thread_index(); column < columns; column += grid_size() * apart) {
    const u32 line = divide(column, layout.dim[0]), c = column - line * inner;
    const u32 first = line * size * inner + c;
    // Indices past the end are clamped to the last one, so that no branch separates the loads.
    KG_NO_UNROLL for (u32 p = 0; p < size; p += in_flight) {
      T value[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) value[k] = x[first + clamp_index(p + k, size) * inner];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) mine[clamp_index(p + k, size) * apart] =
          convert<Sum>(value[k]);
    }
    const u32 first_source = line * count * inner + c;
    const i64 first_id = c * layout.stride[2][0] + line * layout.stride[2][2], id_step = layout.stride[2][1];
    KG_NO_UNROLL for (u32 j = 0; j < count; j += in_flight) {
      T value[in_flight];
      u32 place[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) value[k] =
          source[first_source + clamp_index(j + k, count) * inner];
      KG_UNROLL for (u32 h = 0; h < in_flight; h += ids_in_flight) ids.typed([&](auto typed) KG_INLINE {
        KG_UNROLL for (u32 k = h; k < h + ids_in_flight; ++k) {
          const auto id = typed[first_id + clamp_index(j + k, count) * id_step];
          place[k] = check.is_index(id) ? static_cast<u32>(id) : none;
        }
      });
      bool are_indices = true;
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        are_indices &= place[k] != none;
        if (place[k] != none && j + k < count)
          mine[place[k] * apart] = add(mine[place[k] * apart], convert<Sum>(value[k]));
      }
      // Only for invalid ids: reports need more code and registers, so the ids are read again in a loop of their own.
      if (!are_indices)
        KG_NO_UNROLL for (u32 k = j; k < count && k < j + in_flight; ++k)
            check.resolve(ids[first_id + k * id_step], [&] { return u64{first_source} + k * inner; });
    }
    KG_NO_UNROLL for (u32 p = 0; p < size; ++p) y[first + p * inner] = convert<T>(mine[p * apart]);
  }
}

/// ScatterBlockForm::hash_table. One block adds few sources to y through a hash table of their positions (open addressing, linear
/// probing). `slots` is a power of two greater than the number of sources. Nothing is written to y before all sources are added.
template <class T, class Sum>
KG_DEVICE void scatter_add_hash_table(Sum* sums, T* y, u32 slots, const T* source, const Ids& ids,
                                      const Strided<3>& layout, i64 step, const IndexCheck& check) {
  constexpr u32 empty = Limits<u32>::highest;
  u32* const positions = reinterpret_cast<u32*>(sums + slots);
  for (u32 i = thread_index(); i < slots; i += block_size()) {
    sums[i] = -Sum{};  // adding to +0 would lose the sign of -0
    positions[i] = empty;
  }
  sync();
  for (u32 index = thread_index(); index < layout.elements; index += block_size()) {
    const Position<3> at = locate(layout, index);
    const Sum value = convert<Sum>(source[at.offset[1]]);
    const i64 place = check.resolve(ids[at.offset[2]], [&] { return u64{index}; });
    if (place < 0) continue;
    const u32 position = static_cast<u32>(at.offset[0] + place * step);
    const Sum before = convert<Sum>(y[position]);  // in flight during the search
    u32 slot = position * 0x9e3779b9u >> 16 & (slots - 1), found;
    while ((found = native::atomic_compare_exchange(positions + slot, empty, position)) != empty &&
           found != position)
      slot = (slot + 1) & (slots - 1);
    atomic_add(sums + slot, found == empty ? add(before, value) : value);
  }
  sync();
  for (u32 i = thread_index(); i < slots; i += block_size())
    if (positions[i] != empty) y[positions[i]] = convert<T>(sums[i]);
}

}  // namespace detail

/// y = x plus the sources that indices add to each position. x and y have the same `elements` contiguous elements and may
/// alias; ScatterBlockForm::hash_table does not read x, whose elements y has already. `form` is a ScatterBlockForm; `places` and
/// `sources` are per block for `lines`, and `places` is the number of slots for `hash_table`. `layout` has the strides of y (0
/// along the indexed dim), of the source and of ids; `step` is y's stride along the indexed dim.
template <class T>
KG_DEVICE void scatter_add_block(const T* x, T* y, u32 elements, u32 form, u32 places, u32 sources,
                                 const T* source, const void* ids, u32 id_type, const Strided<3>& layout,
                                 i64 step, const IndexCheck& check) {
  using Sum = sum_of<T>;
  KG_SHARED Sum sums[scatter_block_sums];
  const Ids typed(ids, id_type);
  switch (static_cast<ScatterBlockForm>(form)) {
    case ScatterBlockForm::lines:
      return detail::scatter_add_lines(sums, x, y, elements, places, source, sources, typed, layout, step,
                                       check);
    case ScatterBlockForm::columns:
      return detail::scatter_add_columns(sums, x, y, source, typed, layout, check);
    case ScatterBlockForm::hash_table:
      return detail::scatter_add_hash_table(sums, y, places, source, typed, layout, step, check);
  }
}

}  // namespace kg
