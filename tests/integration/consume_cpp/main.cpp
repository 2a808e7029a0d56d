// A C++ program: finds a kernel in the registry by id and by name, and runs an operation on the CPU device.
#include <kernelgen_registry.h>

#include <cmath>
#include <cstdio>
#include <kernelgen/ops.hpp>
#include <vector>

int main() {
  using namespace kernelgen;
  const Device device = Device::open("cpu");
  const auto id = device.package().find_kernel("kg_exp_f32");
  if (!id || *id != KERNELGEN_KERNEL_kg_exp_f32 ||
      kernelgen_find_kernel("kg_exp_f32") != static_cast<int>(*id))
    return 1;

  const Tensor x = Tensor::from_vector<float>(device, {0, 1, 2, 3}, {2, 2});
  const std::vector<float> results = exp(x.transpose(0, 1)).to_vector<float>();
  if (results.size() != 4) return 2;
  const float expected[] = {0, 2, 1, 3};
  for (std::size_t i = 0; i < 4; ++i)
    if (std::abs(results[i] - std::exp(expected[i])) > 1e-5f * results[i]) return 3;
  try {
    call("expp", {&x, 1});
    return 4;
  } catch (const Error& error) {  // ops.hpp brings it
    if (error.code() != Code::not_found) return 5;
  }
  std::printf("C++: %s on %s\n", device.target().c_str(), device.location().c_str());
}
