// Sources and expressions that are compiled while the program runs: on the CPU for real, on GPUs by stubs of NVRTC and hipRTC.
// A process finds its compilers once, so KERNELGEN_CLANG and the stubs are the same for all tests; that clang++ writes down
// how often it was started.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>

#include "kernelgen/graph.hpp"
#include "kernelgen/kernel.hpp"
#include "kernelgen/ops.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "stub_gpu/stub_rtc.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

using test::expect_error;
using test::StubGpu;
using test::StubRtc;

constexpr const char* twice = R"(#include "device/dialect.hpp"
KG_KERNEL(64, twice, float* x, kg::u64 n) {
  kg::begin_kernel();
  for (kg::u64 i = kg::block_index(); i < n; i += kg::grid_size()) x[i] *= FACTOR;
}
)";

void write_text(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Named by KERNELGEN_CLANG before any test opens a compiler.
class CountedClang {
 public:
  CountedClang() : folder_("clang") {
    write_text(clang(), "#!/bin/sh\necho >>" + log().string() + "\nexec " KERNELGEN_CLANGXX " \"$@\"\n");
    fs::permissions(clang(), fs::perms::owner_all);
    ::setenv("KERNELGEN_CLANG", clang().c_str(), 1);
    ::setenv("KERNELGEN_NVRTC_LIBRARY", KERNELGEN_STUB_NVRTC, 1);
    ::setenv("KERNELGEN_HIPRTC_LIBRARY", KERNELGEN_STUB_HIPRTC, 1);
  }
  fs::path clang() const { return folder_.path() / "clang++"; }
  /// Since the process began.
  long starts() const { return static_cast<long>(read_text(log()).size()); }

 private:
  fs::path log() const { return folder_.path() / "starts"; }
  test::TemporaryFolder folder_;
} counted;

/// Each test has a cache of its own, and devices that know no expression yet.
class Compile : public testing::Test {
 protected:
  Compile() { ::setenv("KERNELGEN_CACHE", cache_.path().c_str(), 1); }

  static Device cpu() {
    static const Package package = Package::embedded();
    return Device::open("cpu:2", package);
  }
  static Tensor tensor(const Device& device, const Shape& shape, DType dtype = DType::f32) {
    std::vector<float> values(static_cast<std::size_t>(shape_elements(shape)));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) - 6;
    const Tensor made = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::f32);
    return dtype == DType::f32 ? made : to_dtype(made, dtype);
  }
  static std::int64_t shape_elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  }
  static std::vector<float> values(const Tensor& given) {
    const Tensor x = given.dtype() == DType::f32 ? given : to_dtype(given, DType::f32);
    std::vector<float> all(static_cast<std::size_t>(x.elements()));
    const std::vector<std::byte> bytes = x.to_host();
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  /// How often the compiler is started by it.
  template <class Work>
  static long starts_of(const Work& work) {
    const long before = counted.starts();
    work();
    return counted.starts() - before;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(cache_.path()))
      if (entry.is_regular_file()) files.push_back(entry.path());
    return files;
  }

  test::TemporaryFolder cache_{"modules"};
};

CompileOptions with_factor(const char* factor) {
  CompileOptions options;
  options.name = "twice.cu";
  options.flags = {std::string("-DFACTOR=") + factor};
  return options;
}

struct TwiceArguments {
  void* x;
  std::uint64_t n;
};

std::vector<float> run_twice(const Device& device, const Module& module) {
  const float one[] = {1, -2, 3};
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(one)), {3}, DType::f32);
  const TwiceArguments arguments{x.data(), 3};
  device.launch(module.function("twice"), {{2, 1, 1}, {64, 1, 1}, 0},
                std::as_bytes(std::span(&arguments, 1)));
  std::vector<float> all(3);
  std::memcpy(all.data(), x.to_host().data(), sizeof one);
  return all;
}

TEST_F(Compile, MakesKernelsOfASource) {
  const Device device = cpu();
  const Module module = device.compile(twice, with_factor("2"));
  EXPECT_EQ(run_twice(device, module), (std::vector<float>{2, -4, 6}));
  EXPECT_EQ(module.log(), "");
  expect_error(Code::not_found, {"module twice.cu on cpu:2 has no kernel thrice"},
               [&] { module.function("thrice"); });
}

