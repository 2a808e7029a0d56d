#include "tokenizer.hpp"

#include <algorithm>
#include <cstdio>

#include "byte_letters.hpp"
#include "kernelgen/error.hpp"
#include "merging.hpp"
#include "pieces.hpp"

using kernelgen::Code;
using kernelgen::Error;
using kernelgen::GgufFile;
using kernelgen::GgufValue;

namespace {

/// "tokenizer.ggml.token_type": 1 normal, 2 unknown, 3 control, 4 user's, 5 unused, 6 byte.
constexpr std::int64_t type_control = 3, type_of_user = 4;
/// SentencePiece's space, U+2581.
constexpr std::string_view space_letter = "\xe2\x96\x81";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_there = text.substr(at).starts_with(from);
    result += is_there ? to : text.substr(at, 1);
    at += is_there ? from.size() : 1;
  }
  return result;
}

/// Where characters begin; a byte that continues none counts as one.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 0 || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) starts.push_back(i);
  return starts;
}

std::string byte_token(char byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return text;
}

}  // namespace

Tokenizer::Tokenizer(const GgufFile& file) {
  const std::string_view model = file.text("tokenizer.ggml.model");
  if (model != "llama" && model != "gpt2")
    throw Error(Code::unsupported, file.name() + ": tokenizer '" + std::string(model) +
                                       "'; 'llama' (SentencePiece) and 'gpt2' (byte pairs) are known here");
  kind_ = model == "llama" ? Kind::sentence_piece : Kind::byte_pairs;
  const bool is_sentence_piece = kind_ == Kind::sentence_piece;
  for (const std::string_view text : file.value("tokenizer.ggml.tokens").texts()) {
    ids_.emplace(text, static_cast<Token>(texts_.size()));
    texts_.emplace_back(text);
  }
  if (const GgufValue* types = file.find_value("tokenizer.ggml.token_type")) types_ = types->integers();
  types_.resize(texts_.size(), 1);
  for (Token token = 0; token < texts_.size(); ++token)
    if (!texts_[token].empty() && (types_[token] == type_control || types_[token] == type_of_user))
      controls_.push_back(token);
  if (is_sentence_piece) {
    scores_ = file.value("tokenizer.ggml.scores").reals();
    if (scores_.size() != texts_.size())
      throw Error(Code::bad_package, file.name() + ": " + std::to_string(texts_.size()) + " tokens, but " +
                                         std::to_string(scores_.size()) + " scores");
  } else {
    read_merges(file);
  }
  const std::string_view pre = file.text("tokenizer.ggml.pre", "default");
  most_digits_ = pre == "qwen2" ? 1 : pre == "llama-bpe" ? 3 : 0;
  adds_space_ = file.boolean("tokenizer.ggml.add_space_prefix", is_sentence_piece);
  unknown_ = file.integer("tokenizer.ggml.unknown_token_id", is_sentence_piece ? 0 : -1);
  if (file.boolean("tokenizer.ggml.add_bos_token", is_sentence_piece || pre == "llama-bpe"))
    begin_ = file.integer("tokenizer.ggml.bos_token_id", is_sentence_piece ? 1 : -1);
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"})
    if (file.find_value(key) != nullptr) ends_.push_back(static_cast<Token>(file.integer(key)));
}

void Tokenizer::read_merges(const GgufFile& file) {
  for (const std::string_view merge : file.value("tokenizer.ggml.merges").texts())
    ranks_.emplace(merge, ranks_.size());
}

bool Tokenizer::is_end(Token token) const {
  return std::find(ends_.begin(), ends_.end(), token) != ends_.end();
}

std::vector<Token> Tokenizer::encode(std::string_view text) const {
  std::vector<Token> tokens;
  if (begin_ >= 0) tokens.push_back(static_cast<Token>(begin_));
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto control = std::find_if(controls_.begin(), controls_.end(), [&](Token token) {
      return text.substr(at).starts_with(texts_[token]);
    });
    if (control == controls_.end()) {
      ++at;
      continue;
    }
    encode_plain(text.substr(plain, at - plain), tokens);
    tokens.push_back(*control);
    plain = at += texts_[*control].size();
  }
  encode_plain(text.substr(plain), tokens);
  return tokens;
}

void Tokenizer::encode_plain(std::string_view text, std::vector<Token>& tokens) const {
  if (text.empty()) return;
  if (kind_ == Kind::sentence_piece) {
    encode_piece(replaced((adds_space_ ? " " : "") + std::string(text), " ", space_letter), tokens);
    return;
  }
  for (const std::string_view piece : cut_into_pieces(text, most_digits_))
    encode_piece(to_letters(piece), tokens);
}

void Tokenizer::encode_piece(std::string_view piece, std::vector<Token>& tokens) const {
  const auto rank = [&](std::string_view left, std::string_view right, double& value) {
    if (kind_ == Kind::byte_pairs) {
      const auto at = ranks_.find(std::string(left) + " " + std::string(right));
      if (at == ranks_.end()) return false;
      value = static_cast<double>(at->second);
      return true;
    }
    const auto at = ids_.find(std::string(left) + std::string(right));
    if (at == ids_.end()) return false;
    value = -scores_[at->second];
    return true;
  };
  for (const std::string_view part : merged(piece, character_starts(piece), rank)) {
    const auto at = ids_.find(std::string(part));
    if (at != ids_.end())
      tokens.push_back(at->second);
    else
      put_bytes(part, tokens);
  }
}

void Tokenizer::put_bytes(std::string_view text, std::vector<Token>& tokens) const {
  for (const char byte : text) {
    const auto at = ids_.find(byte_token(byte));
    if (at != ids_.end())
      tokens.push_back(at->second);
    else if (unknown_ >= 0)
      tokens.push_back(static_cast<Token>(unknown_));
  }
}

std::string Tokenizer::decode(Token token) const {
  if (token >= texts_.size() || types_[token] == type_control) return {};
  const std::string& text = texts_[token];
  if (kind_ == Kind::byte_pairs) return from_letters(text);
  unsigned byte = 0;
  if (text.size() == 6 && std::sscanf(text.c_str(), "<0x%2X>", &byte) == 1) return {static_cast<char>(byte)};
  return replaced(text, space_letter, " ");
}
