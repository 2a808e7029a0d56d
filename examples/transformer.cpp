/// One block of a transformer (embedding, rms_norm, rope, attention, silu MLP) in f32, f16 and bf16:
///   transformer [DEVICE]
/// Each is compared with the same block in plain loops of double over the same rounded weights. Then it writes on from a
/// few words, in f32, with keys and values kept in a cache. Exits with 1 where one is further off than its format
/// explains, or where another word was written than the plain loops would.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

constexpr std::int64_t words = 50, length = 24, prompt = 8, width = 64, heads = 4, head = width / heads,
                       hidden = 160;
constexpr double eps = 1e-5;

struct Parameters {
  Tensor table, norm1, query, key, value, out, norm2, gate, up, down, words, cos, sin;
};

Tensor random(const Device& device, const Shape& shape, DType dtype, double deviation, double mean = 0) {
  return to_dtype(rand_normal(device, shape, DType::f32, mean, deviation), dtype);
}

Parameters make_parameters(const Device& device, DType dtype) {
  device.set_seed(7);
  const double small = 1 / std::sqrt(static_cast<double>(width));
  Parameters p;
  p.table = random(device, {words, width}, dtype, 1);
  p.norm1 = random(device, {width}, dtype, 0.1, 1);
  p.query = random(device, {width, width}, dtype, small);
  p.key = random(device, {width, width}, dtype, small);
  p.value = random(device, {width, width}, dtype, small);
  p.out = random(device, {width, width}, dtype, small);
  p.norm2 = random(device, {width}, dtype, 0.1, 1);
  p.gate = random(device, {width, hidden}, dtype, small);
  p.up = random(device, {width, hidden}, dtype, small);
  p.down = random(device, {hidden, width}, dtype, small);
  p.words = random(device, {width, words}, dtype, small);
  std::vector<float> angles;
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t i = 0; i < head / 2; ++i)
      angles.push_back(static_cast<float>(static_cast<double>(t) *
                                          std::pow(10000.0, -2.0 * static_cast<double>(i) / head)));
  const Tensor angle = Tensor::from_vector(device, angles, {length, head / 2});
  p.cos = to_dtype(cos(angle), dtype);
  p.sin = to_dtype(sin(angle), dtype);
  return p;
}

/// Keys and values of the tokens so far, [1, heads, length, head], of which `used` rows are there.
struct Cache {
  Tensor k, v;
  std::int64_t used = 0;

  Cache(const Device& device, DType dtype)
      : k(Tensor::empty(device, {1, heads, length, head}, dtype)),
        v(Tensor::empty(device, {1, heads, length, head}, dtype)) {}

  void append(const Tensor& keys, const Tensor& values) {
    const std::int64_t rows = keys.shape()[2];
    copy_into(k.narrow(2, used, rows), keys);
    copy_into(v.narrow(2, used, rows), values);
    used += rows;
  }
};

/// [rows, width] to [1, heads, rows, head].
Tensor split_heads(const Tensor& x) { return x.reshape({1, x.shape()[0], heads, head}).transpose(1, 2); }

/// The block as a user of the library writes it, over the tokens that follow those in the cache: all of a text, or one.
Tensor block(const Parameters& p, const Tensor& tokens, Cache& cache) {
  const std::int64_t rows = tokens.shape()[0];
  const Tensor x = index_select(p.table, 0, tokens);
  const Tensor normed = rms_norm(x, p.norm1, eps);
  const Tensor cos = p.cos.narrow(0, cache.used, rows), sin = p.sin.narrow(0, cache.used, rows);
  const Tensor q = rope(split_heads(matmul(normed, p.query)), cos, sin);
  cache.append(rope(split_heads(matmul(normed, p.key)), cos, sin), split_heads(matmul(normed, p.value)));
  const Tensor merged = Tensor::empty(x.device(), {rows, width}, x.dtype()), attended = split_heads(merged);
  attention(q, cache.k.narrow(2, 0, cache.used), cache.v.narrow(2, 0, cache.used),
            {.out = &attended, .causal = true});
  const Tensor y = add(x, matmul(merged, p.out));
  const Tensor again = rms_norm(y, p.norm2, eps);
  return add(y, matmul(mul(silu(matmul(again, p.gate)), matmul(again, p.up)), p.down));
}

/// The most likely word after each row.
Tensor next_words(const Parameters& p, const Tensor& y) { return argmax(matmul(y, p.words), 1); }

using Words = std::vector<std::uint32_t>;

Tensor upload(const Device& device, std::span<const std::uint32_t> words) {
  return Tensor::from_host(device, std::as_bytes(words), {static_cast<std::int64_t>(words.size())},
                           DType::u32);
}

std::uint32_t word(const Tensor& tensor) { return tensor.to_vector<std::uint32_t>().front(); }

