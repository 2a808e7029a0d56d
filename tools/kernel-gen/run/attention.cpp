#include "run/library.hpp"

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

Runnable attention_runnable() {
  using enum ParameterKind;
  return {
      .name = "attention",
      .doc =
          "softmax(scale * q·k) over the keys, times v. The last query is at the last key's position.\n\n"
          "q is [b, h, t, d]; k and v are [b, heads of k, s, d], or the pages [pages, heads of k, rows, d] "
          "of a\n"
          "cache. mask is added to the logits; alibi_slopes, f32 [h] or [b, h], times the distance are "
          "subtracted\n"
          "from them; sinks, f32 [h], are the logits of one more key, whose value is 0. block_table, "
          "integers\n"
          "[b, pages each], names each sequence's pages.\n\n"
          "scale=0 stands for 1 / sqrt(d). causal hides the keys after a query's position; window_left and\n"
          "window_right limit the keys seen before and after it, -1: no limit. soft_cap replaces a logit by\n"
          "cap * tanh(logit / cap), 0: no cap. query_lengths and key_lengths are the rows of q and k in "
          "each\n"
          "sequence. log_sum_exp is f32 [b, h, t].",
      .inputs = {"q", "k", "v", "mask", "alibi_slopes", "sinks", "block_table"},
      .optional_inputs = 4,
      .parameters = {{"scale", number, "0"},
                     {"causal", flag, "false"},
                     {"window_left", integer, "-1"},
                     {"window_right", integer, "-1"},
                     {"soft_cap", number, "0"},
                     {"query_lengths", integers, "all"},
                     {"key_lengths", integers, "all"}},
      .outputs = {"y", "log_sum_exp"},
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
      }};
}

}  // namespace kernelgen::tool
