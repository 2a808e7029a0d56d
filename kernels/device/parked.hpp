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

/// A number that is the same for all threads of a block, where scalar registers are few in a register of each thread's own.
class Everyones {
 public:
  KG_DEVICE Everyones(u32 x) : word_(native::arguments_are_parked ? in_one_piece(x) : x) {}
  KG_DEVICE operator u32() const { return native::arguments_are_parked ? native::first_lane(word_) : word_; }

 private:
  u32 word_;
};

/// The same of 64 bits.
class WideEveryones {
 public:
  KG_DEVICE WideEveryones(u64 x) : low_(static_cast<u32>(x)), high_(static_cast<u32>(x >> 32)) {}
  KG_DEVICE operator u64() const { return static_cast<u64>(high_) << 32 | low_; }

 private:
  Everyones low_, high_;
};

}  // namespace kg
