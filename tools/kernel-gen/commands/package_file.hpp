#pragma once
#include <filesystem>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "code_object/code_object.hpp"
#include "commands/paths.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// The package in `path`: the file itself, or a folder that a build wrote. Throws BadInput when nothing is
/// there, and Error(bad_package).
Package open_package(const Disk& disk, const std::filesystem::path& path);

/// The same where a path is given; without one the package that KERNELGEN_PACKAGE names, else that of
/// `kernel-gen build` in the current folder, else the installed one, else the one linked in. Throws BadInput
/// if there is none.
Package choose_package(const std::filesystem::path& path, const Paths& paths, const Disk& disk,
                       const Environment& environment);

/// The index of a target. Throws BadInput, with the nearest name, where the package holds none of that name.
std::uint32_t need_target(const Package& package, const std::string& name);

/// The metadata of a module's code for a target. Throws BadInput, naming both, if it cannot be read.
CodeObject read_code(const Package& package, std::uint32_t target, std::uint32_t module);

}  // namespace kernelgen::tool
