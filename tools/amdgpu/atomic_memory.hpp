#pragma once
#include <atomic>

#include "atomic_ops.hpp"

// Atomic changes of global memory: waves of other blocks run in other threads, so the host's atomics serve.
namespace kernelgen::amdgpu {

template <std::size_t Bytes>
using BitsOf = std::conditional_t<Bytes == 8, std::uint64_t, std::uint32_t>;

template <class T>
BitsOf<sizeof(T)>* aligned_bits(Wave& wave, Space space, std::uint64_t address, int lane) {
  void* const at = lane_bytes(wave, space, address, sizeof(T), lane);
  if (reinterpret_cast<std::uintptr_t>(at) % sizeof(T) != 0)
    wave.fault(Fault::Kind::misaligned, "an atomic access at an address that is not a multiple of its size",
               lane);
  ++wave.block->counters.atomics;
  return static_cast<BitsOf<sizeof(T)>*>(at);
}

/// The value before.
template <class T, auto Op>
T change_memory(Wave& wave, Space space, std::uint64_t address, T value, int lane) {
  const std::atomic_ref atomic(*aligned_bits<T>(wave, space, address, lane));
  auto old = atomic.load();
  while (!atomic.compare_exchange_weak(old,
                                       std::bit_cast<BitsOf<sizeof(T)>>(Op(std::bit_cast<T>(old), value)))) {
  }
  return std::bit_cast<T>(old);
}

/// The value before. The new one is in the registers from `data` on, what it is compared with after it.
template <class T>
T compare_and_swap_memory(Wave& wave, Space space, std::uint64_t address, unsigned data, int lane) {
  const T value = lane_value<T>(wave, data, lane);
  T expected = lane_value<T>(wave, data + sizeof(T) / 4, lane);
  std::atomic_ref(*aligned_bits<T>(wave, space, address, lane)).compare_exchange_strong(expected, value);
  return expected;
}

}  // namespace kernelgen::amdgpu
