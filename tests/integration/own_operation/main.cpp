// Calls an operation by name that only the user's manifest knows, on two layouts and two dtypes.
#include <kernelgen_registry.h>

#include <cstdio>
#include <kernelgen/ops.hpp>
#include <vector>

template <class T>
bool gives(const kernelgen::Tensor& tensor, const std::vector<T>& expected) {
  return tensor.to_vector<T>() == expected;
}

int main() {
  using namespace kernelgen;
  static_assert(KERNELGEN_KERNEL_COUNT == 6);
  if (kernelgen_find_kernel("kg_cube_f32") != KERNELGEN_KERNEL_kg_cube_f32) return 1;

  const Device device = Device::open("cpu");
  const Tensor x = Tensor::from_vector<float>(device, {1, 2, 3, 4}, {2, 2});
  const Tensor n = Tensor::from_vector<std::int64_t>(device, {-3, 5}, {2});
  if (!gives<float>(call("cube", {{x}}), {1, 8, 27, 64})) return 2;
  if (!gives<std::int64_t>(call("cube", {{n}}), {-27, 125})) return 3;
  if (!gives<float>(call("cube", {{x.narrow(1, 1, 1)}}), {8, 64})) return 4;
  std::puts("cube works");
}
