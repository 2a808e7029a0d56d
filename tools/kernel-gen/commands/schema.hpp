#pragma once
#include <cstdio>
#include <string>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

/// Prints the names that run_schema() takes, with what each describes.
void list_schemas(std::FILE* out);

/// Prints the JSON Schema of that name: "module" (manifests), "targets" or "registry". Throws DiskError.
int run_schema(const std::string& name, const Paths& paths, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
