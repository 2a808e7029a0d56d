#pragma once
#include <memory>
#include <string>

#include "device/device_state.hpp"

namespace kernelgen {

struct Module::Impl {
  std::shared_ptr<DeviceState> state;
  std::shared_ptr<LoadedModule> loaded;  ///< declared after `state`: unloaded before the device can close
  std::string name;
  std::string log = {};  ///< compiler output
};

}  // namespace kernelgen
