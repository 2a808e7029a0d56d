#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> index_runnables() {
  using enum ParameterKind;
  const CallParameter along{"dim", integer, {}, "the dim that ids point along"};
  const CallParameter in_order{"deterministic", flag, "false", "add in the order of ids"};
  const Role x{"x", "any shape"}, all_ids{"ids", "x's rank; u8, u32, i16, i32 or i64"},
      some_ids{"ids", "[n]; u8, u32, i16, i32 or i64"}, target{"destination", "any shape"};
  return {
      {.name = "gather",
       .summary = "y[i, j] = x[i, ids[i, j]], with the id along dim",
       .inputs = {x, all_ids},
       .parameters = {along},
       .outputs = {{"y", "the shape of ids"}},
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim")](const Operands& operands) {
               return std::vector{gather(operands.inputs[0], dim, operands.inputs[1], operands.options())};
             };
           }},
      {.name = "index_select",
       .summary = "the slices of x along dim that ids choose",
       .inputs = {x, some_ids},
       .parameters = {along},
       .outputs = {{"y", "x's shape, n along dim"}},
       .needs = std::vector<std::string>{"gather"},
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim")](const Operands& operands) {
               return std::vector{
                   index_select(operands.inputs[0], dim, operands.inputs[1], operands.options())};
             };
           }},
      {.name = "index_add",
       .summary = "a copy of x, with each slice of source added to the slice of its id",
       .inputs = {x, some_ids, {"source", "x's shape, n along dim"}},
       .parameters = {along, in_order},
       .outputs = {{"y", "x's shape"}},
       .needs = std::vector<std::string>{"copy", "scatter_add_set"},
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim"),
                     deterministic = values.flag("deterministic")](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{index_add(in[0], dim, in[1], in[2], deterministic, operands.options())};
             };
           }},
      {.name = "scatter_set",
       .summary = "destination[i, ids[i, j]] = source[i, j], with the id along dim",
       .inputs = {target, all_ids, {"source", "at least the shape of ids"}},
       .parameters = {along},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim")](const Operands& operands) {
               const auto& in = operands.inputs;
               scatter_set(in[0], dim, in[1], in[2]);
               return std::vector{in[0]};
             };
           }},
      {.name = "scatter_add_set",
       .summary = "destination[i, ids[i, j]] += source[i, j], with the id along dim",
       .inputs = {target, all_ids, {"source", "at least the shape of ids"}},
       .parameters = {along, in_order},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim"),
                     deterministic = values.flag("deterministic")](const Operands& operands) {
               const auto& in = operands.inputs;
               scatter_add_set(in[0], dim, in[1], in[2], deterministic);
               return std::vector{in[0]};
             };
           }},
  };
}

}  // namespace kernelgen::tool