TEST_F(Compile, HandlesHaveTheTypesOfArguments) {
  const Device device = cpu();
  const Module module = device.compile(twice, with_factor("2"));
  EXPECT_EQ(module.device(), device);
  EXPECT_EQ(module.arguments("twice"), (std::vector<KernelArgument>{{0, 8}, {8, 8}}));
  const Tensor x = tensor(device, {3});
  const Kernel<void*, std::uint64_t> kernel(module, "twice");
  kernel.launch({.grid = {2, 1, 1}, .block = {64, 1, 1}}, x.data(), 3);
  EXPECT_EQ(values(x), (std::vector<float>{-12, -10, -8}));
  expect_error(Code::invalid_argument,
               {"kernel twice of module twice.cu on cpu:2: its arguments are 2 of 8 and 8 bytes, those given "
                "3 of 8, 8 "
                "and 4 bytes"},
               [&] { Kernel<void*, std::uint64_t, float>(module, "twice"); });
  expect_error(Code::invalid_argument, {"those given 2 of 8 and 4 bytes"},
               [&] { Kernel<void*, std::uint32_t>(module, "twice"); });
  expect_error(Code::invalid_argument, {"those given none"}, [&] { Kernel<>(module, "twice"); });
  expect_error(Code::not_found, {"has no kernel thrice"}, [&] { Kernel<void*>(module, "thrice"); });

  using Mixed = Kernel<std::uint8_t, double, std::uint16_t, void*>;
  EXPECT_EQ(Mixed::places, (std::array<KernelArgument, 4>{{{0, 1}, {8, 8}, {16, 2}, {24, 8}}}));
  EXPECT_EQ(Mixed::block_bytes, 32u);
}

TEST_F(Compile, ModulesAreCounted) {
  const Device device = Device::open("cpu:4", Package::embedded());
  const Tensor x = tensor(device, {3});
  EXPECT_EQ(device.module_use().loads, 0u);
  add(x, x);
  EXPECT_EQ(device.module_use().loads, 1u);  // of the package
  expression("x * 3 + 5", {{"x", x}});
  {
    const Module module = device.compile(twice, with_factor("2")),
                 same = device.compile(twice, with_factor("2"));
    EXPECT_EQ(device.module_use().loads, 3u);
    EXPECT_EQ(device.module_use().loaded, 3u);
  }
  EXPECT_EQ(device.module_use().loaded, 2u);
  device.compile(twice, with_factor("2"));
  EXPECT_EQ(device.module_use().loads, 4u);
}

TEST_F(Compile, HandsTheCompilersWordsBack) {
  const Device device = cpu();
  expect_error(Code::invalid_argument,
               {"cannot compile twice.cu for x86-64", "twice.cu:4:", "undeclared identifier 'FACTOR'"}, [&] {
                 CompileOptions options;
                 options.name = "twice.cu";
                 device.compile(twice, options);
               });
  // Headers are called as sources include them, wherever the compiler found them.
  expect_error(Code::invalid_argument, {"\nactivation.hpp:"}, [&] {
    device.compile("#include \"activation.hpp\"\nfloat f(float x) { return kg::sigmoyd(x); }");
  });
  const Module module = device.compile("#warning said\n", {});
  EXPECT_NE(module.log().find("source:1:2: warning: said"), std::string::npos) << module.log();
  // What is found on disk says it again.
  EXPECT_EQ(starts_of([&] { EXPECT_EQ(device.compile("#warning said\n", {}).log(), module.log()); }), 0);
}

TEST_F(Compile, RefusesWhatIsNoSource) {
  const Device device = cpu();
  for (const char* name : {"", "a\"b", "a\nb", "a\\b"}) {
    CompileOptions options;
    options.name = name;
    expect_error(Code::invalid_argument, {"the name of a source must not be empty"},
                 [&] { device.compile("", options); });
  }
  expect_error(Code::invalid_argument, {"has a zero in it"},
               [&] { device.compile(std::string_view("int a;\0", 7)); });
}

