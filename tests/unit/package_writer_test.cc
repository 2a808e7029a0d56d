#include "build/package_writer.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "kernelgen/package.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

KernelSet sample() {
  MemoryDisk disk;
  disk.add("k/a.hpp", "");
  disk.add("m/a.json", R"json({"module": "a", "header": "a.hpp", "operations": [
    {"op": "exp", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T", "expr": "exp(x)"}]})json");
  disk.add("m/b.json", R"json({"module": "b", "header": "a.hpp", "operations": [
    {"op": "neg", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "-x"}]})json");
  return expand(read_manifests(disk, {"m"}, "k"));
}

struct Sample {
  KernelSet set = sample();
  Target gpu;
  Target cpu;
  std::vector<BuiltTarget> targets;

  Sample() {
    gpu.name = "gfx942";
    gpu.kind = TargetKind::hip;
    gpu.wave_sizes = {64};
    gpu.code_object_version = 5;
    cpu.name = "cpu-x86-64-v3";
    cpu.kind = TargetKind::cpu;
    cpu.wave_sizes = {1};
    targets = {{&cpu, {{"cpu code", {}}, {"more cpu code", {}}}}, {&gpu, {{"same", {}}, {"same", {}}}}};
    for (const Kernel& kernel : set.kernels) {
      CodeKernel code;
      code.name = kernel.name;
      code.vgprs = 10 + static_cast<std::uint32_t>(kernel.name.size());
      code.sgprs = 100000;  // more than the record holds
      code.wave_size = 64;
      targets[1].objects[kernel.module].code.kernels.push_back(code);
    }
  }
};

Package open(const std::string& bytes, std::vector<std::uint64_t>& storage) {
  storage.resize((bytes.size() + 7) / 8);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(storage.data()));
  return Package::from_memory({reinterpret_cast<const std::byte*>(storage.data()), bytes.size()});
}

std::string text(const PackageCode& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(PackageWriter, TheRuntimeReadsWhatItWrites) {
  const Sample sample;
  std::vector<std::uint64_t> storage;
  const Package package = open(write_package(sample.set, sample.targets, "{}"), storage);
  EXPECT_EQ(package.provenance(), "{}");
  package.check_blobs();
  ASSERT_EQ(package.kernels().size(), sample.set.kernels.size());
  for (std::uint32_t id = 0; id < sample.set.kernels.size(); ++id) {
    const Kernel& kernel = sample.set.kernels[id];
    EXPECT_EQ(package.find_kernel(kernel.name), id);
    ASSERT_EQ(package.arguments(id).size(), kernel.arguments.size());
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
      const auto& argument = package.arguments(id)[i];
      EXPECT_EQ(package.text(argument.name), kernel.arguments[i].name);
      EXPECT_EQ(package.text(argument.type), kernel.arguments[i].type);
      EXPECT_EQ(argument.offset, kernel.arguments[i].offset);
    }
    EXPECT_EQ(package.resources(0, id).vgprs, 0) << "zeros for cpu";
    EXPECT_EQ(package.resources(1, id).vgprs, 10 + kernel.name.size());
    EXPECT_EQ(package.resources(1, id).sgprs, 65535);
  }
  const auto* operation = package.find_operation("exp");
  ASSERT_NE(operation, nullptr);
  EXPECT_EQ(operation->kind, static_cast<std::uint32_t>(KERNELGEN_OPERATION_MAP));
  ASSERT_EQ(package.variables(*operation).size(), 1u);
  const auto& variable = package.variables(*operation)[0];
  EXPECT_EQ(package.text(variable.name), "T");
  EXPECT_EQ(variable.radix, 2u);
  EXPECT_EQ(package.digits()[variable.first_digit + 6], 0);
  EXPECT_EQ(package.digits()[variable.first_digit + 7], 1);
  EXPECT_EQ(package.variants(*operation)[1 * 2 + 1], package.find_kernel("kg_exp_f32_strided"));
}

TEST(PackageWriter, StoresEqualCodeOnceAndOnPages) {
  const Sample sample;
  std::vector<std::uint64_t> storage;
  const Package package = open(write_package(sample.set, sample.targets, "{}"), storage);
  EXPECT_EQ(package.blobs().size(), 3u);
  for (const auto& blob : package.blobs()) EXPECT_EQ(blob.offset % 4096, 0u);
  EXPECT_EQ(text(package.code(0, 0)), "cpu code");
  EXPECT_EQ(text(package.code(0, 1)), "more cpu code");
  EXPECT_EQ(text(package.code(1, 0)), "same");
  EXPECT_EQ(package.code(1, 0).data(), package.code(1, 1).data());
}

TEST(PackageWriter, IsDeterministic) {
  const Sample one, two;
  EXPECT_EQ(hash128(write_package(one.set, one.targets, "{}")),
            hash128(write_package(two.set, two.targets, "{}")));
}

TEST(PackageWriter, AssemblyNamesTheFileWithoutAFolder) {
  const std::string assembly = write_package_assembly();
  EXPECT_NE(assembly.find("\"kernelgen.kgpkg\""), std::string::npos);
  EXPECT_NE(assembly.find(".balign 4096"), std::string::npos);
  EXPECT_NE(assembly.find(".note.GNU-stack"), std::string::npos);
}

}  // namespace
}  // namespace kernelgen::tool
