// What the AMD code objects of a package must be like: no spills, no scratch, 16-byte memory accesses, matrix
// instructions. No GPU needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "build/provenance.hpp"
#include "code_object/disassembly.hpp"
#include "code_object/loop_cost.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen {
namespace {

using tool::Functions;
using tool::Instruction;

constexpr std::uint32_t hip_kind = 1;

const Package& package() {
  static const Package opened = [] {
    const char* folder = std::getenv("KERNELGEN_HSACO_DIR");
    if (folder == nullptr)
      throw std::runtime_error("KERNELGEN_HSACO_DIR does not name a folder that kernel-gen built");
    return Package::open(std::filesystem::path(folder) / "kernelgen.kgpkg");
  }();
  return opened;
}

std::string_view kernel_name(std::uint32_t kernel) {
  return package().text(package().kernels()[kernel].name);
}

/// Kernels that are some operation's form "contiguous".
std::set<std::uint32_t> contiguous_kernels() {
  std::set<std::uint32_t> kernels;
  for (const kernelgen_operation_record& operation : package().operations()) {
    const auto forms = package().forms(operation);
    const auto variants = package().variants(operation);
    for (std::size_t i = 0; i < variants.size(); ++i)
      if (variants[i] != KERNELGEN_NO_KERNEL && package().text(forms[i % forms.size()]) == "contiguous")
        kernels.insert(variants[i]);
  }
  return kernels;
}

struct Accesses {
  bool reads = false;   ///< has an input in memory
  bool narrow = false;  ///< some operand has elements of one byte
};

Accesses accesses_of(std::uint32_t kernel) {
  Accesses result;
  for (const kernelgen_argument_record& argument : package().arguments(kernel)) {
    if (argument.is_pointer == 0) continue;
    const std::string_view type = package().text(argument.type);
    if (argument.is_written == 0) result.reads = true;
    for (const std::string_view byte : {"u8", "b8", "f8e4m3"})
      if (type == std::string(byte) + "*" || type == "const " + std::string(byte) + "*") result.narrow = true;
  }
  return result;
}

bool holds(const std::vector<Instruction>& instructions, std::string_view a, std::string_view b) {
  return std::ranges::any_of(instructions, [&](const Instruction& instruction) {
    return instruction.mnemonic == a || instruction.mnemonic == b;
  });
}

std::vector<std::uint32_t> hip_targets() {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t target = 0; target < package().targets().size(); ++target)
    if (package().targets()[target].kind == hip_kind) targets.push_back(target);
  return targets;
}

TEST(Hsaco, HoldsTheFourArchitectures) {
  for (const char* name : {"gfx90a", "gfx942", "gfx1030", "gfx1100"})
    EXPECT_TRUE(package().find_target(name).has_value()) << name;
}

/// Scalar registers that a kernel may keep in lanes of vector registers: its manifest's budget, as the package records
/// it. Convolutions hold many sizes, and what a compiler hoists out of matmul's loops depends on its version.
std::map<std::string, std::uint32_t> spills_allowed() {
  tool::Faults faults;
  const tool::RecordedInputs inputs = tool::read_inputs(package().provenance(), "provenance", faults);
  faults.throw_if_any();
  std::map<std::string, std::uint32_t> allowed;
  for (const tool::Kernel& kernel : tool::expand(inputs.manifests).kernels)
    allowed[kernel.name] = kernel.budget.spills;
  return allowed;
}

TEST(Hsaco, NoSpillsAndNoScratch) {
  ASSERT_FALSE(hip_targets().empty());
  const auto allowed = spills_allowed();
  for (const std::uint32_t target : hip_targets()) {
    for (std::uint32_t kernel = 0; kernel < package().kernels().size(); ++kernel) {
      const kernelgen_resource_record& resources = package().resources(target, kernel);
      const std::string where = std::string(kernel_name(kernel)) + " on " +
                                std::string(package().text(package().targets()[target].name));
      EXPECT_EQ(resources.vgpr_spills, 0) << where;
      EXPECT_LE(resources.sgpr_spills, allowed.at(std::string(kernel_name(kernel)))) << where;
      EXPECT_EQ(resources.scratch_bytes, 0u) << where;
      // A record that was never filled in would pass the above.
      EXPECT_GT(resources.vgprs, 0) << where;
    }
  }
}

