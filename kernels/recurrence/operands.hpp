#pragma once
/// Operands of linear recurrences.
#include "elementwise/activation.hpp"
#include "engines/index_check.hpp"
#include "plan/recurrence.hpp"

namespace kg {

/// Token by token, for each sequence and head, with the state S [rows, width]:
///   y = scale · S' q, S = S · diag(decay) + (S a) bᵀ + v kᵀ,
/// where S' is the new S, or with a bonus S + v (bonus · k)ᵀ of the old one; decay is exp(decay · rates) if there are rates.
/// Without a there is no term with b; instead, if b is given, v becomes b · (v - S k) of the decayed S. `before` has the
/// states before the first token, one for each sequence or selected by `ids`; it may be `state`. y is
/// [sequences · tokens, heads, rows], the states are [sequences, heads, rows, width].
struct RecurrenceOperands {
  const f32 *q, *k, *v, *decay, *a, *b;
  const f32 *rates, *bonus;
  const void* ids;
  const f32* before;
  f32 *state, *y;
  b64* fault;
  u64 call, operation;
  RecurrenceShape shape;

  KG_DEVICE RecurrenceOperands(const f32* q, const f32* k, const f32* v, const f32* decay, const f32* a,
                               const f32* b, const f32* rates, const f32* bonus, const void* ids,
                               const f32* before, f32* state, f32* y, b64* fault, u64 call, u64 operation,
                               const RecurrenceShape& shape)
      : q(q),
        k(k),
        v(v),
        decay(decay),
        a(a),
        b(b),
        rates(rates),
        bonus(bonus),
        ids(ids),
        before(before),
        state(state),
        y(y),
        fault(fault),
        call(call),
        operation(operation),
        shape(shape) {}

  /// The states before the first token of a sequence; null for zeros.
  KG_DEVICE const f32* states_before(u32 sequence) const {
    const u64 size = static_cast<u64>(shape.heads) * shape.rows * shape.width;
    if (ids == nullptr) return before + sequence * size;
    const IndexCheck check(fault, call, operation, shape.states, 1, shape.sequences);
    const i64 position = check.resolve(load_index(ids, static_cast<IdType>(shape.id_type), sequence),
                                       [=] { return sequence; });
    return position < 0 ? nullptr : before + static_cast<u64>(position) * size;
  }
};

namespace detail {

/// Offset of a head's vectors.
KG_DEVICE i64 head_offset(const RecurrenceVectors& of, u32 head) {
  if (of.heads == 0) return static_cast<i64>(head) * of.head;
  const u32 part = head / of.heads;
  return static_cast<i64>(part) * of.group + static_cast<i64>(head - part * of.heads) * of.head;
}

}  // namespace detail

}  // namespace kg
