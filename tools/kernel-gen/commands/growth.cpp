#include "commands/growth.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/fault.hpp"

namespace kernelgen::tool {

std::span<const Figure> figures() {
  using K = CodeKernel;
  static constexpr Figure list[] = {
      {"size", [](const K& k) { return k.code_bytes; }},
      {"vgprs", [](const K& k) { return std::uint64_t{k.vgprs}; }},
      {"agprs", [](const K& k) { return std::uint64_t{k.agprs}; }},
      {"sgprs", [](const K& k) { return std::uint64_t{k.sgprs}; }},
      {"spills", [](const K& k) { return std::uint64_t{k.vgpr_spills} + k.sgpr_spills; }},
      {"lds", [](const K& k) { return std::uint64_t{k.lds_bytes}; }},
      {"scratch", [](const K& k) { return std::uint64_t{k.scratch_bytes}; }},
  };
  return list;
}

bool Growth::allows(std::uint64_t before, std::uint64_t after) const {
  if (is_fall ? after >= before : after <= before) return true;
  const double growth = static_cast<double>(is_fall ? before - after : after - before);
  return growth <= (is_share ? most / 100 * static_cast<double>(before) : most);
}

Growth parse_growth(const std::string& text, std::span<const std::string> names) {
  Growth growth;
  growth.text = text;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end()) {
    Faults faults;
    faults.add_unknown("", "",
                       fmt::format("--fail-on {}: unknown figure '{}'; the figures are {}", text, name,
                                   fmt::join(names, ", ")),
                       name, names);
    faults.throw_if_any();
  }
  growth.figure = *known;
  growth.is_fall = name == occupancy_figure;
  if (colon == std::string::npos) return growth;
  std::string_view number = std::string_view(text).substr(colon + 1);
  growth.is_share = number.ends_with('%');
  if (growth.is_share) number.remove_suffix(1);
  const bool has_sign = number.starts_with(growth.is_fall ? '-' : '+');
  if (has_sign) number.remove_prefix(1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), growth.most);
  if (!has_sign || error != std::errc() || end != number.data() + number.size() ||
      !(growth.most >= 0 && growth.most < 1e15))
    throw BadInput(Fault{"",
                         "",
                         fmt::format("--fail-on {}: '{}' is not a limit; write it as in {}", text,
                                     text.substr(colon + 1), growth.is_fall ? "-25% or -1" : "+5% or +1024"),
                         {}});
  return growth;
}

}  // namespace kernelgen::tool
