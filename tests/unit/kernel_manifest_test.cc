#include "binary/kernel_manifest.hpp"

#include <gtest/gtest.h>

#include "manifest/kernel.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

CodeKernel kernel(const std::string& name, std::vector<CodeArgument> arguments) {
  CodeKernel kernel;
  kernel.name = name;
  kernel.arguments = std::move(arguments);
  kernel.max_block = 256;
  return kernel;
}

std::vector<std::string> spelled(const Kernel& kernel) {
  std::vector<std::string> arguments;
  for (const Argument& argument : kernel.arguments) arguments.push_back(argument.type + " " + argument.name);
  return arguments;
}

TEST(KernelManifest, HasTheArgumentsOfTheCode) {
  const std::string text = kernel_manifest("bundle0", "lib.so",
                                           {kernel("_Z1fPfhd5Three", {{"y", "global_buffer", 0, 8},
                                                                      {"n.coerce", "by_value", 8, 1},
                                                                      {"", "by_value", 16, 8},
                                                                      {"y", "by_value", 24, 12},
                                                                      {"float", "by_value", 36, 4},
                                                                      {"u8", "by_value", 48, 16}}),
                                            kernel("__nothing", {})});
  Faults faults;
  const KernelSet set = expand(std::vector{parse_manifest("bundle0.json", text, faults)});
  faults.throw_if_any();
  ASSERT_EQ(set.kernels.size(), 2u);
  EXPECT_EQ(set.modules[0].binary, "lib.so");
  EXPECT_EQ(spelled(set.kernels[0]),
            (std::vector<std::string>{"u8* y", "u8 n", "u64 arg2", "Bytes<12,4> arg3", "u32 arg4",
                                      "Bytes<16,16> arg5"}));
  EXPECT_EQ(set.kernels[0].kernarg_bytes, 64u);
  EXPECT_EQ(set.kernels[0].block, 256u);
  EXPECT_EQ(set.kernels[1].kernarg_bytes, 0u);
}

TEST(KernelManifest, RefusesWhatNoLaunchPasses) {
  EXPECT_THROW(kernel_manifest("m", "f", {kernel("k", {{"i", "image", 0, 8}})}), BadCodeObject);
  EXPECT_THROW(kernel_manifest("m", "f", {kernel("k", {{"x", "by_value", 3, 4}})}), BadCodeObject);
}

TEST(KernelManifest, HasOpaqueTypesInOneSpelling) {
  for (const char* wrong :
       {"Bytes<12,3>", "Bytes<0,1>", "Bytes<012,4>", "Bytes<12, 4>", "Bytes<12,4", "Bytes<12,4>>",
        "Bytes<,4>", "Bytes<4097,1>", "Bytes<99999999999,4>", "Bytes<-4,4>", "Bytes<4,0>", "Bytes<"})
    EXPECT_FALSE(opaque_type_layout(wrong)) << wrong;
  const auto layout = opaque_type_layout("Bytes<12,4>");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->size, 12u);
  EXPECT_EQ(layout->align, 4u);
}

TEST(KernelManifest, IsOfNoBuild) {
  MemoryDisk disk;
  disk.make_dirs("m");
  disk.write_atomically("m/a.json", kernel_manifest("a", "lib.so", {kernel("k", {{"x", "by_value", 0, 4}})}));
  try {
    read_manifests(disk, {"m"}, {});
    FAIL() << "no BadInput";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("import --binary"), std::string::npos) << error.what();
  }
  Faults faults;
  parse_manifest("a.json", R"({"module": "a", "binary": "f", "operations": [{"op": "f"}], "symbols": []})",
                 faults);
  EXPECT_FALSE(faults.empty());
}

}  // namespace
}  // namespace kernelgen::tool
