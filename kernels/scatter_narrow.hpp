#pragma once
/// Sums at indices of elements of 8 and 16 bits, made in 32 bits and rounded once: of few by one block, and of many step by
/// step, which reads and writes nothing but the places that indices point to.
#include "device/atomic.hpp"
#include "engines/elements.hpp"
#include "engines/index_check.hpp"
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

/// For what several threads may store at once, all of them the same.
template <class T>
KG_DEVICE void store_alike(T* p, T value) {
  if constexpr (is_narrow_float<T>)
    atomic_store(&p->bits, value.bits);
  else
    atomic_store(p, value);
}

}  // namespace detail

/// What sums of narrow elements are made in.
template <class T>
using sum_of = typename detail::SumOf<T>::type;

/// y = x and the sources that indices point to each place, added in any order. x and y have the same `places` contiguous
/// elements, and may be one. `layout` holds the strides of y, 0 along the dim, of the source and of ids. For a launch of
/// one block.
template <class T>
KG_DEVICE void scatter_add_block(const T* x, T* y, u32 places, const T* source, const void* ids, u32 id_type,
                                 const Strided<3>& layout, i64 step, const IndexCheck& check) {
  using Sum = sum_of<T>;
  KG_SHARED Sum sums[scatter_block_places];
  for (u32 i = thread_index(); i < places; i += block_size()) sums[i] = convert<Sum>(x[i]);
  sync();
  for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
    const i64 id = load_index(ids, static_cast<IdType>(id_type), static_cast<u64>(at.offset[2]));
    const i64 place = check.resolve(id, [&] { return u64{index}; });
    if (place >= 0) atomic_add(sums + at.offset[0] + place * step, convert<Sum>(source[at.offset[1]]));
  });
  sync();
  for (u32 i = thread_index(); i < places; i += block_size()) y[i] = convert<T>(sums[i]);
}

/// One ScatterStep of y += source, a launch each. `layout` holds the strides of the sums, of `elements` and of ids; along the dim
/// both others step by 0 there, and by their own step from place to place. `elements` are those of y, or, to add, of the source,
/// whose step is 0. Element `first` of the walk and those behind it are this launch's.
template <class T>
KG_DEVICE void scatter_add_places(void* sums, T* elements, const void* ids, u32 id_type, u32 step,
                                  const Strided<3>& layout, i64 sum_step, i64 element_step, u64 first,
                                  const IndexCheck& check) {
  using Sum = sum_of<T>;
  for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
    const i64 id = load_index(ids, static_cast<IdType>(id_type), static_cast<u64>(at.offset[2]));
    const i64 place = check.resolve(id, [&] { return first + index; });
    if (place < 0) return;
    Sum* sum = static_cast<Sum*>(sums) + at.offset[0] + place * sum_step;
    T* element = elements + at.offset[1] + place * element_step;
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
    }
  });
}

}  // namespace kg
