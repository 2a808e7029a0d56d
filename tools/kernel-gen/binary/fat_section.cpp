#include "binary/fat_section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::tool {
namespace {

/// Damaged bundles that share entries would otherwise take time by the square of their number.
constexpr std::size_t most_damages = 100;

SectionBundle read_bundle_at(std::string_view bytes, std::uint64_t offset) {
  const std::string_view rest = bytes.substr(offset);
  if (offload::is_compressed_bundle(rest))
    return {offset, offload::read_compressed_header(rest).file_bytes, true};
  return {offset, offload::bundle_size(rest), false};
}

}  // namespace

FatSection read_fat_section(std::string_view bytes) {
  FatSection section;
  std::uint64_t at = 0;
  while ((at = bytes.find_first_not_of('\0', at)) != bytes.npos) {
    std::string why = "neither an offload bundle nor padding";
    try {
      section.bundles.push_back(read_bundle_at(bytes, at));
      at += section.bundles.back().bytes;
      continue;
    } catch (const offload::BadBundle& error) {
      if (const std::string_view rest = bytes.substr(at);
          offload::is_bundle(rest) || offload::is_compressed_bundle(rest))
        why = error.what();
    }
    section.damages.push_back({at, std::move(why)});
    if (section.damages.size() == most_damages) {
      section.damages.push_back({at, "too many damaged parts; what follows is not read"});
      break;
    }
    at = std::min(bytes.find(offload::bundle_magic, at + 1), bytes.find(offload::compressed_magic, at + 1));
  }
  return section;
}

}  // namespace kernelgen::tool
