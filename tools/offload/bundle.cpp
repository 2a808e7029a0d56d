#include "offload/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kernelgen::offload {
namespace {

constexpr std::size_t count_bytes = 8, entry_header_bytes = 24;

std::uint64_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

}  // namespace

std::string_view target_of(std::string_view id) {
  // Releases of clang differ in how many parts of a triple they write before the processor.
  for (const std::string_view start : {"-gfx", "-amdgcnspirv"})
    if (const auto at = id.find(start); at != id.npos) return id.substr(at + 1);
  return {};
}

bool is_bundle(std::string_view bytes) { return bytes.starts_with(bundle_magic); }

std::vector<BundleEntry> read_bundle(std::string_view bytes) {
  if (!is_bundle(bytes)) throw BadBundle("no offload bundle");
  std::size_t at = bundle_magic.size() + count_bytes;
  if (bytes.size() < at) throw BadBundle("offload bundle: ends in its header");
  const std::uint64_t count = number_at(bytes, bundle_magic.size());
  if (count > (bytes.size() - at) / entry_header_bytes)
    throw BadBundle(
        fmt::format("offload bundle: {} entries do not fit into its {} bytes", count, bytes.size()));
  std::vector<BundleEntry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bytes.size() - at < entry_header_bytes)
      throw BadBundle(fmt::format("offload bundle: ends in the header of entry {}, at offset {}", i, at));
    const std::uint64_t offset = number_at(bytes, at), size = number_at(bytes, at + 8),
                        id_bytes = number_at(bytes, at + 16);
    at += entry_header_bytes;
    if (id_bytes > bytes.size() - at)
      throw BadBundle(
          fmt::format("offload bundle: the name of entry {} reaches past the end, at offset {}", i, at));
    if (offset > bytes.size() || size > bytes.size() - offset)
      throw BadBundle(
          fmt::format("offload bundle: entry {} has {} bytes at offset {}, past the end of the bundle at {}",
                      i, size, offset, bytes.size()));
    entries.push_back({bytes.substr(at, id_bytes), offset, bytes.substr(offset, size)});
    at += id_bytes;
  }
  return entries;
}

std::uint64_t bundle_size(std::string_view bytes) {
  std::uint64_t end = bundle_magic.size() + count_bytes;
  for (const BundleEntry& entry : read_bundle(bytes)) {
    const auto header_end = static_cast<std::uint64_t>(entry.id.data() + entry.id.size() - bytes.data());
    end = std::max({end, header_end, entry.offset + entry.bytes.size()});
  }
  return end;
}

std::string_view bundle_in_memory(const void* image) {
  constexpr std::size_t unknown = std::numeric_limits<std::ptrdiff_t>::max();
  const std::string_view endless(static_cast<const char*>(image), unknown);
  return endless.substr(0, bundle_size(endless));
}

}  // namespace kernelgen::offload
