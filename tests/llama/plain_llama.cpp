#include "plain_llama.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include "reference/quantized.hpp"

namespace kernelgen::test {
namespace {

std::vector<double> values_of(const GgufFile& file, const GgufTensor& tensor) {
  const std::span<const std::byte> bytes = file.bytes(tensor);
  if (tensor.format_name == "f32") {
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return {floats.begin(), floats.end()};
  }
  if (tensor.dtype && is_quantized(*tensor.dtype)) {
    const std::vector<float> floats = reference::dequantize(*tensor.dtype, bytes);
    return {floats.begin(), floats.end()};
  }
  throw std::invalid_argument("the plain model has no " + std::string(tensor.format_name));
}

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

PlainLlama::PlainLlama(const GgufFile& file) : architecture_(file.text("general.architecture")) {
  const auto number = [&](const char* key) {
    return static_cast<std::size_t>(file.integer(architecture_ + "." + key));
  };
  layers_ = number("block_count");
  width_ = number("embedding_length");
  heads_ = number("attention.head_count");
  kv_heads_ = number("attention.head_count_kv");
  head_ = width_ / heads_;
  epsilon_ = file.real(architecture_ + ".attention.layer_norm_rms_epsilon");
  base_ = file.real(architecture_ + ".rope.freq_base");
  factor_ = file.real(architecture_ + ".rope.scaling.factor", 1.0);
  original_ = file.real(architecture_ + ".rope.scaling.original_context_length", 1.0);
  is_yarn_ = file.text(architecture_ + ".rope.scaling.type", "none") == "yarn";
  for (const GgufTensor& tensor : file.tensors())
    weights_[std::string(tensor.name)] = values_of(file, tensor);
}

const std::vector<double>* PlainLlama::find(const std::string& name) const {
  const auto at = weights_.find(name);
  return at == weights_.end() ? nullptr : &at->second;
}

PlainLlama::Rows PlainLlama::product(const Rows& x, const std::string& weight,
                                     const std::string& bias) const {
  const std::vector<double>& w = weights_.at(weight);
  const std::size_t n = x[0].size();
  Rows y;
  for (const std::vector<double>& row : x) {
    std::vector<double>& out = y.emplace_back();
    for (std::size_t i = 0; i < w.size(); i += n) out.push_back(dot(row.data(), &w[i], n));
    if (const std::vector<double>* b = find(bias))
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += (*b)[i];
  }
  return y;
}

PlainLlama::Rows PlainLlama::normed(const Rows& x, const std::string& weight) const {
  const std::vector<double>& w = weights_.at(weight);
  Rows y = x;
  for (std::vector<double>& row : y) {
    const double mean = dot(row.data(), row.data(), row.size()) / static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= w[i] / std::sqrt(mean + epsilon_);
  }
  return y;
}

void PlainLlama::normalize_heads(Rows& x, const std::string& weight) const {
  const std::vector<double>* w = find(weight);
  if (w == nullptr) return;
  for (std::vector<double>& row : x)
    for (std::size_t h = 0; h < row.size(); h += head_) {
      const double mean = dot(&row[h], &row[h], head_) / static_cast<double>(head_);
      for (std::size_t i = 0; i < head_; ++i) row[h + i] *= (*w)[i] / std::sqrt(mean + epsilon_);
    }
}

/// Radians from one position to the next (YaRN as in Peng et al., 2023: section 3.2, "NTK-by-parts").
double PlainLlama::turn(std::size_t pair) const {
  const double angle = std::pow(base_, -2.0 * static_cast<double>(pair) / static_cast<double>(head_));
  if (!is_yarn_) return angle / factor_;
  const auto pair_of = [&](double turns) {
    return static_cast<double>(head_) * std::log(original_ / (2 * std::numbers::pi * turns)) /
           (2 * std::log(base_));
  };
  const double first = std::max(std::floor(pair_of(32)), 0.0);
  const double last = std::min(std::ceil(pair_of(1)), static_cast<double>(head_) - 1);
  const double share = (static_cast<double>(pair) - first) / std::max(last - first, 0.001);
  const double slowed = std::min(std::max(share, 0.0), 1.0);
  return angle / factor_ * slowed + angle * (1 - slowed);
}

void PlainLlama::rotate(Rows& x) const {
  const bool are_neighbours = architecture_ == "llama";
  const double scale = is_yarn_ ? 0.1 * std::log(factor_) + 1 : 1;
  for (std::size_t p = 0; p < x.size(); ++p)
    for (std::size_t h = 0; h < x[p].size(); h += head_)
      for (std::size_t i = 0; i < head_ / 2; ++i) {
        double& a = x[p][h + (are_neighbours ? 2 * i : i)];
        double& b = x[p][h + (are_neighbours ? 2 * i + 1 : i + head_ / 2)];
        const double angle = static_cast<double>(p) * turn(i);
        const double cosine = scale * std::cos(angle), sine = scale * std::sin(angle),
                     first = a * cosine - b * sine;
        b = a * sine + b * cosine;
        a = first;
      }
}

PlainLlama::Rows PlainLlama::attended(const Rows& q, const Rows& k, const Rows& v) const {
  Rows y(q.size(), std::vector<double>(q[0].size()));
  for (std::size_t t = 0; t < q.size(); ++t)
    for (std::size_t h = 0; h < heads_; ++h) {
      const std::size_t from = h / (heads_ / kv_heads_) * head_;
      std::vector<double> weights;
      for (std::size_t j = 0; j <= t; ++j)
        weights.push_back(dot(&q[t][h * head_], &k[j][from], head_) / std::sqrt(static_cast<double>(head_)));
      const double most = *std::max_element(weights.begin(), weights.end());
      double sum = 0;
      for (double& weight : weights) sum += weight = std::exp(weight - most);
      for (std::size_t j = 0; j <= t; ++j)
        for (std::size_t i = 0; i < head_; ++i) y[t][h * head_ + i] += weights[j] / sum * v[j][from + i];
    }
  return y;
}

std::vector<std::vector<double>> PlainLlama::logits(const std::vector<std::uint32_t>& tokens) const {
  const std::vector<double>& table = weights_.at("token_embd.weight");
  Rows x;
  for (const std::uint32_t token : tokens) {
    const auto row = table.begin() + static_cast<std::ptrdiff_t>(token * width_);
    x.emplace_back(row, row + static_cast<std::ptrdiff_t>(width_));
  }
  const auto add = [&](const Rows& y) {
    for (std::size_t t = 0; t < x.size(); ++t)
      for (std::size_t i = 0; i < width_; ++i) x[t][i] += y[t][i];
  };
  for (std::size_t layer = 0; layer < layers_; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    const Rows y = normed(x, prefix + "attn_norm.weight");
    Rows q = product(y, prefix + "attn_q.weight", prefix + "attn_q.bias");
    Rows k = product(y, prefix + "attn_k.weight", prefix + "attn_k.bias");
    normalize_heads(q, prefix + "attn_q_norm.weight");
    normalize_heads(k, prefix + "attn_k_norm.weight");
    rotate(q);
    rotate(k);
    const Rows v = product(y, prefix + "attn_v.weight", prefix + "attn_v.bias");
    add(product(attended(q, k, v), prefix + "attn_output.weight"));
    const Rows z = normed(x, prefix + "ffn_norm.weight");
    Rows gate = product(z, prefix + "ffn_gate.weight");
    const Rows up = product(z, prefix + "ffn_up.weight");
    for (std::size_t t = 0; t < gate.size(); ++t)
      for (std::size_t i = 0; i < gate[t].size(); ++i) gate[t][i] *= up[t][i] / (1 + std::exp(-gate[t][i]));
    add(product(gate, prefix + "ffn_down.weight"));
  }
  const bool is_tied = find("output.weight") == nullptr;
  return product(normed(x, "output_norm.weight"), is_tied ? "token_embd.weight" : "output.weight");
}

}  // namespace kernelgen::test
