#include "binary/coverage.hpp"

#include <algorithm>
#include <utility>

namespace kernelgen::tool {
namespace {

/// "xnack+" of "gfx90a:sramecc-:xnack+" for the feature "xnack"; empty where it says nothing.
std::string_view setting(std::string_view target, std::string_view feature) {
  for (std::size_t at = target.find(':'); at != target.npos; at = target.find(':', at + 1)) {
    const std::string_view one = target.substr(at + 1, target.find(':', at + 1) - at - 1);
    if (one.starts_with(feature)) return one;
  }
  return {};
}

bool contradict(std::string_view one, std::string_view other) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"sramecc", "xnack"},
                             [&](std::string_view feature) {
                               const std::string_view a = setting(one, feature), b = setting(other, feature);
                               return !a.empty() && !b.empty() && a != b;
                             });
}

}  // namespace

std::string_view processor_of(std::string_view target) { return target.substr(0, target.find(':')); }

Match match(std::string_view target, std::string_view gpu, const TargetTable& table) {
  if (contradict(target, gpu)) return Match::none;
  if (processor_of(target) == processor_of(gpu)) return Match::exact;
  const Target* known = table.find(processor_of(gpu));
  return known != nullptr && known->generic && *known->generic == processor_of(target) ? Match::generic
                                                                                       : Match::none;
}

Coverage coverage_of(const Binary& binary, std::string_view gpu, const TargetTable& table) {
  std::map<std::pair<std::size_t, std::string>, std::vector<const Binary::Code*>> modules;
  for (const Binary::Code& code : binary.codes())
    if (code.kind == CodeKind::hsaco) modules[{code.file, code.module}].push_back(&code);
  Coverage coverage;
  for (const auto& [name, codes] : modules) {
    Match best = Match::none;
    std::string by;
    for (const Binary::Code* code : codes)
      if (const Match found = match(code->target, gpu, table); found > best) {
        best = found;
        by = code->target;
      }
    if (best == Match::none && codes.size() == 1 && binary.files().size() > 1) continue;
    ++coverage.modules;
    if (best == Match::none) {
      coverage.lacking.push_back(name.second);
      continue;
    }
    (best == Match::exact ? coverage.exact : coverage.generic) += 1;
    ++coverage.by[by];
  }
  return coverage;
}

}  // namespace kernelgen::tool
