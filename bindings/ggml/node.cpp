#include "node.hpp"

namespace kernelgen::ggml {

std::optional<DType> dtype_of(Type type) {
  switch (type) {
    case Type::f32:
      return DType::f32;
    case Type::f16:
      return DType::f16;
    case Type::bf16:
      return DType::bf16;
    case Type::f64:
      return DType::f64;
    case Type::i16:
      return DType::i16;
    case Type::i32:
      return DType::i32;
    case Type::i64:
      return DType::i64;
    case Type::q4_0:
      return DType::q4_0;
    case Type::q4_1:
      return DType::q4_1;
    case Type::q5_0:
      return DType::q5_0;
    case Type::q5_1:
      return DType::q5_1;
    case Type::q8_0:
      return DType::q8_0;
    case Type::q8_1:
      return DType::q8_1;
    case Type::q2_K:
      return DType::q2_K;
    case Type::q3_K:
      return DType::q3_K;
    case Type::q4_K:
      return DType::q4_K;
    case Type::q5_K:
      return DType::q5_K;
    case Type::q6_K:
      return DType::q6_K;
    case Type::q8_K:
      return DType::q8_K;
    case Type::iq4_nl:
      return DType::iq4_nl;
    case Type::mxfp4:
      return DType::mxfp4;
    case Type::i8:
      break;
  }
  return std::nullopt;
}

std::optional<Layout> layout_of(const Node& node) {
  const auto dtype = dtype_of(node.type);
  if (!dtype) return std::nullopt;
  const std::size_t size = size_of(*dtype);
  const std::int64_t block = block_elements(*dtype);
  Layout layout{{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
  for (std::size_t d = 0; d < max_dims; ++d) {
    if (node.ne[d] > 1 && node.nb[d] % size != 0) return std::nullopt;
    layout.shape[max_dims - 1 - d] = node.ne[d];
    layout.strides[max_dims - 1 - d] = static_cast<std::int64_t>(node.nb[d] / size) * block;
  }
  if (block > 1) {
    // Blocks are only viewed along the fastest dim, where neighbours are one element apart.
    if (node.nb[0] != size || node.ne[0] % block != 0) return std::nullopt;
    layout.strides[max_dims - 1] = 1;
  }
  return layout;
}

bool is_viewable(const Node& node) { return layout_of(node).has_value(); }

bool is_contiguous(const Node& node) {
  const auto layout = layout_of(node);
  return layout && layout->is_contiguous();
}

bool is_empty(const Node& node) { return elements(node) == 0; }

bool is_same_shape(const Node& a, const Node& b) {
  for (std::size_t d = 0; d < max_dims; ++d)
    if (a.ne[d] != b.ne[d]) return false;
  return true;
}

std::int64_t elements(const Node& node) { return node.ne[0] * node.ne[1] * node.ne[2] * node.ne[3]; }

}  // namespace kernelgen::ggml