/// Writes on from the first words until there are `length`: these at once, then one by one. A word goes into the next
/// step without a way through the host.
Words write_on(const Device& device, const Parameters& p, Words text) {
  Cache cache(device, DType::f32);
  Tensor last = next_words(p, block(p, upload(device, text), cache)).narrow(0, prompt - 1, 1);
  while (true) {
    text.push_back(word(last));
    if (text.size() == length) return text;
    last = next_words(p, block(p, last, cache));
  }
}

// ---- the same in plain loops ----

using Matrix = std::vector<double>;  // row-major

Matrix values(const Tensor& tensor) { return to_dtype(tensor, DType::f64).to_vector<double>(); }

Matrix product(const Matrix& a, const Matrix& b, std::size_t n) {
  const std::size_t k = b.size() / n, m = a.size() / k;
  Matrix c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t t = 0; t < k; ++t)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + t] * b[t * n + j];
  return c;
}

Matrix normed(const Matrix& x, const Matrix& weight) {
  Matrix y(x.size());
  for (std::size_t row = 0; row < x.size(); row += width) {
    double square = 0;
    for (std::size_t i = 0; i < width; ++i) square += x[row + i] * x[row + i] / width;
    for (std::size_t i = 0; i < width; ++i) y[row + i] = x[row + i] / std::sqrt(square + eps) * weight[i];
  }
  return y;
}

void rotate(Matrix& x, const Matrix& cos, const Matrix& sin) {
  constexpr std::size_t half = head / 2;
  for (std::size_t t = 0; t < length; ++t)
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < half; ++i) {
        double &a = x[t * width + h * head + i], &b = x[t * width + h * head + i + half];
        const double c = cos[t * half + i], s = sin[t * half + i], first = a * c - b * s;
        b = a * s + b * c;
        a = first;
      }
}

Matrix expected(const Parameters& p, const Words& tokens) {
  const Matrix table = values(p.table);
  Matrix x;
  for (const std::uint32_t token : tokens)
    x.insert(x.end(), table.begin() + token * width, table.begin() + (token + 1) * width);
  const Matrix n1 = normed(x, values(p.norm1));
  Matrix q = product(n1, values(p.query), width), k = product(n1, values(p.key), width);
  const Matrix v = product(n1, values(p.value), width);
  rotate(q, values(p.cos), values(p.sin));
  rotate(k, values(p.cos), values(p.sin));
  Matrix merged(x.size());
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t i = 0; i < length; ++i) {
      Matrix power(i + 1);
      double sum = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (std::size_t e = 0; e < head; ++e)
          score += q[i * width + h * head + e] * k[j * width + h * head + e];
        sum += power[j] = std::exp(score / std::sqrt(static_cast<double>(head)));
      }
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t e = 0; e < head; ++e)
          merged[i * width + h * head + e] += power[j] / sum * v[j * width + h * head + e];
    }
  const Matrix projected = product(merged, values(p.out), width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += projected[i];
  const Matrix n2 = normed(x, values(p.norm2));
  Matrix gate = product(n2, values(p.gate), hidden);
  const Matrix up = product(n2, values(p.up), hidden);
  for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
  const Matrix down = product(gate, values(p.down), width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += down[i];
  return x;
}

Words make_tokens(std::int64_t count) {
  Words tokens;
  for (std::uint32_t i = 0; i < count; ++i) tokens.push_back(i * 17 % words);
  return tokens;
}

/// Runs the block in one dtype; true where it is right.
bool check(const Device& device, DType dtype, double allowed) {
  const Parameters parameters = make_parameters(device, dtype);
  const Words tokens = make_tokens(length);
  Cache cache(device, dtype);
  const Matrix got = values(block(parameters, upload(device, tokens), cache)),
               wanted = expected(parameters, tokens);
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = std::abs(got[i] - wanted[i]);
    worst = off > worst || std::isnan(off) ? off : worst;
  }
  const bool right = worst <= allowed;
  std::printf("%-5s largest error %.2e, allowed %.0e: %s\n", std::string(name_of(dtype)).c_str(), worst,
              allowed, right ? "right" : "WRONG");
  return right;
}

/// Whether each word of the continuation of the prompt is the most likely one according to the plain loops.
bool check_words(const Device& device) {
  const Parameters parameters = make_parameters(device, DType::f32);
  const Words text = write_on(device, parameters, make_tokens(prompt));
  const Matrix likely = product(expected(parameters, text), values(parameters.words), words);
  std::printf("words");
  bool right = true;
  for (std::size_t i = prompt; i < length; ++i) {
    const auto row = likely.begin() + static_cast<std::ptrdiff_t>((i - 1) * words);
    right = right && text[i] == static_cast<std::uint32_t>(std::max_element(row, row + words) - row);
    std::printf(" %u", text[i]);
  }
  std::printf(": %s\n", right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Device device = Device::open(argc > 1 ? argv[1] : "cpu");
    const bool f32 = check(device, DType::f32, 2e-5), f16 = check(device, DType::f16, 2e-2),
               bf16 = check(device, DType::bf16, 1.5e-1);
    const bool written = check_words(device);
    return f32 && f16 && bf16 && written ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 1;
  }
}
