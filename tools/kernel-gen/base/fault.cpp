#include "base/fault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "common/suggest.hpp"

namespace kernelgen::tool {

namespace {

constexpr std::size_t most_listed = 50;
/// Of each part of a line that may repeat the input.
constexpr std::size_t most_bytes = 500;

}  // namespace

std::string Fault::line() const {
  std::string text = "kernel-gen: error: ";
  if (!file.empty()) text += shortened(file, most_bytes) + ": ";
  if (!pointer.empty()) text += shortened(pointer, most_bytes) + ": ";
  text += shortened(what, most_bytes);
  if (meant) text += fmt::format(" (did you mean '{}'?)", *meant);
  return printable(text);
}

std::string fault_lines(std::span<const Fault> faults) {
  std::string text;
  for (const Fault& fault : faults.first(std::min(faults.size(), most_listed)))
    text += (text.empty() ? "" : "\n") + fault.line();
  if (faults.size() > most_listed)
    text += fmt::format("\nkernel-gen: error: and {} more", faults.size() - most_listed);
  return text;
}

BadInput::BadInput(std::vector<Fault> faults)
    : std::runtime_error(fault_lines(faults)), faults_(std::move(faults)) {}

BadInput::BadInput(Fault fault) : BadInput(std::vector<Fault>{std::move(fault)}) {}

void Faults::add(std::string_view file, std::string_view pointer, std::string what,
                 std::optional<std::string> meant) {
  Fault fault{std::string(file), std::string(pointer), std::move(what), std::move(meant)};
  if (seen_.insert(fmt::format("{}\n{}\n{}", file, pointer, fault.what)).second)
    faults_.push_back(std::move(fault));
}

void Faults::add_unknown(std::string_view file, std::string_view pointer, std::string what,
                         std::string_view wrong, std::span<const std::string> names) {
  // The distance takes time by the product of both lengths; nothing that long is a slip of the pen.
  constexpr std::size_t longest_name = 100;
  add(file, pointer, std::move(what), wrong.size() > longest_name ? std::nullopt : nearest(wrong, names));
}

void Faults::throw_if_any() const {
  if (!faults_.empty()) throw BadInput(faults_);
}

void print_faults(std::span<const Fault> faults) { print_error(fault_lines(faults)); }

}  // namespace kernelgen::tool
