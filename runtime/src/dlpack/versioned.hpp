#pragma once
#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>

struct DLManagedTensorVersioned;

/// The versioned struct of DLPack 1.x by hand, as the headers of distributions (0.6 in Debian 12) do not have it.
/// tests/headers/dlpack.cpp compares it with a header that has it.
namespace kernelgen::dlpack {

inline constexpr std::uint32_t major_version = 1;
/// 1.1 numbered the last of the types that are exported (dlpack_float8_e4m3fn).
inline constexpr std::uint32_t minor_version = 1;
inline constexpr std::uint64_t read_only_flag = 1;

struct VersionedTensor {
  struct {
    std::uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

}  // namespace kernelgen::dlpack
