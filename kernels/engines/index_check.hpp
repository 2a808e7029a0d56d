#pragma once
#include "device/atomic.hpp"
#include "plan/id_type.hpp"
#include "plan/index_fault.hpp"

namespace kg {

/// Puts the index into the record unless an earlier one is there.
KG_DEVICE void report(IndexFault* fault, const IndexFault& mine) {
  const auto is_first = [&] {
    const u64 call = atomic_load(&fault->call);
    fence();
    return call == 0 || call > mine.call ||
           (call == mine.call && atomic_load(&fault->position) > mine.position);
  };
  // Lanes of a wave run in step: one that waited for another inside the loop would wait forever, so each takes
  // the lock and gives it back in one turn of it.
  while (is_first()) {
    if (atomic_exchange(&fault->lock, 1u) != 0) continue;
    fence();
    if (is_first()) {
      atomic_store(&fault->position, mine.position);
      atomic_store(&fault->value, mine.value);
      atomic_store(&fault->size, mine.size);
      atomic_store(&fault->operation, mine.operation);
      // The call is what others look at first.
      fence();
      atomic_store(&fault->call, mine.call);
    }
    fence();
    atomic_store(&fault->lock, 0u);
  }
}

/// An index as i64; its type's largest value as that of i64.
template <class Id>
KG_DEVICE i64 widen_index(Id id) {
  return id == Limits<Id>::highest ? Limits<i64>::highest : static_cast<i64>(id);
}

/// Index i of those at `ids`, widened. For kernels that read few: one for each type of ids would be five times the code.
KG_DEVICE i64 load_index(const void* ids, IdType type, u64 i) {
  switch (type) {
    case IdType::u8:
      return widen_index(static_cast<const u8*>(ids)[i]);
    case IdType::u32:
      return widen_index(static_cast<const u32*>(ids)[i]);
    case IdType::i16:
      return widen_index(static_cast<const i16*>(ids)[i]);
    case IdType::i32:
      return widen_index(static_cast<const i32*>(ids)[i]);
    default:
      return static_cast<const i64*>(ids)[i];
  }
}

/// Where an index may point, and how one that points elsewhere is reported. A kernel counts elements; of
/// these, `inner` neighbours share an index, and ids has `count` of them.
struct IndexCheck {
  /// What resolve() gives for no place.
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

  /// The place that the index of element `element()` points to; `none` for the type's largest value, which is
  /// meant, and for what else lies outside, which is reported.
  template <class Id, class Element>
  KG_DEVICE i64 resolve(Id id, Element element) const {
    const i64 place = static_cast<i64>(id);
    if (id == Limits<Id>::highest) return none;
    if (static_cast<u64>(place) < size) return place;
    report(fault, {0, 0, call, element() / inner % count, place, size, operation});
    return none;
  }

  template <class Id>
  KG_DEVICE bool is_place(Id id) const {
    return id != Limits<Id>::highest && static_cast<u64>(static_cast<i64>(id)) < size;
  }

  /// Whether each of n indices, `step` apart, is a place: then none has to be resolved.
  template <class Id>
  KG_DEVICE bool are_places(const Id* ids, i64 step, u64 n) const {
    u32 others = 0;
    if (step == 1)
      for (u64 i = 0; i < n; ++i) others |= !is_place(ids[i]);
    else
      for (u64 i = 0; i < n; ++i) others |= !is_place(ids[static_cast<i64>(i) * step]);
    return others == 0;
  }
};

}  // namespace kg
