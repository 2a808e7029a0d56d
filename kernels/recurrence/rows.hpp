#pragma once
/// Recurrences row by row: each row of a state is held in registers by a group of threads (on a CPU, on the stack of one)
/// over all tokens of its sequence.
#include "device/group.hpp"
#include "device/math.hpp"
#include "recurrence/operands.hpp"
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

/// Vectors of a head, one for each token.
struct HeadVectors {
  const f32* data;
  i64 token;

  KG_DEVICE HeadVectors(const f32* first, const RecurrenceVectors& of, u32 head)
      : data(first == nullptr ? first : first + head_offset(of, head)), token(of.token) {}
  /// Null if there are none.
  KG_DEVICE const f32* at(u64 t) const { return data == nullptr ? data : data + static_cast<i64>(t) * token; }
};

}  // namespace detail

KG_DEVICE void linear_recurrence_rows(const RecurrenceOperands& given) {
#if KG_GPU
  KG_SHARED ArgsInLds<RecurrenceOperands> shared_args;
  store_args(shared_args, given);
#endif
  const Group group(given.shape.group);
  const u64 all = static_cast<u64>(given.shape.sequences) * given.shape.heads * given.shape.rows;
  const u64 step = static_cast<u64>(grid_size()) * group.count;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < all; first += step) {
#if KG_GPU
    const RecurrenceOperands in = load_args_per_thread(shared_args, given);
#else
    const RecurrenceOperands& in = given;
#endif
    const RecurrenceShape& shape = in.shape;
    const u32 tokens = shape.tokens, heads = shape.heads, rows = shape.rows, width = shape.width;
    const detail::RowsPointer<f32> results(in.y);
    const bool mine = group.index < group.count && first + group.index < all;
    const u64 index = mine ? first + group.index : all - 1;  // idle threads compute too, and store nothing
    const u64 matrix = index / rows, sequence = matrix / heads;
    const u32 head = static_cast<u32>(matrix - sequence * heads),
              row = static_cast<u32>(index - matrix * rows);
    const f32* const rate = in.rates + static_cast<u64>(head) * (shape.rate_step == 0 ? 1 : width);
    const f32* const extra = in.bonus + static_cast<u64>(head) * width;
    const bool is_uniform = shape.decay.step == 0 && shape.rate_step == 0;
    const detail::HeadVectors q(in.q, shape.q, head), k(in.k, shape.k, head), v(in.v, shape.v, head),
        decay(in.decay, shape.decay, head), a(in.a, shape.a, head), b(in.b, shape.b, head);
    const i64 at_row = static_cast<i64>(row) * shape.row_step;
    f32* const kept = in.state + (static_cast<i64>(matrix * rows * width) + at_row);
    const i64 between = shape.element_step;
    detail::StateRow s{group, given.shape.width, {}};  // in a scalar register
    const f32* initial = in.states_before(static_cast<u32>(sequence));
    if (initial == nullptr)
      s.each([&](f32& x, u32, u32) KG_INLINE { x = 0; });
    else {
      initial += static_cast<i64>(static_cast<u64>(head) * rows * width) + at_row;
      if (between == 1)
        s.each([&](f32& x, u32 i, u32) KG_INLINE { x = initial[i]; });
      else
        s.each([&](f32& x, u32 i, u32) KG_INLINE { x = initial[i * between]; });
    }
    for (u32 t = 0; t < tokens; ++t) {
      const u64 token = sequence * tokens + t;
      const f32 *const qt = q.at(token), *const kt = k.at(token), *const dt = decay.at(token),
                       *const at = a.at(token), *const bt = b.at(token);
      f32 value = v.at(token)[row];
      f32 removed = 0, result = 0, one = 0;
      if (dt != nullptr && shape.decay.step == 0) {
        one = dt[0];
        if (shape.discretize != 0) {
          one = softplus(one);
          value *= one;
        }
      }
      if (at != nullptr) removed = s.sum([&](f32 x, u32 i) KG_INLINE { return x * at[i]; });
      if (in.bonus != nullptr)
        result = s.sum([&](f32 x, u32 i) KG_INLINE { return (x + extra[i] * kt[i] * value) * qt[i]; });
      if (dt != nullptr) {
        if (is_uniform) {
          const f32 factor = in.rates == nullptr ? one : exp(one * rate[0]);
          s.each([&](f32& x, u32, u32) KG_INLINE { x *= factor; });
        } else if (in.rates == nullptr && shape.decay.step != 0) {
          s.each([&](f32& x, u32 i, u32) KG_INLINE { x *= dt[i]; });
        } else {
          const u32 rate_step = shape.rate_step, decay_step = shape.decay.step;
          s.each([&](f32& x, u32 i, u32)
                     KG_INLINE { x *= exp((decay_step == 0 ? one : dt[i]) * rate[i * rate_step]); });
        }
      }
      if (at != nullptr) s.each([&](f32& x, u32 i, u32) KG_INLINE { x += removed * bt[i]; });
      if (at == nullptr && bt != nullptr)
        value = bt[0] * (value - s.sum([&](f32 x, u32 i) KG_INLINE { return x * kt[i]; }));
      s.each([&](f32& x, u32 i, u32) KG_INLINE { x += value * kt[i]; });
      if (in.bonus == nullptr) result = s.sum([&](f32 x, u32 i) KG_INLINE { return x * qt[i]; });
      if (mine && group.rank == 0) results.get()[(token * heads + head) * rows + row] = shape.scale * result;
    }
    if (mine && between == 1)
      s.each([&](f32& x, u32 i, u32) KG_INLINE { kept[i] = x; });
    else if (mine)
      s.each([&](f32& x, u32 i, u32) KG_INLINE { kept[i * between] = x; });
  }
}

}  // namespace kg
