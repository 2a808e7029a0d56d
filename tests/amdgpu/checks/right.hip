// Kernels without faults, many of them next to one of wrong.hip, which the checks of the simulator must not blame.
#include "kernels.hpp"

KERNEL(copy_all) { out[index()] = in[index()]; }
KERNEL(copy_with_a_guard) {
  const unsigned i = index() + 64;
  if (i < n) out[i] = in[i];
}
KERNEL(wide_loads) {
  typedef unsigned Vector __attribute__((ext_vector_type(4)));
  if (index() < 64) ((Vector*)out)[index()] = ((const Vector*)in)[index()];
}
KERNEL(wide_loads_of_words) {  // 16 bytes at a multiple of 4
  typedef unsigned Vector __attribute__((ext_vector_type(4), aligned(4)));
  const Vector value = *(const Vector*)(in + (index() < 250 ? index() + 1 : 0));
  out[index()] = value.x ^ value.w;
}
KERNEL(bytes_at_odd_addresses) {  // memcpy, not a cast
  unsigned value;
  __builtin_memcpy(&value, (const char*)in + index() + 3, 4);
  out[index()] = value;
}
KERNEL(bytes_and_halves) {
  reinterpret_cast<unsigned char*>(out)[4 * index()] = static_cast<unsigned char>(in[index()]);
  reinterpret_cast<unsigned char*>(out)[4 * index() + 1] = 1;
  reinterpret_cast<unsigned short*>(out)[2 * index() + 1] = static_cast<unsigned short>(in[index()]);
}
KERNEL(half_arithmetic) {
  _Float16* const halves = reinterpret_cast<_Float16*>(zeros);
  halves[index()] = static_cast<_Float16>(in[index()]) * static_cast<_Float16>(2);
  out[index()] = static_cast<unsigned>(static_cast<float>(halves[index()]) + 1.0f);
}
KERNEL(packed_halves) {
  typedef _Float16 Half2 __attribute__((ext_vector_type(2)));
  const auto* halves = reinterpret_cast<const _Float16*>(zeros);
  Half2 pair = {halves[index()], halves[index() ^ 1]};
  pair = pair * pair + pair;
  reinterpret_cast<Half2*>(out)[index()] = pair;
}
KERNEL(own_store_then_load) {
  out[index()] = in[index()];
  out[index()] += 1;
}
KERNEL(private_table) {
  unsigned table[16];
  for (unsigned i = 0; i < 16; ++i) table[(i * 5 + item()) & 15] = in[i];
  out[index()] = table[in[index()] & 15];
}
DEVICE __attribute__((noinline)) unsigned called(const unsigned* table, unsigned i) { return table[i & 7] * 3 + 1; }
KERNEL(calls) {
  unsigned table[8];
  for (unsigned i = 0; i < 8; ++i) table[i] = in[i] + item();
  out[index()] = called(table, in[index()]) + called(table, item());
}
KERNEL(division) { out[index()] = in[index()] / (1 + (item() & 7)) + in[index()] % (3 + block()); }
KERNEL(floating_point) {
  const float x = static_cast<float>(in[index()]) + 0.5f;
  out[index()] = static_cast<unsigned>(__builtin_sqrtf(x) * 100 / (x + 1));
}
KERNEL(double_precision) { out[index()] = static_cast<unsigned>(static_cast<double>(in[index()]) / 3.0 * 7.0); }
KERNEL(loops_of_lanes) {
  unsigned sum = 0;
  for (unsigned i = 0; i < (in[index()] & 7); ++i) sum += in[i];
  out[index()] = sum;
}
KERNEL(branches_of_lanes) {
  unsigned value = in[index()];
  if ((value & 1) != 0)
    value = value * 3 + 1;
  else if (value > 20)
    value /= 2;
  out[index()] = value;
}
KERNEL(early_return) {
  if (in[index()] > 20) return;
  out[index()] = 1;
}
KERNEL(grid_stride) {
  for (unsigned i = index(); i < n; i += 256) out[i] = in[i] + 1;
}

