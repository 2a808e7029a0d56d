#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "package/package_view.hpp"

namespace kernelgen {

/// Reads the header and checks everything a lookup will rely on: sizes, ranges, alignment, string
/// termination, ids, the perfect hash and the content hash. `origin` names the file (or "the embedded
/// package") in messages. Throws Error(bad_package). Reads every byte once, for the content hash.
PackageView validate(std::span<const std::byte> bytes, std::string_view origin);

}  // namespace kernelgen
