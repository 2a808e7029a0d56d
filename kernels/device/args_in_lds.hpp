#pragma once
/// Kernel arguments kept in shared memory. On AMD GPUs (native::args_in_lds), where many arguments would occupy scalar
/// registers for the whole kernel, each iteration reloads them.
#include "device/group.hpp"

namespace kg {

/// The words of the arguments in shared memory.
template <class X>
using ArgsInLds = detail::Words<X>;

/// Stores x. All threads of a one-dimensional block must call this.
template <class X>
KG_DEVICE void store_args(ArgsInLds<X>& stored, const X& x) {
  if constexpr (native::args_in_lds) {
    if (thread_index() == 0) stored = bit_cast<ArgsInLds<X>>(x);
    sync();
  }
}

/// Loads x into scalar registers.
template <class X>
KG_DEVICE X load_args(const ArgsInLds<X>& stored, const X& x) {
  if constexpr (native::args_in_lds) {
    ArgsInLds<X> words;
    KG_UNROLL for (u32 i = 0; i < sizeof(X) / sizeof(u32); ++i) words.word[i] =
        native::first_lane(stored.word[i]);
    return bit_cast<X>(words);
  }
  return x;
}

/// Loads x into vector registers, for code that has plenty of them.
template <class X>
KG_DEVICE X load_args_per_thread(const ArgsInLds<X>& stored, const X& x) {
  return native::args_in_lds ? bit_cast<X>(stored) : x;
}

/// A value that is uniform across the block. Where scalar registers are scarce, it is kept in a vector
/// register.
class Uniform {
 public:
  KG_DEVICE Uniform(u32 x) : word_(native::args_in_lds ? keep_in_vector_register(x) : x) {}
  KG_DEVICE operator u32() const { return native::args_in_lds ? native::first_lane(word_) : word_; }

 private:
  u32 word_;
};

/// The 64-bit form of Uniform.
class Uniform64 {
 public:
  KG_DEVICE Uniform64(u64 x) : low_(static_cast<u32>(x)), high_(static_cast<u32>(x >> 32)) {}
  KG_DEVICE operator u64() const { return static_cast<u64>(high_) << 32 | low_; }

 private:
  Uniform low_, high_;
};

/// A pointer to global memory, kept like Uniform64.
template <class T>
class UniformPointer {
 public:
  KG_DEVICE explicit UniformPointer(T* p) : bits_(reinterpret_cast<u64>(p)) {}
  KG_DEVICE T* get() const {
    T* p = reinterpret_cast<T*>(static_cast<u64>(bits_));
    native::in_global_memory(p);
    return p;
  }

 private:
  Uniform64 bits_;
};

}  // namespace kg
