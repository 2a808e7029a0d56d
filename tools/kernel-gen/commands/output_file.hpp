#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

/// Throws BadInput where the file that an option names for output is one of the inputs, by whatever path or link.
void refuse_inputs(const Disk& disk, std::string_view option, const std::filesystem::path& output,
                   const std::vector<std::filesystem::path>& inputs);

/// Throws BadInput where the file is in a package's folder, which holds what builds write and nothing else.
void refuse_package_folder(const Disk& disk, std::string_view option, const std::filesystem::path& output,
                           const std::filesystem::path& folder);

/// Throws BadInput if the file exists, is not empty and, according to `is_former`, is no earlier output of this kind,
/// so that a mistyped name destroys no file. `kind` is what is written ("a list of inputs").
void refuse_other_files(const Disk& disk, std::string_view option, const std::filesystem::path& output,
                        std::string_view kind, bool (*is_former)(std::string_view text));

}  // namespace kernelgen::tool
