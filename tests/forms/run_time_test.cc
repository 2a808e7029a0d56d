// Manifests that are compiled while the program runs: the operations of this folder's packages, by the same text.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "forms_fixture.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::forms {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A kernel-gen that writes down how often it was started.
class CountedTool {
 public:
  CountedTool() : folder_("tool") {
    std::ofstream(program()) << "#!/bin/sh\necho >>" << log().string()
                             << "\nexec " KERNELGEN_TOOL_FILE " \"$@\"\n";
    fs::permissions(program(), fs::perms::owner_all);
    ::setenv("KERNELGEN_TOOL", program().c_str(), 1);
  }
  ~CountedTool() { ::setenv("KERNELGEN_TOOL", KERNELGEN_TOOL_FILE, 1); }
  long starts() const { return static_cast<long>(read_text(log()).size()); }

 private:
  fs::path program() const { return folder_.path() / "kernel-gen"; }
  fs::path log() const { return folder_.path() / "starts"; }
  test::TemporaryFolder folder_;
};

/// Each test has its own cache and its own device, whose package has none of the operations under test.
class RunTime : public testing::Test {
 protected:
  RunTime() {
    ::setenv("KERNELGEN_CACHE", cache_.path().c_str(), 1);
    ::setenv("KERNELGEN_TOOL", KERNELGEN_TOOL_FILE, 1);
  }
  Device open(const char* package) const {
    const char* const name = std::getenv("KERNELGEN_DEVICE");
    return Device::open(name != nullptr ? name : "cpu", Package::open(package));
  }
  static Tensor on(const Device& device, const Values& values, const Shape& shape) {
    const std::vector<float> narrow(values.begin(), values.end());
    return Tensor::from_vector<float>(device, narrow, shape);
  }
  static std::string map(std::string_view op, std::string_view expr) {
    return R"({"module": "mine", "operations": [{"op": ")" + std::string(op) +
           R"(", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T",)" + "\n" + R"("expr": ")" +
           std::string(expr) + R"("}]})";
  }

  test::TemporaryFolder cache_{"manifests"};
};

TEST_F(RunTime, EveryFormIsWhatThePackageHas) {
  const Device compiled = open(KERNELGEN_BODIES_PACKAGE);
  const AddedPackage added =
      compiled.compile_manifest(read_text(KERNELGEN_FORMS_MANIFEST), {.name = "forms.json"});
  EXPECT_EQ(added.number, 1u);
  EXPECT_EQ(added.package.name(), "forms.json");
  const Values values = numbers(12 * 35);
  const Tensor x = on(compiled, values, {12, 35}), same = on(device(), values, {12, 35});
  for (const char* op : {"norm2", "own_softmax", "blur", "spread"})
    EXPECT_EQ(call(op, {{x}}).to_host(), call(op, {{same}}).to_host()) << op;
  EXPECT_EQ(call("own_cumsum", {{x}}, {{1}}).to_host(), call("own_cumsum", {{same}}, {{1}}).to_host());
  const std::int64_t dim = 0;
  EXPECT_EQ(reduce("norm2", x, {&dim, 1}).to_host(), reduce("norm2", same, {&dim, 1}).to_host());
}

TEST_F(RunTime, BodiesHaveTheirHeaders) {
  const Device compiled = open(KERNELGEN_FORMS_PACKAGE);
  compiled.compile_manifest(
      read_text(KERNELGEN_BODIES_MANIFEST),
      {.name = "bodies.json", .headers = {{"bodies.hpp", read_text(KERNELGEN_BODIES_HEADER)}}});
  const Values values = numbers(6 * 1001);
  const Results found = call_all("bounds", {{on(compiled, values, {6, 1001})}}, {{2}}),
                same = call_all("bounds", {{on(device(), values, {6, 1001})}}, {{2}});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(found[i].to_host(), same[i].to_host());
}

