#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> sort_runnables() {
  const CallParameter ascending{"ascending", ParameterKind::flag, "true", "the least first"};
  const Role x{"x", "[..., d]"}, places{"indices", "u32, places along the last dim"};
  return {
      {.name = "sort",
       .summary = "the elements in order along the last dim, and where they were; equal ones stay in order",
       .inputs = {x},
       .parameters = {ascending},
       .outputs = {{"values", "[..., d]"}, places},
       .bind =
           [](const ParameterValues& values) {
             return [ascending = values.flag("ascending")](const Operands& operands) {
               const Sorted sorted = sort(operands.inputs[0], ascending, operands.indexed_options());
               return std::vector{sorted.values, sorted.indices};
             };
           }},
      {.name = "arg_sort",
       .summary = "where the elements in order were, along the last dim",
       .inputs = {x},
       .parameters = {ascending},
       .outputs = {places},
       .bind =
           [](const ParameterValues& values) {
             return [ascending = values.flag("ascending")](const Operands& operands) {
               return std::vector{arg_sort(operands.inputs[0], ascending, operands.options())};
             };
           }},
      {.name = "top_k",
       .summary = "the k greatest elements along a dim in descending order, NaN first, and where they were",
       .inputs = {{"x", "rank 1 or more"}},
       .parameters = {{"k", ParameterKind::integer, std::nullopt, "how many", "5"},
                      {"dim", ParameterKind::integer, "-1", "along which"}},
       .outputs = {{"values", "x's shape with k in the dim's place"},
                   {"indices", "u32, places along the dim"}},
       .bind =
           [](const ParameterValues& values) {
             return [k = values.integer("k"), dim = values.integer("dim")](const Operands& operands) {
               const Indexed top = top_k(operands.inputs[0], k, dim, operands.indexed_options());
               return std::vector{top.values, top.indices};
             };
           }},
  };
}

}  // namespace kernelgen::tool
