#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace kernelgen::offload {

inline constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";

/// Bytes that are no offload bundle, or a damaged one. what() says what is wrong and at which offset of the bundle.
class BadBundle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A code object of a bundle. Borrows the bundle's bytes.
struct BundleEntry {
  std::string_view id;       ///< "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+", "host-x86_64-unknown-linux-gnu-"
  std::uint64_t offset = 0;  ///< from the start of the bundle
  std::string_view bytes;
};

/// "gfx90a:sramecc+" of "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+", "amdgcnspirv" of SPIR-V for AMD's GPUs; empty for the host.
std::string_view target_of(std::string_view entry_id);

/// Whether the bytes begin as clang's uncompressed offload bundle does.
bool is_bundle(std::string_view bytes);

/// The entries in their order (clang's documentation, "Clang Offload Bundler"). Bytes after the last entry are ignored: linkers
/// pad bundles. Throws BadBundle.
std::vector<BundleEntry> read_bundle(std::string_view bytes);

/// Bytes of a bundle, header and entries, without the padding after it. Throws BadBundle.
std::uint64_t bundle_size(std::string_view bytes);

/// The bundle at an address of this process, whose size HIP's functions are not told: as far as its header says, which is
/// trusted. The image begins as a bundle does.
std::string_view bundle_in_memory(const void* image);

}  // namespace kernelgen::offload
