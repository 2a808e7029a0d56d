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
  const std::string keys =
      "[b, heads of k, s, d], or [pages, heads of k, rows of a page, d]; q's dtype or f8e4m3";
  return {
      {.name = "attention",
       .summary = "softmax(scale * q.k) over the keys, times v; the last query is at the last key's position",
       .inputs = {{"q", "[b, h, t, d]"},
                  {"k", keys},
                  {"v", "k's shape and dtype"},
                  {"mask", "added to the logits; q's dtype, broadcast to [b, h, t, s]"},
                  {"alibi_slopes", "slope * distance is subtracted from the logits; f32 [h] or [b, h]"},
                  {"sinks", "the logit of one more key, whose value is 0; f32 [h]"},
                  {"block_table",
                   "a paged cache: each sequence's pages in k and v; integers [b, pages each]"}},
       .optional_inputs = 4,
       .parameters = {{"scale", number, "0", "factor of q.k; 0: 1 / sqrt(d)"},
                      {"causal", flag, "false", "a query sees no key after its own position"},
                      {"window_left", integer, "-1", "most keys seen before a query's position; -1: all"},
                      {"window_right", integer, "-1", "most keys seen after a query's position; -1: all"},
                      {"soft_cap", number, "0", "cap * tanh(logit / cap) in place of logits; 0: no cap"},
                      {"query_lengths", integers, "all", "rows of q in each sequence"},
                      {"key_lengths", integers, "all", "rows of k in each sequence"}},
       .outputs = {{"y", "[b, h, t, d]"}, {"log_sum_exp", "f32 [b, h, t]"}},
       .bind = [](const ParameterValues& values) {
         AttentionOptions chosen{.wants_log_sum_exp = true,
                                 .causal = values.flag("causal"),
                                 .window_left = side(values.integer("window_left")),
                                 .window_right = side(values.integer("window_right")),
                                 .soft_cap = values.number("soft_cap").real()};
         if (const double scale = values.number("scale").real(); scale != 0) chosen.scale = scale;
         return [chosen, query_lengths = values.integers("query_lengths"),
                 key_lengths = values.integers("key_lengths")](const Operands& operands) {
           AttentionOptions options = chosen;
           const Tensor queries = upload(operands.device, query_lengths);
           const Tensor keys = upload(operands.device, key_lengths);
           if (queries) options.query_lengths = &queries;
           if (keys) options.key_lengths = &keys;
           options.mask = operands.optional(3);
           options.alibi_slopes = operands.optional(4);
           options.sinks = operands.optional(5);
           options.block_table = operands.optional(6);
           if (!operands.out.empty()) {
             options.out = &operands.out[0];
             options.log_sum_exp = &operands.out[1];
           }
           const auto& in = operands.inputs;
           const AttentionResult result = attention(in[0], in[1], in[2], options);
           return std::vector{result.y, result.log_sum_exp};
         };
       }}};
}

}  // namespace kernelgen::tool
