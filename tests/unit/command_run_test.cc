// `kernel-gen run` on the CPU device with the package that is linked in.
#include "commands/run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "kernelgen/error.hpp"
#include "run/npy.hpp"
#include "support/memory_disk.hpp"
#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

class Run : public testing::Test {
 protected:
  Run() {
    disk_.add("/x.npy", npy_header(DType::f32, {2, 3}) + bytes_of<float>({0, 1, 2, 3, 4, 5}));
    disk_.add("/h.npy", npy_header(DType::bf16, {2}) + bytes_of<std::uint16_t>({0x3f80, 0xc000}));
    options_.outputs = {"/y.npy"};
  }
  /// What is printed.
  std::string run(const std::string& operation, std::vector<std::string> inputs,
                  std::vector<std::string> parameters = {}) {
    options_.operation = operation;
    options_.inputs = std::move(inputs);
    options_.parameters = std::move(parameters);
    return test::printed([&](std::FILE* out) {
      EXPECT_EQ(run_operation(options_, disk_, [](const char*) { return std::string(); }, out), exit_ok);
    });
  }
  std::string refusal(const std::string& operation, std::vector<std::string> inputs,
                      std::vector<std::string> parameters = {}) {
    try {
      run(operation, std::move(inputs), std::move(parameters));
    } catch (const BadInput& error) {
      EXPECT_FALSE(disk_.exists("/y.npy"));
      return error.what();
    }
    return "was taken";
  }

  MemoryDisk disk_;
  RunOptions options_;
};

TEST_F(Run, WritesTheResultAndPrintsIt) {
  const std::string printed = run("affine", {"/x.npy"}, {"add=-0.5", "mul=2"});
  EXPECT_TRUE(printed.starts_with("affine on cpu: f32 [2, 3] in ")) << printed;
  EXPECT_NE(printed.find("\n[-0.5, 1.5, 3.5, 5.5, 7.5, 9.5]\nwrote /y.npy\n"), std::string::npos) << printed;
  EXPECT_EQ(disk_.read("/y.npy"),
            npy_header(DType::f32, {2, 3}) + bytes_of<float>({-.5, 1.5, 3.5, 5.5, 7.5, 9.5}));
}

TEST_F(Run, ReadsColumnMajorFiles) {
  std::string file = npy_header(DType::f32, {2, 3}) + bytes_of<float>({0, 3, 1, 4, 2, 5});
  file.replace(file.find("False"), 5, "True ");
  disk_.add("/f.npy", file);
  run("neg", {"/f.npy"});
  EXPECT_EQ(disk_.read("/y.npy"),
            npy_header(DType::f32, {2, 3}) + bytes_of<float>({-0.f, -1, -2, -3, -4, -5}));
}

TEST_F(Run, CastsAndReadsRawBits) {
  run("cast", {"/x.npy"}, {"dtype=u8"});
  EXPECT_EQ(disk_.read("/y.npy"), npy_header(DType::u8, {2, 3}) + bytes_of<std::uint8_t>({0, 1, 2, 3, 4, 5}));
  options_.dtypes = {"bf16"};
  run("cast", {"/h.npy"}, {"dtype=f32"});
  EXPECT_EQ(disk_.read("/y.npy"), npy_header(DType::f32, {2}) + bytes_of<float>({1, -2}));
}

TEST_F(Run, TakesADtypeForEachInput) {
  disk_.add("/c.npy", npy_header(DType::u8, {2}) + bytes_of<std::uint8_t>({0, 1}));
  options_.dtypes = {"u8", "bf16", "bf16"};
  options_.json = true;
  const auto report = nlohmann::json::parse(run("where", {"/c.npy", "/h.npy", "/h.npy"}));
  EXPECT_EQ(report["outputs"][0]["dtype"], "bf16");
  EXPECT_EQ(report["outputs"][0]["first"], (std::vector<double>{1, -2}));
}

