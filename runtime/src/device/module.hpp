#pragma once
#include <memory>
#include <string>

#include "device/device_state.hpp"

namespace kernelgen {

struct Module::Impl {
  std::shared_ptr<DeviceState> state;
  std::shared_ptr<LoadedModule> loaded;  ///< behind `state`: unloaded before the device can close
  std::string name;
  std::string log = {};  ///< the compiler's
};

}  // namespace kernelgen
