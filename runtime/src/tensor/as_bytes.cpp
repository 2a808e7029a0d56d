#include "tensor/as_bytes.hpp"

namespace kernelgen {

Tensor as_bytes(const Tensor& quantized) {
  const DType dtype = quantized.dtype();
  Layout layout = quantized.layout();
  const std::size_t last = layout.rank() - 1;
  layout.shape[last] = bytes_of(dtype, layout.shape[last]);
  for (std::size_t d = 0; d < last; ++d) layout.strides[d] = bytes_of(dtype, layout.strides[d]);
  layout.offset = bytes_of(dtype, layout.offset);
  return Tensor(quantized.storage(), DType::u8, layout);
}

}  // namespace kernelgen
