// Properties of the AMD code objects of a package: no spills, no scratch, 16-byte memory accesses, matrix
// instructions, none of the sequences by which clang loses the sign of zero or the last digit of a quotient. No GPU needed.
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

Package opened(const std::string& variable) {
  const char* folder = std::getenv(variable.c_str());
  if (folder == nullptr) throw std::runtime_error(variable + " does not name a folder that kernel-gen built");
  return Package::open(std::filesystem::path(folder) / "kernelgen.kgpkg");
}

const Package& package() {
  static const Package all = opened("KERNELGEN_HSACO_DIR");
  return all;
}

/// A few operations for other architectures.
const Package& numbers_package() {
  static const Package few = opened("KERNELGEN_HSACO_NUMBERS_DIR");
  return few;
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
      {"gfx90a", "kg_conv2d_f16_implicit_gemm", "v_mfma_f32_16x16x4f32", 2 * 4 * 4},
      {"gfx942", "kg_conv2d_f16_implicit_gemm", "v_mfma_f32_16x16x16_f16", 2 * 4 * 2},
      {"gfx1100", "kg_conv2d_f16_implicit_gemm", "v_wmma_f32_16x16x16_f16", 2 * 4},
      {"gfx90a", "kg_attention_mma_f16_w128", "v_mfma_f32_16x16x16f16", 2 * 2 * 2 * 8},
      {"gfx90a", "kg_attention_mma_bf16_w64", "v_mfma_f32_16x16x16bf16_1k", 2 * 2 * 4 * 4},
      {"gfx942", "kg_attention_mma_f16_w64", "v_mfma_f32_16x16x16_f16", 2 * 2 * 4 * 4},
      {"gfx942", "kg_attention_mma_f16_w128", "v_mfma_f32_16x16x16_f16", 2 * 2 * 2 * 8},
      {"gfx942", "kg_attention_mma_bf16_w256", "v_mfma_f32_16x16x16_bf16", 2 * 2 * 1 * 16},
      {"gfx942", "kg_attention_mma_f8_f16_w128", "v_mfma_f32_16x16x16_f16", 2 * 2 * 2 * 8},
      {"gfx1100", "kg_attention_mma_f16_w64", "v_wmma_f32_16x16x16_f16", 2 * 1 * 2 * 4},
      {"gfx1100", "kg_attention_mma_bf16_w128", "v_wmma_f32_16x16x16_bf16", 2 * 1 * 1 * 8},
      {"gfx1100", "kg_attention_mma_f8_f16_w128", "v_wmma_f32_16x16x16_f16", 2 * 1 * 1 * 8}};
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

