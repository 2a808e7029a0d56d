// The tables of contents of rocm-kpack's archives.
#include "binary/kpack.hpp"

#include <nlohmann/json.hpp>

#include "code_object/code_object.hpp"
#include "seeds.hpp"

using namespace kernelgen::tool;

namespace {

/// The header, `blobs`, and the table of contents.
std::string archive(const std::string& blobs, nlohmann::json contents) {
  contents["toc"]["lib/a.so#0"] = {{"gfx90a", {{"ordinal", 0}, {"original_size", 4}}},
                                   {"gfx942", {{"ordinal", 1}, {"original_size", 4}}}};
  std::string bytes("KPAK\x01\0\0\0", 8);
  bytes += static_cast<char>(16 + blobs.size());
  bytes += std::string(7, '\0') + blobs;
  const std::vector<std::uint8_t> packed = nlohmann::json::to_msgpack(contents);
  return bytes.append(packed.begin(), packed.end());
}

}  // namespace

std::vector<std::string> kernelgen::fuzz::seeds() {
  using nlohmann::json;
  const std::string frames("\x02\0\0\0\x01\0\0\0a\x02\0\0\0bc", 15);
  return {archive("codecode", {{"compression_scheme", "none"},
                               {"blobs", {{{"offset", 16}, {"size", 4}}, {{"offset", 20}, {"size", 4}}}}}),
          archive(frames, {{"compression_scheme", "zstd-per-kernel"},
                           {"zstd_offset", 16},
                           {"zstd_size", frames.size()}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!is_kpack(bytes)) return 0;
  try {
    for (const KpackEntry& entry : read_kpack(bytes))
      if (bytes.substr(entry.offset).size() < entry.bytes) __builtin_trap();
  } catch (const BadCodeObject&) {
  }
  return 0;
}
