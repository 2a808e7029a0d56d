#pragma once
#include <cstdint>

#include "kernelgen/tensor.hpp"

// Declared in dlpack/dlpack.h; include it only to access the members.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/// Zero-copy exchange of tensors with other frameworks: as DLPack's unversioned DLManagedTensor, which every
/// DLPack release reads, or as the DLManagedTensorVersioned of DLPack 1.x, which has a read-only flag. All
/// functions are thread-safe.
namespace kernelgen {

/// DLPack's type code of f8e4m3 (kDLFloat8_e4m3fn, with bits = 8), defined since DLPack 1.1. Older headers,
/// such as the 0.6 of Debian 12, lack it.
inline constexpr std::uint8_t dlpack_float8_e4m3fn = 10;

/// Exports the tensor as DLPack, sharing its memory. The caller owns the result and must call its deleter
/// once; until then the memory stays valid. DLPack transfers no stream: synchronize first if the consumer
/// works in another one. Throws Error(invalid_argument) for an empty Tensor, a quantized one, and for
/// read-only memory, which this struct cannot express.
DLManagedTensor* to_dlpack(const Tensor& tensor);

/// The same as DLPack 1.1, with the read-only flag if the tensor's memory is read-only. Throws
/// Error(invalid_argument) for an empty Tensor or a quantized one.
DLManagedTensorVersioned* to_dlpack_versioned(const Tensor& tensor);

/// Imports DLPack memory, which must be on `device`, as a tensor. On success the tensor owns `managed` and
/// calls its deleter, if any, exactly once, when the last tensor over the memory is destroyed; if the
/// function throws, the caller still owns it. DLPack does not give the memory's size, so the tensor's storage
/// is the range that its layout reaches. Throws Error(invalid_argument) for null, another device, lanes ≠ 1,
/// an unsupported dtype, rank above 8, a negative extent, an element index that does not fit 64 bits, or data
/// that is null or not aligned to its elements.
Tensor from_dlpack(DLManagedTensor* managed, const Device& device);

/// The same for DLPack 1.x. Memory with the read-only flag becomes read-only storage, to which operations
/// refuse to write. Also throws Error(invalid_argument) for another major version, of which nothing else is
/// read.
Tensor from_dlpack(DLManagedTensorVersioned* managed, const Device& device);

}  // namespace kernelgen
