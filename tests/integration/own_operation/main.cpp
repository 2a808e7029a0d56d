// Calls an operation by name that only the user's manifest knows, on two layouts and two dtypes.
#include <kernelgen_registry.h>

#include <cstdio>
#include <cstring>
#include <kernelgen/ops.hpp>
#include <span>
#include <vector>

template <class T>
bool gives(const kernelgen::Tensor& tensor, const std::vector<T>& expected) {
  const std::vector<std::byte> bytes = tensor.to_host();
  return bytes.size() == expected.size() * sizeof(T) &&
         std::memcmp(bytes.data(), expected.data(), bytes.size()) == 0;
}

int main() {
  using namespace kernelgen;
  static_assert(KERNELGEN_KERNEL_COUNT == 6);
  if (kernelgen_find_kernel("kg_cube_f32") != KERNELGEN_KERNEL_kg_cube_f32) return 1;

  const Device device = Device::open("cpu");
  const float floats[] = {1, 2, 3, 4};
  const std::int64_t integers[] = {-3, 5};
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(floats)), {2, 2}, DType::f32);
  const Tensor n = Tensor::from_host(device, std::as_bytes(std::span(integers)), {2}, DType::i64);
  if (!gives<float>(call("cube", {{x}}), {1, 8, 27, 64})) return 2;
  if (!gives<std::int64_t>(call("cube", {{n}}), {-27, 125})) return 3;
  if (!gives<float>(call("cube", {{x.narrow(1, 1, 1)}}), {8, 64})) return 4;
  std::puts("cube works");
}
