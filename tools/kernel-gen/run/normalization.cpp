#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

Runnable plain(const std::string& name, const std::string& summary,
               Tensor (*function)(const Tensor&, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "[..., d]"}},
          .outputs = {{"y", "[..., d]"}},
          .bind = [=](const ParameterValues&) {
            return [=](const Operands& operands) {
              return std::vector{function(operands.inputs[0], operands.options())};
            };
          }};
}

Runnable plain(const CallParameter& eps, const std::string& name, const std::string& summary,
               Tensor (*function)(const Tensor&, double, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "[..., d]"}},
          .parameters = {eps},
          .outputs = {{"y", "[..., d]"}},
          .bind = [=](const ParameterValues& values) {
            return [=, eps = values.number("eps").real()](const Operands& operands) {
              return std::vector{function(operands.inputs[0], eps, operands.options())};
            };
          }};
}

AddedNormOptions added_norm_options(const Operands& operands) {
  AddedNormOptions options;
  if (!operands.out.empty()) {
    options.sum = &operands.out[0];
    options.norm = &operands.out[1];
  }
  return options;
}

std::vector<Tensor> both(const AddedNorm& results) { return {results.sum, results.norm}; }

}  // namespace

std::vector<Runnable> normalization_runnables() {
  const CallParameter eps{"eps", ParameterKind::number, "1e-5", "added under the square root"};
  return {
      plain("softmax", "exp(x - max) / sum of exp(x - max), along the last dim", &softmax),
      {.name = "scaled_softmax",
       .summary = "softmax of scale * x + slope * mask, along the last dim, with an element more in each row",
       .inputs = {{"x", "[..., heads, rows, d]"},
                  {"mask", "f16 or f32, broadcast to x's shape"},
                  {"slopes", "f32 [heads], factors of the mask"},
                  {"sinks", "f32 [heads], the elements more"}},
       .optional_inputs = 3,
       .parameters = {{"scale", ParameterKind::number, "1", "factor of x"}},
       .outputs = {{"y", "x's shape"}},
       .bind =
           [](const ParameterValues& values) {
             return [scale = values.number("scale").real()](const Operands& operands) {
               return std::vector{scaled_softmax(operands.inputs[0], {.out = operands.options().out,
                                                                      .scale = scale,
                                                                      .mask = operands.optional(1),
                                                                      .slopes = operands.optional(2),
                                                                      .sinks = operands.optional(3)})};
             };
           }},
      plain("log_softmax", "the logarithm of softmax, along the last dim", &log_softmax),
      {.name = "rms_norm",
       .summary = "x / sqrt(mean of x^2 + eps) * weight, along the last dim",
       .inputs = {{"x", "[..., d]"}, {"weight", "[d]"}},
       .parameters = {eps},
       .outputs = {{"y", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               return std::vector{rms_norm(operands.inputs[0], operands.inputs[1], eps, operands.options())};
             };
           }},
      {.name = "layer_norm",
       .summary = "(x - mean) / sqrt(variance + eps) * weight + bias, along the last dim",
       .inputs = {{"x", "[..., d]"}, {"weight", "[d]"}, {"bias", "[d]"}},
       .parameters = {eps},
       .outputs = {{"y", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               const auto& in = operands.inputs;
               return std::vector{layer_norm(in[0], in[1], in[2], eps, operands.options())};
             };
           }},
      plain(eps, "plain_rms_norm", "x / sqrt(mean of x^2 + eps), along the last dim", &plain_rms_norm),
      plain(eps, "plain_layer_norm", "(x - mean) / sqrt(variance + eps), along the last dim",
            &plain_layer_norm),
      plain(eps, "l2_norm", "x / max(sqrt(sum of x^2), eps), along the last dim", &l2_norm),
      {.name = "group_norm",
       .summary = "(x - mean) / sqrt(variance + eps), of groups of channels",
       .inputs = {{"x", "[batch, channels, ...]"}},
       .parameters = {{"groups", ParameterKind::integer, {}, "the number of groups"}, eps},
       .outputs = {{"y", "x's shape"}},
       .needs = std::vector<std::string>{"plain_layer_norm"},
       .bind =
           [](const ParameterValues& values) {
             return [groups = values.integer("groups"),
                     eps = values.number("eps").real()](const Operands& operands) {
               return std::vector{group_norm(operands.inputs[0], groups, eps, operands.options())};
             };
           }},
      {.name = "add_rms_norm",
       .summary = "x + residual, and its rms_norm",
       .inputs = {{"x", "[..., d]"}, {"residual", "x's shape"}, {"weight", "[d]"}},
       .parameters = {eps},
       .outputs = {{"sum", "[..., d]"}, {"norm", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               const auto& in = operands.inputs;
               return both(add_rms_norm(in[0], in[1], in[2], eps, added_norm_options(operands)));
             };
           }},
      {.name = "add_layer_norm",
       .summary = "x + residual, and its layer_norm",
       .inputs = {{"x", "[..., d]"}, {"residual", "x's shape"}, {"weight", "[d]"}, {"bias", "[d]"}},
       .parameters = {eps},
       .outputs = {{"sum", "[..., d]"}, {"norm", "[..., d]"}},
       .bind =
           [](const ParameterValues& values) {
             return [eps = values.number("eps").real()](const Operands& operands) {
               const auto& in = operands.inputs;
               return both(add_layer_norm(in[0], in[1], in[2], in[3], eps, added_norm_options(operands)));
             };
           }},
  };
}

}  // namespace kernelgen::tool