TEST_F(RunTime, IsCachedByContent) {
  const CountedTool tool;
  const Device device = open(KERNELGEN_BODIES_PACKAGE);
  const std::string cube = map("cube", "x * x * x");
  EXPECT_EQ(device.compile_manifest(cube).number, device.compile_manifest(cube).number);
  EXPECT_EQ(tool.starts(), 1);
  device.compile_manifest(cube, {.is_cached = false});
  EXPECT_EQ(tool.starts(), 2);
  device.compile_manifest(map("cube", "x * x"));
  EXPECT_EQ(tool.starts(), 3);
}

TEST_F(RunTime, NamesOfPackages) {
  const Device device = open(KERNELGEN_BODIES_PACKAGE);
  const std::uint32_t first = device.compile_manifest(map("power", "x * x")).number,
                      second = device.compile_manifest(map("power", "x * x * x")).number;
  const Tensor x = on(device, {3}, {1});
  const auto name = [](std::uint32_t number) { return "power@" + std::to_string(number); };
  EXPECT_EQ(call("power", {{x}}).to_vector<float>()[0], 27);
  EXPECT_EQ(call(name(first), {{x}}).to_vector<float>()[0], 9);
  EXPECT_EQ(call(name(second), {{x}}).to_vector<float>()[0], 27);
  expect_error(Code::not_found, {"operation 'power@99' is not in the package"},
               [&] { call("power@99", {{x}}); });
  expect_error(Code::not_found, {"(did you mean 'power'?)"}, [&] { call("pover", {{x}}); });
  expect_error(Code::invalid_argument,
               {"add mine.json to ", "operation 'bounds' is in ", "give it another name"},
               [&] { device.compile_manifest(map("bounds", "x"), {.name = "mine.json"}); });
  EXPECT_EQ(Device::open(device.location(), device.packages()), device);
  EXPECT_EQ(device.find_kernel("kg_power_f32") + 2, device.find_kernel("kg_power_f32_strided") + 1);
  device.preload();
}

TEST_F(RunTime, ThreadsCompileAtOnce) {
  const Device device = open(KERNELGEN_BODIES_PACKAGE);
  std::vector<float> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      const AddedPackage added = device.compile_manifest(map("shifted", i % 2 ? "x + 1" : "x + 2"));
      found[i] =
          call("shifted@" + std::to_string(added.number), {{on(device, {1}, {1})}}).to_vector<float>()[0];
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, (std::vector<float>{3, 2, 3, 2}));
}

TEST_F(RunTime, ErrorsHaveTheCallersLines) {
  const Device device = open(KERNELGEN_FORMS_PACKAGE);
  const auto refuses = [&](std::initializer_list<std::string_view> parts, const std::string& manifest,
                           const ManifestOptions& options) {
    const std::string text =
        expect_error(Code::invalid_argument, parts, [&] { device.compile_manifest(manifest, options); });
    for (const char* folder : {"/manifests/", "/kernels/own"})
      EXPECT_EQ(text.find(folder), std::string::npos) << text;
  };
  refuses({"cannot compile ops/mine.json for ", "ops/mine.json: /operations/0/expr: expr: column 5: "},
          map("f", "x + silo(x)"), {.name = "ops/mine.json"});
  refuses({"line 1", "mine.json"}, "{", {.name = "mine.json"});
  const std::string body =
      R"j({"module": "mine", "header": "own/f.hpp", "operations": [
{"op": "f", "types": {"T": ["f32"]}, "inputs": ["x: T"], "expr": "own(x)", "output": "T"}]})j";
  refuses({"own/f.hpp:2:", "error"}, body, {.headers = {{"own/f.hpp", "#pragma once\nint f( {\n"}}});
  refuses({"the name of a header is '../f.hpp'"}, body, {.headers = {{"../f.hpp", ""}}});
  refuses({"the name of a source must not be empty"}, body, {.name = "a\"b"});
  ::setenv("KERNELGEN_TOOL", "/nowhere/kernel-gen", 1);
  expect_error(Code::unsupported, {"KERNELGEN_TOOL names /nowhere/kernel-gen, which is not a program here"},
               [&] { device.compile_manifest(body); });
}

}  // namespace
}  // namespace kernelgen::forms
