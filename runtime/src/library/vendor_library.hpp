#pragma once
#include <functional>
#include <string>

#include "driver/dynamic_library.hpp"
#include "driver/gpu_api.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

class DeviceState;

/// A library of a GPU's vendor, opened at run time. All its functions return a status, 0 for success.
class VendorLibrary {
 public:
  const std::string& path() const { return library_.path(); }
  /// As DynamicLibrary::file_of.
  std::string file_of(const char* function) const { return library_.file_of(function); }

  /// Throws Error(device) with the operation, the library, the function, the status and the library's name
  /// for it.
  [[noreturn]] void fail(const char* function, int status) const;

  template <class... Parameters, class... Arguments>
  void invoke(const GpuCall<Parameters...>& call, Arguments... arguments) const {
    if (const int status = call.function(arguments...); status != 0) fail(call.name, status);
  }

 protected:
  using Describe = const char* (*)(int status);

  /// `describe` is the library's function that names a status.
  VendorLibrary(DynamicLibrary library, const char* operation, const char* describe)
      : library_(std::move(library)), operation_(operation) {
    describe_ = reinterpret_cast<Describe>(required(describe));
  }
  /// The same for libraries without such a function.
  VendorLibrary(DynamicLibrary library, const char* operation, Describe describe)
      : library_(std::move(library)), operation_(operation), describe_(describe) {}

  /// The symbol, or Error(unsupported) naming the library and the function.
  void* required(const char* name) const;

 private:
  DynamicLibrary library_;
  const char* operation_;
  Describe describe_ = nullptr;
};

/// The environment's setting for a library: its path, `none`, or empty.
enum class LibraryChoice { by_default, named, none };
LibraryChoice library_choice(const char* variable);

/// Logs a device's libraries to KERNELGEN_LOG: note_of(device).
using VendorNote = std::function<void(const std::string& text)>;
VendorNote note_of(DeviceState& device);

/// The result of open() for the library `variable` names or, if unset, for the usual names. Null if it is
/// `none`, or if it is unset and no library works: missing, newer than the driver, or without support for the
/// device. Rethrows the errors of open() if the named library cannot be used.
template <class Open>
auto open_vendor_library(const char* variable, const VendorNote& note, const Open& open) -> decltype(open()) {
  const LibraryChoice choice = library_choice(variable);
  if (choice == LibraryChoice::none) {
    note(std::string(variable) + " is none");
    return nullptr;
  }
  try {
    auto opened = open();
    note(opened->path() + " is used");
    return opened;
  } catch (const Error& error) {
    if (choice == LibraryChoice::named) throw;
    note(std::string("a library is left out: ") + error.what());
    return nullptr;
  }
}

}  // namespace kernelgen
