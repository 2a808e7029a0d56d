#pragma once
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "interface.hpp"
#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

/// What a node says about its elements. None of it needs the node to have memory, so supports_op uses it too.
namespace kernelgen::ggml {

/// Nothing for a type that the library has no format for. i8 is u8, since its elements are only moved.
std::optional<DType> dtype_of(Type type);

/// The elements' layout relative to the node's address, with the slowest of ggml's four dims first. Nothing if a stride is
/// no whole number of elements or blocks.
std::optional<Layout> layout_of(const Node& node);

/// Whether the library can view the node.
bool is_viewable(const Node& node);

inline std::int32_t integer(const Node& node, std::size_t i) { return node.op_params[i]; }
inline float real(const Node& node, std::size_t i) { return std::bit_cast<float>(node.op_params[i]); }
/// A byte offset or stride, as view-like operations have in one parameter.
inline std::int64_t bytes(const Node& node, std::size_t i) {
  return static_cast<std::uint32_t>(node.op_params[i]);
}

inline bool is_type(const Node* node, std::initializer_list<Type> types) {
  for (const Type type : types)
    if (node != nullptr && node->type == type) return true;
  return false;
}
inline bool is_f32(const Node* node) { return is_type(node, {Type::f32}); }
/// f32, f16 or bf16.
inline bool is_real(const Node* node) { return is_type(node, {Type::f32, Type::f16, Type::bf16}); }
inline bool is_block_type(const Node* node) {
  const auto dtype = node == nullptr ? std::nullopt : dtype_of(node->type);
  return dtype && is_quantized(*dtype);
}
/// Whether elements are numbers that the library converts.
inline bool is_plain(const Node* node) {
  const auto dtype = node == nullptr || node->type == Type::i8 ? std::nullopt : dtype_of(node->type);
  return dtype && !is_quantized(*dtype);
}

/// Whether values of one type can be quantized to the other as ggml's CPU back end does. That rounds halves to even in q8_0,
/// its reference and the library away from zero; halves are frequent among 16-bit values.
inline bool is_quantizable(const Node& from, const Node& to) {
  const auto dtype = dtype_of(to.type);
  if (!dtype || !kernelgen::is_quantizable(*dtype)) return false;
  return is_f32(&from) || (is_real(&from) && !is_type(&to, {Type::q8_0}));
}

bool is_contiguous(const Node& node);
bool is_empty(const Node& node);
bool is_same_shape(const Node& a, const Node& b);
std::int64_t elements(const Node& node);

}  // namespace kernelgen::ggml