TEST_F(Run, PrintsJsonWithoutNan) {
  options_.json = true;
  const auto report = nlohmann::json::parse(run("log", {"/x.npy"}));
  EXPECT_EQ(report["operation"], "log");
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_GE(report["seconds"], 0.0);
  const auto& output = report["outputs"][0];
  EXPECT_EQ(output["shape"], (std::vector<int>{2, 3}));
  EXPECT_EQ(output["first"][0], "-inf");
  EXPECT_EQ(output["first"][1], 0.0);
  EXPECT_EQ(output["file"], "/y.npy");
}

TEST_F(Run, WritesEachOutputToItsFile) {
  disk_.add("/s.npy", npy_header(DType::f32, {3}) + bytes_of<float>({2, 3, 1}));
  options_.outputs = {"/values.npy", "/indices.npy"};
  const std::string printed = run("sort", {"/s.npy"}, {"ascending=false"});
  EXPECT_TRUE(printed.starts_with("sort on cpu: f32 [3], u32 [3] in ")) << printed;
  EXPECT_NE(printed.find("\nvalues: [3, 2, 1]\nindices: [1, 0, 2]\nwrote /values.npy\nwrote /indices.npy\n"),
            std::string::npos)
      << printed;
  EXPECT_EQ(disk_.read("/values.npy"), npy_header(DType::f32, {3}) + bytes_of<float>({3, 2, 1}));
  EXPECT_EQ(disk_.read("/indices.npy"), npy_header(DType::u32, {3}) + bytes_of<std::uint32_t>({1, 0, 2}));
}

TEST_F(Run, ChangesTheFirstInputOnceInPlace) {
  disk_.add("/ids.npy", npy_header(DType::i64, {2, 1}) + bytes_of<std::int64_t>({2, 0}));
  disk_.add("/source.npy", npy_header(DType::f32, {2, 1}) + bytes_of<float>({10, 20}));
  run("scatter_add_set", {"/x.npy", "/ids.npy", "/source.npy"}, {"dim=1"});
  EXPECT_EQ(disk_.read("/y.npy"), npy_header(DType::f32, {2, 3}) + bytes_of<float>({0, 1, 12, 23, 4, 5}));
}

TEST_F(Run, TakesNoInputWhereNoneIsNeeded) {
  run("rand_normal", {}, {"shape=2,1", "mean=3", "deviation=0"});
  EXPECT_EQ(disk_.read("/y.npy"), npy_header(DType::f32, {2, 1}) + bytes_of<float>({3, 3}));
}

TEST_F(Run, ListsTheOperations) {
  const std::string text = run("", {});
  EXPECT_NE(text.find("conv2d"), std::string::npos);
  EXPECT_NE(text.find("dims=all keep_dims=false"), std::string::npos);
  options_.json = true;
  const auto list = nlohmann::json::parse(run("", {}));
  const auto sort =
      std::find_if(list.begin(), list.end(), [](const auto& row) { return row["operation"] == "sort"; });
  ASSERT_NE(sort, list.end());
  EXPECT_EQ((*sort)["outputs"][1], "indices");
  EXPECT_EQ((*sort)["parameters"][0]["default"], "true");
  EXPECT_EQ((*sort)["example"], "kernel-gen run sort --in x.npy --out values.npy --out indices.npy");
}

