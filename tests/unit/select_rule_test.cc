// The launch rule of select_k: enough blocks for few long rows, one a row otherwise, and the numbers of its kernels.
#include <algorithm>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "manifest/manifest.hpp"
#include "plan/sort.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

struct Problem {
  std::int64_t n, rows;
  unsigned element_bytes;
};

/// The rule of manifests/core/select.json for a call.
class SelectRule {
 public:
  SelectRule(const Problem& problem, std::int64_t k, const DeviceTraits& device)
      : shape_{problem.rows, problem.n} {
    values_.shapes = {shape_};
    values_.element_bytes = {problem.element_bytes};
    values_.numbers = {device.on_cpu() ? device.threads : device.compute_units, device.wave_size,
                       device.on_cpu() ? 1 : 0, k};
    for (const LaunchRule::Number& number : rule().numbers()) {
      const std::int64_t value = number.expression.parsed.value(values_);
      number.check(value);
      if (number.name.empty())
        is_taken_ = is_taken_ && value != 0;
      else
        values_.numbers.push_back(value);
    }
  }

  std::int64_t operator[](std::string_view name) const {
    const auto& names = rule().names().numbers;
    return values_.numbers[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
  }
  std::vector<std::int64_t> extents(std::string_view tensor) const {
    return std::ranges::find(rule().tensors(), tensor, &LaunchRule::Tensor::name)
        ->extents.parsed.extents(values_);
  }
  bool is_taken() const { return is_taken_; }

  static const LaunchRule& rule() {
    static const LaunchRule read = [] {
      tool::Faults faults;
      const tool::Manifest manifest =
          tool::read_manifest(tool::RealDisk(), KERNELGEN_SOURCE_DIR "/manifests/core/select.json",
                              KERNELGEN_SOURCE_DIR "/kernels", faults);
      faults.throw_if_any();
      return *manifest.operations.at(0).rule;
    }();
    return read;
  }

 private:
  std::int64_t shape_[2];
  DimValues values_;
  bool is_taken_ = true;
};

TEST(SelectRule, FewLongRowsAreSharedByEnoughBlocks) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const SelectRule rule({1 << 25, 1, 4}, 7, device);
    EXPECT_EQ(rule["is_split"], 1);
    EXPECT_GE(rule["grid"], 16 * device.compute_units - 1);
  }
  // 100 rows occupy an APU.
  EXPECT_EQ(SelectRule({1 << 20, 100, 4}, 7, apu)["is_split"], 0);
  EXPECT_EQ(SelectRule({1 << 20, 100, 4}, 7, hopper)["is_split"], 1);
  EXPECT_EQ(SelectRule({1 << 15, 1, 4}, 7, hopper)["is_split"], 1);
  EXPECT_EQ(SelectRule({1 << 13, 1, 4}, 7, hopper)["is_split"], 0);
  // The more rows, the longer ones take several blocks.
  EXPECT_EQ(SelectRule({1 << 15, 200, 4}, 7, hopper)["is_split"], 0);
  EXPECT_EQ(SelectRule({1 << 20, 1, 4}, 100'000, cpu(4))["is_split"], 1);
  EXPECT_EQ(SelectRule({1 << 20, 1, 4}, 100'000, cpu(1))["is_split"], 0);
}

TEST(SelectRule, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const Problem problem{size((1ll << 32) - 1), size(1 << 24), 1u << size(8) / 3};
    for (const DeviceTraits& device : devices) {
      SCOPED_TRACE(name_of(device));
      const SelectRule rule(problem, size(problem.n), device);
      ASSERT_TRUE(rule.is_taken());
      ASSERT_TRUE(rule["grid"] >= 1 && rule["grid"] <= 0x7fffffff) << problem.n;
      ASSERT_GE(rule["part"] * rule["parts"], problem.n);
      ASSERT_EQ(rule["passes"], kg::select_passes(problem.element_bytes));
      if (rule["is_split"] == 0) continue;
      using Extents = std::vector<std::int64_t>;
      ASSERT_EQ(rule.extents("counts"), (Extents{rule["passes"], problem.rows, kg::select_digits}));
      ASSERT_EQ(rule.extents("states"), (Extents{rule["passes"] + 1, problem.rows, kg::select_state_words}));
      ASSERT_EQ(rule.extents("chosen"), (Extents{2, problem.rows, rule["parts"]}));
    }
  }
}

TEST(SelectRule, TakesZeroToNElementsInTheOrderOfTopK) {
  const auto is_taken = [](std::int64_t k) { return SelectRule({1000, 3, 4}, k, hopper).is_taken(); };
  EXPECT_TRUE(is_taken(0) && is_taken(1000));
  EXPECT_FALSE(is_taken(-1) || is_taken(1001));
  EXPECT_EQ(SelectRule({1000, 3, 4}, 1, hopper)["order"],
            static_cast<std::int64_t>(kg::Order::greatest_first));
  EXPECT_THROW(SelectRule({1ll << 32, 3, 4}, 1, hopper), DimFault);
}

}  // namespace
}  // namespace kernelgen::test
