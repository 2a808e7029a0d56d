#pragma once
#include <cstdint>

#include "kernelgen/tensor.hpp"

struct DLManagedTensor;  // of dlpack/dlpack.h, needed only to look inside

/// Tensors to and from other frameworks without a copy. The struct is DLPack's unversioned DLManagedTensor,
/// which every DLPack release reads. Both functions are thread-safe.
namespace kernelgen {

/// DLPack's type code for f8e4m3 (kDLFloat8_e4m3fn, with bits = 8). Older headers, such as the 0.6 of Debian
/// 12, do not name it; it has this number since DLPack 1.1.
inline constexpr std::uint8_t dlpack_float8_e4m3fn = 10;

/// The tensor as DLPack, sharing its memory. The caller owns the result and calls its deleter once; until
/// then the memory lives. DLPack names no stream: synchronize first where the receiver works on another.
/// Throws Error(invalid_argument) for an empty Tensor.
DLManagedTensor* to_dlpack(const Tensor& tensor);

/// A tensor over memory that came by DLPack, which must be on `device`. When it returns, the tensor owns
/// `managed` and calls its deleter (if it has one) exactly once, when the last tensor over the memory goes;
/// when it throws, the caller still owns it. DLPack says nothing of how large the memory is: the tensor's
/// storage is what its layout reaches. Throws Error(invalid_argument) for null, another device, lanes ≠ 1, a
/// dtype that is none of ours, rank above 8, a negative extent, a position that does not fit 64 bits, or data
/// that is null or not aligned to its elements.
Tensor from_dlpack(DLManagedTensor* managed, const Device& device);

}  // namespace kernelgen
