#pragma once
/// Sums at indices of few narrow floats: one block has them in shared memory, in f32, and rounds each once.
#include "device/atomic.hpp"
#include "engines/elements.hpp"
#include "engines/index_check.hpp"
#include "plan/scatter.hpp"

namespace kg {

/// y = x and the sources that indices point to each place, added in any order. x and y have the same `places` contiguous
/// elements, and may be one. `layout` holds the strides of y, 0 along the dim, of the source and of ids. For a launch of
/// one block.
template <class T>
KG_DEVICE void scatter_add_block(const T* x, T* y, u32 places, const T* source, const void* ids, u32 id_type,
                                 const Strided<3>& layout, i64 step, const IndexCheck& check) {
  KG_SHARED f32 sums[scatter_block_places];
  for (u32 i = thread_index(); i < places; i += block_size()) sums[i] = widen(x[i]);
  sync();
  for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
    const i64 id = load_index(ids, static_cast<IdType>(id_type), static_cast<u64>(at.offset[2]));
    const i64 place = check.resolve(id, [&] { return u64{index}; });
    if (place >= 0) atomic_add(sums + at.offset[0] + place * step, widen(source[at.offset[1]]));
  });
  sync();
  for (u32 i = thread_index(); i < places; i += block_size()) y[i] = convert<T>(sums[i]);
}

}  // namespace kg
