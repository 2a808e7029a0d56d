#pragma once
#include "manifest_fixture.hpp"

namespace kernelgen::tool {

/// What is wrong with a manifest, and a part of what is said of it.
struct Wrong {
  const char* name;
  std::string manifest;
  std::vector<std::string> parts;
};
inline void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

/// Manifests that are wrong in what computes an operation.
class FormError : public testing::TestWithParam<Wrong> {};

inline std::string name_of_wrong(const testing::TestParamInfo<Wrong>& info) { return info.param.name; }

}  // namespace kernelgen::tool