TEST_F(Run, DescribesAnOperation) {
  const auto none = [](const char*) { return std::string(); };
  options_.operation = "conv2d";
  EXPECT_NE(describe_operation(options_, disk_, none).find("padding=0"), std::string::npos);
  options_.operation = "conv2";
  try {
    describe_operation(options_, disk_, none);
    FAIL() << "found";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("there is no operation 'conv2'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("did you mean 'conv2d'?"), std::string::npos) << error.what();
  }
}

TEST_F(Run, OptionalInputsAreGivenByName) {
  disk_.add("/q.npy", npy_header(DType::f32, {1, 1, 1, 1}) + bytes_of<float>({0}));
  disk_.add("/v.npy", npy_header(DType::f32, {1, 1, 1, 1}) + bytes_of<float>({8}));
  disk_.add("/s.npy", npy_header(DType::f32, {1}) + bytes_of<float>({0}));
  options_.outputs = {"/attended.npy"};
  run("attention", {"/q.npy", "sinks=/s.npy", "/v.npy", "/v.npy"});
  EXPECT_EQ(disk_.read("/attended.npy"), npy_header(DType::f32, {1, 1, 1, 1}) + bytes_of<float>({4}));
  const std::string twice =
                        refusal("attention", {"/q.npy", "/v.npy", "/v.npy", "sinks=/s.npy", "sinks=/s.npy"}),
                    too_few = refusal("attention", {"/q.npy", "/v.npy", "sinks=/s.npy"});
  EXPECT_NE(twice.find("'sinks' is given twice"), std::string::npos) << twice;
  EXPECT_NE(too_few.find("attention: input 'v' is missing"), std::string::npos) << too_few;
}

TEST_F(Run, QuantizedFilesAreReadWithTheirDtype) {
  disk_.add("/w.npy", npy_header(DType::f32, {1, 32}) + std::string(32 * sizeof(float), '\0'));
  options_.outputs = {"/blocks.npy"};
  const std::string printed = run("quantize", {"/w.npy"}, {"format=q8_0"});
  EXPECT_NE(printed.find("kernel-gen run dequantize --in /blocks.npy --dtype q8_0\n"), std::string::npos)
      << printed;
  options_.outputs = {"/y.npy"};
  const std::string wrong = refusal("dequantize", {"/blocks.npy"});
  EXPECT_NE(wrong.find("/blocks.npy: dequantize: x is u8"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("--dtype (q4_0 "), std::string::npos) << wrong;
  options_.dtypes = {"q8_0"};
  run("dequantize", {"/blocks.npy"});
  EXPECT_EQ(disk_.read("/y.npy"), disk_.read("/w.npy"));
}

TEST_F(Run, Refusals) {
  EXPECT_NE(refusal("expp", {"/x.npy"})
                .find("no operation 'expp'; 'kernel-gen run --list' lists all (did you mean 'exp'?)"),
            std::string::npos);
  EXPECT_NE(refusal("exp", {}).find(
                "exp takes 1 array (x), given 0; give each with --in, as in: kernel-gen run exp "
                "--in x.npy --out y.npy"),
            std::string::npos);
  EXPECT_NE(
      refusal("expression", {}, {"text=1"})
          .find("expression takes 1 to 6 arrays (a, b, c, d, e, f), given 0; give each with --in, as in: "
                "kernel-gen run expression --in a.npy --param 'text=silu(a) + 1' --out y.npy"),
      std::string::npos);
  EXPECT_NE(refusal("affine", {"/x.npy"}, {"mul=1"}).find("affine needs --param add=VALUE"),
            std::string::npos);
  EXPECT_NE(refusal("cast", {"/x.npy"}).find("to_dtype needs --param dtype=VALUE"), std::string::npos);
  options_.outputs = {"/y.npy", "/z.npy"};
  EXPECT_NE(refusal("exp", {"/x.npy"}).find("exp gives 1 array (y), but there are 2 --out"),
            std::string::npos);
  options_.outputs = {"/y.npy"};
  EXPECT_NE(refusal("exp", {"/h.npy"}).find("name it with --dtype"), std::string::npos);
  options_.dtypes = {"f32", "f32"};
  EXPECT_NE(refusal("exp", {"/x.npy"}).find("--dtype is given 2 times for 1 input;"), std::string::npos);
  options_.dtypes.clear();
  EXPECT_THROW(run("exp", {"/missing.npy"}), DiskError);
  options_.device = "gpu";
  EXPECT_THROW(run("exp", {"/x.npy"}), Error);
  EXPECT_FALSE(disk_.exists("/y.npy"));
}

}  // namespace
}  // namespace kernelgen::tool
