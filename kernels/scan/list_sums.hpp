#pragma once
#include "device/atomic.hpp"
#include "device/group.hpp"
#include "plan/scan.hpp"
#include "reduce/reduction.hpp"
#include "scan/running_sum.hpp"

namespace kg {

/// Sum in the scan's accumulator: integers of up to 32 bits are added in 32 bits.
template <class T>
struct PartSum : Sum<T> {
  using State = scan_accumulator<T>;
  static KG_DEVICE State identity() { return State(0); }
  static KG_DEVICE State of(T x, u32) { return term_of(x); }
};

/// The sums of a list's parts, in memory as soon as they are known, and after each scan_run parts the sum of all parts up to there. The
/// words are 0 before. Later parts wait for these sums, and add them in an order that depends on their number alone.
template <class A>
struct ListSums {
  u64* words;
  u32 parts;

  KG_DEVICE ListSums(b64* words, const Parts& cut, u64 list)
      : words(reinterpret_cast<u64*>(words) + list * scan_words(cut.parts, sizeof(A))), parts(cut.parts) {}

  /// Stores the sum of `part`, which all threads of the group have, and returns that of all parts before it.
  KG_DEVICE A exchange(const Group& group, u32 part, A sum) const {
    if (group.index == 0 && group.rank == 0) store(part, sum);
    const u32 run = part / scan_run, first = run * scan_run;
    A before = A(0);
    for (u32 p = first + group.rank; p < part; p += group.size) before = before + wait(p);
    before = group_reduce(group, before, [](A a, A b) KG_INLINE { return a + b; });
    if (run > 0) before = wait(parts + run - 1) + before;
    if (group.index == 0 && group.rank == 0 && part + 1 == first + scan_run) store(parts + run, before + sum);
    return before;
  }

 private:
  KG_DEVICE void store(u32 i, A sum) const {
    if constexpr (sizeof(A) == 4) {
      atomic_store(words + i, u64{1} << 32 | bit_cast<u32>(sum));
    } else {
      atomic_store(words + 2 * u64{i}, bit_cast<u64>(sum));
      fence();
      atomic_store(words + 2 * u64{i} + 1, u64{1});
    }
  }
  KG_DEVICE A wait(u32 i) const {
    if constexpr (sizeof(A) == 4) {
      u64 word;
      while ((word = atomic_load(words + i)) == 0) {
      }
      return bit_cast<A>(static_cast<u32>(word));
    } else {
      while (atomic_load(words + 2 * u64{i} + 1) == 0) {
      }
      fence();
      return bit_cast<A>(atomic_load(words + 2 * u64{i}));
    }
  }
};

}  // namespace kg
