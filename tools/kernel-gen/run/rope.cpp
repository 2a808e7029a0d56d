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
          .needs = std::vector<std::string>{"rope"},
          .bind = [=](const ParameterValues&) {
            return [=](const Operands& operands) {
              const auto& in = operands.inputs;
              return std::vector{function(in[0], in[1], in[2], operands.options())};
            };
          }};
}

Runnable rotary_of_both(const std::string& name, const std::string& summary, const std::string& shape,
                        QueriesAndKeys (*function)(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                                   const QueriesAndKeysOptions&)) {
  const std::string angles = "[positions, d / 2] or [batch, positions, d / 2]";
  return {.name = name,
          .summary = "rotary position embedding of queries and keys, " + summary,
          .inputs = {{"q", shape}, {"k", shape}, {"cos", angles}, {"sin", angles}},
          .outputs = {{"q", "q's shape"}, {"k", "k's shape"}},
          .needs = std::vector<std::string>{"rope"},
          .bind = [=](const ParameterValues&) {
            return [=](const Operands& operands) {
              const auto& in = operands.inputs;
              QueriesAndKeysOptions options;
              if (!operands.out.empty()) {
                options.q = &operands.out[0];
                options.k = &operands.out[1];
              }
              const QueriesAndKeys results = function(in[0], in[1], in[2], in[3], options);
              return std::vector{results.q, results.k};
            };
          }};
}

}  // namespace

std::vector<Runnable> rope_runnables() {
  return {
      rotary("rope", "of pairs i and i + d/2", "[batch, heads, positions, d]", &rope),
      rotary("rope_i", "of pairs 2i and 2i + 1", "[batch, heads, positions, d]", &rope_i),
      rotary("rope_thd", "of pairs i and i + d/2", "[batch, positions, heads, d]", &rope_thd),
      rotary_of_both("rope_qk", "of pairs i and i + d/2", "[batch, heads, positions, d]", &rope_qk),
      rotary_of_both("rope_i_qk", "of pairs 2i and 2i + 1", "[batch, heads, positions, d]", &rope_i_qk),
      rotary_of_both("rope_thd_qk", "of pairs i and i + d/2", "[batch, positions, heads, d]", &rope_thd_qk)};
}

}  // namespace kernelgen::tool
