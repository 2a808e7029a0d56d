#pragma once
#include <cstdint>

/// Constants common to HIP's and CUDA's driver APIs; tests/headers compares them.
namespace kernelgen::gpu {

constexpr int status_out_of_memory = 2, status_no_device = 100, status_not_found = 500,
              status_not_ready = 600, status_reached_already = 704;
/// Errors for calls not allowed during a capture.
constexpr int first_capture_status = 900, last_capture_status = 908;
constexpr unsigned stream_non_blocking = 1, event_default = 0, event_without_time = 2;
/// What begins the two entries of the list that hands a launch its arguments.
constexpr std::uintptr_t launch_buffer_pointer = 1, launch_buffer_size = 2;
constexpr int capture_relaxed = 2;
/// CUgraphExecUpdateResult; hipGraphExecUpdateResult lacks the last.
enum UpdateResult {
  update_succeeded,
  update_failed,
  update_other_nodes,
  update_other_kind,
  update_other_function,
  update_other_parameters,
  update_not_supported,
  update_function_not_supported,
  update_other_attributes,
  update_results
};
/// hipMemPoolAttr, CUmemPool_attribute.
constexpr int pool_release_threshold = 4, pool_reserved_now = 5, pool_used_now = 7;
/// hipHostMallocPortable, CU_MEMHOSTALLOC_PORTABLE.
constexpr unsigned pinned_for_all_devices = 1;
/// hipMemAccessDesc, CUmemAccessDesc.
struct PoolAccess {
  int location, device, access;
};
constexpr int location_of_a_device = 1, read_and_write = 3;

}  // namespace kernelgen::gpu
