#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "code_object/code_object.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// "hsaco", "so", "cubin", "ptx".
std::string_view extension_of(CodeKind kind);

/// A code object of a package.
struct CodeFile {
  std::uint32_t target;  ///< indices of the package
  std::uint32_t module;
  std::string path;  ///< "gfx90a/unary.hsaco", below the folder they are written to
  PackageCode bytes;
  CodeObject code;
};

/// All of a package, or only those of the target or module of that name, unless it is empty. Throws BadInput for names
/// that the package does not have, for names that cannot be file names, and for code that cannot be read.
std::vector<CodeFile> code_files(const Package& package, const std::string& target = {},
                                 const std::string& module = {});

/// A file to write: its path below a folder, and its bytes.
struct FileText {
  std::string path;
  std::string bytes;
};

std::vector<FileText> code_file_texts(const std::vector<CodeFile>& files);

/// Writes files of these paths into the folder that an option named; `bytes_of` gives each one's when it is written. The folder appears
/// whole or not at all. Throws BadInput where it holds anything else, DiskError.
void write_files(std::string_view option, const std::filesystem::path& folder,
                 const std::vector<std::string>& paths,
                 const std::function<std::string_view(std::size_t)>& bytes_of, Disk& disk);

/// Writes files into the folder that an option named; it appears whole or not at all. Throws BadInput where it holds anything else, DiskError.
void write_files(std::string_view option, const std::filesystem::path& folder,
                 const std::vector<FileText>& files, Disk& disk);

}  // namespace kernelgen::tool
