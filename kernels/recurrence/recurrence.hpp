#pragma once
/// Recurrences that are linear in a matrix of states: RWKV, Mamba, gated linear attention, gated delta networks. Each row of
/// a state is held in registers by a group of threads (on a CPU, on the stack of one) over all tokens of its sequence.
#include "device/group.hpp"
#include "device/math.hpp"
#include "plan/recurrence.hpp"
#if KG_GPU
#include "device/args_in_lds.hpp"
#endif

namespace kg {
namespace detail {

/// A row of a state.
struct StateRow {
  static constexpr u32 held = is_gpu ? recurrence_each : recurrence_widest;
  /// Independent partial sums: on a CPU, a vector of them.
  static constexpr u32 lanes = is_gpu ? 1 : 16;

  const Group& group;
  u32 width;
  f32 value[held];

  /// Calls f(element, its index, lane of the partial sum) for the elements that this thread holds.
  template <class F>
  KG_DEVICE void each(const F& f) {
    if constexpr (is_gpu) {
      const u32 end = uniform_optimization_barrier(width);  // masks are computed again, not held in registers
      KG_UNROLL for (u32 e = 0; e < held; ++e) {
        const u32 i = e * group.size + group.rank;
        if (i < end) f(value[e], i, 0);
      }
    } else {
      u32 i = 0;
      for (; i + lanes <= width; i += lanes)
        for (u32 l = 0; l < lanes; ++l) f(value[i + l], i + l, l);
      for (u32 l = 0; i < width; ++i, ++l) f(value[i], i, l);
    }
  }

  /// The sum over the row of what f(element, its index) gives for each.
  template <class F>
  KG_DEVICE f32 sum(const F& f) {
    f32 part[lanes] = {};
    each([&](f32& s, u32 i, u32 l) KG_INLINE { part[l] += f(s, i); });
    for (u32 half = lanes / 2; half > 0; half /= 2)
      for (u32 l = 0; l < half; ++l) part[l] += part[l + half];
    return group_reduce(group, part[0], [](f32 a, f32 b) KG_INLINE { return a + b; });
  }
};

/// A pointer that is needed once a row. AMD GPUs keep it in vector registers.
#if KG_GPU
template <class T>
using RowsPointer = UniformPointer<T>;
#else
template <class T>
class RowsPointer {
 public:
  explicit RowsPointer(T* p) : at_(p) {}
  T* get() const { return at_; }

 private:
  T* at_;
};
#endif

}  // namespace detail

/// Vectors of numbers, one for each token and head; `step` is 1, or 0 if all elements of a vector are one number.
struct TokenVectors {
  const f32* data;
  i64 token, head;
  u32 step;

  KG_DEVICE TokenVectors(const f32* first, i64 between_tokens, i64 between_heads, u32 between_elements)
      : data(first), token(between_tokens), head(between_heads), step(between_elements) {}
  /// The vector of a token and head; null if there are none.
  KG_DEVICE TokenVectors at(u64 t, u64 h) const {
    return TokenVectors(
        data == nullptr ? data : data + (static_cast<i64>(t) * token + static_cast<i64>(h) * head), 0, 0,
        step);
  }
  KG_DEVICE f32 operator[](u32 i) const { return data[i * step]; }
};

/// Token by token, for each sequence and head, with the state S [rows, width]:
///   y = scale · S' q, S = S · diag(decay) + (S a) bᵀ + v kᵀ,
/// where S' is the new S, or with a bonus S + v (bonus · k)ᵀ of the old one; decay is exp(decay · rates) if there are rates.
/// Without a there is no term with b; instead, if b is given, v becomes b · (v - S k) of the decayed S. `before` has the states before
/// the first token; it may be `state`. y is [sequences · tokens, heads, rows], the states are [sequences, heads, rows, width].
KG_DEVICE void linear_recurrence(const TokenVectors& q, const TokenVectors& k, const TokenVectors& v,
                                 const TokenVectors& decay, const TokenVectors& a, const TokenVectors& b,
                                 const f32* rates, u32 rate_step, const f32* bonus, const f32* before,
                                 f32* state, f32* y, u32 sequences, u32 tokens, u32 heads, u32 rows,
                                 u32 width, f32 scale, u32 threads) {
  const Group group(threads);
  const detail::RowsPointer<const f32> from(before);
  const detail::RowsPointer<f32> to(state), results(y);
  const u64 all = static_cast<u64>(sequences) * heads * rows;
  const u64 step = static_cast<u64>(grid_size()) * group.count;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < all; first += step) {
    const bool mine = group.index < group.count && first + group.index < all;
    const u64 index = mine ? first + group.index : all - 1;  // idle threads compute too, and store nothing
    const u64 matrix = index / rows, sequence = matrix / heads, head = matrix - sequence * heads;
    const u32 row = static_cast<u32>(index - matrix * rows);
    const f32* const rate = rates + head * (rate_step == 0 ? 1 : width);
    const f32* const extra = bonus + head * width;
    const bool is_uniform = decay.step == 0 && rate_step == 0;
    f32* const kept = to.get() + index * width;
    detail::StateRow s{group, width, {}};
    const f32* const initial = from.get() + index * width;
    s.each([&](f32& x, u32 i, u32) KG_INLINE { x = initial[i]; });
    for (u32 t = 0; t < tokens; ++t) {
      const u64 token = sequence * tokens + t;
      const TokenVectors qt = q.at(token, head), kt = k.at(token, head), dt = decay.at(token, head),
                         at = a.at(token, head), bt = b.at(token, head);
      f32 value = v.at(token, head)[row];
      f32 removed = 0, result = 0;
      if (at.data != nullptr) removed = s.sum([&](f32 x, u32 i) KG_INLINE { return x * at[i]; });
      if (bonus != nullptr)
        result = s.sum([&](f32 x, u32 i) KG_INLINE { return (x + extra[i] * kt[i] * value) * qt[i]; });
      if (dt.data != nullptr) {
        const auto factor = [&](u32 i) KG_INLINE {
          return rates == nullptr ? dt[i] : exp(dt[i] * rate[i * rate_step]);
        };
        const f32 one = is_uniform ? factor(0) : 0;
        s.each([&](f32& x, u32 i, u32) KG_INLINE { x *= is_uniform ? one : factor(i); });
      }
      if (at.data != nullptr) s.each([&](f32& x, u32 i, u32) KG_INLINE { x += removed * bt[i]; });
      if (at.data == nullptr && bt.data != nullptr)
        value = bt[0] * (value - s.sum([&](f32 x, u32 i) KG_INLINE { return x * kt[i]; }));
      s.each([&](f32& x, u32 i, u32) KG_INLINE { x += value * kt[i]; });
      if (bonus == nullptr) result = s.sum([&](f32 x, u32 i) KG_INLINE { return x * qt[i]; });
      if (mine && group.rank == 0) results.get()[(token * heads + head) * rows + row] = scale * result;
    }
    if (mine) s.each([&](f32& x, u32 i, u32) KG_INLINE { kept[i] = x; });
  }
}

}  // namespace kg