TEST_F(Compile, FindsOnDiskWhatWasCompiledBefore) {
  const Device device = cpu();
  const auto compile = [&](const char* factor) {
    EXPECT_EQ(run_twice(device, device.compile(twice, with_factor(factor)))[0], std::atof(factor));
  };
  EXPECT_EQ(starts_of([&] { compile("2"); }), 1);
  EXPECT_EQ(starts_of([&] { compile("2"); }), 0);
  EXPECT_EQ(starts_of([&] { compile("3"); }), 1);
  ASSERT_EQ(entries().size(), 2u);
  EXPECT_EQ(entries()[0].parent_path().parent_path(), cache_.path() / "modules");
}

TEST_F(Compile, CompilesAnewWhereTheEntryIsNotWhatItWas) {
  const Device device = cpu();
  const auto compile = [&] { run_twice(device, device.compile(twice, with_factor("2"))); };
  compile();
  const fs::path entry = entries().at(0);
  const std::string whole = read_text(entry);
  for (const std::size_t at : {std::size_t{0}, std::size_t{20}, std::size_t{60}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_text(entry, damaged);
    EXPECT_EQ(starts_of(compile), 1) << "byte " << at;
  }
  for (const std::size_t kept : {std::size_t{0}, std::size_t{30}, whole.size() - 1}) {
    write_text(entry, whole.substr(0, kept));
    EXPECT_EQ(starts_of(compile), 1) << kept << " bytes";
  }
  fs::last_write_time(counted.clang(), fs::last_write_time(counted.clang()) + std::chrono::seconds(1));
  EXPECT_EQ(starts_of(compile), 1);
  EXPECT_EQ(starts_of(compile), 0);
}

TEST_F(Compile, DoesWithoutACache) {
  const Device device = cpu();
  CompileOptions options = with_factor("2");
  options.is_cached = false;
  EXPECT_EQ(starts_of([&] { device.compile(twice, options); }), 1);
  EXPECT_EQ(starts_of([&] { device.compile(twice, options); }), 1);
  EXPECT_TRUE(entries().empty());
  // A file is in the folder's place.
  ::setenv("KERNELGEN_CACHE", (cache_.path() / "file").c_str(), 1);
  write_text(cache_.path() / "file", "");
  EXPECT_EQ(starts_of([&] { device.compile(twice, with_factor("2")); }), 1);
}

TEST_F(Compile, LeavesNothingInTheTemporaryFolder) {
  const test::TemporaryFolder folder("tmp");
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  cpu().compile(twice, with_factor("2"));
  expect_error(Code::invalid_argument, {"error"}, [] { cpu().compile("no source"); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
  ::setenv("TMPDIR", (folder.path() / "none").c_str(), 1);
  expect_error(Code::io, {"cannot make a folder", "TMPDIR"}, [] { cpu().compile("int a;"); });
  ::unsetenv("TMPDIR");
}

TEST_F(Compile, ExpressionsComputeWhatTheirTextSays) {
  const Device device = cpu();
  const Tensor a = tensor(device, {3, 5}), b = tensor(device, {5}), c = tensor(device, {3, 1});
  const Tensor y = expression("silu(a) * b + c", {{"a", a}, {"b", b}, {"c", c}});
  EXPECT_EQ(y.shape(), (Shape{3, 5}));
  const std::vector<float> silu_a = values(silu(a)), as_b = values(b), as_c = values(c), found = values(y);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], silu_a[i] * as_b[i % 5] + as_c[i / 5]) << i;
}

TEST_F(Compile, ExpressionsAreTheDigitsOfShippedOperations) {
  const Device device = cpu();
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::f8e4m3}) {
    const Tensor a = tensor(device, {100}, dtype), b = tensor(device, {100}, dtype);
    EXPECT_EQ(expression("silu(a) * b", {{"a", a}, {"b", b}}).to_host(), silu_mul(a, b).to_host())
        << name_of(dtype);
    EXPECT_EQ(expression("elu(x, alpha)", {{"x", a}, {"alpha", 0.3}}).to_host(), elu(a, 0.3).to_host())
        << name_of(dtype);
  }
}

