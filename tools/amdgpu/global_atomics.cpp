#include <atomic>

#include "atomic_ops.hpp"

// global_atomic_ and flat_atomic_: waves of other blocks run in other threads, so the host's atomics serve.
namespace kernelgen::amdgpu {
namespace {

template <std::size_t Bytes>
using BitsOf = std::conditional_t<Bytes == 8, std::uint64_t, std::uint32_t>;

template <class T>
BitsOf<sizeof(T)>* aligned(Wave& wave, Space space, std::uint64_t address, int lane) {
  void* const at = lane_bytes(wave, space, address, sizeof(T), lane);
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof(T) != 0)
    wave.fault(Fault::Kind::memory, "an atomic access at an address that is no multiple of its size", lane);
  return static_cast<BitsOf<sizeof(T)>*>(at);
}

/// Operands: with a result vdst, vaddr, vdata, saddr; else vaddr, vdata, saddr.
template <Space S, class T, auto Op>
void change(Wave& wave, const Instruction& in) {
  const std::size_t first = in.returns ? 1 : 0;
  const Addresses at = addresses(wave, in, in.source[first], in.source[first + 2], S);
  for_lanes(wave.exec, [&](int lane) {
    auto* const bits = aligned<T>(wave, S, at[static_cast<std::size_t>(lane)], lane);
    const T value = lane_value<T>(wave, in.source[first + 1].index, lane);
    const std::atomic_ref atomic(*bits);
    auto old = atomic.load();
    while (!atomic.compare_exchange_weak(
        old, std::bit_cast<BitsOf<sizeof(T)>>(Op(std::bit_cast<T>(old), value)))) {
    }
    if (in.returns) set_lane_value(wave, in.source[0].index, lane, old);
    ++wave.block->counters.atomics;
  });
}

/// The new value is in the first registers of vdata, what it is compared with after them.
template <Space S, class T>
void compare_and_swap(Wave& wave, const Instruction& in) {
  const std::size_t first = in.returns ? 1 : 0;
  const Addresses at = addresses(wave, in, in.source[first], in.source[first + 2], S);
  for_lanes(wave.exec, [&](int lane) {
    auto* const bits = aligned<T>(wave, S, at[static_cast<std::size_t>(lane)], lane);
    const unsigned data = in.source[first + 1].index;
    const T value = lane_value<T>(wave, data, lane);
    T expected = lane_value<T>(wave, data + sizeof(T) / 4, lane);
    std::atomic_ref(*bits).compare_exchange_strong(expected, value);
    if (in.returns) set_lane_value(wave, in.source[0].index, lane, expected);
    ++wave.block->counters.atomics;
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
