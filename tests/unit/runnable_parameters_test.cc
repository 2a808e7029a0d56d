// The parameters of `kernel-gen run`: a seed decides what is drawn, wrong calls say what to write, and usage lists all.
#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "kernelgen/device.hpp"
#include "run/runnable.hpp"
#include "run/usage.hpp"

namespace kernelgen::tool {
namespace {

TEST(RunnableParameters, TakeTheirOwnExamplesAndDefaults) {
  for (const Runnable& row : runnables(Package::embedded())) {
    std::vector<std::string> needed, all;
    for (const CallParameter& parameter : row.parameters) {
      all.push_back(example_of(parameter));
      if (!parameter.fallback) needed.push_back(example_of(parameter));
    }
    EXPECT_TRUE(row.bind(ParameterValues(row.name, row.parameters, needed))) << row.name;
    EXPECT_TRUE(row.bind(ParameterValues(row.name, row.parameters, all))) << row.name;
  }
}

TEST(RunnableParameters, DrawTheSameNumbersAgain) {
  const Device device = Device::open("cpu");
  const Runnable uniform = find_runnable(device.package(), "rand_uniform");
  const std::vector<std::string> parameters = {"shape=8", "seed=5"};
  const BoundCall draw = uniform.bind(ParameterValues(uniform.name, uniform.parameters, parameters));
  const auto first = draw({.device = device, .inputs = {}})[0].to_host();
  EXPECT_EQ(draw({.device = device, .inputs = {}})[0].to_host(), first);
}

std::string refusal(const std::string& operation, const std::vector<std::string>& parameters) {
  try {
    const Runnable runnable = find_runnable(Package::embedded(), operation);
    ParameterValues(runnable.name, runnable.parameters, parameters);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "was taken";
}

TEST(RunnableParameters, RefusalsSayWhatWouldBeTaken) {
  const std::string start = "kernel-gen: error: ";
  EXPECT_EQ(refusal("softmaxx", {}),
            start +
                "the package has no operation 'softmaxx'; 'kernel-gen run --list' lists "
                "all (did you mean 'softmax'?)");
  EXPECT_EQ(
      refusal("scatter_claim", {}),
      start +
          "'scatter_claim' is neither called by name nor an operation of the library, so only a program can "
          "launch its kernels; 'kernel-gen run --list' lists the others");
  EXPECT_EQ(refusal("max_pool2d", {"stride=2"}),
            start +
                "max_pool2d needs --param kernel=VALUE: one integer, or two: height,width, as in --param "
                "kernel=2,2");
  EXPECT_EQ(refusal("max_pool2d", {"kernel=2,2,2", "stride=2"}),
            start +
                "max_pool2d: --param kernel=2,2,2: '2,2,2' is not what kernel takes: one integer, or two: "
                "height,width, as in kernel=2,2");
  EXPECT_EQ(refusal("max_pool2d", {"kernell=2"}),
            start + "max_pool2d has no parameter 'kernell'; it has kernel, stride (did you mean 'kernel'?)");
  EXPECT_EQ(refusal("softmax", {"dim=1"}), start + "softmax takes no parameter, so no 'dim'");
  EXPECT_EQ(refusal("sum", {"dims"}), start + "sum: --param 'dims': expected NAME=VALUE");
  EXPECT_EQ(refusal("sum", {"dims=0", "dims=1"}), start + "sum: --param dims is given twice");
  for (const char* wrong : {"dims=0,", "dims=,0", "dims=x", "dims=1.5", "dims=99999999999999999999"})
    EXPECT_NE(refusal("sum", {wrong}).find("as in dims=0,1"), std::string::npos) << wrong;
  for (const char* wrong : {"keep_dims=1", "keep_dims="})
    EXPECT_NE(refusal("sum", {wrong}).find("true or false"), std::string::npos) << wrong;
  EXPECT_NE(refusal("rand_normal", {"shape=1,1,1,1,1,1,1,1,1"}).find("up to eight"), std::string::npos);
  EXPECT_NE(refusal("upsample_bilinear2d", {"size=2", "scale=a"}).find("or 'none'"), std::string::npos);
  EXPECT_NE(refusal("argmax", {"dim=every"}).find("or 'all'"), std::string::npos);
  EXPECT_NE(refusal("cast", {"dtype=f31"}).find("unknown dtype 'f31'; there are u8 u32"), std::string::npos);
  EXPECT_NE(refusal("affine", {"mul=1", "add=two"}).find("'two' is not what add takes: a number"),
            std::string::npos);
}

TEST(RunnableParameters, UsageNamesAllThatIsTaken) {
  const std::string usage = usage_of(find_runnable(Package::embedded(), "conv2d"));
  for (const char* part : {"conv2d\n\nConvolves [b, c, h, w]", "in this order: x, weight\n",
                           "padding=0            one integer, or two: height,width",
                           "kernel-gen run conv2d --in x.npy --in weight.npy --out y.npy"})
    EXPECT_NE(usage.find(part), std::string::npos) << part << "\nin\n" << usage;
}

}  // namespace
}  // namespace kernelgen::tool
