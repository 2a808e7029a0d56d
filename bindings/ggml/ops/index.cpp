#include "ops/table.hpp"

/// Rows chosen by ids, positions of elements, and sorting.
namespace kernelgen::ggml {
namespace {

/// The node's rows one below the other: [rows, n].
Tensor rows_of(const Call& call, const Tensor& x) {
  const Tensor all = call.contiguous(x);
  return Tensor(all.storage(), all.dtype(), Layout::contiguous({x.elements() / x.shape()[3], x.shape()[3]}));
}

bool is_get_rows(const Node& node) {
  const Node *table = node.src[0], *ids = node.src[1];
  if (!is_type(ids, {Type::i32}) || ids->ne[3] != 1) return false;
  if (is_type(table, {Type::i32})) return is_type(&node, {Type::i32});
  return is_f32(&node) && (is_real(table) || is_block_type(table));
}

/// dst[b3, b2, r] = table[b3, b2, ids[b3, b2, r]]: elements of f32 are gathered; of other types rows of one table are taken, with
/// ids counted on from batch to batch.
void get_rows_of(const Call& call) {
  const CallOptions options = call.options();
  const Tensor table = call.source(0);
  Tensor ids = call.source(1).squeeze(0);
  const std::int64_t rows = table.shape()[2], inner = table.shape()[1], outer = table.shape()[0];
  if (inner * outer > 1) {
    if (table.dtype() == DType::f32)
      return call.write_apart([&](const CallOptions& to) {
        const Tensor indices = ids.unsqueeze(3).broadcast_to(call.destination().shape());
        return gather(table, 2, indices, to);
      });
    const Tensor first =
        to_dtype(call.range(inner * outer, 0, static_cast<double>(rows)), DType::i64, options);
    ids = add(to_dtype(ids, DType::i64, options), first.reshape({outer, inner, 1}), options);
  }
  const Tensor all = rows_of(call, table), flat = call.contiguous(ids).reshape({ids.elements()});
  if (all.dtype() == DType::i32) return call.put(index_select(all, 0, flat, options));
  call.write_as({flat.elements(), all.shape()[1]},
                [&](const CallOptions& to) { return get_rows(all, flat, DType::f32, to); });
}

bool is_set_rows(const Node& node) {
  const Node *x = node.src[0], *ids = node.src[1];
  if (!is_real(x) || !is_type(ids, {Type::i32, Type::i64}) || ids->ne[3] != 1) return false;
  if (is_block_type(&node) ? !is_quantizable(*x, node) : !is_real(&node)) return false;
  return x->ne[2] % ids->ne[1] == 0 && x->ne[3] % ids->ne[2] == 0 && ids->ne[0] == x->ne[1];
}

/// dst[b3, b2, ids[b3 % …, b2 % …, r]] = x[b3, b2, r].
void set_rows_of(const Call& call) {
  const Tensor out = call.destination(), x = call.source(0),
               ids = call.source(1).squeeze(0);  // [b3', b2', r]
  const Shape &of_x = x.shape(), &of_ids = ids.shape(), &of_out = out.shape();
  const Tiling rows(of_x, {of_ids[0], of_ids[1], of_x[2], of_x[3]}),
      table(of_out, {of_ids[0], of_ids[1], of_out[2], of_out[3]});
  const Tensor repeated =
      rows.repeat(ids.unsqueeze(3).broadcast_to({of_ids[0], of_ids[1], of_x[2], of_x[3]}));
  const auto last = static_cast<std::int64_t>(rows.shape().size()) - 1;
  set_rows(table.split(out), repeated.narrow(last, 0, 1).squeeze(last), rows.split(x), call.stream());
}

bool is_argmax(const Node& node) {
  return is_f32(node.src[0]) && is_type(&node, {Type::i32}) && is_contiguous(node);
}

/// The i32 destination as the u32 that indices are.
Tensor as_u32(const Tensor& x) { return Tensor(x.storage(), DType::u32, x.layout()); }

void argmax_of(const Call& call) {
  const Tensor x = call.source(0), out = as_u32(call.destination()).reshape({x.elements() / x.shape()[3]});
  argmax(rows_of(call, x), 1, false, {.stream = call.stream(), .out = &out});
}

void argsort(const Call& call) {
  const Tensor out = as_u32(call.destination());
  arg_sort(call.source(0), integer(call.node(), 0) == 0, {.stream = call.stream(), .out = &out});
}

void top_k_of(const Call& call) {
  const Tensor out = as_u32(call.destination());
  top_k(call.source(0), out.shape()[3], 3, {.stream = call.stream(), .indices = &out});
}

bool is_count_equal(const Node& node) {
  return is_type(&node, {Type::i64}) && is_type(node.src[0], {Type::i32, Type::f32}) &&
         is_type(node.src[1], {node.src[0]->type}) && is_same_shape(*node.src[0], *node.src[1]);
}

void count_equal(const Call& call) {
  const Tensor equal = eq(call.source(0), call.source(1), call.options());
  constexpr std::int64_t all[] = {0, 1, 2, 3};
  call.put(sum(to_dtype(equal, DType::i64, call.options()), all, true, call.options()));
}

bool is_get_rows_back(const Node& node) {
  const Node *x = node.src[0], *ids = node.src[1];
  return is_f32(&node) && is_real(x) && is_type(ids, {Type::i32}) && ids->ne[1] == 1 && ids->ne[2] == 1 &&
         node.ne[2] == 1 && node.ne[3] == 1 && x->ne[2] == 1 && x->ne[3] == 1 && x->ne[1] >= ids->ne[0];
}

void get_rows_back(const Call& call) {
  const Tensor none = call.zeros(call.destination().shape(), DType::f32);
  const Tensor ids = call.source(1).squeeze(0).squeeze(0).squeeze(0);
  const Tensor rows = call.f32(0).narrow(2, 0, ids.elements());
  call.put(index_add(none, 2, ids, rows, true, call.options()));
}

constexpr Operation operations[] = {
    {"GET_ROWS", is_get_rows, get_rows_of},
    {"GET_ROWS_BACK", is_get_rows_back, get_rows_back},
    {"SET_ROWS", is_set_rows, set_rows_of},
    {"ARGMAX", is_argmax, argmax_of},
    {"ARGSORT", is_argmax, argsort},
    {"TOP_K", is_argmax, top_k_of},
    {"COUNT_EQUAL", is_count_equal, count_equal},
};

}  // namespace

Operations index_operations() { return operations; }

}  // namespace kernelgen::ggml
