#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gguf_writer.hpp"

/// Tokens and how texts are cut into them, as metadata of a GGUF file.
struct Vocabulary {
  std::string model, pre;  ///< "llama" or "gpt2"
  std::vector<std::string> tokens;
  std::vector<float> scores;        ///< of "llama"
  std::vector<std::string> merges;  ///< of "gpt2"
  std::vector<std::int32_t> types;
  std::uint32_t begin = 0, end = 0;
  bool adds_begin = false;

  void add_to(GgufWriter& writer) const;
};

/// As SentencePiece's: <unk>, <s>, </s>, a token a byte, then made-up words.
Vocabulary make_vocabulary(std::int64_t size);
/// tokens.txt and merges.txt of a folder that train.py wrote; the last token ends texts. Throws std::runtime_error.
Vocabulary read_vocabulary(const std::string& folder);
