// Differences of HIP 6 and 7 and CUDA from HIP 5: layout of device properties, accepted code objects, contexts, PTX,
// launch markers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernelgen/device.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

/// As many as the kernel takes, all of them 0.
const std::vector<std::byte> no_arguments(28);
using test::StubGpu;

StubGpu& use_stub(const char* variable, const char* path) {
  ::setenv(variable, path, 1);
  StubGpu& stub = test::stub_state<StubGpu>(path, "stub_gpu");
  stub = StubGpu();
  return stub;
}

std::vector<std::byte> package_for(std::string_view target, std::uint32_t kind,
                                   std::span<const std::byte> code) {
  const test::SampleTarget targets[] = {{target, kind, 32, code}};
  return test::sample_package(targets);
}

TEST(Hip6, ReadsTheNewerProperties) {
  StubGpu& stub = use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6);
  stub.architecture = "gfx1100";
  const std::vector<std::byte> bytes = package_for("gfx1100", 1, test::amd_code_object(5));
  const Device device = Device::open("hip:0", Package::from_memory(bytes));
  EXPECT_EQ(device.architecture(), "gfx1100");
  EXPECT_EQ(std::count(stub.calls.begin(), stub.calls.end(), "hipGetDevicePropertiesR0600"), 1);
  EXPECT_NE(device.kernel(0).handle, nullptr);
}

/// The error of the stub for a code object of that version; "" if it loads.
std::string refusal(const Device& device, int version) {
  try {
    device.load_module(test::amd_code_object(version), "mine");
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Hip6, TellsOfCodeObjectsThatAreTooNew) {
  StubGpu& stub = use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6);
  const std::vector<std::byte> bytes = package_for("gfx90a", 1, test::amd_code_object(4));
  const Device device = Device::open("hip:0", Package::from_memory(bytes));
  EXPECT_EQ(refusal(device, 6), "");
  for (const int version : {603, 700, 702}) {
    stub.hip_version = version;
    EXPECT_EQ(refusal(device, 6), "") << version;
  }
  // Since 6.2 it is another error, that of code for another GPU.
  stub.hip_version = 602;
  EXPECT_EQ(refusal(device, 5), "");
  const std::string text = refusal(device, 6);
  EXPECT_NE(text.find("error 209, hipErrorNoBinaryForGpu (no kernel image"), std::string::npos) << text;
  EXPECT_NE(text.find("version, 6, is newer than"), std::string::npos) << text;
  EXPECT_NE(text.find("-mcode-object-version=5"), std::string::npos) << text;
}

TEST(Hip7, WorksAsHip6DoesAndNamesItsErrors) {
  StubGpu& stub = use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6);
  stub.hip_version = 702;
  stub.architecture = "gfx1201";
  const std::vector<std::byte> bytes = package_for("gfx1201", 1, test::amd_code_object(5));
  const Device device = Device::open("hip:0", Package::from_memory(bytes));
  EXPECT_EQ(device.architecture(), "gfx1201");
  EXPECT_EQ(device.wave_size(), 32);
  const Function function = device.kernel(0);
  device.launch(function, {{1, 1, 1}, {32, 1, 1}, 0}, no_arguments);
  EXPECT_EQ(stub.launches.size(), 1u);
  stub.failures = {{"hipModuleLaunchKernel", 9}};  // 1 before HIP 7
  expect_error(Code::device,
               {"hipErrorInvalidConfiguration (invalid configuration argument)", "block 64 x 1 x 1"},
               [&] { device.launch(function, {{1, 1, 1}, {64, 1, 1}, 0}, no_arguments); });
}

TEST(Hip6, DifferentGpusOfOneProcessHaveTheirOwnCode) {
  StubGpu& stub = use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6);
  // An accelerator, a card and an APU.
  stub.devices = 3;
  stub.architectures = {"gfx90a:sramecc+:xnack-", "gfx1100", "gfx90c:xnack-"};
  const std::vector<std::byte> code = test::amd_code_object(4);
  const test::SampleTarget targets[] = {
      {"gfx1100", 1, 32, code}, {"gfx90a", 1, 64, code}, {"gfx9-generic", 1, 64, code}};
  const std::vector<std::byte> bytes = test::sample_package(targets);
  const Package package = Package::from_memory(bytes);
  constexpr std::string_view names[] = {"hip:0", "hip:1", "hip:2"},
                             chosen[] = {"gfx90a", "gfx1100", "gfx9-generic"};
  constexpr int waves[] = {64, 32, 64};
  std::vector<Device> devices;
  for (const std::string_view name : names) devices.push_back(Device::open(name, package));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].target(), chosen[i]);
    EXPECT_EQ(devices[i].wave_size(), waves[i]);
    const std::vector<std::byte> arguments(28, std::byte{3});
    devices[i].launch(devices[i].kernel(0), {}, arguments);
    EXPECT_EQ(stub.launches.back().current, i);
  }
}

TEST(Cuda, LaunchesInItsContext) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  const std::vector<std::byte> bytes = package_for("sm_90", 2, test::bytes_of("\x50\xed\x55\xba"));
  const Package package = Package::from_memory(bytes);
  constexpr std::uintptr_t context = 0x101, foreign = 0x999;
  {
    const Device device = Device::open("cuda:1", package);
    EXPECT_EQ(device.architecture(), "sm_90");
    EXPECT_EQ(device.target(), "sm_90");
    const std::vector<std::byte> arguments(28, std::byte{3});
    device.launch(device.kernel(0), {{2, 1, 1}, {128, 1, 1}, 0}, arguments);
    ASSERT_EQ(stub.launches.size(), 1u);
    EXPECT_EQ(stub.launches[0].arguments, arguments);
    EXPECT_EQ(stub.launches[0].current, context);
    EXPECT_EQ(stub.launches[0].end_marker, 0u);
    // A thread without a context keeps this one; another library's is given back.
    EXPECT_EQ(stub.current, context);
    stub.current = foreign;
    device.launch(device.kernel(0), {}, no_arguments);
    EXPECT_EQ(stub.launches[1].current, context);
    EXPECT_EQ(stub.current, foreign);
  }
  EXPECT_EQ(stub.calls.back(), "cuDevicePrimaryCtxRelease_v2");
}

