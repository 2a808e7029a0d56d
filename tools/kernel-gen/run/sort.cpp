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
               SortOptions options;
               if (!operands.out.empty()) {
                 options.values = &operands.out[0];
                 options.indices = &operands.out[1];
               }
               const Sorted sorted = sort(operands.inputs[0], ascending, options);
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
  };
}

}  // namespace kernelgen::tool
