// Instructions that no other test executes, each beside what it should do on the host: instructions_test.cc.
#include "corpus/common.hpp"

// Of 16 registers by an index of the wave: s_set_gpr_idx on gfx9, v_movrel later.
typedef float float16v __attribute__((ext_vector_type(16)));
KERNEL dynamic_registers(float* y, const float16v* x, int n) {
  float16v v = x[item()];
  v[n & 15] += 2.0f;
  v[(n + 5) & 15] = v[(n * 3) & 15];
  y[item()] = v[(n >> 4) & 15];
}

KERNEL bytes(unsigned* y, const unsigned* a, const unsigned* b, const unsigned* c) {
  const unsigned i = item();
  y[4 * i] = __builtin_amdgcn_lerp(a[i], b[i], c[i]);
  y[4 * i + 1] = __builtin_amdgcn_msad_u8(a[i], b[i], c[i]);
  const ulong wide = a[i] | (ulong)c[i] << 32;
  const ulong sums = __builtin_amdgcn_qsad_pk_u16_u8(wide, b[i], wide) + __builtin_amdgcn_mqsad_pk_u16_u8(wide, b[i], 0);
  y[4 * i + 2] = (unsigned)sums;
  y[4 * i + 3] = (unsigned)(sums >> 32);
}

#if defined(__gfx90a__)
#define RETURNS "glc"
#elif defined(__gfx942__)
#define RETURNS "sc0"
#endif
#if defined(RETURNS)
DEVICE inline int4 buffer_of(int* x, int bytes) {
  const ulong address = (ulong)x;
  return {(int)address, (int)(address >> 32), bytes, 0x27000};
}
KERNEL buffer_atomics(int* y, int* x, int bytes) {
  int value = 5 + (int)item();
  asm volatile("buffer_atomic_add %0, %1, %2, 0 offen " RETURNS "\n\ts_waitcnt vmcnt(0)"
               : "+v"(value) : "v"(item() * 4), "s"(buffer_of(x, bytes)) : "memory");
  y[item()] = value;
}

// Assembly: clang 19 crashes on its builtin for this, and has none for buffers. M0 is the wave's part of LDS.
DEVICE inline unsigned part_of_wave(int* shared) {
  const auto base = (unsigned)(unsigned long)(__attribute__((address_space(3))) int*)shared;
  return __builtin_amdgcn_readfirstlane(base + (__builtin_amdgcn_workitem_id_x() & ~63u) * 4);
}
KERNEL buffer_to_lds(int* y, int* x, int bytes) {
  static SHARED int shared[256];
  asm volatile("s_mov_b32 m0, %0\n\tbuffer_load_dword %1, %2, 0 offen lds\n\ts_waitcnt vmcnt(0)"
               : : "s"(part_of_wave(shared)), "v"(item() * 4), "s"(buffer_of(x, bytes)) : "memory");
  y[item()] = shared[__builtin_amdgcn_workitem_id_x()];
}
#endif
#if defined(__gfx942__)
KERNEL global_to_lds(int* y, const int* x) {
  static SHARED int shared[256];
  asm volatile("s_mov_b32 m0, %0\n\tglobal_load_lds_dword %1, off\n\ts_waitcnt vmcnt(0)"
               : : "s"(part_of_wave(shared)), "v"(x + item()) : "memory");
  y[item()] = shared[__builtin_amdgcn_workitem_id_x()];
}
#endif
