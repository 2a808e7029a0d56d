#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// What to do with the code of a file.
struct ShrinkOptions {
  std::function<bool(std::string_view target)> keeps;  ///< "gfx90a:sramecc+" as bundles call it
  bool compress = false;                               ///< bundles that are not compressed; others stay so
};

/// A file that cannot be rewritten without a risk of breaking it. what() says why.
class CannotShrink : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An offload bundle, plain or compressed, with the entries that are kept. Throws BadBundle.
std::string shrink_bundle(std::string_view bundle, const ShrinkOptions& options);

/// A program, library or object whose section .hip_fatbin has only what is kept. Virtual addresses stay as they are, but for those of
/// the bundles, which move towards the section's start; the file loses the rest. Throws CannotShrink, BadCodeObject, BadBundle.
std::string shrink_elf(std::string_view file, const ShrinkOptions& options);

/// Either, by what the file is. Throws as these, and CannotShrink for a file that is neither.
std::string shrink(std::string_view file, const ShrinkOptions& options);

}  // namespace kernelgen::tool
