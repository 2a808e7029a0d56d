#pragma once
#include "engines/row_source.hpp"
#include "engines/store_row_cpu.hpp"

namespace kg::detail {

/// So short that it is held in a vector, all of which each step computes.
template <u32 capacity, class Source>
struct ShortRow {
  static constexpr bool is_read_again = false;
  using Value = typename Source::Value;
  using T = typename Source::Element;
  static constexpr int lanes = vector_lanes<T>();

  u32 n;
  const RunStores& stores;
  alignas(64) Value value[capacity] = {};

  KG_DEVICE ShortRow(const Source& source, u32 n, const RunStores& stores) : n(n), stores(stores) {
    for_each_masked<lanes>(0, n, [&](u64 i) KG_INLINE { value[i] = source.at(i); });
    if constexpr (Source::keeps)
      for_each_masked<lanes>(0, n, [&](u64 i) KG_INLINE { source.sum[i] = convert<T>(value[i]); });
  }

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    if constexpr (reduces_runs<R>)
      return R::of_run(Part{*this, n});
    else
      return reduce_mapped<R>(Unchanged{});
  }

  template <class Op>
  KG_DEVICE ShortRow& map(Op op) {
    for_each_masked<lanes>(0, capacity, [&](u64 i) KG_INLINE { value[i] = op(value[i]); });
    return *this;
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    const auto of = [&](u64 i) KG_INLINE { return convert<T>(op(value[i], widen(operands[i])...)); };
    if (stores.streamed)
      store_row(y, n, stores, of);
    else
      for_each_masked<lanes>(0, n, [&](u64 i) KG_INLINE { y[i] = of(i); });
  }

 private:
  /// As reductions of runs know it.
  struct Part {
    const ShortRow& row;
    u64 count;

    template <class R, class Map>
    KG_DEVICE typename R::State reduce(Map map) const {
      return row.template reduce_mapped<R>(map);
    }
  };

  template <class R, class Map>
  KG_DEVICE typename R::State reduce_mapped(Map map) const {
    using State = typename R::State;
    constexpr int width = vector_bytes / static_cast<int>(sizeof(State));
    alignas(64) State state[capacity];
    for_each_masked<width>(0, capacity, [&](u64 i) KG_INLINE {
      const State here = R::of(map(value[i]), 0);
      state[i] = i < n ? here : R::identity();
    });
    KG_UNROLL for (u32 half = capacity / 2; half > 0; half /= 2) {
      KG_UNROLL for (u32 i = 0; i < half; ++i) state[i] = R::combine(state[i], state[i + half]);
    }
    return state[0];
  }
};

}  // namespace kg::detail