/// Loads whose address may be one of LDS are waited for one by one.
TEST(Hsaco, AttentionOfSmallCallsLoadsFromGlobalMemory) {
  for (const char* target : {"gfx90a", "gfx942", "gfx1030", "gfx1100"})
    for (const char* kernel :
         {"kg_attention_bf16_small", "kg_attention_f16_small", "kg_attention_f32_small"}) {
      const std::vector<Instruction> code = disassembled(target, kernel).functions.at(kernel);
      EXPECT_TRUE(holds(code, "global_load_dwordx4", "global_load_b128")) << kernel << " on " << target;
      EXPECT_FALSE(holds(code, "flat_load_dwordx4", "flat_load_b128")) << kernel << " on " << target;
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

/// Calls f(architecture, kernel, instructions) for the kernels of both packages whose name is chosen, on each architecture.
template <class Choose, class F>
void for_each_kernel(const Choose& choose, const F& f) {
  for (const Package* from : {&package(), &numbers_package()})
    for (std::uint32_t target = 0; target < from->targets().size(); ++target) {
      if (from->targets()[target].kind != hip_kind) continue;
      const std::string architecture(from->text(from->targets()[target].name));
      for (std::uint32_t module = 0; module < from->modules().size(); ++module) {
        const kernelgen_module_record& record = from->modules()[module];
        std::vector<std::string> chosen;
        for (std::uint32_t k = record.first_kernel; k < record.first_kernel + record.kernel_count; ++k)
          if (std::string name(from->text(from->kernels()[k].name)); choose(name)) chosen.push_back(name);
        if (chosen.empty()) continue;
        const Functions functions = tool::disassemble(from->code(target, module));
        for (const std::string& name : chosen) f(architecture, name, functions.at(name));
      }
    }
}

std::size_t count_of(const std::vector<Instruction>& instructions, std::string_view beginning) {
  return static_cast<std::size_t>(std::ranges::count_if(
      instructions, [&](const Instruction& i) { return i.mnemonic.starts_with(beginning); }));
}

/// The product plus +0 is +0 where the product is -0.
bool loses_sign_of_product(const Instruction& instruction) {
  const std::string_view mnemonic = instruction.mnemonic;
  if (!mnemonic.starts_with("v_fma_mix") && !mnemonic.starts_with("v_mad_mix")) return false;
  if (mnemonic.find("lo_f16") == mnemonic.npos && mnemonic.find("hi_f16") == mnemonic.npos) return false;
  std::string_view addend = instruction.operands;  // the fourth operand, perhaps modifiers after it
  for (int comma = 0; comma < 3; ++comma) addend.remove_prefix(addend.find(',') + 1);
  addend.remove_prefix(addend.find_first_not_of(' '));
  return addend.substr(0, addend.find(' ')) == "0";
}

TEST(Numbers, PackagesHoldSixArchitectures) {
  std::set<std::string> seen;
  for_each_kernel(
      [](const std::string& name) { return name == "kg_div_f16"; },
      [&](const std::string& architecture, const auto&, const auto&) { seen.insert(architecture); });
  EXPECT_EQ(seen, (std::set<std::string>{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"}));
}

/// llvm-project#214544.
TEST(Numbers, ProductsRoundedToF16KeepTheSignOfZero) {
  for_each_kernel(
      [](const std::string& name) {
        return name.find("f16") != name.npos || name.starts_with("kg_dequantize");
      },
      [](const std::string& architecture, const std::string& name, const std::vector<Instruction>& code) {
        const auto found = std::ranges::find_if(code, loses_sign_of_product);
        EXPECT_TRUE(found == code.end())
            << name << " on " << architecture << ": " << found->mnemonic << " " << found->operands;
      });
}

TEST(Numbers, KnowsTheInstructionThatLosesTheSign) {
  const auto loses = [](const char* mnemonic, const char* operands) {
    return loses_sign_of_product({0, 8, mnemonic, operands, {}});
  };
  EXPECT_TRUE(loses("v_fma_mixlo_f16", "v3, v1, v2, 0"));
  EXPECT_TRUE(loses("v_fma_mixhi_f16", "v3, v1, v2, 0 op_sel_hi:[1,1,0]"));
  EXPECT_TRUE(loses("v_mad_mixlo_f16", "v3, s1, v2, 0 clamp"));
  EXPECT_FALSE(loses("v_fma_mixlo_f16", "v3, v1, v2, v4 op_sel_hi:[1,1,0]"));
  EXPECT_FALSE(loses("v_fma_mix_f32", "v3, v1, v2, 0 op_sel_hi:[1,1,0]"));
}

/// llvm-project#109295: quotients and roots of f16 are those of f32, rounded.
TEST(Numbers, QuotientsOfF16AreComputedInF32) {
  for_each_kernel(
      [](const std::string& name) { return name == "kg_div_f16" || name == "kg_recip_f16"; },
      [](const std::string& architecture, const std::string& name, const std::vector<Instruction>& code) {
        const std::string where = name + " on " + architecture;
        EXPECT_GE(count_of(code, "v_div_fixup_f32"), 8u) << where;
        EXPECT_GE(count_of(code, "v_cvt_f16_f32"), 8u) << where;
        for (const char* of_f16 : {"v_div_fixup_f16", "v_rcp_f16", "v_fma_mixlo_f16", "v_mad_mixlo_f16"})
          EXPECT_EQ(count_of(code, of_f16), 0u) << where << ": " << of_f16;
      });
}

/// The device library's expm1 of f64 gives +0 for -0: its result takes the argument's sign.
TEST(Numbers, EluOfF64KeepsTheSignOfZero) {
  for_each_kernel(
      [](const std::string& name) { return name == "kg_elu_f64"; },
      [](const std::string& architecture, const std::string& name, const std::vector<Instruction>& code) {
        EXPECT_GE(count_of(code, "v_bfi_b32"), 1u) << name << " on " << architecture;
      });
}

/// What packed instructions gfx90a and gfx942 have for f32 serves f16 too.
TEST(Numbers, PolynomialsOfF16ArePackedWhereF32CanBe) {
  for_each_kernel(
      [](const std::string& name) { return name == "kg_expm1_f16"; },
      [](const std::string& architecture, const std::string& name, const std::vector<Instruction>& code) {
        if (architecture != "gfx90a" && architecture != "gfx942") return;
        EXPECT_GE(count_of(code, "v_pk_fma_f32"), 40u) << name << " on " << architecture;
      });
}

}  // namespace
}  // namespace kernelgen