// Uninitialised values without a result.
KERNEL(uninitialized_and_not_selected) {
  const unsigned value = out[index() ^ 1];
  zeros[index()] = in[index()] < 1000 ? 7 : value;
}
KERNEL(uninitialized_times_nothing) { zeros[index()] = (out[index()] & 0) | 1; }
KERNEL(uninitialized_lds_is_copied) {
  static SHARED unsigned values[256];
  values[item()] = in[index()];
  synchronize();
  const unsigned above = values[128 + item()];  // nobody wrote it
  synchronize();
  values[(item() + 1) & 127] = above;
  synchronize();
  if (item() == 0) values[1] = 3;
  synchronize();
  out[index()] = values[1];
}
KERNEL(uninitialized_half_of_a_word) {
  reinterpret_cast<unsigned short*>(out)[2 * index()] = static_cast<unsigned short>(in[index()]);
  asm volatile("" ::: "memory");
  zeros[index()] = out[index()] & 0xffff;
}
KERNEL(initialized_by_another_lane) {
  static SHARED unsigned values[128];
  out[index()] = in[index()];
  synchronize();
  values[item()] = out[index() ^ 64];
  zeros[index()] = values[item()];
}
KERNEL(part_of_a_struct) {
  struct Some {
    unsigned a, b, c, d;
  } some;
  some.a = in[index()];
  some.c = 3;
  asm volatile("" : "+v"(some.a), "+v"(some.c));
  out[index()] = some.a + some.c;
}
KERNEL(arguments) {
  const auto* given = (const unsigned*)__builtin_amdgcn_kernarg_segment_ptr();
  out[index()] = given[6];
}

