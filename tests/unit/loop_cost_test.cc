// Cycles of loops that are small enough to count by hand, on machines of the shipped table.
#include "code_object/loop_cost.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "commands/inspect.hpp"
#include "support/assembled.hpp"
#include "support/memory_disk.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

constexpr const char* machines_file = KERNELGEN_SOURCE_DIR "/manifests/machines.json";

const Machine& machine(std::string_view target) {
  static const MachineTable table = read_machines(RealDisk(), machines_file);
  return *table.find(target);
}

LoopCost cost(std::string_view target, const test::AssembledKernel& kernel) {
  const auto code = test::assembled(target, kernel);
  const CodeObject object = read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
  return cost_of(machine(target), object.kernels.at(0), disassemble(code).at("k"));
}

void expect_use(const LoopCost& cost, Pipe pipe, std::uint32_t instructions, std::uint32_t cycles) {
  EXPECT_EQ(cost[pipe].instructions, instructions) << pipe_names[static_cast<std::size_t>(pipe)];
  EXPECT_EQ(cost[pipe].cycles, cycles) << pipe_names[static_cast<std::size_t>(pipe)];
}

/// Multiplies matrices of f16 with loads ahead, as a K loop does.
constexpr const char* product = R"(
head:
  global_load_dwordx4 v[8:11], v[4:5], off
  global_load_dwordx4 v[12:15], v[4:5], off
  ds_read_b128 v[16:19], v6
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x16_f16 a[0:3], v[16:17], v[18:19], a[0:3]
  v_mfma_f32_16x16x16_f16 a[4:7], v[16:17], v[18:19], a[4:7]
  v_add_u32_e32 v6, 64, v6
  v_exp_f32_e32 v7, v7
  v_fma_f32 v7, v7, v7, v7
  s_add_u32 s0, s0, 1
  s_waitcnt vmcnt(1)
  ds_write_b64 v6, v[8:9]
  s_barrier
  s_cmp_lt_u32 s0, s1
  s_cbranch_scc1 head
)";

TEST(LoopCost, CountsByPipeOnGfx942) {
  const LoopCost loop = cost("gfx942", {.body = product, .vgprs = 104, .agprs = 8, .lds_bytes = 20000});
  EXPECT_TRUE(loop.is_loop);
  EXPECT_EQ(loop.instructions, 15u);
  expect_use(loop, Pipe::matrix, 2, 32);  // 4 passes of 4 cycles each
  expect_use(loop, Pipe::valu, 3, 4 + 16 + 4);
  expect_use(loop, Pipe::lds, 2, 8 + 4);  // 1024 and 512 bytes, 128 a cycle
  expect_use(loop, Pipe::global, 2, 16);  // 2048 bytes, 128 a cycle
  expect_use(loop, Pipe::scalar, 2, 8);
  expect_use(loop, Pipe::branch, 4, 8);  // waiting takes no slot
  EXPECT_EQ(loop.multiplications, 1u);
  EXPECT_EQ(loop.products, 2u * 16 * 16 * 16);
  EXPECT_EQ(loop.loaded_bytes, 2048u);
  EXPECT_EQ(loop.stored_bytes, 0u);
  // 512 / 104 registers; three blocks' LDS, each with a wave a SIMD.
  EXPECT_EQ(loop.occupancy.waves, 3u);
  EXPECT_EQ(loop.occupancy.limit, "LDS");
  // One load of the turn before and both of this one, of 3 waves on 4 SIMDs.
  EXPECT_EQ(loop.bytes_in_flight, 3u * 16 * 64 * 3 * 4);
  EXPECT_DOUBLE_EQ(loop.matrix_share(), 32.0 / 56);
  // The compute unit's cache serves four SIMDs.
  EXPECT_EQ(loop.bound_by, "global");
  EXPECT_DOUBLE_EQ(loop.bound_cycles, 64);
  // 2048 bytes a wave of each of 1216 SIMDs, 5300 GB/s at 2.1 GHz.
  EXPECT_NEAR(loop.memory_cycles, 2048.0 * 1216 / (5300.0 / 2.1), 1e-6);
  EXPECT_DOUBLE_EQ(loop.slots(), loop.bound_cycles / loop.memory_cycles);
}

