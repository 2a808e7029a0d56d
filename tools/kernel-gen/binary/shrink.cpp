#include "binary/shrink.hpp"

#include <vector>

#include "binary/bundle_writer.hpp"
#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::tool {
namespace {

std::string kept_entries(std::string_view bundle, const ShrinkOptions& options) {
  std::vector<NewEntry> kept;
  for (const offload::BundleEntry& entry : offload::read_bundle(bundle))
    // Loaders expect the host's entry, which is empty, at the start.
    if (const std::string_view target = offload::target_of(entry.id); target.empty() || options.keeps(target))
      kept.push_back({entry.id, entry.bytes});
  return write_bundle(kept);
}

}  // namespace

std::string shrink_bundle(std::string_view bundle, const ShrinkOptions& options) {
  const bool is_compressed = offload::is_compressed_bundle(bundle);
  const std::string kept = is_compressed ? kept_entries(offload::decompress_bundle(bundle), options)
                                         : kept_entries(bundle, options);
  if (!is_compressed && !options.compress) return kept;
  const std::string compressed = compress_bundle(kept);
  // Readers refuse more, as of a bundle that is padding for the most part.
  constexpr std::size_t longest_header = 32;
  return kept.size() / offload::most_compression < compressed.size() - longest_header ? compressed : kept;
}

std::string shrink(std::string_view file, const ShrinkOptions& options) {
  if (offload::is_bundle(file) || offload::is_compressed_bundle(file)) return shrink_bundle(file, options);
  if (file.starts_with("\x7f"
                       "ELF"))
    return shrink_elf(file, options);
  throw CannotShrink("neither an ELF file nor an offload bundle");
}

}  // namespace kernelgen::tool
