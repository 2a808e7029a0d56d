#include "commands/cache.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/cache_size.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

/// What `text` says; throws BadInput where it says nothing of the kind.
template <class Number>
Number need(const char* option, const std::string& text, std::optional<Number> value, const char* like) {
  if (value) return *value;
  throw BadInput(Fault{"", "", fmt::format("cache: {} {}: expected {}", option, text, like), {}});
}

CacheLimit limit_of(const CacheOptions& options, const Environment& environment) {
  if (options.action == "clear") return {0, std::nullopt};
  CacheLimit limit;
  if (!options.age.empty())
    limit.nanoseconds = need("--age", options.age, read_age(options.age), "12h or 30d");
  if (!options.size.empty())
    limit.bytes = need("--size", options.size, read_size(options.size), "500M or 5G");
  if (options.age.empty() && options.size.empty()) limit.bytes = cache_size_limit(environment);
  return limit;
}

}  // namespace

int run_cache(const CacheOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  const std::filesystem::path folder = cache_directory(environment);
  if (folder.empty())
    throw BadInput(Fault{"", "", "cache: no folder: neither KERNELGEN_CACHE nor HOME is set", {}});
  CacheUse removed;
  if (options.action != "size") removed = prune_cache(disk, folder, limit_of(options, environment));
  const CacheUse use = measure_cache(disk, folder);
  const std::uint64_t limit = cache_size_limit(environment);
  if (options.json) {
    const Json json = {{"folder", folder.string()},
                       {"files", use.files},
                       {"bytes", use.bytes},
                       {"limit_bytes", limit},
                       {"removed_files", removed.files},
                       {"removed_bytes", removed.bytes}};
    fmt::print(out, "{}", json_text(json));
    return exit_ok;
  }
  if (options.action != "size")
    fmt::print(out, "removed {}, {}\n", spell_count(removed.files, "file"), spell_bytes(removed.bytes));
  fmt::print(out, "{}: {}, {} of {}\n", printable(folder.string()), spell_count(use.files, "file"),
             spell_bytes(use.bytes), limit == 0 ? "any size" : spell_bytes(limit));
  return exit_ok;
}

}  // namespace kernelgen::tool
