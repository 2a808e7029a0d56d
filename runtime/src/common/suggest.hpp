#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `wrong` when it is near enough to be meant (about one edit for every three
/// characters); of equally near ones the first.
std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> names);

}  // namespace kernelgen
