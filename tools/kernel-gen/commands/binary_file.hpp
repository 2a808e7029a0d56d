#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "binary/binary.hpp"

namespace kernelgen::tool {

/// Whether the path is no package but a file that may hold code for GPUs, or a folder with such files and without a package.
bool is_binary(const Disk& disk, const std::filesystem::path& path);

/// Reads such a file or folder; prints progress to stderr where that is a terminal and it takes more than a second. Throws BadInput where
/// there is nothing for GPUs, Error(io).
Binary open_binary(const std::filesystem::path& path);

/// What of the file could not be read.
std::vector<Fault> damages_of(const Binary& binary);

/// Prints that on stderr. exit_failure where there is anything, else exit_ok.
int report_damages(const Binary& binary);

/// A kernel's name as in the source, without its arguments' types: "mul_mat_vec_q<(ggml_type)2, 1>"; the name itself where it is not mangled.
std::string demangled(const std::string& name);

}  // namespace kernelgen::tool
