// Kernels with one fault each, which the checks of the simulator have to find.
#include "kernels.hpp"

// Outside of allocations.
KERNEL(write_after_end) { out[index() + 1] = 1; }
KERNEL(write_before_begin) { out[static_cast<int>(index()) - 1] = 1; }
KERNEL(read_after_end) { out[index()] = in[index() + 1]; }
KERNEL(read_far_after_end) { out[index()] = in[index() * 3 + 256]; }
KERNEL(loop_one_too_far) {
  unsigned sum = 0;
  for (unsigned i = 0; i <= n; ++i) sum += in[i];
  out[index()] = sum;
}
KERNEL(wide_load_after_end) {
  typedef unsigned Vector __attribute__((ext_vector_type(4), aligned(4)));
  const Vector value = *(const Vector*)(in + index());
  out[index()] = value.x + value.y + value.z + value.w;
}
KERNEL(atomic_after_end) { add(zeros + index() + 1, 1); }
KERNEL(null_pointer) {
  const unsigned* nothing = (const unsigned*)(unsigned long)opaque(0);
  out[index()] = nothing[index()];
}
KERNEL(lds_after_end) {
  static SHARED unsigned table[64];
  table[item() + n] = 1;
  synchronize();
  out[index()] = table[item() & 63];
}
KERNEL(private_after_end) {
  unsigned table[512];
  for (unsigned i = 0; i < 512; ++i) table[(i * 5 + item()) & 511] = in[i & 255];
  out[index()] = table[in[index()] & 511] + table[n * 64];
}
KERNEL(use_after_free) { out[index()] = in[index()]; }  // of `in`, which the host frees

// Uninitialised values that reach a result.
KERNEL(uninitialized_register) {
  unsigned value;
  asm volatile("v_mov_b32 %0, v77" : "=v"(value)::"v77");
  out[index()] = value;
}
KERNEL(uninitialized_scalar) {
  unsigned value;
  asm volatile("s_mov_b32 %0, s77" : "=s"(value)::"s77");
  out[index()] = in[index()] + value;
}
KERNEL(uninitialized_private) {
  unsigned table[64];
  table[in[index()] & 31] = 5;
  asm volatile("" ::"v"(table) : "memory");
  out[index()] = table[32 + (in[index()] & 31)];
}
KERNEL(uninitialized_lds) {
  static SHARED unsigned table[256];
  table[item()] = in[index()];
  synchronize();
  out[index()] = table[item() + (n >> 2)];  // 64 of them are written by nobody
}
KERNEL(uninitialized_global) { out[index()] = out[index()] + 1; }
KERNEL(uninitialized_byte) { out[index()] = reinterpret_cast<unsigned char*>(out)[index() ^ 1]; }
KERNEL(uninitialized_half) {
  const _Float16 value = reinterpret_cast<_Float16*>(out)[index() ^ 1];
  out[index()] = static_cast<unsigned>(static_cast<float>(value) * 2.0f);
}
KERNEL(uninitialized_float_sum) {
  const float* values = reinterpret_cast<const float*>(out);
  float sum = 0;
  for (unsigned i = 0; i < 4; ++i) sum += values[i];
  zeros[index()] = static_cast<unsigned>(sum);
}
KERNEL(uninitialized_branch) {
  if (out[index()] == 0) zeros[index()] = 1;
}
KERNEL(uninitialized_loop) {
  unsigned sum = 0;
  const unsigned count = out[index()] & 7;
  for (unsigned i = 0; i < count; ++i) sum += in[i];
  zeros[index()] = sum;
}
KERNEL(uninitialized_address) { zeros[index()] = in[out[index()] & 31]; }
KERNEL(uninitialized_atomic_operand) { add(zeros + index(), out[index()]); }
KERNEL(uninitialized_tail) {  // a tree over 128 elements, of which 100 are there
  static SHARED unsigned sums[128];
  if (item() < 100) sums[item()] = in[index()];
  for (unsigned step = 64; step > 0; step /= 2) {
    synchronize();
    if (item() < step) sums[item()] += sums[item() + step];
  }
  if (item() == 0) out[block()] = sums[0];
}
KERNEL(argument_not_given) {  // 4 bytes after the last argument
  const auto* arguments = (const unsigned*)__builtin_amdgcn_kernarg_segment_ptr();
  out[index()] = arguments[7];
}

