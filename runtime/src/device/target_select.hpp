#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/device_kind.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen {

/// Names of the targets whose code runs on a device of that architecture, best first:
/// - hip: the exact id with its features (most first), the bare processor, its generic target with features,
/// bare;
/// - cpu: x86-64-v4, v3 and baseline, from the host's own level down;
/// - cuda: the exact sm, lower ones of the same major version, then PTX of the same or a lower version.
/// Empty for a text that is no architecture of that kind.
std::vector<std::string> target_candidates(DeviceKind kind, std::string_view architecture);

/// The target that `kernel-gen build` compiles for such a device: the first candidate in the table of targets, without
/// features. Throws Error(unsupported) if there is none. `device` is for the message.
std::string build_target(DeviceKind kind, std::string_view architecture, std::string_view device);

/// Index of the package's target to use for a device. `device` ("hip:0") is for the message.
/// Throws Error(unsupported) naming the architecture, the order tried, what the package holds and the command
/// that would build what is missing.
std::uint32_t select_target(const Package& package, DeviceKind kind, std::string_view architecture,
                            std::string_view device);

}  // namespace kernelgen