TEST(Cuda, TakesLowerCodeAndEndsPtxWithANul) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  stub.capability = 89;
  const std::vector<std::byte> bytes = package_for("compute_80", 2, test::bytes_of(".version 8.0 text"));
  const Device device = Device::open("cuda:0", Package::from_memory(bytes));
  EXPECT_EQ(device.target(), "compute_80");
  device.kernel(0);
  EXPECT_EQ(stub.last_image, ".version 8.0 text");
}

TEST(Cuda, SupportsBf16WhereItsCodeHasIt) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  stub.capability = 75;  // has no instructions for bf16: what the package has computes in f32
  const test::SampleTarget targets[] = {{"compute_70", 2, 32, test::bytes_of(".version 8.0 text")},
                                        {"sm_90", 2, 32, test::bytes_of("cubin")}};
  for (const bool is_bf16 : {true, false}) {
    const std::vector<std::byte> bytes =
        test::kernel_package(targets, {"x", is_bf16 ? "const bf16*" : "const f32*", 8, true, false});
    const Device device = Device::open("cuda:0", Package::from_memory(bytes));
    EXPECT_EQ(device.target(), "compute_70");
    EXPECT_EQ(device.supports_bf16(), is_bf16);
  }
}

TEST(Cuda, GivesTheCompilersLog) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  const std::vector<std::byte> bytes = package_for("sm_90", 2, test::bytes_of("cubin"));
  const Device device = Device::open("cuda:0", Package::from_memory(bytes));
  stub.failures = {{"cuModuleLoadDataEx", 209}};
  expect_error(Code::device, {"CUDA_ERROR_NO_BINARY_FOR_GPU", "ptxas says no", "another architecture"},
               [&] { device.kernel(0); });
}

TEST(Cuda, AsksOnceForTheMostSharedMemoryOfAFunction) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  const std::vector<std::byte> bytes = package_for("sm_90", 2, test::bytes_of("cubin"));
  const Device device = Device::open("cuda:0", Package::from_memory(bytes));
  const Function function = device.kernel(0);
  stub.calls.clear();
  stub.launches.clear();
  device.launch(function, {{1, 1, 1}, {128, 1, 1}}, no_arguments);
  EXPECT_EQ(stub.calls, std::vector<std::string>{"cuLaunchKernel"});
  // Static shared memory counts as well, so that even 48 KiB may be too much for a launch that did not ask.
  stub.calls.clear();
  stub.launches.clear();
  device.launch(function, {{1, 1, 1}, {128, 1, 1}, 48 * 1024}, no_arguments);
  EXPECT_EQ(stub.calls, (std::vector<std::string>{"cuFuncSetAttribute", "cuLaunchKernel"}));
  device.launch(function, {{1, 1, 1}, {128, 1, 1}, 69632}, no_arguments);
  ASSERT_EQ(stub.launches.size(), 2u);
  EXPECT_EQ(stub.launches[1].shared_bytes, 69632u);
  // The limit is a function's, and is not lowered for a launch with less: another thread may need it.
  stub.calls.clear();
  device.launch(function, {{1, 1, 1}, {128, 1, 1}, 60000}, no_arguments);
  EXPECT_EQ(stub.calls, std::vector<std::string>{"cuLaunchKernel"});
  stub.failures["cuFuncSetAttribute"] = 1;
  expect_error(Code::device, {"cuLaunchKernel", "200000 bytes of shared memory"},
               [&] { device.launch(function, {{1, 1, 1}, {128, 1, 1}, 200000}, no_arguments); });
  stub.failures.clear();
}

TEST(Cuda, LaunchesEarlyWhatWaitsByItself) {
  StubGpu& stub = use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  const std::vector<std::byte> bytes = package_for("sm_90", 2, test::bytes_of("cubin"));
  for (const bool waits : {false, true}) {
    stub.kernels_wait = waits;
    stub.launches.clear();
    const Device device = Device::open("cuda:0", Package::from_memory(bytes));
    const std::vector<std::byte> arguments(28, std::byte{5});
    device.launch(device.kernel(0), {{3, 2, 1}, {64, 1, 1}, 16}, arguments);
    ASSERT_EQ(stub.launches.size(), 1u);
    EXPECT_EQ(stub.launches[0].is_early, waits);
    EXPECT_EQ(stub.launches[0].grid, (std::vector<std::uint32_t>{3, 2, 1}));
    EXPECT_EQ(stub.launches[0].block, (std::vector<std::uint32_t>{64, 1, 1}));
    EXPECT_EQ(stub.launches[0].shared_bytes, 16u);
    EXPECT_EQ(stub.launches[0].arguments, arguments);
  }
}

TEST(Cuda, AutoFindsIt) {
  use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
  const std::vector<std::byte> bytes = package_for("sm_90", 2, test::bytes_of("cubin"));
  EXPECT_EQ(Device::open("auto", Package::from_memory(bytes)).location(), "cuda:0");
}

}  // namespace
}  // namespace kernelgen
