#include "manifest/launch_bounds.hpp"

#include <fmt/format.h>

#include <vector>

#include "manifest/operand_check.hpp"

namespace kernelgen::tool {

std::uint32_t read_block(const Node& owner, std::uint32_t otherwise) {
  constexpr std::uint32_t max_block = 1024;
  const auto node = owner.find("block");
  return node ? node->number(1, max_block).value_or(otherwise) : otherwise;
}

std::string read_occupancy(const Node& owner, const std::string& otherwise) {
  static const std::vector<std::string> occupancies = {"two_blocks",       "two_blocks_two_waves",
                                                       "two_waves_gfx90a", "two_blocks_two_waves_gfx90a",
                                                       "three_halves",     "twice"};
  const auto node = owner.find("occupancy");
  const auto name = node ? node->text() : std::nullopt;
  if (!name) return otherwise;
  if (!holds(occupancies, *name))
    node->fault_unknown(fmt::format("unknown occupancy '{}'", *name), *name, occupancies);
  return *name;
}

Budget read_budget(const Node& owner, Budget otherwise) {
  static const std::vector<std::string> keys = {"vgprs", "lds", "spills", "scratch"};
  constexpr std::uint32_t most = 1u << 20;
  Budget budget = otherwise;
  const auto node = owner.find("budget");
  if (!node || !node->expect_object(keys)) return budget;
  if (const auto n = node->find("vgprs")) budget.vgprs = n->number(1, 512);
  if (const auto n = node->find("lds")) budget.lds = n->number(0, most);
  if (const auto n = node->find("spills")) budget.spills = n->number(0, most).value_or(0);
  if (const auto n = node->find("scratch")) budget.scratch = n->number(0, most).value_or(0);
  return budget;
}

}  // namespace kernelgen::tool
