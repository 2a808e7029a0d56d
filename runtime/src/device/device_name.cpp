#include "device/device_name.hpp"

#include "common/format.hpp"

#include <charconv>

#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// More threads or GPUs than any machine has; keeps a slip of the keyboard from starting a million threads.
constexpr int largest_number = 4096;

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || parsed.ec != std::errc() ||
      parsed.ptr != text.data() + text.size() || value > largest_number)
    return std::nullopt;
  return value;
}

}  // namespace

std::string to_string(const DeviceName& name) {
  if (name.kind == DeviceKind::cpu) return name.threads == 0 ? "cpu" : formatted("cpu:{}", name.threads);
  return formatted("{}:{}", name.kind == DeviceKind::hip ? "hip" : "cuda", name.ordinal);
}

DeviceName parse_device_name(std::string_view name) {
  if (name == "cpu") return {};
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view kind = name.substr(0, colon);
    if (const std::optional<int> number = parse_number(name.substr(colon + 1))) {
      if (kind == "cpu" && *number > 0) return {DeviceKind::cpu, 0, *number};
      if (kind == "hip") return {DeviceKind::hip, *number, 0};
      if (kind == "cuda") return {DeviceKind::cuda, *number, 0};
    }
  }
  throw Error(
      Code::not_found,
      formatted(
          "no device is called \"{}\"; names are cpu, cpu:N (N threads, 1 to {}), hip:N, cuda:N and auto",
          name, largest_number));
}

}  // namespace kernelgen
