#pragma once
#include <string>
#include <string_view>

/// Byte pair vocabularies spell each byte as a letter, so that tokens are printable: itself where it is a printable
/// character of Latin-1, else one of U+0100 to U+0143 (as GPT-2's encoder has it).
std::string to_letters(std::string_view bytes);
/// The bytes that letters stand for; other characters as they are.
std::string from_letters(std::string_view letters);
