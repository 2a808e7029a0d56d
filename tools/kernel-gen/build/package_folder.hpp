#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "build/package_writer.hpp"

namespace kernelgen::tool {

inline constexpr std::string_view package_file = "kernelgen.kgpkg";

/// The names of all that write_package_folder() writes.
std::span<const std::string_view> package_folder_files();

/// Writes a package as builds leave it into a folder that is there: the package itself, its registry as C and as JSON, and
/// the assembly that embeds it. Throws DiskError.
void write_package_folder(const KernelSet& set, const std::vector<BuiltTarget>& targets,
                          const std::string& package, const std::filesystem::path& folder, Disk& disk);

/// "OUT: 12 kernels in 3 modules, 2 targets, 1.2 MiB"
std::string package_line(const std::filesystem::path& out, const KernelSet& set, std::size_t targets,
                         std::size_t bytes);

}  // namespace kernelgen::tool