TEST(LoopCost, KnowsWhichMatrixInstructionsLeaveTheVectorUnitFree) {
  // f64 takes the vector unit for its 32 cycles, f16 for the 4 of its issue.
  const LoopCost f64 = cost("gfx90a", {.body = R"(
head:
  v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]
  v_add_f64 v[4:5], v[4:5], v[6:7]
  s_cbranch_scc1 head
)"});
  expect_use(f64, Pipe::matrix, 1, 32);
  expect_use(f64, Pipe::valu, 1, 4);
  EXPECT_EQ(f64.bound_by, "valu");
  EXPECT_DOUBLE_EQ(f64.bound_cycles, 36);
  const LoopCost f16 = cost("gfx90a", {.body = R"(
head:
  v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[2:3], a[0:3]
  v_add_f64 v[4:5], v[4:5], v[6:7]
  s_cbranch_scc1 head
)"});
  expect_use(f16, Pipe::matrix, 1, 32);
  EXPECT_EQ(f16.bound_by, "matrix");
  EXPECT_DOUBLE_EQ(f16.bound_cycles, 32);
}

TEST(LoopCost, CountsTheInstructionsOfEachGeneration) {
  const LoopCost gfx1100 = cost("gfx1100", {.body = R"(
head:
  global_load_b128 v[0:3], v[4:5], off
  v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[24:31], v[8:15]
  v_dual_fmac_f32 v0, v1, v2 :: v_dual_mul_f32 v3, v4, v7
  v_exp_f32_e32 v6, v6
  v_mul_lo_u32 v6, v6, v7
  ds_load_2addr_b64 v[0:3], v6 offset1:1
  s_cbranch_scc1 head
)",
                                            .wave_size = 32});
  expect_use(gfx1100, Pipe::matrix, 1, 32);
  // exp is issued in one cycle and occupies a separate unit for four.
  expect_use(gfx1100, Pipe::valu, 3, 1 + 1 + 4);
  expect_use(gfx1100, Pipe::lds, 1, 4);
  expect_use(gfx1100, Pipe::global, 1, 4);
  EXPECT_EQ(gfx1100.multiplications, 1u);
  const LoopCost gfx1201 = cost("gfx1201", {.body = R"(
head:
  global_load_b128 v[0:3], v[4:5], off
  global_load_b128 v[8:11], v[4:5], off
  s_wait_loadcnt 0x1
  v_wmma_f32_16x16x16_fp8_fp8 v[8:15], v[16:17], v[24:25], v[8:15]
  s_cbranch_scc1 head
)",
                                            .wave_size = 32});
  expect_use(gfx1201, Pipe::matrix, 1, 8);
  EXPECT_EQ(gfx1201.bytes_in_flight, 3u * 16 * 32 * 16 * 2);
  const LoopCost gfx1030 = cost("gfx1030", {.body = R"(
head:
  v_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1]
  v_exp_f32_e32 v6, v6
  s_cbranch_scc1 head
)",
                                            .wave_size = 64});
  expect_use(gfx1030, Pipe::valu, 2, 32 + 2);
  const LoopCost gfx906 = cost("gfx906", {.body = R"(
head:
  v_dot4_i32_i8 v0, v1, v2, v0
  v_fma_f64 v[0:1], v[2:3], v[4:5], v[0:1]
  global_store_dwordx2 v[2:3], v[0:1], off
  s_waitcnt vmcnt(0)
  s_cbranch_scc1 head
)"});
  expect_use(gfx906, Pipe::valu, 2, 4 + 8);
  EXPECT_EQ(gfx906.multiplications, 2u);
  EXPECT_EQ(gfx906.products, 2u * 64);
  EXPECT_EQ(gfx906.stored_bytes, 512u);
  EXPECT_EQ(gfx906.bytes_in_flight, 0u);
}