// Races in LDS.
KERNEL(missing_barrier) {
  static SHARED unsigned values[128];
  values[item()] = 0;
  synchronize();
  values[item()] = in[index()];
  out[index()] = values[item() ^ 64];
}
KERNEL(missing_barrier_before_overwriting) {
  static SHARED unsigned values[128];
  unsigned sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    values[item()] = in[(index() + i) & 255];
    synchronize();
    sum += values[127 - item()];
  }
  out[index()] = sum;
}
KERNEL(missing_barrier_in_reduction) {
  static SHARED unsigned sums[128];
  sums[item()] = in[index()];
  synchronize();
  for (unsigned step = 1; step < 128; step *= 2) {
    const unsigned other = sums[item() ^ step];
    asm volatile("" ::: "memory");
    sums[item()] += other;
    asm volatile("" ::: "memory");
  }
  out[index()] = sums[item()];
}
KERNEL(two_waves_store_to_lds) {
  static SHARED unsigned value;
  if ((item() & 63) == 0) value = item();
  synchronize();
  out[index()] = value;
}
KERNEL(counter_is_cleared_too_late) {
  static SHARED unsigned count;
  if (item() == 0) count = 0;
  add_shared(&count, 1);
  synchronize();
  out[index()] = count;
}
KERNEL(histogram_without_atomics) {
  static SHARED unsigned bins[16];
  if (item() < 16) bins[item()] = 0;
  synchronize();
  if ((item() & 63) == 0) bins[in[3] & 15] += 1;
  synchronize();
  out[index()] = bins[item() & 15];
}
KERNEL(counter_is_read_too_early) {
  static SHARED unsigned count;
  if (item() == 0) count = 0;
  synchronize();
  add_shared(&count, 1);
  out[index()] = *(volatile unsigned*)&count;
}
KERNEL(lanes_store_to_one_address) {
  static SHARED unsigned value;
  value = item();
  synchronize();
  out[index()] = value;
}
KERNEL(barrier_without_a_wait) {
  static SHARED unsigned values[128];
  unsigned result;
  const unsigned to = (unsigned)(unsigned long)(__attribute__((address_space(3))) unsigned*)&values[item()];
  const unsigned from = (unsigned)(unsigned long)(__attribute__((address_space(3))) unsigned*)&values[item() ^ 64];
  asm volatile(STORE_LDS " %1, %2\n" BARRIER LOAD_LDS " %0, %3\n" WAIT_LDS(0)
               : "=&v"(result)
               : "v"(to), "v"(index()), "v"(from)
               : "memory");
  out[index()] = result;
}
KERNEL(missing_barrier_with_generic_pointers) {
  static SHARED unsigned values[128];
  values[item()] = 0;
  synchronize();
  unsigned* const to = (item() & 1) != 0 ? values + item() : zeros + index();
  *to = in[index()];
  out[index()] = values[item() ^ 64];
}

// Races in global memory.
KERNEL(blocks_store_to_one_address) { zeros[item()] = block() + 1; }
KERNEL(stencil_in_place) { zeros[index()] = zeros[(index() + 1) & 255] + 1; }
KERNEL(counter_without_atomics) {
  if (item() == 0) zeros[0] += 1;
}
KERNEL(waves_without_a_barrier) {
  zeros[index()] = in[index()];
  asm volatile("" ::: "memory");
  out[index()] = zeros[index() ^ 64];
}
KERNEL(lanes_scatter_to_one_address) { out[in[index()] & 1] = index(); }
KERNEL(missing_fence) {  // the last block adds what the others may not have stored yet
  static SHARED unsigned last;
  if (item() == 0) {
    out[block()] = in[block()];
    last = add(zeros, 1);
  }
  synchronize();
  if (last == 1 && item() == 0) {
    device_fence();
    out[2] = out[0] + out[1];
  }
}
KERNEL(sum_is_read_too_early) {
  add(zeros, in[index()]);
  out[index()] = zeros[0];
}
KERNEL(plain_load_beside_swaps) {  // by the second wave of a block
  unsigned seen = zeros[0];
  if (item() < 64)
    while (!swap(zeros, seen, seen + 1)) {
    }
  else
    out[index()] = seen;
}
KERNEL(swap_of_another_value) {
  const unsigned flags = zeros[0];
  unsigned seen = flags == 99 ? 1 : 2;
  swap(zeros, seen, index());
  add(zeros, 3);
  out[index()] = flags;
}
KERNEL(swap_of_another_word) {
  unsigned seen = zeros[0];
  swap(zeros + 1, seen, seen + 1);
  add(zeros, 1);
}
KERNEL(plain_load_beside_swaps_in_lds) {
  static SHARED unsigned sum;
  if (item() == 0) sum = 0;
  synchronize();
  unsigned seen = sum;
  if (item() < 64)
    while (!swap_shared(&sum, seen, seen + 1)) {
    }
  else
    out[index()] = seen;
}

