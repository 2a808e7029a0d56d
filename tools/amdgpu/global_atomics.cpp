#include "atomic_memory.hpp"

// global_atomic_ and flat_atomic_.
namespace kernelgen::amdgpu {
namespace {

/// Operands: with a result vdst, vaddr, vdata, saddr; else vaddr, vdata, saddr.
template <Space S, class T, auto Op>
void change(Wave& wave, const Instruction& in) {
  const std::size_t first = in.returns ? 1 : 0;
  const Addresses at = addresses(wave, in, in.source[first], in.source[first + 2], S);
  for_lanes(wave.exec, [&](int lane) {
    const T value = lane_value<T>(wave, in.source[first + 1].index, lane);
    const T old = change_memory<T, Op>(wave, S, at[static_cast<std::size_t>(lane)], value, lane);
    if (in.returns) set_lane_value(wave, in.source[0].index, lane, old);
  });
}

template <Space S, class T>
void compare_and_swap(Wave& wave, const Instruction& in) {
  const std::size_t first = in.returns ? 1 : 0;
  const Addresses at = addresses(wave, in, in.source[first], in.source[first + 2], S);
  for_lanes(wave.exec, [&](int lane) {
    const T old = compare_and_swap_memory<T>(wave, S, at[static_cast<std::size_t>(lane)],
                                             in.source[first + 1].index, lane);
    if (in.returns) set_lane_value(wave, in.source[0].index, lane, old);
  });
}

template <Space S>
void add_space(Opcodes& t, std::string_view prefix) {
  const auto add_op = [&]<class T, auto Op>(Names names) {
    for (const std::string_view name : names)
      t[kept_name(prefix, name)] = raw(change<S, T, Op>, Pipe::vector_memory);
  };
  each_integer_atomic(add_op);
  each_float_atomic(add_op);
  for (const std::string_view name : {"cmpswap", "cmpswap_b32"})
    t[kept_name(prefix, name)] = raw(compare_and_swap<S, std::uint32_t>, Pipe::vector_memory);
  for (const std::string_view name : {"cmpswap_x2", "cmpswap_b64"})
    t[kept_name(prefix, name)] = raw(compare_and_swap<S, std::uint64_t>, Pipe::vector_memory);
}

}  // namespace

void add_global_atomics(Opcodes& t) {
  add_space<Space::global>(t, "global_atomic_");
  add_space<Space::flat>(t, "flat_atomic_");
}

}  // namespace kernelgen::amdgpu
