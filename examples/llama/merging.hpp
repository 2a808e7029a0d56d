#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Joins neighbours, the best pair first, of equal ones the one further to the front, until no pair is left that may.
/// `rank(left, right, out)` says whether a pair may be joined and gives its rank, the lowest being best.
std::vector<std::string_view> merged(
    std::string_view text, const std::vector<std::size_t>& starts,
    const std::function<bool(std::string_view, std::string_view, double&)>& rank);
