#pragma once
// What the kernels of this folder are written with. All take the same arguments: `out` is not initialised, `in` is,
// `zeros` holds zeros; each has n = 256 elements, which 2 blocks of 128 work-items share.

#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define KERNEL(NAME)                                                                                         \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, 256))) void NAME(                         \
      [[maybe_unused]] unsigned* out, [[maybe_unused]] const unsigned* in, [[maybe_unused]] unsigned* zeros, \
      [[maybe_unused]] unsigned n)

static DEVICE inline unsigned item() { return __builtin_amdgcn_workitem_id_x(); }
static DEVICE inline unsigned block() { return __builtin_amdgcn_workgroup_id_x(); }
static DEVICE inline unsigned index() { return block() * 128 + item(); }
static DEVICE inline void synchronize() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static DEVICE inline void device_fence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
static DEVICE inline unsigned add(unsigned* to, unsigned value) {
  return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static DEVICE inline unsigned add_shared(unsigned* to, unsigned value) {
  return __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
static DEVICE inline bool swap(unsigned* at, unsigned& expected, unsigned value) {
  return __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                              __HIP_MEMORY_SCOPE_AGENT);
}
static DEVICE inline bool swap_shared(unsigned* at, unsigned& expected, unsigned value) {
  return __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                              __HIP_MEMORY_SCOPE_WORKGROUP);
}
/// A value that the compiler knows nothing of.
static DEVICE inline unsigned opaque(unsigned value) {
  asm volatile("" : "+v"(value));
  return value;
}

#if defined(__gfx1200__) || defined(__gfx1201__)
#define WAIT_LOADS(N) "s_wait_loadcnt " #N "\n"
#define WAIT_LDS(N) "s_wait_dscnt " #N "\n"
#define WAIT_SCALAR(N) "s_wait_kmcnt " #N "\n"
#define BARRIER "s_barrier_signal -1\ns_barrier_wait -1\n"
#else
#define WAIT_LOADS(N) "s_waitcnt vmcnt(" #N ")\n"
#define WAIT_LDS(N) "s_waitcnt lgkmcnt(" #N ")\n"
#define WAIT_SCALAR(N) "s_waitcnt lgkmcnt(" #N ")\n"
#define BARRIER "s_barrier\n"
#endif
#if defined(__GFX11__) || defined(__GFX12__)
#define LOAD "global_load_b32"
#define LOAD_SCALAR "s_load_b32"
#define LOAD_LDS "ds_load_b32"
#define STORE_LDS "ds_store_b32"
#else
#define LOAD "global_load_dword"
#define LOAD_SCALAR "s_load_dword"
#define LOAD_LDS "ds_read_b32"
#define STORE_LDS "ds_write_b32"
#endif

#if defined(__GFX9__)
#define ADD_ONE "v_add_u32 %0, 1, %0\n"
#else
#define ADD_ONE "v_add_nc_u32 %0, 1, %0\n"
#endif

/// A product of matrices of ones: 16.
static DEVICE inline float matrix_product() {
#if defined(__GFX9__)
  typedef _Float16 Half4 __attribute__((ext_vector_type(4)));
  typedef float Float4 __attribute__((ext_vector_type(4)));
  const Half4 a = {1, 1, 1, 1};
  const Float4 c = {0, 0, 0, 0};
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, c, 0, 0, 0)[0];
#elif defined(__GFX11__)
  typedef _Float16 Half16 __attribute__((ext_vector_type(16)));
  typedef float Float8 __attribute__((ext_vector_type(8)));
  const Half16 a = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const Float8 c = {};
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, a, c)[0];
#else
  typedef _Float16 Half8 __attribute__((ext_vector_type(8)));
  typedef float Float8 __attribute__((ext_vector_type(8)));
  const Half8 a = {1, 1, 1, 1, 1, 1, 1, 1};
  const Float8 c = {};
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, a, c)[0];
#endif
}
