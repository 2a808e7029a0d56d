#pragma once
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "kernelgen/error.hpp"

namespace kernelgen::test {

/// Runs `action`, expects an Error of that code whose text has all of `parts`, and gives the text.
template <class Action>
std::string expect_error(Code code, std::initializer_list<std::string_view> parts, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(static_cast<int>(error.code()), static_cast<int>(code)) << text;
    for (const std::string_view part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
    return text;
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace kernelgen::test
