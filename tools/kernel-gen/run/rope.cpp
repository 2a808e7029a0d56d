#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

Runnable rotary(const std::string& name, const std::string& summary, const std::string& shape,
                Tensor (*function)(const Tensor&, const Tensor&, const Tensor&, const CallOptions&)) {
  const std::string angles = "[positions, d / 2] or [batch, positions, d / 2]";
  return {.name = name,
          .summary = "rotary position embedding, " + summary,
          .inputs = {{"x", shape}, {"cos", angles}, {"sin", angles}},
          .outputs = {{"y", "x's shape"}},
          .bind = [=](const ParameterValues&) {
            return [=](const Operands& operands) {
              const auto& in = operands.inputs;
              return std::vector{function(in[0], in[1], in[2], operands.options())};
            };
          }};
}

}  // namespace

std::vector<Runnable> rope_runnables() {
  return {rotary("rope", "of pairs i and i + d/2", "[batch, heads, positions, d]", &rope),
          rotary("rope_i", "of pairs 2i and 2i + 1", "[batch, heads, positions, d]", &rope_i),
          rotary("rope_thd", "of pairs i and i + d/2", "[batch, positions, heads, d]", &rope_thd)};
}

}  // namespace kernelgen::tool
