#include "ops/operation.hpp"

#include <string>
#include <vector>

#include "common/format.hpp"

#include "common/suggest.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Builtin::count)> builtin_names{
#define KERNELGEN_NAME(op) #op,
    KERNELGEN_BUILTIN_OPERATIONS(KERNELGEN_NAME)
#undef KERNELGEN_NAME
};

/// The builtin operations of the device this thread used last. Device ids are never reused, so a stale row is
/// not possible while the id matches.
struct BuiltinTable {
  std::uint64_t device = 0;
  std::array<const kernelgen_operation_record*, builtin_names.size()> rows{};
};

[[noreturn]] void not_found(const Package& package, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& record : package.operations()) names.emplace_back(package.text(record.name));
  const auto meant = nearest(name, names);
  throw Error(Code::not_found,
              fmt::format("operation '{}' is not in the package{}; `kernel-gen ls` lists what is", name,
                          meant ? fmt::format(" (did you mean '{}'?)", *meant) : ""));
}

constexpr std::size_t codes = element_code_count;

std::string code_name(std::size_t code) {
  return std::string(code < dtype_count ? name_of(static_cast<DType>(code))
                                        : std::array{"b8", "b16", "b32", "b64"}[code - dtype_count]);
}

}  // namespace

Operation Operation::builtin(const Device& device, Builtin op) {
  thread_local BuiltinTable table;
  const Package& package = device.package();
  if (table.device != device.id()) {
    for (std::size_t i = 0; i < builtin_names.size(); ++i)
      table.rows[i] = package.find_operation(builtin_names[i]);
    table.device = device.id();
  }
  const auto index = static_cast<std::size_t>(op);
  if (!table.rows[index]) not_found(package, builtin_names[index]);
  return Operation(package, *table.rows[index]);
}

Operation Operation::named(const Device& device, std::string_view name) {
  const Package& package = device.package();
  if (const auto* record = package.find_operation(name)) return Operation(package, *record);
  not_found(package, name);
}

std::optional<int> Operation::find_form(std::string_view name) const {
  const auto forms = package_->forms(*record_);
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (package_->text(forms[i]) == name) return static_cast<int>(i);
  return std::nullopt;
}

int Operation::form(std::string_view name) const {
  if (const auto form = find_form(name)) return *form;
  throw Error(Code::not_found, fmt::format("{}: the package has no form '{}' of it", this->name(), name));
}

std::uint32_t Operation::kernel(std::span<const DType> types, int form) const {
  const auto variants = package_->variants(*record_);
  // Every variable is tried as its dtype, then as its width; at most two variables exist in practice.
  for (unsigned by_width = 0; by_width < 1u << types.size(); ++by_width) {
    std::size_t index = 0;
    for (std::size_t v = 0; v < types.size(); ++v)
      index = index * codes +
              (by_width >> v & 1 ? width_code(size_of(types[v])) : static_cast<std::size_t>(types[v]));
    const std::uint32_t kernel = variants[index * record_->form_count + static_cast<std::size_t>(form)];
    if (kernel != KERNELGEN_NO_KERNEL) return kernel;
  }
  std::vector<std::string> accepted;
  for (std::size_t row = 0; row * record_->form_count < variants.size(); ++row) {
    if (variants[row * record_->form_count + static_cast<std::size_t>(form)] == KERNELGEN_NO_KERNEL) continue;
    std::string combination = code_name(row % codes);
    for (std::size_t v = 1, rest = row / codes; v < types.size(); ++v, rest /= codes)
      combination = code_name(rest % codes) + "," + combination;
    accepted.push_back(std::move(combination));
  }
  std::vector<std::string_view> given;
  for (DType type : types) given.push_back(name_of(type));
  throw Error(Code::invalid_argument, fmt::format("{}: no kernel for dtype {}; it accepts {}", name(),
                                                  fmt::join(given, ","), fmt::join(accepted, " ")));
}

}  // namespace kernelgen
