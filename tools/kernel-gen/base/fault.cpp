#include "base/fault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/suggest.hpp"

namespace kernelgen::tool {

namespace {

std::string all_lines(std::span<const Fault> faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += fault.line();
  }
  return text;
}

}  // namespace

std::string Fault::line() const {
  std::string text = "kernel-gen: error: ";
  if (!file.empty()) text += file + ": ";
  if (!pointer.empty()) text += pointer + ": ";
  text += what;
  if (meant) text += fmt::format(" (did you mean '{}'?)", *meant);
  return text;
}

BadInput::BadInput(std::vector<Fault> faults)
    : std::runtime_error(all_lines(faults)), faults_(std::move(faults)) {}

BadInput::BadInput(Fault fault) : BadInput(std::vector<Fault>{std::move(fault)}) {}

void Faults::add(std::string_view file, std::string_view pointer, std::string what,
                 std::optional<std::string> meant) {
  Fault fault{std::string(file), std::string(pointer), std::move(what), std::move(meant)};
  if (std::find(faults_.begin(), faults_.end(), fault) == faults_.end()) faults_.push_back(std::move(fault));
}

void Faults::add_unknown(std::string_view file, std::string_view pointer, std::string what,
                         std::string_view wrong, std::span<const std::string> names) {
  add(file, pointer, std::move(what), nearest(wrong, names));
}

void Faults::throw_if_any() const {
  if (!faults_.empty()) throw BadInput(faults_);
}

void print_faults(std::span<const Fault> faults, std::FILE* out) {
  for (const Fault& fault : faults) fmt::print(out, "{}\n", fault.line());
}

}  // namespace kernelgen::tool
