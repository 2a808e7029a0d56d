#pragma once
#include <span>
#include <string>

namespace kernelgen {

/// A library of the system opened at run time. Never closed: GPU drivers keep threads and exit handlers in
/// theirs.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that can be. Where the environment variable `override_variable` is set, only
  /// the path it holds is tried. Throws Error(unsupported) listing every name tried with the loader's reason;
  /// `what` says what the library is for.
  DynamicLibrary(const char* what, const char* override_variable, std::span<const char* const> names);

  const std::string& path() const { return path_; }
  /// Null when there is no such symbol, in the library or in those that it needs.
  void* symbol(const char* name) const;
  /// File of the library that has the symbol, as the loader found it; empty when there is no such symbol.
  std::string file_of(const char* name) const;

 private:
  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace kernelgen
