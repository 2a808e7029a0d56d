#pragma once
#include <cstdint>
#include <string>

#include "kernelgen/gguf.hpp"

/// How the angles of rotary positions differ from those of RoFormer.
struct RopeScaling {
  enum class Kind { none, linear, yarn };
  Kind kind = Kind::none;
  double factor = 1;            ///< positions are divided by it
  double original_context = 0;  ///< of yarn: what the model was trained with first
  double attention_factor = 1;  ///< YaRN's, of the metadata, in addition to the factor's own
};

/// The shape of a Llama-family model, as its metadata has it.
struct Hyperparameters {
  std::string architecture;  ///< llama, qwen2, qwen3
  std::int64_t layers = 0, width = 0, hidden = 0, vocabulary = 0, context = 0;
  std::int64_t heads = 0, kv_heads = 0, head = 0;
  double epsilon = 0, rope_base = 0;
  RopeScaling scaling;
  /// Whether neighbours are pairs in the file's rows of q and k (llama), or the halves of a head (qwen).
  bool has_neighbour_pairs = false;

  std::int64_t q_rows() const { return heads * head; }
  std::int64_t kv_rows() const { return kv_heads * head; }
};

/// Throws Error for another architecture, and for metadata that is absent, does not fit together or is not known here.
Hyperparameters read_hyperparameters(const kernelgen::GgufFile& file);