// LDS with barriers and atomics.
KERNEL(neighbours) {
  static SHARED unsigned values[128];
  values[item()] = in[index()];
  synchronize();
  out[index()] = values[item() ^ 64];
}
KERNEL(barrier_before_overwriting) {
  static SHARED unsigned values[128];
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    values[item()] = in[(index() + i) & 255];
    synchronize();
    sum += values[127 - item()];
    synchronize();
  }
  out[index()] = sum;
}
KERNEL(two_buffers) {
  static SHARED unsigned values[2][128];
  unsigned sum = 0;
  values[0][item()] = in[index()];
  for (unsigned i = 0; i < 4; ++i) {
    synchronize();
    sum += values[i & 1][127 - item()];
    values[(i + 1) & 1][item()] = in[(index() + i) & 255];
  }
  out[index()] = sum;
}
KERNEL(reduction) {
  static SHARED unsigned sums[128];
  sums[item()] = in[index()];
  for (unsigned step = 64; step > 0; step /= 2) {
    synchronize();
    if (item() < step) sums[item()] += sums[item() + step];
  }
  if (item() == 0) out[block()] = sums[0];
}
KERNEL(scan) {
  static SHARED unsigned sums[128];
  sums[item()] = in[index()];
  synchronize();
  for (unsigned step = 1; step < 128; step *= 2) {
    const unsigned before = item() >= step ? sums[item() - step] : 0;
    synchronize();
    sums[item()] += before;
    synchronize();
  }
  out[index()] = sums[item()];
}
KERNEL(transpose) {
  static SHARED unsigned tile[8][17];
  tile[item() & 7][item() >> 3] = in[index()];
  synchronize();
  out[index()] = tile[item() >> 4][item() & 15];
}
KERNEL(bytes_of_lds) {
  static SHARED unsigned char bytes[128];
  bytes[item()] = static_cast<unsigned char>(in[index()]);
  synchronize();
  out[index()] = bytes[item() ^ 1] + bytes[item() ^ 64];
}
KERNEL(reduction_within_waves) {  // 64 lanes or 32: no barrier between lanes of one wave
  static SHARED unsigned sums[128];
  sums[item()] = in[index()];
  asm volatile("" ::: "memory");
  out[index()] = sums[item() ^ 1] + sums[item() ^ 16];
}
KERNEL(histogram) {
  static SHARED unsigned bins[16];
  if (item() < 16) bins[item()] = 0;
  synchronize();
  add_shared(&bins[in[index()] & 15], 1);
  synchronize();
  if (item() < 16) add(zeros + item(), bins[item()]);
}
KERNEL(flag_of_a_block) {  // many lanes store the same value
  static SHARED unsigned any;
  if (item() == 0) any = 0;
  synchronize();
  if (in[index()] > 20) any = 1;
  synchronize();
  out[index()] = any;
}
KERNEL(waves_take_turns) {  // a wave works while the others wait
  static SHARED unsigned value;
  for (unsigned i = 0; i < 4; ++i) {
    if (item() / 32 == i) value = in[i];
    synchronize();
    if (i == 3) out[index()] = value;
    synchronize();
  }
}
KERNEL(barrier_in_a_uniform_branch) {
  static SHARED unsigned values[128];
  values[item()] = in[index()];
  if (n > 20) synchronize();
  out[index()] = values[item() ^ 64];
}
KERNEL(shuffles) {
  const int value = static_cast<int>(in[index()]);
  const int other = __builtin_amdgcn_ds_bpermute(static_cast<int>((item() ^ 5) * 4), value);
  const int swapped = __builtin_amdgcn_ds_swizzle(value, 0x041f);
  const int moved = __builtin_amdgcn_update_dpp(0, value, 0x111, 0xf, 0xf, true);
  out[index()] = static_cast<unsigned>(other + swapped + moved + __builtin_amdgcn_readfirstlane(value));
}
KERNEL(generic_pointers) {  // LDS, private and global memory in one instruction
  static SHARED unsigned values[128];
  unsigned table[16];
  for (unsigned i = 0; i < 16; ++i) table[(i * 3 + item()) & 15] = i;
  values[item()] = 0;
  out[index()] = 0;
  unsigned* const choices[3] = {values + item(), out + index(), table + (item() & 15)};
  unsigned* const to = choices[opaque(item() % 3)];
  *to += in[index()];
  synchronize();
  zeros[index()] = values[item() ^ 64] + table[in[index()] & 15];
}
KERNEL(atomics_of_generic_pointers) {
  static SHARED unsigned count;
  if (item() == 0) count = 0;
  synchronize();
  unsigned* const to = (item() & 1) != 0 ? &count : zeros;
  __hip_atomic_fetch_add((unsigned*)(opaque(1) != 0 ? to : nullptr), 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  synchronize();
  out[index()] = count;
}

// Global memory that blocks share.
KERNEL(global_histogram) { add(zeros + (in[index()] & 15), 1); }
KERNEL(flag_of_all) {
  if (in[index()] > 20) zeros[0] = 1;
}
KERNEL(barrier_orders_global_memory) {
  zeros[index()] = in[index()];
  synchronize();
  out[index()] = zeros[index() ^ 64];
}
KERNEL(last_block_sums) {
  static SHARED unsigned last;
  if (item() < 64) out[block() * 64 + item()] = in[item()];
  device_fence();
  synchronize();
  if (item() == 0) last = add(zeros, 1);
  synchronize();
  if (last == 1) {
    device_fence();
    if (item() < 64) out[128 + item()] = out[item()] + out[64 + item()];
  }
}
KERNEL(flag_between_blocks) {  // the second block waits for the first
  if (block() == 0) {
    out[item()] = in[item()];
    device_fence();
    synchronize();
    if (item() == 0) __hip_atomic_store(zeros, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  } else {
    if (item() == 0)
      while (__hip_atomic_load(zeros, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(1);
    synchronize();
    out[index()] = out[item()] + 1;
  }
}
KERNEL(lock) {
  if (item() == 0) {
    unsigned expected = 0;
    while (!__hip_atomic_compare_exchange_strong(zeros, &expected, 1u, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
                                                 __HIP_MEMORY_SCOPE_AGENT))
      expected = 0;
    zeros[1] += in[block()];
    __hip_atomic_store(zeros, 0u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}
KERNEL(atomic_results_are_unique) { out[add(zeros, 1)] = index(); }
KERNEL(compare_and_swap_maximum) {
  unsigned seen = __hip_atomic_load(zeros, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (seen < in[index()] && !__hip_atomic_compare_exchange_strong(zeros, &seen, in[index()], __ATOMIC_RELAXED,
                                                                     __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
}
// Loops that start with a plain load.
KERNEL(float_sum) {  // LLVM makes the loop
  __hip_atomic_fetch_add(reinterpret_cast<float*>(zeros), 1.0f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL(double_maxima) {
  __hip_atomic_fetch_max(reinterpret_cast<double*>(zeros) + (in[index()] & 7), static_cast<double>(in[index()]),
                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KERNEL(maximum_after_a_plain_load) {
  unsigned seen = zeros[in[index()] & 3];
  while (!swap(zeros + (in[index()] & 3), seen, seen < index() ? index() : seen)) {
  }
}
KERNEL(plain_load_in_each_turn) {
  for (unsigned seen = 0; seen = zeros[0], !swap(zeros, seen, seen + 1);) {
  }
}
KERNEL(halves_of_a_word) {
  unsigned* const word = zeros + index() / 2 % 8;
  const unsigned shift = 16 * (index() & 1);
  unsigned seen = *word;
  while (!swap(word, seen, (seen & ~(0xffffu << shift)) | ((seen >> shift) + 1 & 0xffff) << shift)) {
  }
}
KERNEL(loop_in_lds) {
  static SHARED unsigned sums[2];
  if (item() < 2) sums[item()] = 0;
  synchronize();
  unsigned seen = sums[item() & 1];
  while (!swap_shared(&sums[item() & 1], seen, seen * 3 + 1)) {
  }
  synchronize();
  out[index()] = sums[item() & 1];
}
KERNEL(plain_load_after_atomics_and_a_barrier) {
  unsigned* const sum = zeros + block();
  add(sum, in[index()]);
  device_fence();
  synchronize();
  out[index()] = *sum;
}

// Assembly with the waits that it needs, matrices.
KERNEL(load_with_a_wait) {
  unsigned value;
  asm volatile(LOAD " %0, %1, off\n" WAIT_LOADS(0) : "=&v"(value) : "v"(in + index()) : "memory");
  out[index()] = value + 1;
}
KERNEL(wait_for_the_first_load) {
  unsigned a, b;
  asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" WAIT_LOADS(1) "" ADD_ONE "" WAIT_LOADS(0)
               : "=&v"(a), "=&v"(b)
               : "v"(in + (index() & 127))
               : "memory");
  out[index()] = a + b;
}
KERNEL(barrier_with_a_wait) {
  static SHARED unsigned values[128];
  unsigned result;
  const unsigned to = (unsigned)(unsigned long)(__attribute__((address_space(3))) unsigned*)&values[item()];
  const unsigned from = (unsigned)(unsigned long)(__attribute__((address_space(3))) unsigned*)&values[item() ^ 64];
  asm volatile(STORE_LDS " %1, %2\n" WAIT_LDS(0) BARRIER LOAD_LDS " %0, %3\n" WAIT_LDS(0)
               : "=&v"(result)
               : "v"(to), "v"(index()), "v"(from)
               : "memory");
  out[index()] = result;
}
KERNEL(scalar_load_with_a_wait) {
  unsigned value;
  asm volatile(LOAD_SCALAR " %0, %1, 0x4\n" WAIT_SCALAR(0) : "=&s"(value) : "s"(in) : "memory");
  out[index()] = value + 1;
}
KERNEL(matrix_of_all_lanes) { out[index()] = static_cast<unsigned>(matrix_product()); }
