#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernelgen/gguf.hpp"

namespace kernelgen::test {

/// A Llama-family model in plain loops of double over the file's weights, dequantized: the whole text each time, written
/// for clarity. It shares nothing with the library but the reading of the file.
class PlainLlama {
 public:
  explicit PlainLlama(const GgufFile& file);

  /// Logits of what follows each token, row by row.
  std::vector<std::vector<double>> logits(const std::vector<std::uint32_t>& tokens) const;

 private:
  using Rows = std::vector<std::vector<double>>;

  const std::vector<double>* find(const std::string& name) const;
  Rows product(const Rows& x, const std::string& weight, const std::string& bias = "") const;
  Rows normed(const Rows& x, const std::string& weight) const;
  void normalize_heads(Rows& x, const std::string& weight) const;
  void rotate(Rows& x) const;
  Rows attended(const Rows& q, const Rows& k, const Rows& v) const;
  double turn(std::size_t pair) const;

  std::string architecture_;
  std::size_t layers_, width_, heads_, kv_heads_, head_;
  double epsilon_, base_, factor_ = 1, original_ = 0;
  bool is_yarn_ = false;
  std::map<std::string, std::vector<double>> weights_;
};

}  // namespace kernelgen::test
