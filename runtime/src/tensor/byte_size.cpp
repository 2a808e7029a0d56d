#include "tensor/byte_size.hpp"

#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

std::size_t byte_size(const Layout& layout, DType dtype) {
  std::int64_t bytes;
  const std::int64_t block = block_elements(dtype);
  if (layout.rank() > 0 ? layout.shape.back() % block != 0 : block != 1)
    throw Error(
        Code::invalid_argument,
        formatted("tensor: shape {} of {}; its last dim has to be a multiple of {}, the elements of a block",
                  layout.shape.to_string(), name_of(dtype), block));
  if (__builtin_mul_overflow(layout.elements() / block, static_cast<std::int64_t>(size_of(dtype)), &bytes))
    throw Error(Code::invalid_argument, formatted("tensor: shape {} of {} needs more than 2^63 - 1 bytes",
                                                  layout.shape.to_string(), name_of(dtype)));
  return static_cast<std::size_t>(bytes);
}

}  // namespace kernelgen
