#include "node.hpp"

#include "kernelgen/gguf.hpp"

namespace kernelgen::ggml {

std::optional<DType> dtype_of(Type type) {
  return type == Type::i8 ? DType::u8 : gguf_dtype(static_cast<std::uint32_t>(type));
}

bool is_viewable(const Node& node) {
  const auto dtype = dtype_of(node.type);
  if (!dtype) return false;
  const std::size_t size = size_of(*dtype);
  for (std::size_t d = 0; d < max_dims; ++d)
    if (node.ne[d] > 1 && node.nb[d] % size != 0) return false;
  // Blocks are only viewed along the fastest dim, where neighbours are one element apart.
  const std::int64_t block = block_elements(*dtype);
  return block == 1 || (node.nb[0] == size && node.ne[0] % block == 0);
}

std::optional<Layout> layout_of(const Node& node) {
  if (!is_viewable(node)) return std::nullopt;
  const DType dtype = *dtype_of(node.type);
  const std::int64_t block = block_elements(dtype);
  Layout layout{{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
  for (std::size_t d = 0; d < max_dims; ++d) {
    layout.shape[max_dims - 1 - d] = node.ne[d];
    layout.strides[max_dims - 1 - d] = static_cast<std::int64_t>(node.nb[d] / size_of(dtype)) * block;
  }
  if (block > 1) layout.strides[max_dims - 1] = 1;
  return layout;
}

bool is_contiguous(const Node& node) {
  if (!is_viewable(node)) return false;
  if (is_empty(node)) return true;
  const DType dtype = *dtype_of(node.type);
  std::size_t step = size_of(dtype);
  for (std::size_t d = 0; d < max_dims; ++d) {
    if (node.ne[d] != 1 && node.nb[d] != step) return false;
    step = d == 0 ? static_cast<std::size_t>(bytes_of(dtype, node.ne[0]))
                  : step * static_cast<std::size_t>(node.ne[d]);
  }
  return true;
}

bool is_empty(const Node& node) { return elements(node) == 0; }

bool is_same_shape(const Node& a, const Node& b) {
  for (std::size_t d = 0; d < max_dims; ++d)
    if (a.ne[d] != b.ne[d]) return false;
  return true;
}

std::int64_t elements(const Node& node) { return node.ne[0] * node.ne[1] * node.ne[2] * node.ne[3]; }

}  // namespace kernelgen::ggml
