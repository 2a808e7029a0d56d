#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "import/declarations.hpp"

namespace kernelgen::tool {

/// The largest block of kernels without __launch_bounds__.
inline constexpr std::uint32_t imported_block = 1024;

struct ImportedParameter {
  std::string name;
  std::string type;  ///< as a manifest takes it: "const f32*", "Bytes<24,8>"
};

/// A kernel that becomes a manifest's symbol.
struct ImportedKernel {
  std::string symbol;  ///< its name in packages
  KernelDeclaration declaration;
  std::vector<ImportedParameter> parameters;
};

/// A file's kernels and what compiling them takes.
struct ImportedFile {
  std::string module;
  std::string main;                    ///< the file's path in the kernels folder
  std::vector<std::string> defines;    ///< NAME=VALUE
  std::vector<std::string> stand_ins;  ///< types that only host code names
  bool is_cuda = false;                ///< it includes CUDA's headers, not HIP's
  std::vector<DynamicShared> shared;
  std::vector<ImportedKernel> kernels;
};

/// "k_float_128" for "a::k<float, 128>"; the name itself where it is no instance of a template.
std::string symbol_of(const KernelDeclaration& kernel);

/// The lines that make the file's text from the device API and the file itself.
std::string file_lines(const ImportedFile& file);

/// The header that the manifest names: the file, and for each kernel a function that runs it.
std::string import_header(const ImportedFile& file);

/// The manifest itself.
std::string import_manifest(const ImportedFile& file);

}  // namespace kernelgen::tool
