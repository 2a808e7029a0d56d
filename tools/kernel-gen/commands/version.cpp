#include "commands/version.hpp"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "kernelgen/package_format.h"
#include "manifest/node.hpp"

namespace kernelgen::tool {

int run_version(bool json, std::FILE* out) {
  if (json) {
    const Json figures = {{"kernel-gen", version},
                          {"package_format", KERNELGEN_PACKAGE_VERSION},
                          {"llvm", LLVM_VERSION_STRING}};
    fmt::print(out, "{}", json_text(figures));
  } else {
    fmt::print(out, "kernel-gen {}\npackage format {}\nLLVM {}\n", version, KERNELGEN_PACKAGE_VERSION,
               LLVM_VERSION_STRING);
  }
  return exit_ok;
}

}  // namespace kernelgen::tool
