#pragma once
/// A thread's indices and barriers.
#include "imported/keywords.hpp"
#if !KG_GPU
#include "imported/crew.hpp"
#include "plan/launched_block.hpp"
#endif

struct dim3 {
  unsigned x, y, z;
  KG_BOTH constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace kernelgen_import {

struct Index {
  unsigned x, y, z;
  KG_BOTH operator dim3() const { return dim3(x, y, z); }
};

#if KG_GPU
/// Lanes of a wave of the GPU.
KG_DEVICE constexpr unsigned lanes() { return KERNELGEN_WAVE_SIZE; }
KG_DEVICE Index thread() {
  return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
          __builtin_amdgcn_workitem_id_z()};
}
KG_DEVICE Index block() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
          __builtin_amdgcn_workgroup_id_z()};
}
KG_DEVICE Index block_size() {
  return {__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
          __builtin_amdgcn_workgroup_size_z()};
}
KG_DEVICE Index grid_size() {
  const Index size = block_size();
  return {__builtin_amdgcn_grid_size_x() / size.x, __builtin_amdgcn_grid_size_y() / size.y,
          __builtin_amdgcn_grid_size_z() / size.z};
}
KG_DEVICE void sync_block() { kg::sync(); }
KG_DEVICE void sync_wave() { kg::sync_wave(); }
#else
KG_DEVICE constexpr unsigned lanes() { return crew_lanes; }
/// The extents of the block that runs.
KG_DEVICE const unsigned* threads() {
  return static_cast<const kg::LaunchedBlock*>(kg::current_block)->threads;
}
KG_DEVICE Index thread() {
  const unsigned *const size = threads(), i = current_thread;
  return {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
}
KG_DEVICE Index block() {
  const unsigned* index = kg::current_block->index;
  return {index[0], index[1], index[2]};
}
KG_DEVICE Index block_size() {
  const unsigned* const size = threads();
  return {size[0], size[1], size[2]};
}
KG_DEVICE Index grid_size() {
  const unsigned* grid = kg::current_block->grid;
  return {grid[0], grid[1], grid[2]};
}
KG_DEVICE void sync_block() { current_crew->wait(Waiting::block); }
KG_DEVICE void sync_wave() { current_crew->wait(Waiting::wave); }
#endif

/// The thread's index in its block, which decides its wave and lane.
KG_DEVICE unsigned thread_rank() {
  const Index index = thread(), size = block_size();
  return (index.z * size.y + index.y) * size.x + index.x;
}
KG_DEVICE unsigned threads_of_block() {
  const Index size = block_size();
  return size.x * size.y * size.z;
}

}  // namespace kernelgen_import

#define threadIdx (kernelgen_import::thread())
#define blockIdx (kernelgen_import::block())
#define blockDim (kernelgen_import::block_size())
#define gridDim (kernelgen_import::grid_size())
#ifdef KERNELGEN_CUDA_FILE
constexpr int warpSize = 32;
#else
/// Of the GPU that the code is for.
constexpr int warpSize = kernelgen_import::lanes();
#endif

KG_DEVICE void __syncthreads() { kernelgen_import::sync_block(); }
KG_DEVICE void __syncwarp(unsigned long long = ~0ull) { kernelgen_import::sync_wave(); }

#if KG_GPU
KG_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
KG_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
KG_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
KG_DEVICE long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
KG_DEVICE long long wall_clock64() { return clock64(); }
#else
KG_DEVICE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KG_DEVICE void __threadfence_block() { __threadfence(); }
KG_DEVICE void __threadfence_system() { __threadfence(); }
KG_DEVICE long long clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }
KG_DEVICE long long wall_clock64() { return clock64(); }
#endif
KG_DEVICE void __trap() { __builtin_trap(); }

namespace kernelgen_import {
/// The number of threads of the block whose predicate holds.
KG_DEVICE int count_in_block(bool predicate);
}  // namespace kernelgen_import
KG_DEVICE int __syncthreads_count(int predicate) { return kernelgen_import::count_in_block(predicate != 0); }
KG_DEVICE int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
KG_DEVICE int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

namespace kernelgen_import {
KG_DEVICE int count_in_block(bool predicate) {
  __shared__ int count;
  if (thread_rank() == 0) count = 0;
  sync_block();
  if (predicate) {
#if KG_GPU
    __hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
#else
    ++count;
#endif
  }
  sync_block();
  const int all = count;
  sync_block();
  return all;
}
}  // namespace kernelgen_import
