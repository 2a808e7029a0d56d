#pragma once
/// A kernel's arguments, put aside. Where many would fill the scalar registers of all of the kernel, each step of its work
/// reads them again.
#include "device/group.hpp"

namespace kg {

/// The place in shared memory.
template <class X>
using Parked = detail::Words<X>;

/// All threads of a block, of one dim, call this.
template <class X>
KG_DEVICE void park(Parked<X>& place, const X& x) {
  if constexpr (native::arguments_are_parked) {
    if (thread_index() == 0) place = bit_cast<Parked<X>>(x);
    sync();
  }
}

/// x, as it was parked.
template <class X>
KG_DEVICE X unpark(const Parked<X>& place, const X& x) {
  if constexpr (native::arguments_are_parked) {
    Parked<X> words;
    KG_UNROLL for (u32 i = 0; i < sizeof(X) / sizeof(u32); ++i) words.word[i] =
        native::first_lane(place.word[i]);
    return bit_cast<X>(words);
  }
  return x;
}

/// The same where registers of each thread's own are plenty.
template <class X>
KG_DEVICE X unpark_for_thread(const Parked<X>& place, const X& x) {
  return native::arguments_are_parked ? bit_cast<X>(place) : x;
}

}  // namespace kg
