// Instructions that no other test executes, each beside what it should do on the host: instructions_test.cc.
#include "corpus/common.hpp"

#if defined(__gfx1201__)
#define WAIT "s_wait_kmcnt 0"
#else
#define WAIT "s_waitcnt lgkmcnt(0)"
#endif

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

KERNEL quad_sums(unsigned* y, const unsigned* a, const unsigned* b, const unsigned* c) {
  typedef unsigned uint4 __attribute__((ext_vector_type(4)));
  const unsigned i = item();
  const ulong wide = a[i] | (ulong)c[i] << 32;
  ((uint4*)y)[i] = __builtin_amdgcn_mqsad_u32_u8(wide, b[i], uint4{a[i], b[i], c[i], 1});
}
KERNEL sixteenths(float* y) {
  asm volatile("v_cvt_off_f32_i4 %0, %1" : "=v"(y[item()]) : "v"(item()));
}

DEVICE inline unsigned uniform(unsigned value) { return __builtin_amdgcn_readfirstlane(value); }

// Of the scalar unit: y has two words for each of x's.
KERNEL quads(ulong* y, const ulong* x) {
  for (int i = 0; i < 64; ++i) {
    const ulong value = uniform((unsigned)x[i]) | (ulong)uniform((unsigned)(x[i] >> 32)) << 32;
    unsigned quads_32;
    ulong quads_64;
    asm volatile("s_quadmask_b32 %0, %1" : "=s"(quads_32) : "s"((unsigned)value) : "scc");
    asm volatile("s_quadmask_b64 %0, %1" : "=s"(quads_64) : "s"(value) : "scc");
    y[2 * i] = quads_32;
    y[2 * i + 1] = quads_64;
  }
}
KERNEL scalar_registers_by_an_index(ulong* y) {
  ulong moved, other;
  asm volatile("s_mov_b64 s[20:21], 5\n\ts_mov_b64 s[22:23], 7\n\ts_mov_b32 m0, 2\n\ts_movrels_b64 %0, s[20:21]\n\t"
               "s_movreld_b64 s[20:21], 9\n\ts_mov_b64 %1, s[22:23]"
               : "=&s"(moved), "=&s"(other) : : "s20", "s21", "s22", "s23");
  y[0] = moved;
  y[1] = other;
}

#if defined(__gfx1100__) || defined(__gfx1201__)
KERNEL short_dots(unsigned* y, const unsigned* a, const unsigned* b, const unsigned* c) {
  const unsigned i = item();
  unsigned of_halves, of_bf16;
  asm volatile("v_dot2_f16_f16 %0, %1, %2, %3" : "=v"(of_halves) : "v"(a[i]), "v"(b[i]), "v"(c[i]));
  asm volatile("v_dot2_bf16_bf16 %0, %1, %2, %3" : "=v"(of_bf16) : "v"(a[i]), "v"(b[i]), "v"(c[i]));
  y[2 * i] = of_halves & 0xffff;
  y[2 * i + 1] = of_bf16 & 0xffff;
}
KERNEL clock(ulong* y) {
  for (int i = 0; i < 2; ++i) {
    ulong now;
    asm volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n\t" WAIT : "=s"(now));
    y[i] = now;
  }
}
#endif
#if defined(__gfx1201__)
KERNEL float8_dots(float* y, const unsigned* a, const unsigned* b, const float* c) {
  const unsigned i = item();
  y[4 * i] = __builtin_amdgcn_dot4_f32_fp8_fp8(a[i], b[i], c[i]);
  y[4 * i + 1] = __builtin_amdgcn_dot4_f32_fp8_bf8(a[i], b[i], c[i]);
  y[4 * i + 2] = __builtin_amdgcn_dot4_f32_bf8_fp8(a[i], b[i], c[i]);
  y[4 * i + 3] = __builtin_amdgcn_dot4_f32_bf8_bf8(a[i], b[i], c[i]);
}
/// A bit for each comparison, then the lesser and the greater of a and b.
KERNEL scalar_halves(unsigned* y, const unsigned* a, const unsigned* b) {
  for (int i = 0; i < 256; ++i) {
    const unsigned s = uniform(a[i]), t = uniform(b[i]);
    unsigned bits = 0, bit, least, greatest;
#define COMPARE(NAME)                                                                                                 \
  asm volatile("s_cmp_" NAME "_f16 %1, %2\n\ts_cselect_b32 %0, 1, 0" : "=s"(bit) : "s"(s), "s"(t) : "scc"); \
  bits = bits << 1 | bit;
    COMPARE("lt") COMPARE("eq") COMPARE("le") COMPARE("gt") COMPARE("lg") COMPARE("ge") COMPARE("o")
    COMPARE("nlt") COMPARE("neq") COMPARE("nle") COMPARE("ngt") COMPARE("nlg") COMPARE("nge") COMPARE("u")
    asm volatile("s_minimum_f16 %0, %1, %2" : "=s"(least) : "s"(s), "s"(t));
    asm volatile("s_maximum_f16 %0, %1, %2" : "=s"(greatest) : "s"(s), "s"(t));
    y[2 * i] = bits;
    y[2 * i + 1] = (least & 0xffff) | greatest << 16;
  }
}
/// max(min(a, b), c) and min(max(a, b), c), where a NaN stays one.
KERNEL half_limits(unsigned* y, const unsigned* a, const unsigned* b, const unsigned* c) {
  const unsigned i = item();
  unsigned low, high;
  asm volatile("v_minimummaximum_f16 %0, %1, %2, %3" : "=v"(low) : "v"(a[i]), "v"(b[i]), "v"(c[i]));
  asm volatile("v_maximumminimum_f16 %0, %1, %2, %3" : "=v"(high) : "v"(a[i]), "v"(b[i]), "v"(c[i]));
  y[i] = (low & 0xffff) | high << 16;
}
KERNEL scalar_buffer(int* y, const void* x, int bytes) {
  const ulong address = (ulong)x;
  const int4 buffer = {(int)address, (int)(address >> 32), bytes, 0x30000000};
  int values[4];
  asm volatile("s_buffer_load_u8 %0, %4, 1\n\ts_buffer_load_i8 %1, %4, 1\n\ts_buffer_load_u16 %2, %4, 2\n\t"
               "s_buffer_load_i16 %3, %4, 2\n\t" WAIT
               : "=&s"(values[0]), "=&s"(values[1]), "=&s"(values[2]), "=&s"(values[3]) : "s"(buffer) : "memory");
  for (int i = 0; i < 4; ++i) y[i] = values[i];
}
#endif

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
