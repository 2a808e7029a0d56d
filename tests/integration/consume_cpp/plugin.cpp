#include <kernelgen/kernelgen.h>

/// Id of a kernel in the package that this library embeds; -1 on an error.
extern "C" int plugin_find(const char* name) {
  kernelgen_package* package = nullptr;
  uint32_t id = 0;
  if (kernelgen_package_embedded(&package) != KERNELGEN_OK) return -1;
  const kernelgen_status status = kernelgen_package_find_kernel(package, name, &id);
  kernelgen_package_release(package);
  return status == KERNELGEN_OK ? static_cast<int>(id) : -1;
}
