#include "device/device_name.hpp"

#include "common/format.hpp"

#include <charconv>

#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// Exceeds any machine's threads or GPUs; prevents a typing error from starting a million threads.
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
  if (name.kind == DeviceKind::cpu) {
    std::string text = name.ordinal == 0 ? "cpu" : formatted("cpu.{}", name.ordinal);
    if (name.threads != 0) text += formatted(":{}", name.threads);
    return text;
  }
  if (!name.processor.empty()) return formatted("simulated:{}", name.processor);
  return formatted("{}:{}", name.kind == DeviceKind::hip ? "hip" : "cuda", name.ordinal);
}

DeviceName parse_device_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (const std::string_view first = name.substr(0, colon); first == "cpu" || first.starts_with("cpu.")) {
    const std::optional<int> ordinal = first == "cpu" ? 0 : parse_number(first.substr(4));
    const std::optional<int> threads =
        colon == std::string_view::npos ? 0 : parse_number(name.substr(colon + 1));
    if (ordinal && threads && (*threads > 0 || colon == std::string_view::npos))
      return {DeviceKind::cpu, *ordinal, *threads};
  }
  if (colon != std::string_view::npos) {
    const std::string_view kind = name.substr(0, colon);
    if (const std::string_view processor = name.substr(colon + 1);
        kind == "simulated" && processor.starts_with("gfx"))
      return {DeviceKind::hip, 0, 0, std::string(processor)};
    if (const std::optional<int> number = parse_number(name.substr(colon + 1))) {
      if (kind == "hip") return {DeviceKind::hip, *number, 0};
      if (kind == "cuda") return {DeviceKind::cuda, *number, 0};
    }
  }
  throw Error(
      Code::not_found,
      formatted(
          "no device is called \"{}\"; names are cpu, cpu:N (N threads, 1 to {}), cpu.K and cpu.K:N (of "
          "KERNELGEN_CPU_DEVICES), hip:N, cuda:N, simulated:gfxN (an AMD GPU in software) and auto",
          name, largest_number));
}

}  // namespace kernelgen
