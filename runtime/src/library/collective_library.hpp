#pragma once
#include <array>
#include <cstddef>

#include "kernelgen/device_kind.hpp"
#include "library/vendor_library.hpp"

// NCCL's interface, which RCCL has too: handles are ncclComm_t and the driver's streams; tests/headers compares.
//   KERNELGEN_NCCL_CALLS(X): X(member, name, arguments), each of which gives a status
#define KERNELGEN_NCCL_CALLS(X)                                                                             \
  X(get_id, ncclGetUniqueId, (nccl::Id * id))                                                               \
  X(join, ncclCommInitRank, (void** communicator, int ranks, nccl::Id id, int rank))                        \
  X(leave, ncclCommDestroy, (void* communicator))                                                           \
  X(all_reduce, ncclAllReduce,                                                                              \
    (const void* from, void* to, std::size_t count, int type, int reduction, void* communicator,            \
     void* stream))                                                                                         \
  X(reduce_scatter, ncclReduceScatter,                                                                      \
    (const void* from, void* to, std::size_t result_count, int type, int reduction, void* communicator,     \
     void* stream))                                                                                         \
  X(broadcast, ncclBroadcast,                                                                               \
    (const void* from, void* to, std::size_t count, int type, int root, void* communicator, void* stream))  \
  X(all_gather, ncclAllGather,                                                                              \
    (const void* from, void* to, std::size_t own_count, int type, void* communicator, void* stream))        \
  X(send, ncclSend,                                                                                         \
    (const void* from, std::size_t count, int type, int peer, void* communicator, void* stream))            \
  X(receive, ncclRecv, (void* to, std::size_t count, int type, int peer, void* communicator, void* stream)) \
  X(begin_group, ncclGroupStart, ())                                                                        \
  X(end_group, ncclGroupEnd, ())

namespace kernelgen {
namespace nccl {

/// ncclUniqueId, passed by value.
struct Id {
  std::array<char, 128> bytes;
};
/// ncclDataType_t.
constexpr int type_u8 = 1, type_i32 = 2, type_u32 = 3, type_i64 = 4, type_f16 = 6, type_f32 = 7, type_f64 = 8,
              type_bf16 = 9;
/// ncclRedOp_t.
constexpr int sum = 0, product = 1, max = 2, min = 3, mean = 4;

}  // namespace nccl

/// NCCL, or RCCL, its equivalent for AMD GPUs. The functions are thread-safe; a communicator is used by one
/// thread at a time.
class CollectiveLibrary final : public VendorLibrary {
 public:
  /// The library for a kind of GPU, opened once per process. Throws Error(unsupported) with the names tried.
  static const CollectiveLibrary& of(DeviceKind kind);

#define KERNELGEN_MEMBER(member, name, arguments) detail::GpuCallOf<int arguments>::type member;
  KERNELGEN_NCCL_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER

 private:
  explicit CollectiveLibrary(DynamicLibrary library);
};

}  // namespace kernelgen
