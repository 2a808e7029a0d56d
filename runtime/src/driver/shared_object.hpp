#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

/// A shared object opened from bytes in memory, closed with this object.
class SharedObject {
 public:
  /// `name` appears in messages and in debuggers' lists of objects. Throws Error(device) with the loader's
  /// own words.
  SharedObject(std::span<const std::byte> bytes, std::string_view name);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  /// Null when there is no such symbol.
  void* symbol(const std::string& name) const;

 private:
  /// Kept open as long as the object: the loader knows an object by its path, which may be /proc/self/fd/N, and would give
  /// the old object for a new one if N were used again.
  int descriptor_ = -1;
  void* handle_ = nullptr;
};

}  // namespace kernelgen
