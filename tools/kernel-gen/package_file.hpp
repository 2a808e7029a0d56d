#pragma once
#include <filesystem>
#include <string>

#include "disk.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// The package in `path`: the file itself, or a folder that a build wrote. Throws BadInput when nothing is
/// there, and Error(bad_package).
Package open_package(const Disk& disk, const std::filesystem::path& path);

/// An operand's type as manifests spell it: an element type, or its type variable by number ("T0").
std::string type_name(std::uint32_t code);

}  // namespace kernelgen::tool
