// silu_mul, gelu_mul and the other gates: element-wise, within the error bounds of their activations.
#include <gtest/gtest.h>

#include <string_view>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/unary.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

struct Gate {
  std::string_view operation, activation;
  Tensor (*function)(const Tensor&, const Tensor&, const CallOptions&);
};
constexpr Gate gates[] = {{"silu_mul", "silu", silu_mul},
                          {"gelu_mul", "gelu", gelu_mul},
                          {"relu_mul", "relu", relu_mul},
                          {"gelu_erf_mul", "gelu_erf", gelu_erf_mul},
                          {"gelu_quick_mul", "gelu_quick", gelu_quick_mul}};

void test_gate(const Gate& gate, DType dtype) {
  Subject subject = called_by_name(std::string(gate.operation), {dtype, dtype}, dtype);
  subject.reference = [&gate](std::span<const Elements> inputs) {
    return Wanted{reference::gate(gate.activation, inputs[0], inputs[1], false),
                  reference::gate(gate.activation, inputs[0], inputs[1], true)};
  };
  Walk(subject).everything();
  if (size_of(dtype) >= 4) Walk(subject).beyond_caches();

  subject.run = [&gate](std::span<const Tensor> tensors, const CallOptions& options) {
    return gate.function(tensors[0], tensors[1], options);
  };
  const View view = make_view(Kind::contiguous, {300});
  Walk(subject).check({"named function", {view, view}},
                      {repeat(pool(dtype), 0, 300), repeat(pool(dtype), 77, 300)}, Output::fresh);
}

}  // namespace

void register_gate_tests() {
  for (const Gate& gate : gates)
    for (const DType dtype : float_dtypes)
      register_test(std::string(gate.operation), std::string(name_of(dtype)),
                    [&gate, dtype] { test_gate(gate, dtype); });
}

}  // namespace kernelgen::conformance
