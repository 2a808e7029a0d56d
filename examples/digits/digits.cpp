/// Handwritten digits, classified by a small convolutional network:
///   digits [FOLDER] [DEVICE]
/// FOLDER holds digits.npy and weights.npy (see train.py); the default device is `cpu`. Exits with 1 where fewer
/// than 97 % of the held-out digits are recognised.
#include <cstdio>
#include <cstring>
#include <exception>

#include "../npy.hpp"
#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

constexpr std::int64_t images = 1797, side = 8, pixels = side * side, classes = 10;

/// Parameters one after another out of one flat tensor.
class Weights {
 public:
  explicit Weights(Tensor flat) : flat_(std::move(flat)) {}
  Tensor take(const Shape& shape) {
    const std::int64_t count = Layout::contiguous(shape).elements();
    const Tensor part = flat_.narrow(0, taken_, count).reshape(shape);
    taken_ += count;
    return part;
  }

 private:
  Tensor flat_;
  std::int64_t taken_ = 0;
};

/// [b, 1, 8, 8] to the scores of ten classes.
Tensor network(const Tensor& x, Weights weights) {
  const Window2 around{.padding = {1, 1}};
  const Tensor kernel1 = weights.take({16, 1, 3, 3}), bias1 = weights.take({16, 1, 1});
  const Tensor kernel2 = weights.take({32, 16, 3, 3}), bias2 = weights.take({32, 1, 1});
  const Tensor matrix = weights.take({classes, 512}), bias3 = weights.take({classes});
  const Tensor first = relu(add(conv2d(x, kernel1, around), bias1));
  const Tensor second = relu(add(conv2d(first, kernel2, around), bias2));
  const Tensor pooled = max_pool2d(second, {2, 2}, {2, 2}).reshape({x.shape()[0], 512});
  return add(matmul(pooled, matrix.transpose(0, 1)), bias3);
}

int run(const std::string& folder, const char* device_name) {
  const Device device = Device::open(device_name);
  const Tensor rows = load_npy(device, folder + "/digits.npy", DType::u8, {images, pixels + 1});
  const Tensor labels = to_dtype(rows.narrow(1, pixels, 1), DType::u32).reshape({images});
  const Tensor x = affine(to_dtype(rows.narrow(1, 0, pixels), DType::f32), 1.0 / 16, 0);
  const Weights weights(load_npy(device, folder + "/weights.npy", DType::f32, {9930}));
  const Tensor scores = network(x.reshape({images, 1, side, side}), weights);
  const Tensor right = eq(argmax(scores, 1), labels);

  const std::vector<std::byte> host = right.to_host();
  int held_out = 0, recognised = 0;
  for (std::size_t i = 3; i < host.size(); i += 4) {
    ++held_out;
    recognised += host[i] == std::byte{1};
  }
  const double share = 100.0 * recognised / held_out;
  std::printf("%s: %d of %d held-out digits recognised, %.2f %%\n", device.location().c_str(), recognised,
              held_out, share);
  return share >= 97 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : ".", argc > 2 ? argv[2] : "cpu");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 1;
  }
}
