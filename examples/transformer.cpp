/// One block of a transformer (embedding, rms_norm, rope, attention, silu MLP) in f32, f16 and bf16:
///   transformer [DEVICE]
/// Each is compared with the same block in plain loops of double over the same rounded weights. Exits with 1 where
/// one is further off than its format explains.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

constexpr std::int64_t words = 50, length = 24, width = 64, heads = 4, head = width / heads, hidden = 160;
constexpr double eps = 1e-5;

struct Parameters {
  Tensor table, norm1, query, key, value, out, norm2, gate, up, down, cos, sin;
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
  std::vector<float> angles;
  for (std::int64_t t = 0; t < length; ++t)
    for (std::int64_t i = 0; i < head / 2; ++i)
      angles.push_back(static_cast<float>(static_cast<double>(t) *
                                          std::pow(10000.0, -2.0 * static_cast<double>(i) / head)));
  const Tensor angle =
      Tensor::from_host(device, std::as_bytes(std::span(angles)), {length, head / 2}, DType::f32);
  p.cos = to_dtype(cos(angle), dtype);
  p.sin = to_dtype(sin(angle), dtype);
  return p;
}

/// [length, width] to [1, heads, length, head].
Tensor split_heads(const Tensor& x) { return x.reshape({1, length, heads, head}).transpose(1, 2); }

/// The block as a user of the library writes it.
Tensor block(const Parameters& p, const Tensor& tokens, const Tensor& mask) {
  const Tensor x = index_select(p.table, 0, tokens);
  const Tensor normed = rms_norm(x, p.norm1, eps);
  const Tensor q = rope(split_heads(matmul(normed, p.query)), p.cos, p.sin);
  const Tensor k = rope(split_heads(matmul(normed, p.key)), p.cos, p.sin);
  const Tensor v = split_heads(matmul(normed, p.value));
  const Tensor scores = affine(matmul(q, k.transpose(2, 3)), 1 / std::sqrt(static_cast<double>(head)), 0);
  const Tensor attended = matmul(softmax(add(scores, mask)), v);
  const Tensor merged = copy(attended.transpose(1, 2)).reshape({length, width});
  const Tensor y = add(x, matmul(merged, p.out));
  const Tensor again = rms_norm(y, p.norm2, eps);
  return add(y, matmul(mul(silu(matmul(again, p.gate)), matmul(again, p.up)), p.down));
}

// ---- the same in plain loops ----

using Matrix = std::vector<double>;  // row-major

Matrix values(const Tensor& tensor) {
  const std::vector<std::byte> bytes = to_dtype(tensor, DType::f64).to_host();
  Matrix result(bytes.size() / sizeof(double));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

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

Matrix expected(const Parameters& p, const std::vector<std::uint32_t>& tokens) {
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

/// Runs the block in one dtype; true where it is right.
bool check(const Device& device, DType dtype, double allowed) {
  const Parameters parameters = make_parameters(device, dtype);
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < length; ++i) tokens.push_back(i * 17 % words);
  std::vector<float> later;
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t j = 0; j < length; ++j) later.push_back(j > i ? -INFINITY : 0.0f);
  const Tensor ids = Tensor::from_host(device, std::as_bytes(std::span(tokens)), {length}, DType::u32);
  const Tensor mask = to_dtype(
      Tensor::from_host(device, std::as_bytes(std::span(later)), {length, length}, DType::f32), dtype);
  const Matrix got = values(block(parameters, ids, mask)), wanted = expected(parameters, tokens);
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

}  // namespace

int main(int argc, char** argv) {
  try {
    const Device device = Device::open(argc > 1 ? argv[1] : "cpu");
    const bool f32 = check(device, DType::f32, 2e-5), f16 = check(device, DType::f16, 2e-2),
               bf16 = check(device, DType::bf16, 1.5e-1);
    return f32 && f16 && bf16 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 1;
  }
}
