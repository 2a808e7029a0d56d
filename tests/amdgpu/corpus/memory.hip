// Loads and stores of every width in every memory, atomics of every type and scope.
#include "common.hpp"

struct Wide {
  int word[4];
};
#define ROUND_TRIP(NAME, T)                                                                                       \
  KERNEL copy_##NAME(T* y, const T* x) {                                                                          \
    static SHARED T shared[256];                                                                                  \
    const unsigned i = __builtin_amdgcn_workitem_id_x();                                                          \
    shared[i] = x[i];                                                                                             \
    __builtin_amdgcn_s_barrier();                                                                                 \
    y[i] = shared[(i * 7 + 1) & 255];                                                                             \
  }                                                                                                               \
  KERNEL private_##NAME(T* y, const T* x, int n) {                                                                \
    T own[24];                                                                                                    \
    for (int i = 0; i < 24; ++i) own[(i + n) % 24] = x[i * n];                                                    \
    y[item()] = own[n % 24];                                                                                      \
  }
ROUND_TRIP(i8, signed char) ROUND_TRIP(u8, uchar) ROUND_TRIP(i16, short) ROUND_TRIP(f16, _Float16) ROUND_TRIP(i32, int)
ROUND_TRIP(i64, long long) ROUND_TRIP(f64, double) ROUND_TRIP(int4, int4) ROUND_TRIP(wide, Wide)

KERNEL flat_pointers(int* y, int* x, int n) {
  static SHARED int shared[64];
  int own[16];
  int* const places[3] = {x, (int*)shared, own};
  int* const p = places[n % 3];
  p[n & 15] = n;
  __hip_atomic_fetch_add(p + (n & 15), 3, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  y[item()] = p[n & 7];
}

#define SCOPES(OP, T, VALUE)                                                                       \
  __hip_atomic_##OP(p, VALUE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);                     \
  r += __hip_atomic_##OP(p, VALUE, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);                    \
  r += __hip_atomic_##OP(p, VALUE, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_SYSTEM);                   \
  __hip_atomic_##OP(s, VALUE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);                     \
  r += __hip_atomic_##OP(s, VALUE, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
#define SHARE(T)                                           \
  static SHARED T shared[256];                             \
  T* const s = shared + __builtin_amdgcn_workitem_id_x();  \
  T* const p = x + item();                                 \
  T r = *p;                                                \
  *s = r;
#define INTEGER_ATOMICS(NAME, T)                                                                                             \
  KERNEL atomics_##NAME(T* y, T* x) {                                                                                        \
    SHARE(T)                                                                                                                 \
    SCOPES(fetch_add, T, r) SCOPES(fetch_sub, T, r) SCOPES(fetch_and, T, r) SCOPES(fetch_or, T, r) SCOPES(fetch_xor, T, r)   \
    SCOPES(fetch_min, T, r) SCOPES(fetch_max, T, r) SCOPES(exchange, T, r)                                                   \
    T expected = r;                                                                                                          \
    __hip_atomic_compare_exchange_strong(p, &expected, r + 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
    __hip_atomic_compare_exchange_weak(s, &expected, r + 2, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); \
    __hip_atomic_store(p, r, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);                                                   \
    y[item()] = r + expected + __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);                             \
  }
INTEGER_ATOMICS(i32, int) INTEGER_ATOMICS(u32, unsigned) INTEGER_ATOMICS(i64, long long) INTEGER_ATOMICS(u64, ulong)
#define FLOAT_ATOMICS(NAME, T)                                                              \
  KERNEL atomics_##NAME(T* y, T* x) {                                                       \
    SHARE(T)                                                                                \
    SCOPES(fetch_add, T, r) SCOPES(fetch_min, T, r) SCOPES(fetch_max, T, r)                 \
    y[item()] = r;                                                                          \
  }
FLOAT_ATOMICS(f32, float) FLOAT_ATOMICS(f64, double)

KERNEL atomics_inc_dec(unsigned* y, unsigned* x) {
  static SHARED unsigned counter;
  unsigned r = __builtin_amdgcn_atomic_inc32(x, 77u, __ATOMIC_RELAXED, "agent");
  r += __builtin_amdgcn_atomic_dec32(x, 99u, __ATOMIC_RELAXED, "agent");
  r += __builtin_amdgcn_atomic_inc32(&counter, 5u, __ATOMIC_RELAXED, "workgroup");
  y[item()] = r;
}

#if defined(__gfx90a__) || defined(__gfx942__)
KERNEL buffers(int* y, int* x, int n) {
  const auto buffer = __builtin_amdgcn_make_buffer_rsrc(x, 0, n, 0x27000);
  const int at = (int)item() * 4;
  int r = __builtin_amdgcn_raw_buffer_load_b32(buffer, at, 4, 0) + (int)__builtin_amdgcn_raw_buffer_load_b8(buffer, at, 0, 0);
  const int4 four = __builtin_bit_cast(int4, __builtin_amdgcn_raw_buffer_load_b128(buffer, at, 16, 0));
  r += four.x + four.w + (int)__builtin_amdgcn_raw_buffer_load_b16(buffer, at, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b32(r, buffer, at, 0, 0);
  y[item()] = r;
}
#endif
