// Calls the project's operations and its HIP kernel on a device: cpu, hip:0, cuda:0, or the first that has kernels.
#include <cstdio>
#include <kernelgen/error.hpp>
#include <kernelgen/ops.hpp>

#include "mine.hpp"

int main(int argc, char** argv) try {
  using namespace kernelgen;
  const Device device = Device::open(argc > 1 ? argv[1] : "auto");
  const Tensor x = Tensor::from_vector<float>(device, {-6, -2, 0, 2, 6}, {5});
  const Scalar width[] = {2}, step[] = {0.5};
  const Tensor y = call("snap", {{call("squash", {{x}}, width)}}, step);
  const mine::Kernels kernels(device);
  kernels.saxpy({}, 1, 256, 5, 10, x, y);  // stream, grid, block, arguments: y += 10 x

  std::printf("on %s:", device.location().c_str());
  for (const float value : y.to_vector<float>()) std::printf(" %g", value);
  std::printf("\n");
} catch (const kernelgen::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