TEST_F(Compile, ExpressionsTakeAnyLayoutAndNumberOfTensors) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4, 6});
  const Tensor turned = x.transpose(0, 1);
  EXPECT_EQ(values(expression("a * 2 + b", {{"a", turned}, {"b", turned}})), values(affine(turned, 3, 0)));
  EXPECT_EQ(values(expression("x + 1", {{"x", x.narrow(1, 1, 3)}})), values(affine(x.narrow(1, 1, 3), 1, 1)));
  const Tensor one = tensor(device, {1, 6}).narrow(1, 3, 1);
  EXPECT_EQ(values(expression("a + b + c + d + e + f",
                              {{"a", x}, {"b", x}, {"c", one}, {"d", x}, {"e", x}, {"f", x}})),
            values(add(affine(x, 5, 0), one)));
  EXPECT_EQ(expression("x", {{"x", tensor(device, {0, 3})}}).elements(), 0);
}

TEST_F(Compile, ExpressionsTakeAnyDtypes) {
  const Device device = cpu();
  const Tensor x = tensor(device, {13}), mask = ge(x, tensor(device, {1}));
  EXPECT_EQ(mask.dtype(), DType::u8);
  expect_error(Code::invalid_argument,
               {"the tensors are u8 and f32, which does not decide the result's dtype"},
               [&] { expression("m ? x : s", {{"m", mask}, {"x", x}, {"s", 0.5}}); });
  const Tensor y = expression("m == 0 ? x : s", {{"m", mask}, {"x", x}, {"s", 0.5}}, {.dtype = DType::f16});
  EXPECT_EQ(y.dtype(), DType::f16);
  EXPECT_EQ(values(y), std::vector<float>(13, 0.5f));  // numbers are of the first tensor of floats, not of u8
  const Tensor counts = expression("x > 0", {{"x", x}}, {.dtype = DType::i64});
  EXPECT_EQ(values(to_dtype(counts, DType::f32))[12], 1.0f);
  EXPECT_EQ(values(expression("x / 2", {{"x", to_dtype(x, DType::i32)}}))[0], -3.0f);
}

TEST_F(Compile, ExpressionsWriteWhereTheyAreTold) {
  const Device device = cpu();
  const Tensor x = tensor(device, {7}), y = tensor(device, {7}, DType::f16);
  const std::vector<float> before = values(x);
  expression("x * 2", {{"x", x}}, {.out = &y});
  EXPECT_EQ(values(y)[1], 2 * before[1]);
  const Tensor same = expression("x + 1", {{"x", x}}, {.out = &x});
  EXPECT_EQ(same.data(), x.data());
  EXPECT_EQ(values(x)[0], before[0] + 1);
  const Tensor narrow = tensor(device, {3});
  expect_error(Code::invalid_argument, {"expression: out is f32 [3]; it has to be f32 [7]"},
               [&] { expression("x + 1", {{"x", x}}, {.out = &narrow}); });
}

TEST_F(Compile, ExpressionsAreCompiledOnce) {
  const Device device = Device::open("cpu:3", Package::embedded());
  const Tensor x = tensor(device, {4, 4});
  const auto call = [&](const Tensor& given, double number) {
    expression("x * s + 41", {{"x", given}, {"s", number}});
  };
  EXPECT_EQ(starts_of([&] { call(x, 1); }), 1);
  fs::remove_all(cache_.path() / "modules");  // the device has it
  EXPECT_EQ(starts_of([&] { call(x, 2.5); }), 0);
  EXPECT_EQ(starts_of([&] { call(x.reshape({16}), 3); }), 0);
  EXPECT_EQ(starts_of([&] { call(x.transpose(0, 1), 3); }), 1);  // a kernel for layouts
  EXPECT_EQ(starts_of([&] { call(x.narrow(0, 1, 2).transpose(0, 1), 3); }), 0);
  EXPECT_EQ(starts_of([&] { call(to_dtype(x, DType::f16), 3); }), 1);
  EXPECT_EQ(starts_of([&] { expression("a * s + 41", {{"a", x}, {"s", 1}}); }), 1);
}

