#include "ops/table.hpp"

/// Copies: between shapes, layouts and types.
namespace kernelgen::ggml {
namespace {

/// Whether elements of the one type can become elements of the other.
bool is_convertible(const Node& from, const Node& to) {
  if (from.type == to.type) return true;
  if (is_block_type(&to)) return is_quantizable(from, to);
  if (is_block_type(&from)) return is_real(&to);
  return is_plain(&from) && is_plain(&to);
}

bool is_copy(const Node& node) {
  const Node& x = *node.src[0];
  if (elements(x) != elements(node) || !is_convertible(x, node)) return false;
  // Blocks keep their rows; other rows are cut anew, which blocks do not survive.
  return is_same_shape(x, node) || !is_block_type(&x) || is_contiguous(x);
}

void copy_elements(const Call& call) {
  const Tensor out = call.destination();
  Tensor x = call.source(0);
  if (!(x.shape() == out.shape())) {
    x = call.contiguous(x);
    x = Tensor(x.storage(), x.dtype(), Layout::contiguous(out.shape()));
  }
  if (x.dtype() == out.dtype()) return copy_into(out, x, call.stream());
  if (is_quantized(out.dtype()) && !is_quantized(x.dtype()))
    return call.write_apart([&](const CallOptions& options) { return quantize(x, out.dtype(), options); });
  if (is_quantized(x.dtype()))
    return call.write_apart([&](const CallOptions& options) { return dequantize(x, out.dtype(), options); });
  call.write_apart([&](const CallOptions& options) { return to_dtype(x, out.dtype(), options); });
}

constexpr Operation operations[] = {
    {"DUP", is_copy, copy_elements},
    {"CPY", is_copy, copy_elements},
    {"CONT", is_copy, copy_elements},
};

}  // namespace

Operations copy_operations() { return operations; }

}  // namespace kernelgen::ggml
