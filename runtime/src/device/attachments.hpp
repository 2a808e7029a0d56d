#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace kernelgen {

/// Objects that higher layers store with a device, one per type, such as a vendor library opened over its
/// driver. Thread-safe.
class Attachments {
 public:
  /// The device's T, created at the first call by `make` as a std::unique_ptr<T>; null if `make` returned
  /// null. Rethrows the errors of `make`; the next call retries. Lock-free once created.
  template <class T, class Make>
  T* get(const Make& make) {
    static const std::size_t index = next_index();
    Slot& slot = slots_.at(index);
    std::call_once(slot.once, [&] { slot.object = std::unique_ptr<T>(make()); });
    return static_cast<T*>(slot.object.get());
  }

 private:
  struct Slot {
    std::once_flag once;
    std::shared_ptr<void> object;
  };

  static std::size_t next_index() {
    static std::atomic<std::size_t> types{0};
    return types++;
  }

  std::array<Slot, 8> slots_;  ///< more slots than attached types
};

}  // namespace kernelgen
