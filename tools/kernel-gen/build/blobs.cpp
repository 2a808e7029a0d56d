#include "build/blobs.hpp"

#include <algorithm>
#include <map>

namespace kernelgen::tool {
namespace {

/// Of an object in a blob: what code is aligned to where it is stored by itself in memory.
constexpr std::size_t object_alignment = 16;

/// For each module the number of its group. The same for all targets, so that groups have relatives.
std::vector<std::size_t> groups_of(const KernelSet& set, const std::vector<BuiltTarget>& targets,
                                   Grouping grouping) {
  const std::size_t limit = grouping == Grouping::target ? max_solid_bytes : max_group_bytes;
  std::vector<std::size_t> groups;
  std::size_t group = 0, group_bytes = 0;
  for (std::size_t m = 0; m < set.modules.size(); ++m) {
    std::size_t bytes = 0;
    for (const BuiltTarget& target : targets) bytes = std::max(bytes, target.objects[m].bytes.size());
    const bool are_related =
        grouping == Grouping::target ||
        (grouping == Grouping::manifest && m > 0 && set.modules[m].manifest == set.modules[m - 1].manifest);
    const bool joins = m > 0 && are_related && group_bytes + bytes <= limit;
    if (!joins) {
      group += m > 0;
      group_bytes = 0;
    }
    groups.push_back(group);
    group_bytes += bytes;
  }
  return groups;
}

}  // namespace

BlobPlan plan_blobs(const KernelSet& set, const std::vector<BuiltTarget>& targets, Grouping grouping) {
  const std::vector<std::size_t> groups = groups_of(set, targets, grouping);
  BlobPlan plan;
  std::map<Hash128, std::uint32_t> known;
  for (const BuiltTarget& target : targets)
    for (std::size_t first = 0, end; first < groups.size(); first = end) {
      Blob blob{{}, {}, groups[first]};
      const std::size_t first_record = plan.objects.size();
      for (end = first; end < groups.size() && groups[end] == groups[first]; ++end) {
        const std::string& object = target.objects[end].bytes;
        blob.bytes.resize((blob.bytes.size() + object_alignment - 1) / object_alignment * object_alignment);
        plan.objects.push_back({0, 0, blob.bytes.size(), object.size()});
        blob.bytes += object;
      }
      blob.name = hash128(blob.bytes);
      const auto [entry, is_new] =
          known.try_emplace(blob.name, static_cast<std::uint32_t>(plan.blobs.size()));
      for (std::size_t i = first_record; i < plan.objects.size(); ++i) plan.objects[i].blob = entry->second;
      if (is_new) plan.blobs.push_back(std::move(blob));
    }
  return plan;
}

}  // namespace kernelgen::tool
