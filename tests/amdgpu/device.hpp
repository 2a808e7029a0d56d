#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "amdgpu/simulator.hpp"

namespace kernelgen::amdgpu {

/// The kernels of functions.hip, or of another source, on a simulated GPU.
class Device {
 public:
  explicit Device(const std::string& target, Simulator::Options options = {},
                  const std::string& source = "functions")
      : simulator_(target, options) {
    std::ifstream file(KERNELGEN_AMDGPU_OBJECTS "/" + source + "_" + target + ".hsaco", std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
    if (bytes.empty()) throw std::runtime_error("no code object for " + target);
    module_ = simulator_.load(std::as_bytes(std::span(bytes)));
  }

  Simulator& simulator() { return simulator_; }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const auto& [name, kernel] : module_->object().kernels()) names.push_back(name);
    return names;
  }

  /// Memory of the device with a copy of those numbers.
  template <class T>
  T* upload(const std::vector<T>& values) {
    T* const data = allocate<T>(values.size());
    std::memcpy(data, values.data(), values.size() * sizeof(T));
    simulator_.memory().mark_initialized(data, values.size() * sizeof(T));
    return data;
  }
  template <class T>
  T* allocate(std::size_t count) {
    return static_cast<T*>(simulator_.memory().allocate(count * sizeof(T)));
  }

  template <class... A>
  Counters launch(const std::string& kernel, Extent grid, Extent block, A... arguments) {
    std::vector<std::byte> bytes;
    const auto add = [&]<class T>(const T& value) {
      bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
      const auto* const from = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), from, from + sizeof value);
    };
    (add(arguments), ...);
    return simulator_.launch(*module_, kernel, grid, block, 0, bytes);
  }

 private:
  Simulator simulator_;
  std::shared_ptr<Module> module_;
};

}  // namespace kernelgen::amdgpu
