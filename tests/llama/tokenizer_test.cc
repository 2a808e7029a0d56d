// Text to tokens and back.
#include "tokenizer.hpp"

#include <gtest/gtest.h>

#include "byte_letters.hpp"
#include "gguf_writer.hpp"
#include "pieces.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::test {
namespace {

using Pieces = std::vector<std::string_view>;

TEST(Pieces, AreWordsNumbersAndSigns) {
  EXPECT_EQ(cut_into_pieces("Hello world, it's 4095!", 0),
            (Pieces{"Hello", " world", ",", " it", "'s", " 4095", "!"}));
  EXPECT_EQ(cut_into_pieces("a  b \n c\n", 0), (Pieces{"a", " ", " b", " \n", " c", "\n"}));
  EXPECT_EQ(cut_into_pieces("na\xc3\xafve\t\"x\"  ", 0),
            (Pieces{"na\xc3\xafve", "\t", "\"", "x", "\"", "  "}));
  EXPECT_EQ(cut_into_pieces("in 12345", 3), (Pieces{"in", " ", "123", "45"}));
  EXPECT_EQ(cut_into_pieces("12", 1), (Pieces{"1", "2"}));
  EXPECT_TRUE(cut_into_pieces("", 0).empty());
}

TEST(ByteLetters, ComeBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(from_letters(to_letters(all)), all);
  EXPECT_EQ(to_letters(" a\n"),
            "\xc4\xa0"
            "a\xc4\x8a");
}

TEST(BytePairs, AreJoinedAsInTraining) {
  const Tokenizer tokenizer(GgufFile::open(KERNELGEN_TINY_MODEL));
  // What train.py makes of them.
  EXPECT_EQ(tokenizer.encode("**The conformance walk** runs on"),
            (std::vector<Token>{313, 84, 365, 495, 102, 450, 286, 322, 265, 311, 107, 313, 410, 115, 334}));
  const std::string text = "don't  stop\n\n  at 4095 \xc2\xb5s, na\xc3\xafvely; it's\t\"done\".";
  const std::vector<Token> tokens{100, 279, 39, 116, 32,  374, 111, 112, 10,  10,  32, 257, 116, 32,
                                  52,  48,  57, 53,  32,  194, 181, 115, 44,  300, 97, 195, 175, 377,
                                  108, 121, 59, 339, 319, 9,   34,  100, 111, 269, 34, 46};
  EXPECT_EQ(tokenizer.encode(text), tokens);
  std::string back;
  for (const Token token : tokens) back += tokenizer.decode(token);
  EXPECT_EQ(back, text);
  EXPECT_EQ(tokenizer.encode("a<|endoftext|>b"), (std::vector<Token>{97, 511, 98}));
  EXPECT_TRUE(tokenizer.is_end(511));
  EXPECT_EQ(tokenizer.decode(511), "");
  EXPECT_TRUE(tokenizer.encode("").empty());
}

/// "▁", "ab", "▁ab", "abab", single letters and two bytes.
std::string sentence_pieces(bool adds_begin,
                            std::vector<float> scores = {0, 0, 0, 0, 0, -9, -1, -3, -2, -8, -8}) {
  GgufWriter writer;
  writer.add("tokenizer.ggml.model", std::string_view("llama"));
  writer.add("tokenizer.ggml.tokens",
             std::vector<std::string>{"<unk>", "<s>", "</s>", "<0x21>", "<0xC3>", "\xe2\x96\x81", "ab",
                                      "\xe2\x96\x81"
                                      "ab",
                                      "abab", "a", "b"});
  writer.add("tokenizer.ggml.scores", scores);
  writer.add("tokenizer.ggml.token_type", std::vector<std::int32_t>{2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1});
  if (!adds_begin) writer.add("tokenizer.ggml.add_bos_token", false);
  writer.add("tokenizer.ggml.eos_token_id", std::uint32_t{2});
  return writer.head();
}

TEST(SentencePieces, JoinTheBestFirst) {
  const std::string bytes = sentence_pieces(true);
  const Tokenizer tokenizer(GgufFile::from_memory(std::as_bytes(std::span(bytes))));
  // "ab" (-1) first, twice; then "abab" (-2) before "▁ab" (-3).
  EXPECT_EQ(tokenizer.encode("abab"), (std::vector<Token>{1, 5, 8}));
  EXPECT_EQ(tokenizer.encode("ab ab"), (std::vector<Token>{1, 7, 7}));
  // Text without a token is spelled in byte tokens, or is the unknown token.
  EXPECT_EQ(tokenizer.encode("a!\xc3"), (std::vector<Token>{1, 5, 9, 3, 4}));
  EXPECT_EQ(tokenizer.encode("?"), (std::vector<Token>{1, 5, 0}));
  EXPECT_EQ(tokenizer.decode(7), " ab");
  EXPECT_EQ(tokenizer.decode(3), "!");
  EXPECT_EQ(tokenizer.decode(1), "");
  EXPECT_TRUE(tokenizer.is_end(2));
}

TEST(SentencePieces, BeginOnlyWhereTheFileSaysSo) {
  const std::string bytes = sentence_pieces(false);
  EXPECT_EQ(Tokenizer(GgufFile::from_memory(std::as_bytes(std::span(bytes)))).encode("ab"),
            (std::vector<Token>{7}));
}

TEST(Vocabulary, ThatIsNoneIsNamed) {
  GgufWriter writer;
  writer.add("tokenizer.ggml.model", std::string_view("bert"));
  const std::string bert = writer.head(), none = GgufWriter().head(), few = sentence_pieces(true, {1, 2});
  const auto open = [](const std::string& bytes) {
    Tokenizer tokenizer(GgufFile::from_memory(std::as_bytes(std::span(bytes)), "bad.gguf"));
  };
  expect_error(Code::unsupported, {"bad.gguf: tokenizer 'bert'; 'llama' (SentencePiece) and 'gpt2'"},
               [&] { open(bert); });
  expect_error(Code::not_found, {"bad.gguf: no metadata 'tokenizer.ggml.model'"}, [&] { open(none); });
  expect_error(Code::bad_package, {"bad.gguf: 11 tokens, but 2 scores"}, [&] { open(few); });
}

}  // namespace
}  // namespace kernelgen::test
