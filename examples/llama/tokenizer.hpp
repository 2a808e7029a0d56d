#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernelgen/gguf.hpp"

using Token = std::uint32_t;

/// Text to tokens and back, by the vocabulary of a GGUF file ("tokenizer.ggml.…"), of either kind:
///
/// - model "llama", as SentencePiece: the text, a space before it, is one piece; of neighbours whose joined text is a
///   token those with the best score join first. What is no token then is spelled in tokens of bytes.
/// - model "gpt2", byte pair encoding: the text is cut into pieces, a piece's bytes are joined in the merges' order. A
///   piece is a contraction ('s 't 're 've 'm 'll 'd), or letters, or digits, or other signs, each with one space before;
///   or blanks, of which the last goes with what follows. Every byte from 128 on counts as a letter. Digits stand alone
///   where "tokenizer.ggml.pre" is "qwen2" and in threes where it is "llama-bpe", without the space. Texts are cut
///   elsewhere than by the expressions those models were trained with where these look at more of Unicode.
///
/// The text of a control token (<s>, <|im_start|>) in a text is that token.
class Tokenizer {
 public:
  /// Throws Error for a file without a vocabulary, or with one of another kind.
  explicit Tokenizer(const kernelgen::GgufFile& file);

  /// With the token that begins a text in front, where the vocabulary wants it.
  std::vector<Token> encode(std::string_view text) const;
  /// A token's bytes, which need not be whole characters; none for control tokens.
  std::string decode(Token token) const;

  std::size_t size() const { return texts_.size(); }
  /// Whether it ends a text.
  bool is_end(Token token) const;

 private:
  enum class Kind { sentence_piece, byte_pairs };

  void read_merges(const kernelgen::GgufFile& file);
  void encode_plain(std::string_view text, std::vector<Token>& tokens) const;
  void encode_piece(std::string_view piece, std::vector<Token>& tokens) const;
  void put_bytes(std::string_view text, std::vector<Token>& tokens) const;

  Kind kind_ = Kind::sentence_piece;
  std::vector<std::string> texts_;
  std::vector<double> scores_;
  std::vector<std::int64_t> types_;
  std::unordered_map<std::string, Token> ids_;
  std::unordered_map<std::string, std::size_t> ranks_;  ///< of merges, by "left right"
  std::vector<Token> controls_;
  std::vector<Token> ends_;
  std::int64_t begin_ = -1, unknown_ = -1;
  bool adds_space_ = false;
  std::size_t most_digits_ = 0;
};
