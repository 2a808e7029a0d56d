#include "library/collective_library.hpp"

namespace kernelgen {
namespace {

constexpr const char* nccl_names[] = {"libnccl.so.2", "libnccl.so"};
constexpr const char* rccl_names[] = {"librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so"};

}  // namespace

CollectiveLibrary::CollectiveLibrary(DynamicLibrary library)
    : VendorLibrary(std::move(library), "collectives", "ncclGetErrorString") {
#define KERNELGEN_LOAD(member, name, arguments) \
  member = {reinterpret_cast<int(*) arguments>(required(#name)), #name};
  KERNELGEN_NCCL_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
}

const CollectiveLibrary& CollectiveLibrary::of(DeviceKind kind) {
  // Never destroyed: communicators may be destroyed during process exit.
  if (kind == DeviceKind::cuda) {
    static const CollectiveLibrary& nccl =
        *new CollectiveLibrary(DynamicLibrary("NCCL library", "KERNELGEN_NCCL_LIBRARY", nccl_names));
    return nccl;
  }
  static const CollectiveLibrary& rccl =
      *new CollectiveLibrary(DynamicLibrary("RCCL library", "KERNELGEN_RCCL_LIBRARY", rccl_names));
  return rccl;
}

}  // namespace kernelgen
