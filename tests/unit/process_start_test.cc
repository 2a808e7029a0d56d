// A process that links the library but uses no GPU loads and calls no driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernelgen/device.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

bool is_loaded(const char* library) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (handle != nullptr) ::dlclose(handle);
  return handle != nullptr;
}

TEST(ProcessStart, NoDriverIsTouchedBeforeADeviceIsOpened) {
  ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
  ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
  const auto expect_no_driver = [](const char* after) {
    EXPECT_FALSE(is_loaded(KERNELGEN_STUB_HIP)) << "after " << after;
    EXPECT_FALSE(is_loaded(KERNELGEN_STUB_CUDA)) << "after " << after;
    EXPECT_FALSE(is_loaded("libamdhip64.so.6") || is_loaded("libamdhip64.so.5") || is_loaded("libcuda.so.1"))
        << "after " << after;
  };
  expect_no_driver("the start");

  const std::vector<std::byte> hip_code = test::amd_code_object(4);
  const std::vector<std::byte> cpu_code = test::read_file(KERNELGEN_CPU_KERNELS);
  const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu_code}, {"gfx90a", 1, 64, hip_code}};
  const std::vector<std::byte> bytes = test::sample_package(targets, test::Compressed::yes);
  const Package package = Package::from_memory(bytes);
  EXPECT_TRUE(package.find_kernel("kg_scale_f32"));
  EXPECT_NE(package.find_operation("scale"), nullptr);
  EXPECT_FALSE(package.code(1, 0).empty());
  package.check_blobs();
  expect_no_driver("a package was read");

  const Device cpu = Device::open("cpu", package);
  const Tensor x = Tensor::zeros(cpu, {16}, DType::f32);
  EXPECT_NE(cpu.kernel(*package.find_kernel("kg_scale_f32")).handle, nullptr);
  expect_no_driver("work on the CPU");

  const Device gpu = Device::open("hip:0", package);
  EXPECT_TRUE(is_loaded(KERNELGEN_STUB_HIP));
  EXPECT_FALSE(test::stub_state<test::StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu").calls.empty());
  EXPECT_FALSE(is_loaded(KERNELGEN_STUB_CUDA)) << "nobody asked for one of NVIDIA's";
}

}  // namespace
}  // namespace kernelgen
