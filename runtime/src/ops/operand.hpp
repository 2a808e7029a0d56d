#pragma once
#include <cstddef>
#include <cstdint>

#include "kernelgen/ops/elementwise.hpp"

namespace kernelgen {

/// Address of the element `element` storage elements after the view's first.
inline std::byte* element_address(const Tensor& tensor, std::int64_t element) {
  return static_cast<std::byte*>(tensor.data()) + bytes_of(tensor.dtype(), element);
}

/// Bytes that a GPU thread loads or stores at once.
inline constexpr std::int64_t pack_bytes = 16;

/// Whether packs can be loaded and stored from this address on.
inline bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % pack_bytes == 0; }

/// x itself if contiguous, else a row-major copy.
inline Tensor make_contiguous(const Tensor& x, const Stream& stream) {
  return x.layout().is_contiguous() ? x : copy(x, {.stream = stream});
}

/// x itself if its last dim is contiguous, else a row-major copy.
inline Tensor make_rows_contiguous(const Tensor& x, const Stream& stream) {
  return x.shape().back() <= 1 || x.layout().strides.back() == 1 ? x : copy(x, {.stream = stream});
}

}  // namespace kernelgen
