#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace kernelgen {

/// What higher layers keep with a device, one object of a type: a vendor's library opened over its driver, say.
/// Thread-safe.
class Attachments {
 public:
  /// The device's T, which `make` gives, as a std::unique_ptr<T>, at the first call; null where that was. Throws
  /// what `make` does, which the next call then tries anew. Without a lock once it is there.
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

  std::array<Slot, 8> slots_;  ///< more than there are types that anything attaches
};

}  // namespace kernelgen
