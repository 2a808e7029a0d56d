#include "ops/table.hpp"

/// Matrix products. In ggml's terms the first operand is the weights, and both have the summed dim first.
namespace kernelgen::ggml {
namespace {

/// The dims of a product whose weights [b3, b2, …] serve groups of the other operand's batches: [b3, g3, b2, g2].
struct Batches {
  Batches(const Shape& weights, const Shape& x)
      : outer(weights[0]),
        inner(weights[1]),
        outer_group(x[0] / weights[0]),
        inner_group(x[1] / weights[1]) {}

  /// x [b3 · g3, b2 · g2, rows, columns] as [b3, g3, b2, g2, rows, columns].
  Tensor split(const Tensor& x) const {
    const Layout& of = x.layout();
    return x.with_layout({{outer, outer_group, inner, inner_group, of.shape[2], of.shape[3]},
                          {of.strides[0] * outer_group, of.strides[0], of.strides[1] * inner_group,
                           of.strides[1], of.strides[2], of.strides[3]},
                          of.offset});
  }
  /// The weights [b3, b2, rows, columns] as [b3, 1, b2, 1, rows, columns].
  Tensor spread(const Tensor& weights) const { return weights.unsqueeze(1).unsqueeze(3); }

  std::int64_t outer, inner, outer_group, inner_group;
};

bool are_batches(const Node& weights, const Node& x) {
  return weights.ne[2] > 0 && weights.ne[3] > 0 && x.ne[2] % weights.ne[2] == 0 &&
         x.ne[3] % weights.ne[3] == 0;
}

bool is_mul_mat(const Node& node) {
  const Node &weights = *node.src[0], &x = *node.src[1];
  if (!is_f32(&node) || !is_real(&x) || weights.ne[0] != x.ne[0] || !are_batches(weights, x)) return false;
  return is_real(&weights) || is_block_type(&weights);
}

/// Activations as a product with these weights reads them: those of one token in f32, which it rounds to the weights' 16 bits
/// as ggml's CPU back end does, others rounded here, once for all products with them.
Tensor activations(const Call& call, DType weights) {
  const Tensor given = call.source(1);
  if (given.dtype() == weights) return given;
  const bool is_shared = is_f32(call.node().src[1]) && weights != DType::f32 && call.node().src[1]->ne[1] > 1;
  return is_shared ? call.shared(1, weights).x : call.as(given, DType::f32);
}

/// A product of plain operands with an f32 result.
void plain_product(const Call& call) {
  const Tensor weights = call.source(0), x = activations(call, weights.dtype());
  const Batches batches(weights.shape(), x.shape());
  call.write_apart([&](const CallOptions& options) {
    const Tensor result =
        options.out != nullptr ? *options.out : call.empty(call.destination().shape(), DType::f32);
    const Tensor out = batches.split(result);
    matmul(batches.split(x), batches.spread(weights).transpose(4, 5),
           {.stream = options.stream, .out = &out});
    return result;
  });
}

/// Quantized weights, a product for each matrix of them. Products with one matrix share the quantized activations.
void block_product(const Call& call) {
  const Tensor weights = call.source(0), out = call.destination();
  QuantizedColumns& x = call.shared(1, DType::f32);
  const Batches batches(weights.shape(), x.x.shape());
  if (batches.outer * batches.inner == 1 && out.layout().is_contiguous()) {
    quantized_matmul(x, weights.squeeze(0).squeeze(0), {.stream = call.stream(), .out = &out});
    return;
  }
  for (std::int64_t i = 0; i < batches.outer; ++i)
    for (std::int64_t j = 0; j < batches.inner; ++j) {
      const auto part = [&](const Tensor& all) {
        return all.narrow(0, i * batches.outer_group, batches.outer_group)
            .narrow(1, j * batches.inner_group, batches.inner_group);
      };
      const Tensor matrix = weights.narrow(0, i, 1).narrow(1, j, 1).squeeze(0).squeeze(0), result = part(out);
      if (result.layout().is_contiguous())
        quantized_matmul(part(x.x), matrix, {.stream = call.stream(), .out = &result});
      else
        copy_into(result, quantized_matmul(part(x.x), matrix, call.options()), call.stream());
    }
}

void mul_mat(const Call& call) {
  is_block_type(call.node().src[0]) ? block_product(call) : plain_product(call);
}

bool is_mul_mat_id(const Node& node) {
  const Node &weights = *node.src[0], &x = *node.src[1];
  const Node* const ids = node.src[2];
  return is_f32(&node) && is_real(&x) && (is_real(&weights) || is_block_type(&weights)) &&
         is_type(ids, {Type::i32}) && weights.ne[3] == 1 && x.ne[3] == 1 && ids->ne[2] == 1 &&
         ids->ne[3] == 1 && weights.ne[0] == x.ne[0] && (x.ne[1] == 1 || x.ne[1] == ids->ne[0]) &&
         x.ne[2] == ids->ne[1];
}

/// y[t, j] = W[ids[t, j]] x[t, j]
void mul_mat_id(const Call& call) {
  const Tensor weights = call.source(0).squeeze(0), out = call.destination().squeeze(0);
  const Tensor ids = call.shared(2, DType::i32).x.squeeze(0).squeeze(0);
  QuantizedColumns& all = call.shared(1, DType::f32);
  QuantizedColumns x{all.x.squeeze(0), all.bytes};
  call.write_apart([&](const CallOptions& options) {
    if (options.out == nullptr) return indexed_matmul(x, weights, ids, options).unsqueeze(0);
    return indexed_matmul(x, weights, ids, {.stream = options.stream, .out = &out});
  });
  all.bytes = x.bytes;
}

bool is_out_prod(const Node& node) {
  const Node &a = *node.src[0], &b = *node.src[1];
  return is_f32(&node) && is_real(&b) && (is_real(&a) || is_block_type(&a)) && a.ne[1] == b.ne[1] &&
         are_batches(a, b);
}

/// dst[i1, i0] = Σ_k b[k, i1] · a[k, i0]
void out_prod(const Call& call) {
  const Tensor a = call.f32(0), b = call.f32(1);
  const Batches batches(a.shape(), b.shape());
  call.put(matmul(batches.split(b).transpose(4, 5), batches.spread(a), call.options()));
}

constexpr Operation operations[] = {
    {"MUL_MAT", is_mul_mat, mul_mat},
    {"MUL_MAT_ID", is_mul_mat_id, mul_mat_id},
    {"OUT_PROD", is_out_prod, out_prod},
};

}  // namespace

Operations matmul_operations() { return operations; }

}  // namespace kernelgen::ggml
