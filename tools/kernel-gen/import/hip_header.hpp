#pragma once
#include <string>
#include <vector>

#include "import/signature.hpp"

namespace kernelgen::tool {

/// The largest block of kernels without __launch_bounds__.
inline constexpr std::uint32_t imported_block = 256;

/// hip/hip_runtime.h in the vocabulary of kernels/device/: what a file of HIP may use of it on every target. It defines
/// __global__ only with KERNELGEN_IMPORT, for the reading of kernels; import_header() makes functions of them.
std::string hip_runtime_header();

/// The header that a manifest of imported kernels names: the file, and for each kernel a function that runs it.
std::string import_header(const std::string& file, const std::vector<ImportedKernel>& kernels);

/// The manifest itself.
std::string import_manifest(const std::string& module, const std::string& file,
                            const std::vector<ImportedKernel>& kernels);

}  // namespace kernelgen::tool
