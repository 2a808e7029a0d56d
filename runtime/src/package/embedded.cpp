#include "common/environment.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/package.hpp"

// Defined by kernelgen_package.S if the program links kernelgen::kernels, else null.
extern "C" {
extern const std::byte kernelgen_package_begin[] __attribute__((weak));
extern const std::byte kernelgen_package_end[] __attribute__((weak));
}

namespace kernelgen {
namespace {

Package load() {
  if (const char* file = environment_variable("KERNELGEN_PACKAGE"); file != nullptr && *file != '\0')
    return Package::open(file);
  if (kernelgen_package_begin == nullptr || kernelgen_package_end == nullptr)
    throw Error(Code::not_found,
                "no kernel package: this program does not link kernelgen::kernels, and KERNELGEN_PACKAGE "
                "names no file; "
                "make one with `kernel-gen build --out DIR` and set KERNELGEN_PACKAGE=DIR/kernelgen.kgpkg");
  return Package::from_memory({kernelgen_package_begin, kernelgen_package_end}, "the embedded package");
}

}  // namespace

Package Package::embedded() {
  // One package per process, so that devices opened with it are shared. Never destroyed: static objects may
  // use it during process exit.
  static const Package& package = *new Package(load());
  return package;
}

}  // namespace kernelgen
