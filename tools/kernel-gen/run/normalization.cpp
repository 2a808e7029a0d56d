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
