// The list of bench cases, and `kernel-gen bench` with it on the CPU.
#include "commands/bench.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/fault.hpp"
#include "bench/suite.hpp"
#include "support/memory_disk.hpp"
#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

TEST(Extents, EvaluateProductsAndQuotientsFromLeftToRight) {
  const std::vector<std::string> names = {"m", "kn"};
  const std::vector<std::int64_t> values = {6, 4};
  const Extents extents(names, values);
  EXPECT_EQ(extents.evaluate("2*m*kn"), 48);
  EXPECT_EQ(extents.evaluate("m/4*kn"), 6);
  EXPECT_EQ(extents.integer("m/4"), 1);
  EXPECT_EQ(extents.evaluate("1"), 1);
  for (const char* wrong : {"", "k", "m*", "*m", "m//2", "m/0", "m + 1", "1.5"})
    EXPECT_EQ(extents.evaluate(wrong), std::nullopt) << wrong;
  EXPECT_EQ(extents.scaled_down(4).values()[0], 1);
  EXPECT_EQ(extents.scaled_down(4).values()[1], 4);
}

std::vector<CaseFamily> shipped() {
  const std::string file = KERNELGEN_SOURCE_DIR "/bench/cases.json";
  return read_case_file(file, RealDisk().read(file));
}

TEST(BenchCases, OfTheShippedFileAllRun) {
  const Device device = Device::open("cpu");
  std::set<std::string> names;
  for (const BenchCase& bench : bench_cases(shipped(), DeviceKind::cpu)) {
    SCOPED_TRACE(bench.name);
    EXPECT_TRUE(names.insert(bench.name + bench.shape).second);
    const BenchCase::Prepared prepared = bench.prepare(device, std::int64_t{1} << 40);
    EXPECT_GT(prepared.bytes, 0);
    const Tensor result = prepared.run();
    EXPECT_GT(result.elements(), 0);
    EXPECT_GE(bench.terms, 1);
  }
  EXPECT_GE(names.size(), 80u);
}

TEST(BenchCases, CountWhatIsReadAndWritten) {
  const Device device = Device::open("cpu");
  const auto bytes = [&](std::string_view name) {
    for (const BenchCase& bench : bench_cases(shipped(), DeviceKind::cpu))
      if (bench.name == name) return bench.prepare(device, std::int64_t{1} << 40).bytes;
    return 0.0;
  };
  EXPECT_EQ(bytes("fill f32"), 4);                     // the result alone
  EXPECT_EQ(bytes("add f16"), 6);                      // two inputs and the result
  EXPECT_EQ(bytes("scatter_add f32"), 4 * 4 * 16384);  // destination twice, indices, source
  EXPECT_EQ(bytes("cast f32 to f16"), 6);
  EXPECT_EQ(bytes("dequantize q8_0 to f16"), 4096 / 32 * 34 + 4096 * 2);  // blocks
}

std::string faults_of(const std::string& cases, const std::string& extents = "[8]") {
  const std::string text = R"({"sizes": {"v": {"dims": ["n"], "gpu": [[8]], "cpu": [)" + extents +
                           R"(], "quick": [[8]]}}, "cases": [)" + cases + "]}";
  try {
    read_case_file("cases.json", text);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "was taken";
}

TEST(BenchCases, OfAWrongFileAreRefusedByPlace) {
  const std::string good =
      R"({"name": "x", "operation": "exp", "dtypes": ["f32"], "sizes": "v", "inputs": [{"shape": ["n"]}])";
  EXPECT_EQ(faults_of(good + "}"), "was taken");
  EXPECT_EQ(faults_of(good + R"(, "only": "compare_torch"})"), "was taken");
  const std::pair<std::string, std::string> wrong[] = {
      {good + R"(, "term": "1"})", "/cases/0/term: unknown key 'term' (did you mean 'terms'?)"},
      {good + R"(, "terms": "n+1"})", "/cases/0/terms: 'n+1' is not a product or quotient"},
      {good + R"(, "tolerance": -1})", "/cases/0/tolerance: must be a number of at least 0"},
      {good + R"(, "only": "torch"})", "/cases/0/only: must be 'kernel-gen' or 'compare_torch'"},
      {good + R"(, "parameters": {"mul": null}})", "/cases/0/parameters/mul: must be a number"},
      {R"({"name": "x", "operation": "exp", "dtypes": ["f31"], "sizes": "v", "inputs": []})",
       "/cases/0/dtypes/0: unknown dtype 'f31' (did you mean 'f32'?)"},
      {R"({"name": "x", "operation": "exp", "dtypes": [], "sizes": "w", "inputs": []})",
       "/cases/0/sizes: there are no sizes 'w'"},
      {R"({"name": "x", "operation": "exp", "dtypes": [], "sizes": "v",
           "inputs": [{"shape": ["m"], "range": [1], "transposed": [0]}]})",
       "/cases/0/inputs/0/range: must be two numbers"},
      {R"({"name": "x"})", "/cases/0: key 'operation' is missing"}};
  for (const auto& [cases, what] : wrong)
    EXPECT_NE(faults_of(cases).find(what), std::string::npos) << faults_of(cases);
  EXPECT_NE(faults_of(good + "}", "[8, 8]").find("/sizes/v/cpu/0: 2 extents for 1 dims"), std::string::npos);
}

TEST(BenchCases, WithTooFewInputsAreRefused) {
  const Device device = Device::open("cpu");
  const auto families = read_case_file(
      "cases.json",
      R"({"sizes": {"v": {"dims": ["n"], "gpu": [[8]], "cpu": [[8]], "quick": [[8]]}}, "cases": [
        {"name": "sum of two", "operation": "add", "dtypes": ["f32"], "sizes": "v", "inputs": [{"shape": ["n"]}]}]})");
  EXPECT_THROW(bench_cases(families, DeviceKind::cpu).at(0).prepare(device, 1), BadInput);
}

TEST(Bench, TimesOnTheCpuBesideMemcpy) {
  MemoryDisk disk;
  disk.add("/cases.json",
           R"({"sizes": {"v": {"dims": ["n"], "gpu": [[8]], "cpu": [[4096]], "quick": [[8]]}}, "cases": [
             {"name": "\u001b[31mexp {dtype}", "operation": "exp", "dtypes": ["f32", "f16"], "sizes": "v",
              "inputs": [{"shape": ["n"]}]}]})");
  BenchOptions options;
  options.paths.bench_cases = "/cases.json";
  options.device = "cpu";
  options.filter = "f16";
  options.json = "/report.json";
  options.repetitions = 1;
  const auto none = [](const char*) { return std::string(); };
  const std::string printed =
      test::printed([&](std::FILE* out) { EXPECT_EQ(run_bench(options, disk, none, out), exit_ok); });
  EXPECT_NE(printed.find("of a memcpy of the same size"), std::string::npos) << printed;
  const auto report = nlohmann::json::parse(disk.read("/report.json"));
  ASSERT_EQ(report["operations"].size(), 1u);
  EXPECT_EQ(report["operations"][0]["operation"], "\x1b[31mexp f16");
  EXPECT_NE(printed.find("\n\\x1b[31mexp f16 "), std::string::npos) << printed;
  EXPECT_EQ(report["operations"][0]["shape"], "[4096]");
  EXPECT_GT(report["operations"][0]["share_of_copy"], 0);
}

}  // namespace
}  // namespace kernelgen::tool
