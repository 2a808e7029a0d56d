#pragma once
#include <cstdio>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"

namespace kernelgen::tool {

struct CacheOptions {
  std::string action = "size";  ///< "size", "prune" or "clear"
  std::string size;             ///< prune: the size to keep, "500M"; empty: KERNELGEN_CACHE_SIZE
  std::string age;  ///< prune: objects not used for this long are removed, "30d"; empty: whatever its age
  bool json = false;
};

/// Says what the cache of objects holds, or removes of it. Throws BadInput, DiskError.
int run_cache(const CacheOptions& options, Disk& disk, const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
