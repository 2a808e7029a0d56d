#include <algorithm>
#include <array>
#include <iterator>

#include "host.hpp"
#include "ops/fusion.hpp"
#include "ops/table.hpp"

/// Gated linear units: a function of one half of the rows, times the other half.
namespace kernelgen::ggml {
namespace {

struct Halves {
  Tensor x, gate;
};

/// Two operands, or the halves of one; the first parameter after the operation's number swaps those.
Halves halves(const Call& call) {
  const Tensor a = call.source(0);
  if (call.has(1)) return {a, call.source(1)};
  const std::int64_t n = a.shape().back() / 2;
  const bool is_swapped = integer(call.node(), 1) != 0;
  return {a.narrow(3, is_swapped ? n : 0, n), a.narrow(3, is_swapped ? 0 : n, n)};
}

bool is_gated(const Node& node) {
  const Node *a = node.src[0], *b = node.src[1];
  if (!is_real(&node) || !is_type(a, {node.type})) return false;
  if (b != nullptr) return is_type(b, {node.type}) && is_same_shape(*a, *b) && is_same_shape(node, *a);
  return a->ne[0] / 2 == node.ne[0] && a->ne[1] == node.ne[1] && a->ne[2] == node.ne[2] &&
         a->ne[3] == node.ne[3];
}

/// A function fused with the product.
template <class Function>
void gated(const Call& call, Function function) {
  const Halves in = halves(call);
  call.write_apart([&](const CallOptions& options) { return function(in.x, in.gate, options); });
}

template <Tensor (*function)(const Tensor&, const Tensor&, const CallOptions&)>
void gate(const Call& call) {
  gated(call, function);
}

void swiglu_oai_of(const Call& call) {
  const double alpha = real(call.node(), 2), limit = real(call.node(), 3);
  gated(call, [&](const Tensor& x, const Tensor& gate, const CallOptions& options) {
    return swiglu_oai(x, gate, alpha, limit, options);
  });
}

/// silu(x) · gate, with x up to the limit and the gate within it on both sides.
void swiglu_clamp(const Call& call) {
  const double limit = real(call.node(), 3);
  gated(call, [&](const Tensor& x, const Tensor& gate, const CallOptions& options) {
    const CallOptions apart = call.options();
    return silu_mul(minimum(x, call.number(limit, x.dtype()), apart), clamp(gate, -limit, limit, apart),
                    options);
  });
}

/// Units of a function without parameters, which products compute too.
struct Unit {
  Operation operation;
  Gate gate;
};

constexpr Unit units[] = {
    {{"SWIGLU", is_gated, gate<silu_mul>}, Gate::silu},
    {{"GEGLU", is_gated, gate<gelu_mul>}, Gate::gelu},
    {{"REGLU", is_gated, gate<relu_mul>}, Gate::relu},
    {{"GEGLU_ERF", is_gated, gate<gelu_erf_mul>}, Gate::gelu_erf},
    {{"GEGLU_QUICK", is_gated, gate<gelu_quick_mul>}, Gate::gelu_quick},
};

constexpr auto operations = [] {
  std::array<Operation, std::size(units) + 2> all{Operation{"SWIGLU_OAI", is_gated, swiglu_oai_of},
                                                  Operation{"SWIGLU_CLAMP", is_gated, swiglu_clamp}};
  std::ranges::transform(units, all.begin() + 2, &Unit::operation);
  return all;
}();

}  // namespace

Operations gated_operations() { return operations; }

std::optional<Gate> gate_of(const Node& node) {
  if (!is_named(node, "GLU")) return std::nullopt;
  const std::string_view name = host().glu_op_name(integer(node, 0));
  const auto* const unit =
      std::ranges::find(units, name, [](const Unit& each) { return each.operation.name; });
  return unit == std::end(units) ? std::nullopt : std::optional(unit->gate);
}

}  // namespace kernelgen::ggml
