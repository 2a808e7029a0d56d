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

/// A kernel's code for a target, and what its hottest loop takes there.
struct Disassembled {
  Functions functions;
  tool::LoopCost cost;
};

Disassembled disassembled(const char* target, const char* kernel) {
  static const tool::MachineTable machines =
      tool::read_machines(tool::RealDisk(), KERNELGEN_SOURCE_DIR "/manifests/machines.json");
  const PackageCode code = package().code(package().find_target(target).value(),
                                          package().kernels()[package().find_kernel(kernel).value()].module);
  Disassembled result{tool::disassemble(code), {}};
  const tool::CodeObject object =
      tool::read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
  const auto row = std::ranges::find(object.kernels, kernel, &tool::CodeKernel::name);
  result.cost = tool::cost_of(*machines.find(target), *row, result.functions.at(kernel));
  return result;
}

TEST(Hsaco, ProductsOfMatricesUseMatrixInstructions) {
  struct Expected {
    const char* target;
    const char* kernel;
    const char* mnemonic;
    std::uint32_t count = 0;  ///< in a loop; 0: at least one
  };
  // gfx90a's own f16 and bf16 instructions take subnormals for zeros, which only matmul looks for. Attention's are those of
  // both products of a wave's queries, by sixteens, with a block's keys: twice queries x keys x elements / 16^3, each of 4
  // instructions in f32.
  const Expected expected[] = {
      {"gfx90a", "kg_matmul_f16_tiled", "v_mfma_f32_16x16x16f16"},
      {"gfx90a", "kg_matmul_bf16_tiled", "v_mfma_f32_16x16x16bf16_1k"},
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
    const Disassembled code = disassembled(e.target, e.kernel);
    const std::uint32_t in_loop = code.cost[tool::Pipe::matrix].instructions;
    const auto found = std::ranges::count_if(
        code.functions.at(e.kernel),
        [&](const Instruction& instruction) { return instruction.mnemonic.starts_with(e.mnemonic); });
    // The loop over keys or along k is where these kernels multiply. There is one for each way in which operands may lie, and
    // another for what is not whole.
    ASSERT_GT(in_loop, 0u) << e.kernel << " on " << e.target;
    EXPECT_GT(found, 0) << e.kernel << " on " << e.target << " has none of " << e.mnemonic;
    EXPECT_EQ(found % in_loop, 0) << e.kernel << " on " << e.target;
    if (e.count != 0) {
      EXPECT_EQ(in_loop, e.count) << e.kernel << " on " << e.target << ": of " << e.mnemonic;
    }
  }
}

/// What bench/results/amd_loops.md has: the matrix pipe is what these loops take, and what all SIMDs share hides under it.
TEST(Hsaco, LoopsOfProductsLeaveTheMatrixPipeNoTimeToWait) {
  struct Expected {
    const char* target;
    const char* kernel;
    double share;  ///< of the matrix instructions' cycles and the VALU's, at least
  };
  const Expected expected[] = {
      {"gfx90a", "kg_matmul_f16_tiled", 0.85},    {"gfx90a", "kg_matmul_bf16_tiled", 0.80},
      {"gfx90a", "kg_matmul_f32_tiled", 0.95},    {"gfx90a", "kg_matmul_f64_tiled", 0.95},
      {"gfx942", "kg_matmul_f16_tiled", 0.95},    {"gfx942", "kg_matmul_bf16_tiled", 0.95},
      {"gfx942", "kg_matmul_f32_tiled", 0.95},    {"gfx942", "kg_matmul_f64_tiled", 0.95},
      {"gfx1100", "kg_matmul_f16_tiled", 0.95},   {"gfx1100", "kg_matmul_bf16_tiled", 0.95},
      {"gfx1100", "kg_matmul_f8e4m3_tiled", 0.75}};
  for (const Expected& e : expected) {
    const tool::LoopCost cost = disassembled(e.target, e.kernel).cost;
    const std::string where = std::string(e.kernel) + " on " + e.target;
    EXPECT_GE(cost.matrix_share(), e.share) << where;
    const std::uint32_t simds = e.target == std::string("gfx1100") ? 2 : 4;
    EXPECT_LE(cost[tool::Pipe::lds].cycles * simds, cost[tool::Pipe::matrix].cycles) << where;
    EXPECT_LE(cost[tool::Pipe::global].cycles * simds, cost[tool::Pipe::matrix].cycles) << where;
    EXPECT_GE(cost.occupancy.waves, 2u) << where;
  }
  const tool::LoopCost fma = disassembled("gfx1030", "kg_matmul_f32_tiled").cost;
  EXPECT_GE(fma.multiplications, 0.95 * fma[tool::Pipe::valu].instructions);
}

}  // namespace
}  // namespace kernelgen
