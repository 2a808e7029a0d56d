#pragma once
/// Scatter-add of 8- and 16-bit elements, accumulated in 32 bits and rounded once: in one launch where a block or a
/// thread can hold the sums of a line, else in several steps at the positions that indices select.
#include "device/atomic.hpp"
#include "engines/index_check.hpp"
#include "engines/strided_elements.hpp"
#include "index/scatter_hash_table.hpp"
#include "plan/scatter.hpp"

namespace kg {
namespace detail {

template <class T>
struct SumOf {
  using type = f32;
};
template <>
struct SumOf<u8> {
  using type = u32;
};
template <>
struct SumOf<i16> {
  using type = i32;
};

/// For stores of the same value by several threads.
template <class T>
KG_DEVICE void store_alike(T* p, T value) {
  if constexpr (is_narrow_float<T>)
    atomic_store(&p->bits, value.bits);
  else
    atomic_store(p, value);
}

}  // namespace detail

/// The accumulator type of narrow elements.
template <class T>
using sum_of = typename detail::SumOf<T>::type;

/// One ScatterStep of y += source; one launch per step. `layout` has the strides of the sums, of `elements`
/// and of ids; along the dim the first two are 0, and `sum_step` and `element_step` apply instead. `elements`
/// is y or, where sources are added, the source, whose step is 0; of ScatterStep::add_single, `sums` is y, of ScatterStep::link
/// the lists. Of ScatterStep::add_hashed and add_slots, `sums` is the hash table, `element_step` its number of slots, and `sum_step` is of
/// y. The launch starts at element `first`.
template <class T>
KG_DEVICE void scatter_add_positions(void* sums, T* elements, const void* ids, u32 id_type, u32 step,
                                     const Strided<3>& layout, i64 sum_step, i64 element_step, u64 first,
                                     const IndexCheck& check) {
  using Sum = sum_of<T>;
  const detail::ScatterHashTable<Sum> table{static_cast<detail::ScatterSlot<Sum>*>(sums),
                                            static_cast<u32>(element_step)};
  if (static_cast<ScatterStep>(step) == ScatterStep::add_slots) {
    for_each_index(table.count, [&](u64 i) KG_INLINE {
      const detail::ScatterSlot<Sum> slot = table.slots[i];
      if (slot.key == 0) return;
      T& y = elements[slot.key - 1];
      y = convert<T>(add(convert<Sum>(y), slot.sum));
    });
    return;
  }
  for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
    const i64 id = load_index(ids, static_cast<IdType>(id_type), static_cast<u64>(at.offset[2]));
    const i64 position = check.resolve(id, [&] { return first + index; });
    if (position < 0) return;
    Sum* sum = static_cast<Sum*>(sums) + at.offset[0] + position * sum_step;
    T* element = elements + at.offset[1] + position * element_step;
    switch (static_cast<ScatterStep>(step)) {
      case ScatterStep::widen:
        detail::store_alike(sum, convert<Sum>(*element));
        break;
      case ScatterStep::add:
        atomic_add(sum, convert<Sum>(*element));
        break;
      case ScatterStep::narrow:
        detail::store_alike(element, convert<T>(*sum));
        break;
      case ScatterStep::add_single: {
        T& y = static_cast<T*>(sums)[at.offset[0] + position * sum_step];
        y = convert<T>(convert<Sum>(y) + convert<Sum>(*element));
        break;
      }
      case ScatterStep::link: {
        u32* const lists = static_cast<u32*>(sums);
        lists[check.size + index] = atomic_exchange(lists + position, index + 1);
        break;
      }
      default:
        table.add_source(static_cast<u32>(at.offset[0] + position * sum_step),
                         convert<Sum>(elements[at.offset[1]]));
    }
  });
}

}  // namespace kg

#if KG_GPU
#include "index/scatter_add_16bit_gpu.hpp"
#else
#include "index/scatter_add_16bit_cpu.hpp"
#endif
