#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "binary/binary.hpp"
#include "binary/shrink.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// The targets of `binary` that words mean: targets, processors, globs over both, groups of the table; a GPU without code of its own means its
/// generic target's. Adds a fault for a word that means none.
std::vector<std::string> kept_targets(const Binary& binary, const std::vector<std::string>& words,
                                      const TargetTable& table, Faults& faults, const std::string& file);

/// Options that keep these targets.
ShrinkOptions keep_only(std::vector<std::string> targets, bool compress);

/// Writes what became of the file `from`, with its permissions, in one step. Throws DiskError.
void write_like(const std::filesystem::path& from, const std::filesystem::path& to, std::string_view bytes,
                Disk& disk);

}  // namespace kernelgen::tool
