#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

/// -1: all there are.
std::optional<std::int64_t> side(std::int64_t keys) {
  return keys == -1 ? std::nullopt : std::optional(keys);
}

/// Lengths on a device; no tensor where all rows are meant.
Tensor upload(const Device& device, const std::optional<std::vector<std::int64_t>>& lengths) {
  if (!lengths) return {};
  return Tensor::from_host(device, std::as_bytes(std::span(*lengths)),
                           {static_cast<std::int64_t>(lengths->size())}, DType::i64);
}

}  // namespace

std::vector<Runnable> attention_runnables() {
  using enum ParameterKind;
  const std::string keys = "[b, heads of k, s, d]; q's dtype or f8e4m3";
  return {{.name = "attention",
           .summary = "softmax(scale * q.k) over the keys, times v; queries and keys end together",
           .inputs = {{"q", "[b, h, t, d]"}, {"k", keys}, {"v", keys}},
           .parameters = {{"scale", number, "0", "of products of q and k; 0: 1 / sqrt(d)"},
                          {"causal", flag, "false", "queries see no key behind their own place"},
                          {"before", integer, "-1", "keys seen at most before a query's place; -1: all"},
                          {"after", integer, "-1", "keys seen at most behind a query's place; -1: all"},
                          {"soft_cap", number, "0", "cap * tanh(logit / cap) in place of logits; 0: no cap"},
                          {"query_lengths", dims, "all", "rows of q that each sequence has"},
                          {"key_lengths", dims, "all", "rows of k that each sequence has"}},
           .outputs = {{"y", "[b, h, t, d]"}, {"log_sum_exp", "f32 [b, h, t]"}},
           .bind = [](const ParameterValues& values) {
             AttentionOptions chosen{.wants_log_sum_exp = true,
                                     .causal = values.flag("causal"),
                                     .before = side(values.integer("before")),
                                     .after = side(values.integer("after")),
                                     .soft_cap = values.number("soft_cap").real()};
             if (const double scale = values.number("scale").real(); scale != 0) chosen.scale = scale;
             return [chosen, query_lengths = values.dims("query_lengths"),
                     key_lengths = values.dims("key_lengths")](const Operands& operands) {
               AttentionOptions options = chosen;
               const Tensor queries = upload(operands.device, query_lengths);
               const Tensor keys = upload(operands.device, key_lengths);
               if (queries) options.query_lengths = &queries;
               if (keys) options.key_lengths = &keys;
               if (!operands.out.empty()) {
                 options.out = &operands.out[0];
                 options.log_sum_exp = &operands.out[1];
               }
               const auto& in = operands.inputs;
               const Attended attended = attention(in[0], in[1], in[2], options);
               return std::vector{attended.y, attended.log_sum_exp};
             };
           }}};
}

}  // namespace kernelgen::tool
