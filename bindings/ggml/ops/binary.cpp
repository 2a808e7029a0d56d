#include "ops/table.hpp"

/// Arithmetic on two operands, the second repeated over the first.
namespace kernelgen::ggml {
namespace {

bool is_repeated(const Node& node) {
  return is_real(&node) && is_real(node.src[0]) && is_real(node.src[1]) &&
         is_same_shape(node, *node.src[0]) && Tiling::fits(node, *node.src[1]);
}

template <Tensor (*function)(const Tensor&, const Tensor&, const CallOptions&)>
void binary(const Call& call) {
  Tensor a = call.source(0), b = call.source(1);
  const DType result = call.destination().dtype();
  const Tiling tiling(a.shape(), b.shape());
  if (a.dtype() != result || b.dtype() != result) {
    a = call.as(a, DType::f32);
    b = call.as(b, DType::f32);
    if (result != DType::f32) return call.put(function(tiling.split(a), tiling.repeat(b), call.options()));
  }
  call.write([&](const CallOptions& options) {
    if (options.out == nullptr) return function(tiling.split(a), tiling.repeat(b), options);
    const Tensor out = tiling.split(*options.out);
    return function(tiling.split(a), tiling.repeat(b), {.stream = options.stream, .out = &out});
  });
}

bool is_add1(const Node& node) {
  return is_f32(&node) && is_f32(node.src[0]) && is_f32(node.src[1]) && elements(*node.src[1]) == 1 &&
         is_same_shape(node, *node.src[0]);
}

/// ids choose a row of the second operand for each row of the first.
void add_id(const Call& call) {
  const Tensor x = call.source(0), rows = call.source(1).squeeze(0).squeeze(0);
  const Tensor ids = call.contiguous(call.source(2)).reshape({call.source(2).elements()});
  const Tensor chosen = index_select(rows, 0, ids, call.options()).reshape(x.shape());
  call.write([&](const CallOptions& options) { return add(x, chosen, options); });
}

bool is_add_id(const Node& node) {
  const Node *x = node.src[0], *rows = node.src[1], *ids = node.src[2];
  return is_f32(&node) && is_f32(x) && is_f32(rows) && is_type(ids, {Type::i32}) && is_same_shape(node, *x) &&
         x->ne[3] == 1 && rows->ne[2] == 1 && rows->ne[3] == 1 && rows->ne[0] == x->ne[0] &&
         ids->ne[0] == x->ne[1] && ids->ne[1] == x->ne[2];
}

/// The second operand written, or added, to a view of the first operand's copy.
template <bool is_sum>
void into_view(const Call& call) {
  const Node& node = call.node();
  const Tensor out = call.destination(), part = call.source(1);
  if (node.src[0]->data != node.data) copy_into(out, call.source(0), call.stream());
  const auto size = static_cast<std::int64_t>(size_of(out.dtype()));
  const Tensor view =
      out.with_layout({part.shape(),
                       {bytes(node, 2) / size, bytes(node, 1) / size, bytes(node, 0) / size, 1},
                       bytes(node, 3) / size});
  copy_into(view, is_sum ? add(view, part, call.options()) : part, call.stream());
}

bool is_into_view(const Node& node) {
  const Node *x = node.src[0], *part = node.src[1];
  const auto dtype = dtype_of(node.type);
  if (!is_type(&node, {Type::f32, Type::i32, Type::f16, Type::bf16}) || !is_type(x, {node.type}) ||
      !is_type(part, {node.type}) || !is_contiguous(node) || !is_same_shape(node, *x))
    return false;
  const auto size = static_cast<std::int64_t>(size_of(*dtype));
  std::int64_t last = bytes(node, 3) / size + part->ne[0];
  for (std::size_t d = 1; d < max_dims; ++d) {
    if (bytes(node, d - 1) % size != 0) return false;
    last += (part->ne[d] - 1) * (bytes(node, d - 1) / size);
  }
  return bytes(node, 3) % size == 0 && last <= elements(node);
}

constexpr Operation operations[] = {
    {"ADD", is_repeated, binary<add>},      {"SUB", is_repeated, binary<sub>},
    {"MUL", is_repeated, binary<mul>},      {"DIV", is_repeated, binary<div>},
    {"ADD1", is_add1, binary<add>},         {"ADD_ID", is_add_id, add_id},
    {"ACC", is_into_view, into_view<true>}, {"SET", is_into_view, into_view<false>},
};

}  // namespace

Operations binary_operations() { return operations; }

}  // namespace kernelgen::ggml
