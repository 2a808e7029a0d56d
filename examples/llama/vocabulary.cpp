#include "vocabulary.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace {

constexpr std::int32_t normal = 1, unknown = 2, control = 3, byte = 6;

std::vector<std::string> read_lines(const std::string& path) {
  // The opening of a pipe would wait for its other end.
  if (!std::filesystem::is_regular_file(path)) throw std::runtime_error(path + " is no regular file");
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

void Vocabulary::add_to(GgufWriter& writer) const {
  writer.add("tokenizer.ggml.model", std::string_view(model));
  writer.add("tokenizer.ggml.pre", std::string_view(pre));
  writer.add("tokenizer.ggml.tokens", tokens);
  if (!scores.empty()) writer.add("tokenizer.ggml.scores", scores);
  writer.add("tokenizer.ggml.token_type", types);
  if (!merges.empty()) writer.add("tokenizer.ggml.merges", merges);
  writer.add("tokenizer.ggml.bos_token_id", begin);
  writer.add("tokenizer.ggml.eos_token_id", end);
  writer.add("tokenizer.ggml.add_bos_token", adds_begin);
}

Vocabulary make_vocabulary(std::int64_t size) {
  constexpr std::int64_t least = 3 + 256;
  if (size < least) throw std::invalid_argument("--vocabulary is at least " + std::to_string(least));
  Vocabulary v;
  v.model = "llama";
  v.pre = "default";
  v.begin = 1;
  v.end = 2;
  v.adds_begin = true;
  v.tokens = {"<unk>", "<s>", "</s>"};
  v.types = {unknown, control, control};
  for (unsigned i = 0; i < 256; ++i) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", i);
    v.tokens.emplace_back(text);
    v.types.push_back(byte);
  }
  // Numbers in base 26, a word each.
  for (std::int64_t i = least; i < size; ++i) {
    std::string word;
    for (std::int64_t n = i; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
    v.tokens.push_back("\xe2\x96\x81" + word);
    v.types.push_back(normal);
  }
  for (std::size_t i = 0; i < v.tokens.size(); ++i) v.scores.push_back(-static_cast<float>(i));
  return v;
}

Vocabulary read_vocabulary(const std::string& folder) {
  Vocabulary v;
  v.model = "gpt2";
  v.pre = "gpt-2";
  v.tokens = read_lines(folder + "/tokens.txt");
  v.merges = read_lines(folder + "/merges.txt");
  if (v.tokens.empty()) throw std::runtime_error(folder + "/tokens.txt holds no tokens");
  v.types.assign(v.tokens.size(), normal);
  v.types.back() = control;
  v.begin = v.end = static_cast<std::uint32_t>(v.tokens.size() - 1);
  return v;
}
