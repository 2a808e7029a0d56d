// Run-time compilation for GPUs, with stubs of NVRTC and hipRTC.
#include <cstdlib>
#include <map>

#include "compile_fixture.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "stub_gpu/stub_rtc.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::read_text;
using test::StubGpu;
using test::StubRtc;
using test::twice;
using test::with_factor;

class CompileForGpus : public test::Compiling {};

/// A device of a GPU's stub, whose stub of a compiler makes code that the driver's takes.
Device stub_device(const char* name, const char* target, std::uint32_t kind, std::uint32_t wave_size) {
  static const std::vector<std::byte> amd = test::amd_code_object(4);
  const test::SampleTarget targets[] = {{target, kind, wave_size, amd}};
  static std::map<std::string, std::vector<std::byte>> packages;
  return Device::open(
      name, Package::from_memory(packages.try_emplace(target, test::sample_package(targets)).first->second));
}

TEST_F(CompileForGpus, ForAmdByHiprtc) {
  ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
  StubRtc& rtc = test::stub_state<StubRtc>(KERNELGEN_STUB_HIPRTC, "stub_rtc");
  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu");
  rtc = {};
  rtc.code = test::amd_code_object(4);
  const Device device = stub_device("hip:0", "gfx90a", 1, 64);
  const Tensor x = Tensor::empty(device, {1000}, DType::f16);
  expression("silu(x) * s", {{"x", x}, {"s", 2}});
  EXPECT_EQ(rtc.compiles, 1);
  EXPECT_EQ(rtc.programs, 0);
  EXPECT_EQ(rtc.name, "expression");
  EXPECT_EQ(rtc.flags, (std::vector<std::string>{"--offload-arch=gfx90a:sramecc+:xnack-", "-std=c++17", "-O3",
                                                 "-fwrapv", "-ffp-contract=off", "-fno-math-errno", "-mllvm",
                                                 "-disable-machine-licm", "-DKERNELGEN_WAVE_SIZE=64"}));
  EXPECT_EQ(rtc.headers.count("elementwise/map.hpp"), 1u);
  EXPECT_EQ(rtc.headers.count("candle/unary.hpp"), 0u);
  EXPECT_EQ(rtc.headers["device/dialect.hpp"], read_text(KERNELGEN_KERNELS_DIR "/device/dialect.hpp"));
  EXPECT_NE(rtc.source.find("KG_KERNEL(256, kg_expression, const f16* x0, f16* y, u64 n, f16 s0)"),
            std::string::npos)
      << rtc.source;
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "kg_expression");
  EXPECT_EQ(gpu.launches[0].arguments.size(), 26u);
  EXPECT_EQ(gpu.launches[0].block[0], 256u);

  rtc.failures["CompileProgram"] = 6;
  rtc.log = "expression:1:9: error: what?";
  expect_error(Code::invalid_argument, {"expression '~x'", "for gfx90a:sramecc+:xnack-", rtc.log},
               [&] { expression("~x", {{"x", x}}); });
  rtc.failures["CompileProgram"] = 3;
  expect_error(Code::unsupported, {"error 3, a text"}, [&] { expression("x + 2", {{"x", x}}); });
  rtc.failures = {{"CreateProgram", 1}};
  expect_error(Code::unsupported, {"error 1, a text"}, [&] { expression("x + 2", {{"x", x}}); });
  EXPECT_EQ(rtc.programs, 0);
  rtc.failures.clear();
  rtc.code.assign(8, std::byte{1});  // no ELF
  expect_error(Code::device, {"expression 'x + 3'"}, [&] { expression("x + 3", {{"x", x}}); });
}

TEST_F(CompileForGpus, ForNvidiaByNvrtc) {
  ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
  StubRtc& rtc = test::stub_state<StubRtc>(KERNELGEN_STUB_NVRTC, "stub_rtc");
  rtc = {};
  rtc.code = test::amd_code_object(4);
  rtc.log = "a warning";
  const Device device = stub_device("cuda:0", "sm_90", 2, 32);
  const Module module = device.compile(twice, with_factor("2"));
  EXPECT_EQ(module.log(), "a warning");
  EXPECT_NE(module.function("twice").handle, nullptr);
  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");
  gpu.parameters = {{0, 8}, {8, 4}};
  EXPECT_EQ(module.arguments("twice"), (std::vector<KernelArgument>{{0, 8}, {8, 4}}));
  gpu.parameters.clear();
  EXPECT_EQ(rtc.flags, (std::vector<std::string>{"--gpu-architecture=sm_90", "-std=c++17", "--fmad=false",
                                                 "--device-as-default-execution-space", "-DFACTOR=2"}));
  EXPECT_EQ(rtc.source, twice);
  // Another process finds it on disk, and opens no library for it.
  device.compile(twice, with_factor("2"));
  EXPECT_EQ(rtc.compiles, 1);
}

}  // namespace
}  // namespace kernelgen
