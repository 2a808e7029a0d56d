#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// For each of some byte strings the index of the one that it is best compressed against, or KERNELGEN_NO_BLOB. No chain
/// of them is longer than KERNELGEN_MAX_REFERENCES. What two have in common is estimated from a sample of the strings of
/// eight bytes in them (Broder, On the resemblance and containment of documents, 1997). Depends on the bytes alone.
std::vector<std::uint32_t> choose_references(std::span<const std::string_view> objects);

}  // namespace kernelgen::tool
