#include "library/vendor_library.hpp"

#include "common/environment.hpp"
#include "common/format.hpp"

#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

void VendorLibrary::fail(const char* function, int status) const {
  throw Error(Code::device, formatted("{}: {} of {} failed: status {}, {}", operation_, function, path(),
                                      status, describe_(status)));
}

void* VendorLibrary::required(const char* name) const {
  if (void* symbol = library_.symbol(name)) return symbol;
  throw Error(Code::unsupported, formatted("{}: {} has no function {}", operation_, path(), name));
}

VendorNote note_of(DeviceState& device) {
  return [&device](const std::string& text) { device.observer().note(text); };
}

LibraryChoice library_choice(const char* variable) {
  const char* value = environment_variable(variable);
  if (value == nullptr || *value == '\0') return LibraryChoice::by_default;
  return std::string_view(value) == "none" ? LibraryChoice::none : LibraryChoice::named;
}

}  // namespace kernelgen
