#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "manifest/manifest.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// A constant of a body with the values that `kernel-gen tune` tries.
struct TunableConstant {
  std::string name;
  std::vector<std::int64_t> values;
};

/// The constants of an operation's body that list values under "try". The manifest is one that was read.
std::vector<TunableConstant> tunable_constants(const Manifest& manifest, const OperationEntry& operation);

/// What a constant's table calls a target: "cpu", "gfx90a", "sm_90" also for compute_90.
std::string constant_key(std::string_view target);

/// Adds a fault for each name in tables of constants that is none of a target's, with all that are.
void check_constant_names(std::span<const Manifest> manifests, const TargetTable& table, Faults& faults);

/// The text of a manifest with another value of a constant for a target, in the table of `pointer`
/// ("/operations/0/body/constants/TILE"). All other bytes are as they were. The text is a manifest that was read. Throws
/// BadInput if keys on the way are spelled with escapes.
std::string with_constant(std::string_view text, std::string_view pointer, std::string_view key,
                          std::int64_t value);

}  // namespace kernelgen::tool
