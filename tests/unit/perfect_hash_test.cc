#include "emit/perfect_hash.hpp"

#include <gtest/gtest.h>

#include "kernelgen/name_hash.h"

namespace kernelgen::tool {
namespace {

std::uint32_t look_up(const PerfectHash& tables, const std::string& name) {
  const std::uint64_t hash = kernelgen_name_hash(name.data(), name.size());
  const auto buckets = static_cast<std::uint32_t>(tables.displacements.size());
  const auto slots = static_cast<std::uint32_t>(tables.slots.size());
  const std::uint32_t displacement = tables.displacements[kernelgen_name_bucket(hash, buckets)];
  return tables.slots[kernelgen_name_slot(hash, displacement, slots)];
}

class PerfectHashTest : public testing::TestWithParam<std::size_t> {};

TEST_P(PerfectHashTest, FindsEveryName) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < GetParam(); ++i)
    names.push_back("kg_operation_" + std::to_string(i) + "_f32_strided");
  const PerfectHash tables = build_perfect_hash(names);
  ASSERT_EQ(tables.slots.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) ASSERT_EQ(look_up(tables, names[i]), i) << names[i];
}

INSTANTIATE_TEST_SUITE_P(Sizes, PerfectHashTest, testing::Values(1, 2, 3, 4, 5, 7, 16, 100, 1000, 5000));

TEST(PerfectHash, SameNamesGiveSameTables) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("k" + std::to_string(i * 7919));
  const PerfectHash a = build_perfect_hash(names), b = build_perfect_hash(names);
  EXPECT_EQ(a.displacements, b.displacements);
  EXPECT_EQ(a.slots, b.slots);
}

TEST(PerfectHash, NoNames) {
  const PerfectHash tables = build_perfect_hash({});
  EXPECT_TRUE(tables.slots.empty());
  EXPECT_TRUE(tables.displacements.empty());
}

}  // namespace
}  // namespace kernelgen::tool
