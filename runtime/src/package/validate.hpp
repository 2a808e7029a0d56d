#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "package/package_view.hpp"

namespace kernelgen {

/// Checks what a file's first bytes (its header, or all it has) say of the `package_bytes` it holds, so that what is no
/// package need not be read. Throws Error(bad_package).
void check_header(std::span<const std::byte> start, std::uint64_t package_bytes, std::string_view origin);

/// Reads the header and checks everything a lookup will rely on: sizes, ranges, alignment, string
/// termination, ids, the perfect hash and the content hash. `origin` names the file (or "the embedded
/// package") in messages. Throws Error(bad_package). Reads every byte once, for the content hash.
PackageView validate(std::span<const std::byte> bytes, std::string_view origin);

}  // namespace kernelgen
