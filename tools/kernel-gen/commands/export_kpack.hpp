#pragma once
#include <vector>

#include "commands/code_files.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// The archive of a target, below the folder that is exported to: "kernelgen-gfx90a.kpack".
std::string kpack_name(std::string_view target);

/// Code objects for AMD GPUs as rocm-kpack has them (ROCm/rocm-systems, shared/kpack/docs/multi_arch_packaging_with_kpack.md,
/// format version 1), an archive a target. A module's is found as "MODULE#0" and by the GPU's name.
std::vector<FileText> kpack_files(const Package& package, const std::vector<CodeFile>& files);

}  // namespace kernelgen::tool
