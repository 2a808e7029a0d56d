#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

/// Cuts a text into the pieces that byte pairs are joined within: see tokenizer.hpp. Digits stand in groups of at most
/// `most_digits`, without a space before; 0: any number, with it.
std::vector<std::string_view> cut_into_pieces(std::string_view text, std::size_t most_digits);