TEST(Hsaco, ContiguousKernelsMoveSixteenBytesAtOnce) {
  const std::set<std::uint32_t> contiguous = contiguous_kernels();
  int checked = 0;
  for (const std::uint32_t target : hip_targets()) {
    const std::string architecture(package().text(package().targets()[target].name));
    for (std::uint32_t module = 0; module < package().modules().size(); ++module) {
      const PackageCode code = package().code(target, module);
      const Functions functions = tool::disassemble(code);
      const kernelgen_module_record& record = package().modules()[module];
      for (std::uint32_t kernel = record.first_kernel; kernel < record.first_kernel + record.kernel_count;
           ++kernel) {
        const Accesses accesses = accesses_of(kernel);
        if (!contiguous.contains(kernel) || accesses.narrow) continue;
        const std::string name(kernel_name(kernel));
        ASSERT_TRUE(functions.contains(name)) << name << " is not in the code object for " << architecture;
        const auto& instructions = functions.at(name);
        if (accesses.reads) {
          EXPECT_TRUE(holds(instructions, "global_load_dwordx4", "global_load_b128"))
              << name << " on " << architecture << " has no 16-byte load";
        }
        EXPECT_TRUE(holds(instructions, "global_store_dwordx4", "global_store_b128"))
            << name << " on " << architecture << " has no 16-byte store";
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 0);
}

/// Matrix instructions on the way through a kernel's hottest loop.
std::uint32_t matrix_instructions_of(const char* target, std::string_view kernel, std::string_view code,
                                     const Functions& functions) {
  static const tool::MachineTable machines =
      tool::read_machines(tool::RealDisk(), KERNELGEN_SOURCE_DIR "/manifests/machines.json");
  const tool::CodeObject object = tool::read_code_object(code);
  const auto row = std::ranges::find(object.kernels, kernel, &tool::CodeKernel::name);
  return tool::cost_of(*machines.find(target), *row, functions.find(kernel)->second)[tool::Pipe::matrix]
      .instructions;
}

TEST(Hsaco, ProductsOfMatricesUseMatrixInstructions) {
  struct Expected {
    const char* target;
    const char* kernel;
    const char* mnemonic;
    std::ptrdiff_t count = 0;  ///< 0: at least one
  };
  // gfx90a's own f16 and bf16 instructions take subnormals for zeros. Attention's are those of both products of a wave's
  // queries, by sixteens, with a block's keys: twice queries x keys x elements / 16^3, each of 4 instructions in f32.
  const Expected expected[] = {
      {"gfx90a", "kg_matmul_f16_tiled", "v_mfma_f32_16x16x4f32"},
      {"gfx90a", "kg_matmul_bf16_tiled", "v_mfma_f32_16x16x4f32"},
      {"gfx90a", "kg_matmul_f8e4m3_tiled", "v_mfma_f32_16x16x16f16"},
      {"gfx90a", "kg_matmul_f64_tiled", "v_mfma_f64_16x16x4f64"},
      {"gfx942", "kg_matmul_f16_tiled", "v_mfma_f32_16x16x16_f16"},
      {"gfx942", "kg_matmul_bf16_tiled", "v_mfma_f32_16x16x16_bf16"},
      {"gfx942", "kg_matmul_f32_tiled", "v_mfma_f32_16x16x4_f32"},
      {"gfx1100", "kg_matmul_f16_tiled", "v_wmma_f32_16x16x16_f16"},
      {"gfx1100", "kg_matmul_bf16_tiled", "v_wmma_f32_16x16x16_bf16"},
      {"gfx90a", "kg_conv2d_f16_wide", "v_mfma_f32_16x16x4f32", 2 * 4 * 4},
      {"gfx942", "kg_conv2d_f16_wide", "v_mfma_f32_16x16x16_f16", 2 * 4 * 2},
      {"gfx1100", "kg_conv2d_f16_wide", "v_wmma_f32_16x16x16_f16", 2 * 4},
      {"gfx90a", "kg_attention_tile_f16_w128", "v_mfma_f32_16x16x4f32", 2 * 2 * 1 * 8 * 4},
      {"gfx90a", "kg_attention_tile_bf16_w64", "v_mfma_f32_16x16x4f32", 2 * 2 * 2 * 4 * 4},
      {"gfx942", "kg_attention_tile_f16_w64", "v_mfma_f32_16x16x16_f16", 2 * 2 * 4 * 4},
      {"gfx942", "kg_attention_tile_f16_w128", "v_mfma_f32_16x16x16_f16", 2 * 2 * 2 * 8},
      {"gfx942", "kg_attention_tile_bf16_w256", "v_mfma_f32_16x16x16_bf16", 2 * 2 * 1 * 16},
      {"gfx942", "kg_attention_tile_f8_f16_w128", "v_mfma_f32_16x16x16_f16", 2 * 2 * 2 * 8},
      {"gfx1100", "kg_attention_tile_f16_w64", "v_wmma_f32_16x16x16_f16", 2 * 1 * 2 * 4},
      {"gfx1100", "kg_attention_tile_bf16_w128", "v_wmma_f32_16x16x16_bf16", 2 * 1 * 1 * 8},
      {"gfx1100", "kg_attention_tile_f8_f16_w128", "v_wmma_f32_16x16x16_f16", 2 * 1 * 1 * 8}};
  for (const Expected& e : expected) {
    const auto target = package().find_target(e.target);
    ASSERT_TRUE(target.has_value()) << e.target;
    const auto kernel = package().find_kernel(e.kernel);
    ASSERT_TRUE(kernel.has_value()) << e.kernel;
    const PackageCode code = package().code(*target, package().kernels()[*kernel].module);
    const Functions functions = tool::disassemble(code);
    ASSERT_TRUE(functions.contains(e.kernel)) << e.kernel;
    const auto in_loop = matrix_instructions_of(
        e.target, e.kernel, {reinterpret_cast<const char*>(code.data()), code.size()}, functions);
    const auto found = std::ranges::count_if(functions.at(e.kernel), [&](const Instruction& instruction) {
      return instruction.mnemonic.starts_with(e.mnemonic);
    });
    EXPECT_TRUE(e.count == 0 ? found > 0 : found == e.count)
        << e.kernel << " on " << e.target << " has " << found << " of " << e.mnemonic;
    // All of them, as the loop over keys or along k is the one place where these kernels multiply.
    EXPECT_EQ(in_loop, found) << e.kernel << " on " << e.target;
  }
}

}  // namespace
}  // namespace kernelgen
