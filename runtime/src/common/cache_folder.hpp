#pragma once
#include <filesystem>
#include <string_view>

namespace kernelgen {

/// Marks a folder as kernel-gen's cache (https://bford.info/cachedir/): nothing is removed from a folder
/// without it.
inline constexpr const char* cache_tag_file = "CACHEDIR.TAG";
inline constexpr std::string_view cache_tag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This is the cache of kernel-gen. `kernel-gen cache clear` empties it.\n";

/// True for a file or folder owned by this user or root that no other user may write to.
bool is_trusted(const std::filesystem::path& path);
/// True where the same holds for all folders from the file up to the cache's.
bool is_trusted_entry(const std::filesystem::path& cache, const std::filesystem::path& file);
/// Removes all other users' write permission from this user's folder.
void keep_others_out(const std::filesystem::path& folder);

/// Makes a folder for entries below the cache's, which gets the mark where it is new or empty. False where that cannot be
/// or where others may write to either.
bool make_cache_folder(const std::filesystem::path& cache, const std::filesystem::path& folder);

}  // namespace kernelgen
