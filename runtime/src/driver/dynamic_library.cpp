#include "driver/dynamic_library.hpp"

#include <dlfcn.h>
#include "common/environment.hpp"
#include "common/format.hpp"

#include <vector>

#include "kernelgen/error.hpp"

namespace kernelgen {

DynamicLibrary::DynamicLibrary(const char* what, const char* override_variable,
                               std::span<const char* const> names) {
  std::vector<const char*> candidates(names.begin(), names.end());
  const char* override_path = environment_variable(override_variable);
  const bool overridden = override_path != nullptr && *override_path != '\0';
  if (overridden) candidates = {override_path};
  std::string reasons;
  for (const char* name : candidates) {
    handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      path_ = name;
      return;
    }
    reasons += formatted("\n  {}: {}", name, ::dlerror());
  }
  throw Error(Code::unsupported,
              formatted("no {} could be opened; {}; tried:{}", what,
                        overridden ? formatted("{} names the one to use", override_variable)
                                   : formatted("install it, or set {} to its path", override_variable),
                        reasons));
}

void* DynamicLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

std::string DynamicLibrary::file_of(const char* name) const {
  void* const address = symbol(name);
  Dl_info info{};
  return address != nullptr && ::dladdr(address, &info) != 0 ? info.dli_fname : "";
}

}  // namespace kernelgen
