#include "device/target_select.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "common/format.hpp"
#include "driver/device_environment.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

struct GenericRow {
  std::string_view name;
  std::string_view generic;
};

// Generated from manifests/targets.json.
#define KERNELGEN_TARGET(name, kind, isa, wave_size, generic, code_object_version) {name, generic},
constexpr GenericRow generic_rows[] = {
#include "targets.inc"
};
#undef KERNELGEN_TARGET

constexpr std::array<std::string_view, 3> cpu_levels{"x86-64-v4", "x86-64-v3", "x86-64"};

std::string_view generic_of(std::string_view processor) {
  for (const GenericRow& row : generic_rows)
    if (row.name == processor) return row.generic;
  return {};
}

/// Appends `processor` with every subset of `features`, larger subsets first, features in their given order.
void append_with_features(std::vector<std::string>& names, std::string_view processor,
                          const std::vector<std::string_view>& features) {
  for (std::size_t wanted = features.size() + 1; wanted-- > 0;) {
    // Counting down puts subsets with the first features in front.
    for (std::uint32_t subset = 1u << features.size(); subset-- > 0;) {
      if (static_cast<std::size_t>(__builtin_popcount(subset)) != wanted) continue;
      std::string name(processor);
      for (std::size_t i = 0; i < features.size(); ++i)
        if ((subset >> (features.size() - 1 - i)) & 1) name += formatted(":{}", features[i]);
      names.push_back(std::move(name));
    }
  }
}

std::vector<std::string> hip_candidates(std::string_view architecture) {
  // gfx9 has two features (sramecc, xnack) and no GPU has more; the bound keeps a strange driver's text
  // harmless.
  constexpr std::size_t most_features = 4;
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= architecture.size();) {
    const std::size_t end = std::min(architecture.find(':', start), architecture.size());
    parts.push_back(architecture.substr(start, end - start));
    start = end + 1;
  }
  const std::string_view processor = parts.front();
  if (!processor.starts_with("gfx") || parts.size() > 1 + most_features) return {};
  const std::vector<std::string_view> features(parts.begin() + 1, parts.end());
  std::vector<std::string> names;
  append_with_features(names, processor, features);
  if (const std::string_view generic = generic_of(processor); !generic.empty())
    append_with_features(names, generic, features);
  return names;
}

std::vector<std::string> cpu_candidates(std::string_view architecture) {
  std::vector<std::string> names;
  for (const std::string_view level : cpu_levels)
    if (!names.empty() || level == architecture) names.push_back(formatted("cpu-{}", level));
  return names;
}

/// 90 for "sm_90", 120 for "sm_120".
std::optional<int> sm_version(std::string_view architecture) {
  constexpr std::string_view prefix = "sm_";
  if (!architecture.starts_with(prefix)) return std::nullopt;
  int version = 0;
  const char* end = architecture.data() + architecture.size();
  const auto parsed = std::from_chars(architecture.data() + prefix.size(), end, version);
  if (parsed.ec != std::errc() || parsed.ptr != end || version < 10 || version > 999) return std::nullopt;
  return version;
}

std::vector<std::string> cuda_candidates(std::string_view architecture) {
  const std::optional<int> device = sm_version(architecture);
  if (!device) return {};
  std::vector<std::string> names;
  // Code for exactly this chip may use its own instructions, which the suffix says.
  names.push_back(formatted("sm_{}a", *device));
  for (int version = *device; version >= *device / 10 * 10; --version)
    names.push_back(formatted("sm_{}", version));
  constexpr int oldest_ptx = 50;
  for (int version = *device; version >= oldest_ptx; --version)
    names.push_back(formatted("compute_{}", version));
  return names;
}

std::string describe_order(DeviceKind kind, std::string_view architecture,
                           const std::vector<std::string>& names) {
  if (names.empty()) return formatted("nothing, as \"{}\" is not an architecture known here", architecture);
  if (kind != DeviceKind::cuda) return formatted("{}", joined(names, ", "));
  return formatted("{}, lower sm of the same major version, PTX of the same or a lower version",
                   architecture);
}

std::string describe_targets(const Package& package) {
  std::vector<std::string_view> names;
  for (const auto& target : package.targets()) names.push_back(package.text(target.name));
  return names.empty() ? "no target at all" : formatted("{}", joined(names, ", "));
}

/// What `kernel-gen build --target` wants for such a device: no features, so that the code runs with any.
std::string build_name(DeviceKind kind, std::string_view architecture) {
  if (kind == DeviceKind::cpu) return formatted("cpu-{}", architecture);
  return std::string(architecture.substr(0, architecture.find(':')));
}

/// Where the package has code for the GPU, but for other settings of its features: which, and what sets them. Empty where
/// it has none.
std::string describe_features(const Package& package, DeviceKind kind, std::string_view architecture) {
  if (kind != DeviceKind::hip) return {};
  const std::string_view processor = architecture.substr(0, architecture.find(':'));
  std::string names;
  for (const auto& target : package.targets()) {
    const std::string_view name = package.text(target.name);
    if (name.substr(0, name.find(':')) != processor || name.size() == processor.size()) continue;
    names += formatted("{}{}", names.empty() ? "" : ", ", name);
  }
  if (names.empty()) return {};
  return formatted(
      "; {} is for other settings of its features (HSA_XNACK=1 or 0 sets xnack where the GPU has both, "
      "sramecc is the board's)",
      names);
}

}  // namespace

std::vector<std::string> target_candidates(DeviceKind kind, std::string_view architecture) {
  switch (kind) {
    case DeviceKind::cpu:
      return cpu_candidates(architecture);
    case DeviceKind::hip:
      return hip_candidates(architecture);
    case DeviceKind::cuda:
      return cuda_candidates(architecture);
  }
  return {};
}

std::string build_target(DeviceKind kind, std::string_view architecture, std::string_view device) {
  for (const std::string& name : target_candidates(kind, architecture))
    if (std::ranges::find(generic_rows, std::string_view(name), &GenericRow::name) != std::end(generic_rows))
      return name;
  throw Error(Code::unsupported,
              formatted("{}: kernel-gen compiles for no target that runs on its architecture, {}", device,
                        architecture));
}

std::uint32_t select_target(const Package& package, DeviceKind kind, std::string_view architecture,
                            std::string_view device) {
  const std::vector<std::string> candidates = target_candidates(kind, architecture);
  for (const std::string& name : candidates) {
    const auto index = package.find_target(name);
    if (index && package.targets()[*index].kind == static_cast<std::uint32_t>(kind)) return *index;
  }
  const std::string note = overridden_architecture_note(kind);
  throw Error(
      Code::unsupported,
      formatted(
          "no kernels for {}: its architecture is {}; tried {}; the package holds {}{}; build them with "
          "`kernel-gen build --target {}`{}{}",
          device, architecture, describe_order(kind, architecture, candidates), describe_targets(package),
          describe_features(package, kind, architecture), build_name(kind, architecture),
          note.empty() ? "" : "; ", note));
}

}  // namespace kernelgen