TEST(LoopCost, TakesTheLoopOfTheMatrixInstructionsElseTheOneThatMovesMost) {
  const LoopCost loop = cost("gfx942", {.body = R"(
first:
  global_load_dwordx4 v[0:3], v[4:5], off
  s_cbranch_scc1 first
second:
  v_mfma_f32_16x16x16_f16 a[0:3], v[16:17], v[18:19], a[0:3]
  s_cbranch_scc1 second
)"});
  EXPECT_EQ(loop[Pipe::matrix].instructions, 1u);
  EXPECT_EQ(loop[Pipe::global].instructions, 0u);
  const LoopCost moves = cost("gfx942", {.body = R"(
first:
  global_load_dword v0, v[4:5], off
  s_cbranch_scc1 first
second:
  global_load_dwordx4 v[0:3], v[4:5], off
  s_cbranch_scc1 second
)"});
  EXPECT_EQ(moves.loaded_bytes, 1024u);
}

TEST(LoopCost, TakesTheLoopOfMostProductsAndOfEqualsTheShorter) {
  // The first takes 64 cycles of the matrix pipe for half the products, the second has more to load, some of it narrow.
  const LoopCost loop = cost("gfx90a", {.body = R"(
first:
  v_mfma_f32_16x16x4f32 a[0:3], v16, v18, a[0:3]
  v_mfma_f32_16x16x4f32 a[0:3], v17, v19, a[0:3]
  s_cbranch_scc1 first
second:
  global_load_dwordx4 v[0:3], v[4:5], off
  global_load_ushort v6, v[4:5], off
  v_mfma_f32_16x16x16f16 a[0:3], v[16:17], v[18:19], a[0:3]
  s_cbranch_scc1 second
third:
  global_load_dwordx4 v[0:3], v[4:5], off
  v_mfma_f32_16x16x16f16 a[0:3], v[16:17], v[18:19], a[0:3]
  s_cbranch_scc1 third
)"});
  expect_use(loop, Pipe::matrix, 1, 32);
  EXPECT_EQ(loop.all_instructions, 3u);
  EXPECT_EQ(matrix_products("v_mfma_f32_16x16x4f32"), 16 * 16 * 4);
  EXPECT_EQ(matrix_products("v_mfma_f32_32x32x4_xf32"), 32 * 32 * 4);
  EXPECT_EQ(matrix_products("v_wmma_i32_16x16x16_iu8"), 16 * 16 * 16);
  EXPECT_EQ(matrix_products("v_mfma_of_no_size"), 1);
}

TEST(LoopCost, OfAKernelWithoutLoopsIsThatOfAllOfIt) {
  const LoopCost whole = cost("gfx942", {.body = "global_load_dword v0, v[4:5], off\n s_waitcnt vmcnt(0)"});
  EXPECT_FALSE(whole.is_loop);
  EXPECT_EQ(whole.instructions, 3u);
  EXPECT_EQ(whole.loaded_bytes, 256u);
}

TEST(LoopCost, SaysWhichInstructionTheTableLacks) {
  try {
    cost("gfx942", {.body = "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10\n"});
    FAIL();
  } catch (const BadCodeObject& error) {
    EXPECT_STREQ(error.what(), "machines.json says of 'gfx942' no cycles of v_smfmac_f32_16x16x32_f16");
  }
}

TEST(Occupancy, IsWhatTheCompilerCounts) {
  struct Case {
    const char* target;
    std::uint32_t wave_size, block, vgprs, lds, waves;
  };
  // "Occupancy" that clang 19 writes into its assembly for these registers and LDS.
  const Case cases[] = {{"gfx906", 64, 256, 24, 0, 10},     {"gfx906", 64, 256, 40, 0, 6},
                        {"gfx906", 64, 256, 100, 0, 2},     {"gfx90a", 64, 256, 84, 0, 5},
                        {"gfx90a", 64, 256, 100, 0, 4},     {"gfx942", 64, 256, 168, 0, 3},
                        {"gfx942", 64, 256, 200, 0, 2},     {"gfx1030", 32, 128, 84, 0, 10},
                        {"gfx1030", 32, 128, 100, 0, 9},    {"gfx1030", 32, 128, 200, 0, 4},
                        {"gfx1100", 32, 128, 84, 0, 16},    {"gfx1100", 32, 128, 100, 0, 12},
                        {"gfx1201", 32, 128, 168, 0, 9},    {"gfx1201", 32, 128, 200, 0, 7},
                        {"gfx942", 64, 256, 8, 17000, 3},   {"gfx942", 64, 256, 8, 33000, 1},
                        {"gfx1030", 32, 256, 8, 17000, 14}, {"gfx1030", 32, 256, 8, 33000, 6},
                        {"gfx1100", 32, 256, 8, 65536, 4},  {"gfx1100", 32, 256, 8, 8192, 16}};
  for (const Case& c : cases) {
    CodeKernel kernel;
    kernel.wave_size = c.wave_size;
    kernel.max_block = c.block;
    kernel.vgprs = c.vgprs;
    kernel.lds_bytes = c.lds;
    EXPECT_EQ(occupancy_of(machine(c.target), kernel).waves, c.waves)
        << c.target << " " << c.vgprs << " " << c.lds;
  }
}

TEST(Occupancy, CountsWholeBlocks) {
  CodeKernel kernel;
  kernel.wave_size = 32;
  kernel.max_block = 256;
  kernel.vgprs = 168;  // 9 waves a SIMD, 36 of four SIMDs: four blocks of eight waves
  EXPECT_EQ(occupancy_of(machine("gfx1100"), kernel).waves, 8u);
  kernel.vgprs = kernel.lds_bytes = kernel.max_block = 0xffffffff;
  EXPECT_EQ(occupancy_of(machine("gfx1100"), kernel).waves, 0u);
}

class InspectLoops : public testing::Test {
 protected:
  std::string printed(bool json) {
    const test::TemporaryFile file("loops.hsaco",
                                   test::assembled("gfx942", {.body = product, .name = "product"}));
    InspectOptions options;
    options.file = file.path();
    options.loops = true;
    options.json = json;
    options.machines = machines_file;
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_inspect(options, RealDisk(), out), exit_ok); });
  }
};

