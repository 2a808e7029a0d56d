#pragma once
#include "device/atomic.hpp"
#include "plan/id_type.hpp"
#include "plan/index_fault.hpp"

namespace kg {

/// Records an out-of-range index unless an earlier one is recorded.
KG_DEVICE void report(IndexFault* fault, const IndexFault& mine) {
  const auto is_first = [&] {
    const u64 call = atomic_load(&fault->call);
    fence();
    return call == 0 || call > mine.call ||
           (call == mine.call && atomic_load(&fault->position) > mine.position);
  };
  // Lanes of a wave may run in lockstep: a lane that spins on another's lock would never end. So each lane
  // acquires and releases the lock in a single iteration.
  while (is_first()) {
    if (atomic_exchange(&fault->lock, 1u) != 0) continue;
    fence();
    if (is_first()) {
      atomic_store(&fault->position, mine.position);
      atomic_store(&fault->value, mine.value);
      atomic_store(&fault->size, mine.size);
      atomic_store(&fault->operation, mine.operation);
      // Readers check the call first, so it is stored last.
      fence();
      atomic_store(&fault->call, mine.call);
    }
    fence();
    atomic_store(&fault->lock, 0u);
  }
}

/// The index as i64. The largest value of its type becomes the largest i64.
template <class Id>
KG_DEVICE i64 widen_index(Id id) {
  return id == Limits<Id>::highest ? Limits<i64>::highest : static_cast<i64>(id);
}

/// Calls f with `ids` as a pointer to elements of the type.
template <class F>
KG_DEVICE auto with_id_type(const void* ids, IdType type, F f) {
  switch (type) {
    case IdType::u8:
      return f(static_cast<const u8*>(ids));
    case IdType::u32:
      return f(static_cast<const u32*>(ids));
    case IdType::i16:
      return f(static_cast<const i16*>(ids));
    case IdType::i32:
      return f(static_cast<const i32*>(ids));
    default:
      return f(static_cast<const i64*>(ids));
  }
}

/// Index i of `ids`, widened.
KG_DEVICE i64 load_index(const void* ids, IdType type, u64 i) {
  return with_id_type(ids, type, [=](auto address) KG_INLINE { return widen_index(address[i]); });
}

/// Indices of a type that is an argument of the kernel.
struct Ids {
  const void* ids;
  IdType type;
  i64 first;

  KG_DEVICE Ids(const void* ids, u32 id_type, i64 first = 0)
      : ids(ids), type(static_cast<IdType>(id_type)), first(first) {}
  KG_DEVICE Ids operator+(i64 n) const { return Ids(ids, static_cast<u32>(type), first + n); }
  KG_DEVICE i64 operator[](i64 i) const { return load_index(ids, type, static_cast<u64>(first + i)); }
  /// Calls f with a typed pointer to the first index: one branch for several loads.
  template <class F>
  KG_DEVICE void typed(F f) const {
    with_id_type(ids, type, [&](auto address) KG_INLINE { f(address + first); });
  }
  /// Calls f with the indices, as something that has [] and +: on a GPU this object, because a branch per load takes less time
  /// than the load; on a CPU a typed pointer, because loops over indices vectorize for one type only.
  template <class F>
  KG_DEVICE void visit(F f) const {
    if constexpr (is_gpu)
      f(*this);
    else
      typed(f);
  }
};

/// The valid range of indices, and how invalid ones are reported. A kernel counts elements; `inner`
/// consecutive elements share an index, and ids has `count` indices.
struct IndexCheck {
  /// resolve()'s result for elements without a valid index.
  static constexpr i64 none = -1;

  IndexFault* fault;
  u64 call, operation, size, inner, count;

  KG_DEVICE IndexCheck(b64* fault, u64 call, u64 operation, u64 size, u64 inner, u64 count)
      : fault(reinterpret_cast<IndexFault*>(fault)),
        call(call),
        operation(operation),
        size(size),
        inner(inner),
        count(count) {}

  /// The position that the index of element `element()` selects. Returns `none` for the type's largest value,
  /// which is legal padding, and for out-of-range indices, which are reported.
  template <class Id, class Element>
  KG_DEVICE i64 resolve(Id id, Element element) const {
    const i64 index = static_cast<i64>(id);
    if (id == Limits<Id>::highest) return none;
    if (static_cast<u64>(index) < size) return index;
    report(fault, {0, 0, call, element() / inner % count, index, size, operation});
    return none;
  }

  template <class Id>
  KG_DEVICE bool is_index(Id id) const {
    return id != Limits<Id>::highest && static_cast<u64>(static_cast<i64>(id)) < size;
  }

  /// Whether all n indices, `step` apart, are in range, so that none needs resolve().
  template <class Some>
  KG_DEVICE bool are_indices(Some ids, i64 step, u64 n) const {
    u32 others = 0;
    if (step == 1)
      for (u64 i = 0; i < n; ++i) others |= !is_index(ids[i]);
    else
      for (u64 i = 0; i < n; ++i) others |= !is_index(ids[static_cast<i64>(i) * step]);
    return others == 0;
  }
};

}  // namespace kg
