#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

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

/// A dim of a view that is not contiguous whose stride does not fit 32 bits: element-wise kernels multiply by strides of 32 bits. A
/// contiguous tensor that has such strides is read in pieces without them (Iteration).
inline std::optional<std::int64_t> wide_dim(const Tensor& x) {
  const Layout& layout = x.layout();
  if (layout.is_contiguous()) return {};
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t d = 0; d < layout.shape.size(); ++d)
    if (layout.shape[d] > 1 && (layout.strides[d] > most || layout.strides[d] < -most))
      return static_cast<std::int64_t>(d);
  return {};
}

/// x itself if contiguous, else a row-major copy.
inline Tensor make_contiguous(const Tensor& x, const Stream& stream) {
  return x.layout().is_contiguous() ? x : copy(x, {.stream = stream});
}

/// x itself if its last dim is contiguous, else a row-major copy.
inline Tensor make_rows_contiguous(const Tensor& x, const Stream& stream) {
  return x.shape().back() <= 1 || x.layout().strides.back() == 1 ? x : copy(x, {.stream = stream});
}

}  // namespace kernelgen
