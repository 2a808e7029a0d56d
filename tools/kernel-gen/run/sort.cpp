#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> sort_runnables() {
  const CallParameter ascending{"ascending", ParameterKind::flag, "true", "the least element first"};
  const Role x{"x", "[..., d]"}, places{"indices", "u32, indices along the last dim"};
  return {
      {.name = "sort",
       .summary = "the sorted elements along the last dim, and their indices; stable",
       .inputs = {x},
       .parameters = {ascending},
       .outputs = {{"values", "[..., d]"}, places},
       .needs = std::vector<std::string>{"arg_sort", "sort"},
       .bind =
           [](const ParameterValues& values) {
             return [ascending = values.flag("ascending")](const Operands& operands) {
               const Sorted sorted = sort(operands.inputs[0], ascending, operands.indexed_options());
               return std::vector{sorted.values, sorted.indices};
             };
           }},
      {.name = "arg_sort",
       .summary = "the indices that sort the last dim; stable",
       .inputs = {x},
       .parameters = {ascending},
       .outputs = {places},
       .needs = std::vector<std::string>{"arg_sort", "sort"},
       .bind =
           [](const ParameterValues& values) {
             return [ascending = values.flag("ascending")](const Operands& operands) {
               return std::vector{arg_sort(operands.inputs[0], ascending, operands.options())};
             };
           }},
      {.name = "top_k",
       .summary = "the k greatest elements along a dim, in descending order, NaN first, and their indices",
       .inputs = {{"x", "rank 1 or more"}},
       .parameters = {{"k", ParameterKind::integer, std::nullopt, "the number of elements", "5"},
                      {"dim", ParameterKind::integer, "-1", "the dim"}},
       .outputs = {{"values", "x's shape, with k for the dim"}, {"indices", "u32, indices along the dim"}},
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
