#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace kernelgen::tool {

/// A MessagePack document as JSON. The bytes are not trusted. Throws BadCodeObject for anything damaged,
/// deeper than 16 levels or with keys that are no strings.
nlohmann::json read_metadata(std::string_view bytes);

}  // namespace kernelgen::tool
