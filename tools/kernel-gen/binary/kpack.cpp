#include "binary/kpack.hpp"

#include <fmt/format.h>

#include <cstring>

#include "code_object/code_object.hpp"
#include "code_object/metadata.hpp"

namespace kernelgen::tool {
namespace {

using nlohmann::json;

constexpr std::string_view magic = "KPAK";
constexpr std::size_t header_bytes = 16;
constexpr std::uint32_t format_version = 1;

struct Blob {
  std::uint64_t offset, bytes;
};

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

[[noreturn]] void bad(std::string_view what) {
  throw BadCodeObject(fmt::format("rocm-kpack archive: {}", what));
}

const json& member(const json& map, const char* key) {
  const auto it = map.find(key);
  if (!map.is_object() || it == map.end()) bad(fmt::format("its table of contents lacks '{}'", key));
  return *it;
}

std::uint64_t number(const json& map, const char* key) {
  const json& value = member(map, key);
  if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0))
    bad(fmt::format("'{}' is not a number", key));
  return value.get<std::uint64_t>();
}

Blob checked(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    bad(fmt::format("{} bytes at offset {} reach past its end", size, offset));
  return {offset, size};
}

/// Frames one after another, each with its size before it, their number before all.
std::vector<Blob> frames(std::string_view bytes, const json& contents) {
  const Blob region = checked(bytes, number(contents, "zstd_offset"), number(contents, "zstd_size"));
  std::uint64_t at = region.offset;
  const std::uint64_t end = region.offset + region.bytes;
  const auto word = [&] {
    if (end - at < sizeof(std::uint32_t)) bad(fmt::format("its frames end at offset {}", at));
    at += sizeof(std::uint32_t);
    return load<std::uint32_t>(bytes, at - sizeof(std::uint32_t));
  };
  std::vector<Blob> blobs;
  for (std::uint32_t left = word(); left > 0; --left) {
    const std::uint64_t size = word();
    if (size > end - at) bad(fmt::format("a frame of {} bytes at offset {} reaches past its end", size, at));
    blobs.push_back({at, size});
    at += size;
  }
  return blobs;
}

std::vector<Blob> plain_blobs(std::string_view bytes, const json& contents) {
  std::vector<Blob> blobs;
  const json& list = member(contents, "blobs");
  if (!list.is_array()) bad("'blobs' is not a list");
  for (const json& blob : list) blobs.push_back(checked(bytes, number(blob, "offset"), number(blob, "size")));
  return blobs;
}

}  // namespace

bool is_kpack(std::string_view bytes) { return bytes.starts_with(magic); }

std::vector<KpackEntry> read_kpack(std::string_view bytes) {
  if (bytes.size() < header_bytes) bad("ends in its header");
  if (const auto version = load<std::uint32_t>(bytes, 4); version != format_version)
    bad(fmt::format("format {} is not {}", version, format_version));
  const auto offset = load<std::uint64_t>(bytes, 8);
  const json contents = read_metadata(bytes.substr(checked(bytes, offset, 0).offset));
  const json& scheme = member(contents, "compression_scheme");
  const bool is_packed = scheme == "zstd-per-kernel";
  if (!is_packed && scheme != "none") bad("its compression is neither 'none' nor 'zstd-per-kernel'");
  const std::vector<Blob> blobs = is_packed ? frames(bytes, contents) : plain_blobs(bytes, contents);
  std::vector<KpackEntry> entries;
  const json& toc = member(contents, "toc");
  if (!toc.is_object()) bad("'toc' is not a map");
  for (const auto& [name, targets] : toc.items())
    for (const auto& [target, record] : targets.items()) {
      const std::uint64_t ordinal = number(record, "ordinal");
      if (ordinal >= blobs.size())
        bad(fmt::format("it has {} blobs, '{}' is number {}", blobs.size(), name, ordinal));
      entries.push_back({name, target, blobs[ordinal].offset, blobs[ordinal].bytes,
                         number(record, "original_size"), is_packed ? PackedAs::zstd : PackedAs::none});
    }
  return entries;
}

}  // namespace kernelgen::tool
