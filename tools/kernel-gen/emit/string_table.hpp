#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// The strings of a package or a registry: NUL-terminated, each once, in the order they came. Offset 0 is the empty
/// string.
class StringTable {
 public:
  std::uint32_t add(std::string_view text) {
    const auto [entry, is_new] =
        offsets_.try_emplace(std::string(text), static_cast<std::uint32_t>(bytes_.size()));
    if (is_new) bytes_.append(text).push_back('\0');
    return entry->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t> offsets_ = {{"", 0}};
};

}  // namespace kernelgen::tool
