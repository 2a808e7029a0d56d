// An installed NVRTC compiles the kernel bodies for an architecture that need not be present; the driver is a stub.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernelgen/ops.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELGEN_CACHE", cache_.path().c_str(), 1);
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    static const std::vector<std::byte> code = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"sm_90", 2, 32, code}};
    static const std::vector<std::byte> package = test::sample_package(targets);
    device_ = Device::open("cuda:0", Package::from_memory(package));
    try {
      device_.compile("");
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;
      GTEST_SKIP() << error.what();
    }
  }

  test::TemporaryFolder cache_{"nvrtc"};
  Device device_;
};

TEST_F(Nvrtc, CompilesExpressionsOfEveryDtypeAndForm) {
  test::StubGpu& gpu = test::stub_state<test::StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");
  for (const DType dtype : {DType::u8, DType::u32, DType::i16, DType::i32, DType::i64, DType::bf16,
                            DType::f16, DType::f32, DType::f64, DType::f8e4m3}) {
    const Tensor x = Tensor::empty(device_, {32, 16}, dtype);
    gpu.launches.clear();
    expression("maximum(x, x) * b + s", {{"x", x}, {"b", x}, {"s", 1}}, {.dtype = DType::f32});
    expression("x + b",
               {{"x", x.transpose(0, 1)}, {"b", Tensor::empty(device_, {16}, dtype).reshape({16, 1})}},
               {.dtype = dtype});
    ASSERT_EQ(gpu.launches.size(), 2u);
    EXPECT_EQ(gpu.launches[0].function, "kg_expression");
  }
}

TEST_F(Nvrtc, CompilesForTheFunctionsOfKernels) {
  const Tensor x = Tensor::empty(device_, {64}, DType::f16);
  expression("silu(x) + gelu(x) + gelu_erf(x) + exp(x) + log(x) + sin(x) + tanh(x) + sqrt(x) + pow(x, e)",
             {{"x", x}, {"e", 2}});
  test::expect_error(Code::invalid_argument, {"expression '~x'", "expression(1)"},
                     [&] { expression("~x", {{"x", x}}); });
  const Module module = device_.compile(R"(#include "device/dialect.hpp"
KG_KERNEL(64, twice, float* x, kg::u64 n) {
  kg::begin_kernel();
  const kg::u64 i = kg::block_index() * kg::block_size() + kg::thread_index();
  if (i < n) x[i] *= FACTOR;
}
)",
                                        {.name = "twice.cu", .flags = {"-DFACTOR=2"}});
  EXPECT_NE(module.function("twice").handle, nullptr);
}

}  // namespace
}  // namespace kernelgen
