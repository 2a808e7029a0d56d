#pragma once
#include <kernelgen/kernelgen.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

/// What a program of calls of the C interface is made of: its bytes, and handles, any of which may be NULL.
namespace kernelgen::fuzz {

[[noreturn]] inline void wrong(const char* what) {
  std::fprintf(stderr, "%s; the last error is: %s\n", what, kernelgen_last_error());
  std::abort();
}

/// Views of few bytes may have any number of elements, which it would take for ever to add up.
inline constexpr std::int64_t most_elements = 1 << 16;

inline bool is_small(const kernelgen_tensor* tensor) {
  std::int64_t elements = 0;
  return kernelgen_tensor_elements(tensor, &elements) == KERNELGEN_OK && elements <= most_elements;
}
template <class Handle>
bool is_small(const Handle*) {
  return true;
}

/// The bytes of a program, which ends with them.
class Program {
 public:
  explicit Program(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool is_over() const { return bytes_.empty(); }
  unsigned below(unsigned n) {
    if (bytes_.empty()) return 0;
    const unsigned value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value % n;
  }
  /// Mostly small, now and then what no tensor has.
  std::int64_t extent() {
    constexpr std::array<std::int64_t, 16> usual = {0, 1, 1,  2,  2,  3,  4,         5,
                                                    7, 8, 16, 17, 33, -1, INT64_MAX, INT64_MIN};
    return usual[below(usual.size())];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// A few handles of a kind, any of which may be NULL.
template <class Handle, void release(Handle*), std::size_t Count>
class Handles {
 public:
  Handles() = default;
  ~Handles() {
    for (Handle* handle : handles_) release(handle);
    for (Handle* handle : kept_) release(handle);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;

  Handle* any(Program& program) const { return handles_[program.below(Count)]; }
  void drop(Program& program) { put(program, nullptr); }
  void put(Program& program, Handle* handle) {
    Handle*& place = handles_[program.below(Count)];
    if (keeps_)
      kept_.push_back(place);
    else
      release(place);
    place = handle;
  }
  /// What is dropped from now on is released at the end.
  void keep() { keeps_ = true; }
  /// Has `call` make one, which then takes another's place.
  template <class Call>
  void make(Program& program, const Call& call) {
    Handle* const untouched = reinterpret_cast<Handle*>(8);
    Handle* made = untouched;
    if (call(&made) == KERNELGEN_OK) {
      if (made == untouched || made == nullptr) wrong("no handle was given on success");
      if (is_small(made))
        put(program, made);
      else
        release(made);
    } else if (made != untouched) {
      wrong("a handle was given on failure");
    }
  }

 private:
  std::array<Handle*, Count> handles_{};
  std::vector<Handle*> kept_;
  bool keeps_ = false;
};

/// What every call's status is held to.
inline kernelgen_status checked(kernelgen_status status) {
  if (status == KERNELGEN_INTERNAL) wrong("a bug by the library's own word");
  if (status != KERNELGEN_OK && kernelgen_last_error()[0] == '\0') wrong("an error without a text");
  return status;
}

}  // namespace kernelgen::fuzz
