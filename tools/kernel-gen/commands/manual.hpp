#pragma once
#include <string>

#include "base/disk.hpp"
#include "commands/command_table.hpp"

namespace kernelgen::tool {

/// The page of the program itself, kernel-gen(1), in the man language.
std::string manual_page(const CommandTable& table);

/// The page of a command: kernel-gen-build(1).
std::string manual_page(const CommandTable& table, const CommandEntry& command);

/// Writes all pages into a folder, which is made: kernel-gen.1, kernel-gen-build.1 … Throws DiskError.
void write_manual(const CommandTable& table, const std::filesystem::path& folder, Disk& disk);

}  // namespace kernelgen::tool