// Barriers, matrices, alignment, waits, loops.
KERNEL(barrier_in_a_branch) {
  static SHARED unsigned values[128];
  values[item()] = in[index()];
  if (in[index()] > 20) synchronize();
  out[index()] = values[item()];
}
KERNEL(barrier_after_lanes_returned) {
  if ((item() & 1) != 0) return;
  synchronize();
  out[index()] = in[index()];
}
KERNEL(barrier_that_a_wave_does_not_reach) {
  if (__builtin_amdgcn_readfirstlane(item()) >= 64) return;
  synchronize();
  out[index()] = in[index()];
}
KERNEL(barrier_in_a_loop_of_lanes) {
  for (unsigned i = 0; i < (in[index()] & 3); ++i) {
    synchronize();
    zeros[index()] += i;
  }
}
KERNEL(matrix_in_a_branch) {
  if (in[index()] > 20) out[index()] = static_cast<unsigned>(matrix_product());
}
KERNEL(atomic_at_an_odd_address) {
  add((unsigned*)((char*)zeros + (n - 255)), 1);
}
KERNEL(scalar_load_at_an_odd_address) {
  unsigned value;
  const char* from = (const char*)in + (n - 254);
  asm volatile(LOAD_SCALAR " %0, %1, 0x0\n" WAIT_SCALAR(0) : "=&s"(value) : "s"(from) : "memory");
  out[index()] = value;
}
KERNEL(load_at_an_odd_address) {  // the GPU does it, C++ does not allow it: found with natural_alignment
  out[index()] = *(const unsigned*)((const char*)in + (index() & 63) * 4 + (n - 254));
}
KERNEL(load_without_a_wait) {
  unsigned value;
  asm volatile(LOAD " %0, %1, off" : "=&v"(value) : "v"(in + index()) : "memory");
  out[index()] = value + 1;
}
KERNEL(wait_for_too_few_loads) {
  unsigned a, b;
  asm volatile(LOAD " %0, %2, off\n" LOAD " %1, %2, off offset:4\n" WAIT_LOADS(1)
               : "=&v"(a), "=&v"(b)
               : "v"(in + (index() & 127))
               : "memory");
  out[index()] = a + b;
}
KERNEL(wait_for_the_other_counter) {
  unsigned value;
  asm volatile(LOAD " %0, %1, off\n" WAIT_LDS(0) : "=&v"(value) : "v"(in + index()) : "memory");
  out[index()] = value + 1;
}
KERNEL(scalar_load_without_a_wait) {
  unsigned value;
  asm volatile(LOAD_SCALAR " %0, %1, 0x0" : "=&s"(value) : "s"(in) : "memory");
  out[index()] = value + 1;
}
KERNEL(scalar_loads_complete_in_any_order) {
  unsigned a, b;
  asm volatile(LOAD_SCALAR " %0, %2, 0x0\n" LOAD_SCALAR " %1, %2, 0x4\n" WAIT_SCALAR(1)
               : "=&s"(a), "=&s"(b)
               : "s"(in)
               : "memory");
  out[index()] = a;
}
KERNEL(lds_load_without_a_wait) {
  static SHARED unsigned values[128];
  values[item()] = in[index()];
  synchronize();
  unsigned value;
  const unsigned from = (unsigned)(unsigned long)(__attribute__((address_space(3))) unsigned*)&values[item()];
  asm volatile(LOAD_LDS " %0, %1" : "=&v"(value) : "v"(from) : "memory");
  out[index()] = value + 1;
}
KERNEL(register_is_overwritten_by_a_late_load) {
  unsigned value;
  asm volatile(LOAD " %0, %1, off\nv_mov_b32 %0, 1\n" WAIT_LOADS(0) : "=&v"(value) : "v"(in + index()) : "memory");
  out[index()] = value;
}
KERNEL(endless_loop) {
  unsigned i = in[index()] | 1;
  while (i != 0) i = opaque(i + 2);
  out[index()] = i;
}
KERNEL(flag_that_nobody_sets) {
  while (__hip_atomic_load(zeros, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) __builtin_amdgcn_s_sleep(1);
  out[index()] = 1;
}