TEST_F(Compile, ExpressionsThatAreNone) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4});
  expect_error(Code::invalid_argument, {"expression 'silo(x)'", "expression:1:", "identifier 'silo'"},
               [&] { expression("silo(x)", {{"x", x}}); });
  for (const char* text : {"", "x; x", "x // 1", "(x", "__LINE__", "x\n+ 1", "KG_DEVICE x"})
    EXPECT_EQ(starts_of([&] {
                expect_error(Code::invalid_argument, {"expression '"}, [&] { expression(text, {{"x", x}}); });
              }),
              0)
        << text;
  for (const char* name : {"", "2x", "int", "__x", "x y"})
    expect_error(Code::invalid_argument, {"the operand's name '"}, [&] { expression("1", {{name, x}}); });
  expect_error(Code::invalid_argument, {"two operands are called 'x'"},
               [&] { expression("x", {{"x", x}, {"x", 1}}); });
  expect_error(Code::invalid_argument, {"no tensor is given"}, [&] { expression("s", {{"s", 1}}); });
  expect_error(Code::invalid_argument, {"input 2 is no tensor"},
               [&] { expression("x", {{"x", x}, {"z", Tensor()}}); });
  expect_error(Code::invalid_argument, {"shapes [4] and [3] do not broadcast"},
               [&] { expression("x + z", {{"x", x}, {"z", tensor(device, {3})}}); });
  expect_error(Code::invalid_argument, {"cannot be q8_0"},
               [&] { expression("x", {{"x", x}}, {.dtype = DType::q8_0}); });
  const std::vector<ExpressionOperand> many(9, {"x", x}), numbers(9, {"x", 1});
  expect_error(Code::invalid_argument, {"more than 6 tensors"}, [&] { expression("x", many); });
  expect_error(Code::invalid_argument, {"more than 8 numbers"}, [&] { expression("x", numbers); });
}

TEST_F(Compile, ExpressionsGoIntoGraphs) {
  const Device device = cpu();
  const Tensor x = tensor(device, {4});
  Tensor y;
  const Graph graph = device.capture([&] { y = expression("x * x + 17", {{"x", x}}); });
  EXPECT_EQ(graph.nodes(), 1u);
  const_set(x, 2);
  graph.launch();
  EXPECT_EQ(values(y), std::vector<float>(4, 21.0f));
}

/// A device of a GPU's stub, whose stub of a compiler makes code that the driver's takes.
Device stub_device(const char* name, const char* target, std::uint32_t kind, std::uint32_t wave_size) {
  static const std::vector<std::byte> amd = test::amd_code_object(4);
  const test::SampleTarget targets[] = {{target, kind, wave_size, amd}};
  static std::map<std::string, std::vector<std::byte>> packages;
  return Device::open(
      name, Package::from_memory(packages.try_emplace(target, test::sample_package(targets)).first->second));
}

TEST_F(Compile, ForAmdByHiprtc) {
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
  EXPECT_EQ(rtc.headers.count("map.hpp"), 1u);
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
  expect_error(Code::invalid_argument, {"expression 'x + ?'", "for gfx90a:sramecc+:xnack-", rtc.log},
               [&] { expression("x + ?", {{"x", x}}); });
  rtc.failures["CompileProgram"] = 3;
  expect_error(Code::unsupported, {"error 3, a text"}, [&] { expression("x + 2", {{"x", x}}); });
  rtc.failures = {{"CreateProgram", 1}};
  expect_error(Code::unsupported, {"error 1, a text"}, [&] { expression("x + 2", {{"x", x}}); });
  EXPECT_EQ(rtc.programs, 0);
  rtc.failures.clear();
  rtc.code.assign(8, std::byte{1});  // no ELF
  expect_error(Code::device, {"expression 'x + 3'"}, [&] { expression("x + 3", {{"x", x}}); });
}

TEST_F(Compile, ForNvidiaByNvrtc) {
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
