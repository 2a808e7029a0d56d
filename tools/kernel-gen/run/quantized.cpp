#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> quantized_runnables() {
  using enum ParameterKind;
  const CallParameter to{"dtype", dtype, "f32", "the dtype of the result: f32, f16 or bf16"};
  const Role weights{"weights", "[rows, n] of a quantized dtype", true};
  return {
      {.name = "quantize",
       .summary = "x in blocks of a quantized dtype",
       .inputs = {{"x", "[..., n] of f32, f16 or bf16"}},
       .parameters = {{"format", dtype, {}, "q4_0 to mxfp4", "q4_K"}},
       .bind =
           [](const ParameterValues& values) {
             return [format = values.dtype("format")](const Operands& operands) {
               return std::vector{quantize(operands.inputs[0], format, operands.options())};
             };
           }},
      {.name = "dequantize",
       .summary = "the elements of quantized blocks",
       .inputs = {{"x", "any shape of a quantized dtype", true}},
       .parameters = {to},
       .bind =
           [](const ParameterValues& values) {
             return [wanted = values.dtype("dtype")](const Operands& operands) {
               return std::vector{dequantize(operands.inputs[0], wanted, operands.options())};
             };
           }},
      {.name = "get_rows",
       .summary = "the rows of a quantized table that ids choose",
       .inputs = {{"table", "[rows, n] of a quantized dtype", true},
                  {"ids", "any shape; u8, u32, i16, i32 or i64"}},
       .parameters = {to},
       .outputs = {{"y", "the shape of ids, and n"}},
       .needs = std::vector<std::string>{"dequantize"},
       .bind =
           [](const ParameterValues& values) {
             return [wanted = values.dtype("dtype")](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{get_rows(in[0], in[1], wanted, operands.options())};
             };
           }},
      {.name = "set_rows",
       .summary = "destination[ids[i]] = source[i], converted to the destination's dtype",
       .inputs = {{"destination", "[..., rows, n] of f32, f16 or bf16"},
                  {"ids", "[m]; u8, u32, i16, i32 or i64"},
                  {"source", "[..., m, n] of f32, f16 or bf16"}},
       .outputs = {{"destination", ""}},
       .in_place = true,
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               const auto& in = operands.inputs;
               set_rows(in[0], in[1], in[2]);
               return std::vector{in[0]};
             };
           }},
      {.name = "quantized_matmul",
       .summary = "x times the transpose of quantized weights",
       .inputs = {{"x", "[..., n] of f32, f16 or bf16"}, weights},
       .outputs = {{"y", "[..., rows]"}},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               return std::vector{
                   quantized_matmul(operands.inputs[0], operands.inputs[1], operands.options())};
             };
           }},
      {.name = "indexed_matmul",
       .summary = "each row of x times the transpose of the expert's weights that its id chooses",
       .inputs = {{"x", "[tokens, k or 1, n] of f32, f16 or bf16"},
                  {"weights", "[experts, rows, n] of a quantized dtype", true},
                  {"ids", "[tokens, k]; u8, u32, i16, i32 or i64"}},
       .outputs = {{"y", "[tokens, k, rows]"}},
       .needs = std::vector<std::string>{"quantized_matmul"},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{indexed_matmul(in[0], in[1], in[2], operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
