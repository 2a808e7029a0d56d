#pragma once
#include <span>
#include <string>

namespace kernelgen {

/// A system library opened at run time. Never closed: GPU drivers run threads and exit handlers in theirs.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that loads. If the environment variable `override_variable` is set, tries
  /// only its path. Throws Error(unsupported) listing every name tried with the loader's reason; `what`
  /// states the library's purpose.
  DynamicLibrary(const char* what, const char* override_variable, std::span<const char* const> names);

  const std::string& path() const { return path_; }
  /// Null if neither the library nor its dependencies have the symbol.
  void* symbol(const char* name) const;
  /// Path of the library that defines the symbol, from the loader; empty if there is no such symbol.
  std::string file_of(const char* name) const;

 private:
  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace kernelgen
