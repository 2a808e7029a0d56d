#include "functions.hpp"

#define KERNEL(NAME, FROM, TO, EXPRESSION)                                                                     \
  extern "C" __attribute__((global)) void NAME(TO* result, const FROM* as, const FROM* bs, unsigned n) {       \
    const unsigned i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();             \
    if (i >= n) return;                                                                                        \
    const FROM a = as[i], b = bs[i];                                                                           \
    (void)b;                                                                                                   \
    result[i] = EXPRESSION;                                                                                    \
  }
KERNELGEN_FUNCTIONS(KERNEL)

#define SHARED __attribute__((shared))
#define DEVICE __attribute__((device))

// LDS and barriers: sums of 256 numbers.
extern "C" __attribute__((global, amdgpu_flat_work_group_size(256, 256))) void block_sum(float* result, const float* from) {
  static SHARED float partial[256];
  const unsigned item = __builtin_amdgcn_workitem_id_x(), block = __builtin_amdgcn_workgroup_id_x();
  partial[item] = from[block * 256 + item];
  for (unsigned step = 128; step > 0; step /= 2) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (item < step) partial[item] += partial[item + step];
  }
  if (item == 0) result[block] = partial[0];
}

// Private memory and a call that is not inlined.
DEVICE __attribute__((noinline)) int look_up(const int* table, int i) { return table[i] * 3 + 1; }
extern "C" __attribute__((global)) void private_table(int* result, const int* from) {
  const int item = (int)__builtin_amdgcn_workitem_id_x();
  int table[16];
  for (int i = 0; i < 16; ++i) table[(i * 5 + item) & 15] = from[item] + i;
  result[item] = look_up(table, item & 15) + table[(item * 7) & 15];
}

// Atomics of global memory and LDS.
extern "C" __attribute__((global)) void histogram(unsigned* counts, unsigned* order, const unsigned* keys) {
  static SHARED unsigned local[16];
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  if (item < 16) local[item] = 0;
  __builtin_amdgcn_s_barrier();
  __hip_atomic_fetch_add(&local[keys[item] & 15], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __builtin_amdgcn_s_barrier();
  if (item < 16) __hip_atomic_fetch_add(&counts[item], local[item], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(order, keys[item], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Lanes exchange words, in blocks of two dimensions.
extern "C" __attribute__((global)) void exchange(int* result, const int* from) {
  const unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
  const unsigned item = y * 32 + x;
  const int value = from[item];
  const int next = __builtin_amdgcn_ds_bpermute((int)(((x + 1) & 31) + ((y & 1) << 5)) * 4, value);
  const int swapped = __builtin_amdgcn_ds_swizzle(value, 0x041f);                             // lane ^ 1
  const int moved = __builtin_amdgcn_update_dpp(-1, value, 0x111, 0xf, 0xf, false);           // row_shr:1
  const int first = __builtin_amdgcn_readfirstlane(value);
  result[item * 4] = next;
  result[item * 4 + 1] = swapped;
  result[item * 4 + 2] = moved;
  result[item * 4 + 3] = first;
}

extern "C" __attribute__((global)) void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}

/// As printf begins: with the buffer that the host would read (hidden_hostcall_buffer of code object version 5).
extern "C" __attribute__((global)) void calls_the_host(unsigned* result) {
  auto* const* const hidden = (unsigned* const*)__builtin_amdgcn_implicitarg_ptr();
  *result = __atomic_fetch_add(hidden[10], 1u, __ATOMIC_RELAXED);
}
