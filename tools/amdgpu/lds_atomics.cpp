#include "atomic_ops.hpp"

// Atomics of LDS: the waves of a block run in one thread.
namespace kernelgen::amdgpu {
namespace {

/// Operands: with a result vdst, addr, data; else addr, data.
template <class T, auto Op, bool Returns>
void change(Wave& wave, const Instruction& in) {
  constexpr std::size_t first = Returns ? 1 : 0;
  const Addresses at = lds_addresses(wave, in.source[first], in.offset);
  for_lanes(wave.exec, [&](int lane) {
    void* const bytes = wave.lds(at[static_cast<std::size_t>(lane)], sizeof(T), lane);
    T old;
    std::memcpy(&old, bytes, sizeof old);
    const T result = Op(old, lane_value<T>(wave, in.source[first + 1].index, lane));
    std::memcpy(bytes, &result, sizeof result);
    if (Returns) set_lane_value(wave, in.source[0].index, lane, old);
  });
}

/// ds_cmpst: data0 is compared, data1 is the new value; gfx11's ds_cmpstore has them the other way round.
template <class T, bool Returns, bool ValueFirst>
void compare_and_store(Wave& wave, const Instruction& in) {
  constexpr std::size_t first = Returns ? 1 : 0;
  const Addresses at = lds_addresses(wave, in.source[first], in.offset);
  for_lanes(wave.exec, [&](int lane) {
    void* const bytes = wave.lds(at[static_cast<std::size_t>(lane)], sizeof(T), lane);
    T old;
    std::memcpy(&old, bytes, sizeof old);
    const T expected = lane_value<T>(wave, in.source[first + (ValueFirst ? 2 : 1)].index, lane);
    const T value = lane_value<T>(wave, in.source[first + (ValueFirst ? 1 : 2)].index, lane);
    if (old == expected) std::memcpy(bytes, &value, sizeof value);
    if (Returns) set_lane_value(wave, in.source[0].index, lane, old);
  });
}

}  // namespace

void add_lds_atomics(Opcodes& t) {
  const auto add_op = [&]<class T, auto Op>(Names names) {
    for (const std::string_view name : names) {
      t[kept_name("ds_", name)] = raw(change<T, Op, false>, Pipe::lds);
      const auto type = name.rfind('_');  // ds_add_rtn_u32
      if (type == std::string_view::npos) continue;
      const std::string_view stem = name.starts_with("pk_add") ? name : name.substr(0, type);
      const std::string_view end = name.starts_with("pk_add") ? name.substr(6) : name.substr(type);
      t[kept_name(kept_name("ds_", name.starts_with("pk_add") ? "pk_add" : stem), kept_name("_rtn", end))] =
          raw(change<T, Op, true>, Pipe::lds);
    }
  };
  each_integer_atomic(add_op);
  each_float_atomic(add_op);
  const auto add_swap = [&]<class T>(std::string_view type) {
    t[kept_name("ds_cmpst_", type)] = raw(compare_and_store<T, false, false>, Pipe::lds);
    t[kept_name("ds_cmpst_rtn_", type)] = raw(compare_and_store<T, true, false>, Pipe::lds);
    t[kept_name("ds_cmpstore_", type)] = raw(compare_and_store<T, false, true>, Pipe::lds);
    t[kept_name("ds_cmpstore_rtn_", type)] = raw(compare_and_store<T, true, true>, Pipe::lds);
  };
  add_swap.operator()<std::uint32_t>("b32");
  add_swap.operator()<std::uint64_t>("b64");
  add_swap.operator()<float>("f32");
  add_swap.operator()<double>("f64");
}

}  // namespace kernelgen::amdgpu
