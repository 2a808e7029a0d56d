#include <dlpack/dlpack.h>

#include "dlpack/versioned.hpp"
#include "kernelgen/dlpack.hpp"

static_assert(kernelgen::dlpack_float8_e4m3fn == 10);
// From DLPack 1.0 on, whose header has the versioned struct.
#ifdef DLPACK_MAJOR_VERSION
using Ours = kernelgen::dlpack::VersionedTensor;
static_assert(sizeof(Ours) == sizeof(DLManagedTensorVersioned));
static_assert(sizeof(Ours::version) == sizeof(DLPackVersion));
static_assert(offsetof(Ours, version) == offsetof(DLManagedTensorVersioned, version));
static_assert(offsetof(DLPackVersion, major) == 0 && offsetof(DLPackVersion, minor) == 4);
static_assert(offsetof(Ours, manager_ctx) == offsetof(DLManagedTensorVersioned, manager_ctx));
static_assert(offsetof(Ours, deleter) == offsetof(DLManagedTensorVersioned, deleter));
static_assert(offsetof(Ours, flags) == offsetof(DLManagedTensorVersioned, flags));
static_assert(offsetof(Ours, dl_tensor) == offsetof(DLManagedTensorVersioned, dl_tensor));
static_assert(kernelgen::dlpack::major_version == DLPACK_MAJOR_VERSION);
static_assert(kernelgen::dlpack::read_only_flag == DLPACK_FLAG_BITMASK_READ_ONLY);
#endif
