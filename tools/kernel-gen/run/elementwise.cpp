#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> elementwise_runnables() {
  using enum ParameterKind;
  return {
      {.name = "cast",
       .also = "to_dtype",
       .summary = "the elements in another dtype",
       .inputs = {{"x", "any shape"}},
       .parameters = {{"dtype", dtype, {}, "the result's dtype"}},
       .bind =
           [](const ParameterValues& values) {
             return [to = values.dtype("dtype")](const Operands& operands) {
               return std::vector{to_dtype(operands.inputs[0], to, operands.options())};
             };
           }},
      {.name = "where",
       .also = "where_cond",
       .summary = "a where the condition is not 0, else b",
       .inputs = {{"condition", "u8, u32, i16, i32 or i64"}, {"a", "any shape"}, {"b", "a's dtype"}},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{where_cond(in[0], in[1], in[2], operands.options())};
             };
           }},
      {.name = "copy",
       .summary = "a contiguous copy",
       .inputs = {{"x", "any shape"}},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               return std::vector{copy(operands.inputs[0], operands.options())};
             };
           }},
      {.name = "copy_into",
       .summary = "the elements of source into destination",
       .inputs = {{"destination", "any shape"}, {"source", "destination's shape and dtype"}},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .needs = std::vector<std::string>{"copy"},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               copy_into(operands.inputs[0], operands.inputs[1]);
               return std::vector{operands.inputs[0]};
             };
           }},
      {.name = "copy2d",
       .summary = "rows of columns elements; row r starts at offset + r * stride, all in elements",
       .inputs = {{"destination", "any shape"}, {"source", "destination's dtype"}},
       .parameters = {{"rows", integer, {}, "how many runs", "2"},
                      {"columns", integer, {}, "elements of each", "3"},
                      {"destination_stride", integer, {}, "elements between its rows", "4"},
                      {"source_stride", integer, {}, "elements between its rows", "3"},
                      {"destination_offset", integer, "0", "where its first row starts"},
                      {"source_offset", integer, "0", "where its first row starts"}},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .needs = std::vector<std::string>{"copy"},
       .bind =
           [](const ParameterValues& values) {
             return [values](const Operands& operands) {
               const auto at = [&](const char* name) { return values.integer(name); };
               copy2d(operands.inputs[0], operands.inputs[1], at("rows"), at("columns"),
                      at("destination_stride"), at("source_stride"), at("destination_offset"),
                      at("source_offset"));
               return std::vector{operands.inputs[0]};
             };
           }},
      {.name = "const_set",
       .also = "fill",
       .summary = "one value into every element of destination",
       .inputs = {{"destination", "any shape"}},
       .parameters = {{"value", number, {}, "the value"}},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .needs = std::vector<std::string>{"fill"},
       .bind =
           [](const ParameterValues& values) {
             return [value = values.number("value")](const Operands& operands) {
               const_set(operands.inputs[0], value);
               return std::vector{operands.inputs[0]};
             };
           }},
  };
}

}  // namespace kernelgen::tool
