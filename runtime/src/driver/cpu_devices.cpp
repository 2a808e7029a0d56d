#include "driver/cpu_devices.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

int cpu_devices() {
  constexpr const char* variable = "KERNELGEN_CPU_DEVICES";
  constexpr int most = 64;
  const char* const value = environment_variable(variable);
  if (value == nullptr || *value == '\0') return 1;
  const std::string_view text = value;
  int devices = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), devices);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || devices < 1 || devices > most)
    throw Error(Code::unsupported,
                formatted("{} is \"{}\"; it has to be a number from 1 to {}", variable, text, most));
  return devices;
}

int usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return CPU_COUNT(&cores);
  // More cores than a cpu_set_t holds.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace kernelgen
