/// A transformer's block of one token, as plain operations, launched one by one and replayed as a graph:
///   graph_bench [DEVICE [DTYPE [WIDTH ...]]]
/// A line a width: how many launches the block has, microseconds a block takes when blocks follow one another without a
/// wait, those of them that the host is busy, and how much sooner the graph is done. Exits with 1 where the two give
/// different bits.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernelgen/graph.hpp"
#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

constexpr std::int64_t head = 64, length = 128;

struct Block {
  Device device;
  DType dtype;
  std::int64_t width, hidden = width * 3;
  Tensor norm1 = random({width}), norm2 = random({width});
  Tensor query = weight(width, width), key = weight(width, width), value = weight(width, width),
         out = weight(width, width), gate = weight(width, hidden), up = weight(width, hidden),
         down = weight(hidden, width);
  Tensor query_bias = random({width}), key_bias = random({width}), value_bias = random({width}),
         out_bias = random({width}), gate_bias = random({hidden}), up_bias = random({hidden}),
         down_bias = random({width});
  Tensor cos = random({1, head / 2}), sin = random({1, head / 2});
  Tensor keys = random({1, width / head, length, head}), values = random({1, width / head, length, head});

  Tensor random(const Shape& shape, double deviation = 1) const {
    return to_dtype(rand_normal(device, shape, DType::f32, 0, deviation), dtype);
  }
  Tensor weight(std::int64_t rows, std::int64_t columns) const {
    return random({rows, columns}, 1 / std::sqrt(static_cast<double>(rows)));
  }

  static Tensor normed(const Tensor& x, const Tensor& scale) {
    const std::int64_t last = 1;
    const Tensor square = affine(mean(sqr(x), {&last, 1}, true), 1, 1e-5);
    return mul(mul(x, recip(sqrt(square))), scale);
  }
  static Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return add(matmul(x, weight), bias);
  }
  Tensor heads(const Tensor& x) const { return x.reshape({1, 1, width / head, head}).transpose(1, 2); }

  /// x is [1, width]; its place is the last of the cache.
  Tensor run(const Tensor& x) const {
    const Tensor n1 = normed(x, norm1);
    const Tensor q = rope(heads(linear(n1, query, query_bias)), cos, sin);
    copy_into(keys.narrow(2, length - 1, 1), rope(heads(linear(n1, key, key_bias)), cos, sin));
    copy_into(values.narrow(2, length - 1, 1), heads(linear(n1, value, value_bias)));
    const Tensor scores =
        affine(matmul(q, keys.transpose(2, 3)), 1 / std::sqrt(static_cast<double>(head)), 0);
    const Tensor attended = matmul(softmax(scores), values).reshape({1, width});
    const Tensor y = add(x, linear(attended, out, out_bias));
    const Tensor n2 = normed(y, norm2);
    const Tensor inner = mul(silu(linear(n2, gate, gate_bias)), linear(n2, up, up_bias));
    return add(y, linear(inner, down, down_bias));
  }
};

struct Times {
  double each, host;  ///< microseconds
};

Times time(const Device& device, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const int turns = device.kind() == DeviceKind::cpu ? 2 : 200;
  const auto microseconds = [turns](Clock::duration d) {
    return std::chrono::duration<double, std::micro>(d).count() / turns;
  };
  Times best{INFINITY, INFINITY};
  for (int repeat = 0; repeat < 5; ++repeat) {
    device.synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < turns; ++i) work();
    const auto put = Clock::now();
    device.synchronize();
    best.each = std::min(best.each, microseconds(Clock::now() - start));
    best.host = std::min(best.host, microseconds(put - start));
  }
  return best;
}

bool compare(const Device& device, DType dtype, std::int64_t width) {
  const Block block{device, dtype, width};
  const Tensor x = block.random({1, width});
  const Tensor wanted = block.run(x);
  Tensor got;
  const Graph graph = device.capture([&] { got = block.run(x); });
  graph.launch();
  const bool same = got.to_host() == wanted.to_host();
  const Times launched = time(device, [&] { block.run(x); }),
              replayed = time(device, [&] { graph.launch(); });
  std::printf("%5ld  %8zu  %8.1f (host %6.1f)  %8.1f (host %6.1f)  %5.2f x  %s\n", static_cast<long>(width),
              graph.nodes(), launched.each, launched.host, replayed.each, replayed.host,
              launched.each / replayed.each, same ? "same bits" : "OTHER BITS");
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const Device device = Device::open(words.empty() ? "cpu" : words[0]);
    const std::string name = words.size() > 1 ? words[1] : "f16";
    const auto dtype = parse_dtype(name);
    if (!dtype || !is_float(*dtype)) throw std::invalid_argument("the dtype has to be a float's name");
    std::vector<std::int64_t> widths;
    for (std::size_t i = 2; i < words.size(); ++i) widths.push_back(std::stol(words[i]));
    if (widths.empty()) widths = {256, 512, 1024, 2048};
    std::printf("%s, one token, %s, us a block\nwidth  launches  launched                replayed\n",
                device.name().c_str(), name.c_str());
    bool same = true;
    for (const std::int64_t width : widths) same = compare(device, *dtype, width) && same;
    return same ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graph_bench: %s\n", error.what());
    return 1;
  }
}