TEST_F(InspectLoops, PrintsATable) {
  const std::string text = printed(false);
  EXPECT_NE(text.find("product  gfx942  3/24  2/32    2/12  2/16    2/8     4/8      2048"),
            std::string::npos)
      << text;
}

TEST_F(InspectLoops, PrintsJson) {
  const auto json = nlohmann::json::parse(printed(true));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["kernel"], "product");
  EXPECT_EQ(json[0]["target"], "gfx942");
  EXPECT_EQ(json[0]["pipes"]["matrix"]["cycles"], 32);
  EXPECT_EQ(json[0]["loaded_bytes"], 2048);
  EXPECT_EQ(json[0]["bound_by"], "global");
}

TEST_F(InspectLoops, SaysWhichGpusThereAreFiguresOf) {
  const test::TemporaryFile file("loops.hsaco",
                                 test::assembled("gfx1036", {.body = "s_nop 0", .wave_size = 32}));
  InspectOptions options;
  options.file = file.path();
  options.loops = true;
  options.machines = machines_file;
  try {
    run_inspect(options, RealDisk(), stdout);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what())
                  .find("holds no code for a GPU that machines.json has figures of: gfx906, gfx90a, "
                        "gfx942, gfx1030, gfx1100, gfx1201"),
              std::string::npos)
        << error.what();
  }
}

/// What reading the shipped table says with one text in the place of another.
std::string complaint(std::string_view text, std::string_view instead) {
  MemoryDisk disk;
  std::string table = RealDisk().read(machines_file);
  table.replace(table.find(text), text.size(), instead);
  disk.add("machines.json", table);
  try {
    read_machines(disk, "machines.json");
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

TEST(Machines, NeedASourceForEachFigure) {
  EXPECT_EQ(complaint("gfx906", "gfx906"), "");
  EXPECT_NE(complaint("[60, \"mi200\"]", "60").find("/machines/0/compute_units"), std::string::npos);
  EXPECT_NE(complaint("[60, \"mi200\"]", "[60]").find("must be a figure and its source"), std::string::npos);
  EXPECT_NE(complaint("[60, \"mi200\"]", "[60, \"mi20\"]")
                .find("'mi20' is none of the file's sources (did you mean 'mi200'?)"),
            std::string::npos);
  EXPECT_NE(complaint("[4, \"gcn\"]", "[0, \"gcn\"]").find("/machines/0/simds"), std::string::npos);
  EXPECT_NE(complaint("\"alone\": [\"v_mfma_f64_16x16x4f64\"", "\"alone\": [\"v_mfma\"")
                .find("'v_mfma' has no cycles"),
            std::string::npos);
  EXPECT_NE(complaint("\"target\": \"gfx90a\"", "\"target\": \"gfx906\"").find("'gfx906' is listed twice"),
            std::string::npos);
}

}  // namespace
}  // namespace kernelgen::tool
