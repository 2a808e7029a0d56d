#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "package/package_view.hpp"

namespace kernelgen {

/// The bytes of a blob of a checked view, hashed against its name where they were decoded. Memory taken is what the
/// checked records say: that of the blob and of the blobs it refers to, which are let go. Thread-safe. Throws
/// Error(bad_package) naming the package (`origin`) and the blob, Error(out_of_memory).
DecodedBlob decode_blob(const PackageView& view, std::uint32_t blob, std::string_view origin);

/// A copy of some of a blob's bytes. Throws Error(out_of_memory) naming the package.
std::shared_ptr<const std::byte[]> copy_code(std::span<const std::byte> code, std::string_view origin);

/// Throws Error(bad_package) where a blob cannot be decoded or does not hash to its name.
void check_blob(const PackageView& view, std::uint32_t blob, std::string_view origin);

}  // namespace kernelgen
