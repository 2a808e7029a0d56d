#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

using Kind = Fault::Kind;

constexpr std::uint32_t count = 256, block = 128;

/// Runs a kernel of wrong.hip or right.hip, whose arguments are all the same.
class Checked {
 public:
  Checked(const std::string& target, const std::string& source, CheckOptions checks = {})
      : device_(target, {.most_instructions = 200'000, .checks = checks}, "checks_" + source) {}

  void run(const std::string& kernel) {
    std::vector<unsigned> values(count);
    for (unsigned i = 0; i < count; ++i) values[i] = i * 7 % 64;
    unsigned* const out = device_.allocate<unsigned>(count);
    const unsigned* const in = device_.upload(values);
    unsigned* const zeros = device_.upload(std::vector<unsigned>(count));
    if (kernel == "use_after_free") device_.simulator().memory().free(const_cast<unsigned*>(in));
    device_.launch(kernel, {count / block, 1, 1}, {block, 1, 1}, out, in, zeros, count);
  }

 private:
  Device device_;
};

const std::map<std::string, Kind> wrong = {
    {"write_after_end", Kind::memory},
    {"write_before_begin", Kind::memory},
    {"read_after_end", Kind::memory},
    {"read_far_after_end", Kind::memory},
    {"loop_one_too_far", Kind::memory},
    {"wide_load_after_end", Kind::memory},
    {"atomic_after_end", Kind::memory},
    {"null_pointer", Kind::memory},
    {"lds_after_end", Kind::memory},
    {"private_after_end", Kind::memory},
    {"use_after_free", Kind::memory},
    {"uninitialized_register", Kind::uninitialized},
    {"uninitialized_scalar", Kind::uninitialized},
    {"uninitialized_private", Kind::uninitialized},
    {"uninitialized_lds", Kind::uninitialized},
    {"uninitialized_global", Kind::uninitialized},
    {"uninitialized_byte", Kind::uninitialized},
    {"uninitialized_half", Kind::uninitialized},
    {"uninitialized_float_sum", Kind::uninitialized},
    {"uninitialized_branch", Kind::uninitialized},
    {"uninitialized_loop", Kind::uninitialized},
    {"uninitialized_address", Kind::uninitialized},
    {"uninitialized_atomic_operand", Kind::uninitialized},
    {"uninitialized_tail", Kind::uninitialized},
    {"argument_not_given", Kind::uninitialized},
    {"missing_barrier", Kind::race},
    {"missing_barrier_before_overwriting", Kind::race},
    {"missing_barrier_in_reduction", Kind::race},
    {"two_waves_store_to_lds", Kind::race},
    {"counter_is_cleared_too_late", Kind::race},
    {"histogram_without_atomics", Kind::race},
    {"counter_is_read_too_early", Kind::race},
    {"lanes_store_to_one_address", Kind::race},
    {"barrier_without_a_wait", Kind::race},
    {"missing_barrier_with_generic_pointers", Kind::race},
    {"blocks_store_to_one_address", Kind::race},
    {"stencil_in_place", Kind::race},
    {"counter_without_atomics", Kind::race},
    {"waves_without_a_barrier", Kind::race},
    {"lanes_scatter_to_one_address", Kind::race},
    {"missing_fence", Kind::race},
    {"sum_is_read_too_early", Kind::race},
    {"plain_load_beside_swaps", Kind::race},
    {"swap_of_another_value", Kind::race},
    {"swap_of_another_word", Kind::race},
    {"plain_load_beside_swaps_in_lds", Kind::race},
    {"barrier_in_a_branch", Kind::divergent_barrier},
    {"barrier_after_lanes_returned", Kind::divergent_barrier},
    {"barrier_that_a_wave_does_not_reach", Kind::divergent_barrier},
    {"barrier_in_a_loop_of_lanes", Kind::divergent_barrier},
    {"matrix_in_a_branch", Kind::partial_exec},
    {"atomic_at_an_odd_address", Kind::misaligned},
    {"scalar_load_at_an_odd_address", Kind::misaligned},
    {"load_without_a_wait", Kind::missing_wait},
    {"wait_for_too_few_loads", Kind::missing_wait},
    {"wait_for_the_other_counter", Kind::missing_wait},
    {"scalar_load_without_a_wait", Kind::missing_wait},
    {"scalar_loads_complete_in_any_order", Kind::missing_wait},
    {"lds_load_without_a_wait", Kind::missing_wait},
    {"register_is_overwritten_by_a_late_load", Kind::missing_wait},
    {"endless_loop", Kind::endless},
    {"flag_that_nobody_sets", Kind::endless},
};

class Checks : public testing::TestWithParam<const char*> {};

void expect_fault(const std::string& target, const std::string& kernel, Kind kind, std::uint64_t seed) {
  SCOPED_TRACE(kernel + ", seed " + std::to_string(seed));
  try {
    Checked(target, "wrong", {.seed = seed}).run(kernel);
    ADD_FAILURE() << "nothing is found";
  } catch (const Fault& fault) {
    EXPECT_EQ(name_of(fault.kind()), name_of(kind)) << fault.what();
    ASSERT_TRUE(fault.site());
    EXPECT_EQ(fault.site()->kernel, kernel);
    EXPECT_NE(fault.site()->source.find("wrong.hip:"), std::string::npos) << fault.what();
  }
}

TEST_P(Checks, FindEachFault) {
  for (const auto& [kernel, kind] : wrong)
    for (const std::uint64_t seed : {1, 2, 3}) expect_fault(GetParam(), kernel, kind, seed);
}

TEST_P(Checks, HaveAnExpectationForEachWrongKernel) {
  for (const std::string& kernel : Device(GetParam(), {}, "checks_wrong").kernels())
    EXPECT_TRUE(wrong.contains(kernel) || kernel == "load_at_an_odd_address") << kernel;
}

TEST_P(Checks, FindMisalignedLoadsWhereWanted) {
  Checked(GetParam(), "wrong").run("load_at_an_odd_address");
  try {
    Checked(GetParam(), "wrong", {.natural_alignment = true}).run("load_at_an_odd_address");
    ADD_FAILURE() << "nothing is found";
  } catch (const Fault& fault) {
    EXPECT_EQ(name_of(fault.kind()), name_of(Kind::misaligned)) << fault.what();
  }
}

TEST_P(Checks, BlameNoRightKernel) {
  Device device(GetParam(), {}, "checks_right");
  ASSERT_GE(device.kernels().size(), 40u);
  for (const std::string& kernel : device.kernels())
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(kernel + ", seed " + std::to_string(seed));
      EXPECT_NO_THROW(Checked(GetParam(), "right", {.seed = seed}).run(kernel));
    }
}

TEST_P(Checks, FollowCopiesOfTheHost) {
  Device device(GetParam(), {.checks = CheckOptions{}}, "checks_right");
  Memory& memory = device.simulator().memory();
  const auto run = [&](const unsigned* in) {
    unsigned* const out = device.allocate<unsigned>(count);
    device.launch("copy_all", {count / block, 1, 1}, {block, 1, 1}, out, in, out, count);
  };
  unsigned* const from = device.allocate<unsigned>(count);
  unsigned* const to = device.upload(std::vector<unsigned>(count));
  EXPECT_NO_THROW(run(to));
  memory.copy_initialized(to, from, count * sizeof(unsigned));
  EXPECT_THROW(run(to), Fault);
  memory.mark_initialized(from, count * sizeof(unsigned));
  memory.copy_initialized(to, from, count * sizeof(unsigned));
  EXPECT_NO_THROW(run(to));
}

TEST_P(Checks, NameWhatIsWrong) {
  const auto report = [&](const char* kernel) -> std::string {
    try {
      Checked(GetParam(), "wrong").run(kernel);
    } catch (const Fault& fault) {
      return fault.what();
    }
    return "nothing is found";
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string race = report("stencil_in_place");
  EXPECT_TRUE(has(race, "bytes into allocation 4") && has(race, "of block (") && has(race, "wave ")) << race;
  const std::string value = report("uninitialized_global");
  EXPECT_TRUE(has(value, "the stored value in v") && has(value, "into allocation 2") && has(value, "lane 0"))
      << value;
  const std::string wait = report("load_without_a_wait");
  EXPECT_TRUE(has(wait, "before the load of") && has(wait, "load")) << wait;
  const std::string lds = report("missing_barrier");
  EXPECT_TRUE(has(lds, "of LDS") && has(lds, "stored at")) << lds;
}

INSTANTIATE_TEST_SUITE_P(Targets, Checks, testing::Values("gfx90a", "gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen::amdgpu
