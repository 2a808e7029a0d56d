#include "ops/operation.hpp"

#include <string>
#include <vector>

#include "common/format.hpp"

#include "common/suggest.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view builtin_names[] = {
#define KERNELGEN_OPERATION(name) #name,
#include "operations.inc"
#undef KERNELGEN_OPERATION
};

/// The builtin operations of the device this thread used last. Device ids are never reused, so a matching id
/// means the table is current.
struct BuiltinTable {
  std::uint64_t device = 0;
  std::array<std::optional<FoundOperation>, std::size(builtin_names)> rows{};
};

[[noreturn]] void not_found(const Device& device, std::string_view name) {
  const auto meant = nearest(name, state_of(device).kernels().operation_names());
  throw Error(Code::not_found,
              formatted("operation '{}' is not in the package{}{}; `kernel-gen ls` lists what is", name,
                        device.packages().size() == 1 ? "" : "s",
                        meant ? formatted(" (did you mean '{}'?)", *meant) : ""));
}

/// The number of a dtype for a type variable (kernelgen_variable_record): the dtype's own, or that of raw elements of its width;
/// KERNELGEN_NO_DIGIT if the variable does not accept it.
std::uint8_t digit_of(const std::uint8_t* digits, DType type) {
  const std::uint8_t digit = digits[static_cast<std::size_t>(type)];
  return digit != KERNELGEN_NO_DIGIT || is_quantized(type) ? digit : digits[width_code(size_of(type))];
}

}  // namespace

std::optional<Operation> Operation::find(const Device& device, Builtin op) {
  thread_local BuiltinTable table;
  const DeviceState& state = state_of(device);
  if (table.device != state.id()) {
    for (std::size_t i = 0; i < std::size(builtin_names); ++i)
      table.rows[i] = state.kernels().find_operation(builtin_names[i]);
    table.device = state.id();
  }
  const auto index = static_cast<std::size_t>(op);
  auto& found = table.rows[index];
  // It may be in a package that was added since.
  if (!found) found = state.kernels().find_operation(builtin_names[index]);
  return found ? std::optional(Operation(*found)) : std::nullopt;
}

Operation Operation::builtin(const Device& device, Builtin op) {
  if (const auto found = find(device, op)) return *found;
  not_found(device, builtin_names[static_cast<std::size_t>(op)]);
}

Operation Operation::named(const Device& device, std::string_view name) {
  if (const auto found = state_of(device).kernels().find_operation(name)) return Operation(*found);
  not_found(device, name);
}

std::optional<int> Operation::find_form(std::string_view name) const {
  const auto forms = package_->forms(*record_);
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (package_->text(forms[i]) == name) return static_cast<int>(i);
  return std::nullopt;
}

int Operation::form(std::string_view name) const {
  if (const auto form = find_form(name)) return *form;
  throw Error(Code::not_found, formatted("{}: the package has no form '{}' of it", this->name(), name));
}

std::span<const kernelgen_argument_record> Operation::arguments(int form) const {
  const auto variants = package_->variants(*record_);
  for (auto i = static_cast<std::size_t>(form); i < variants.size(); i += record_->form_count)
    if (variants[i] != KERNELGEN_NO_KERNEL) return package_->arguments(variants[i]);
  throw Error(Code::bad_package, formatted("{}: the package has no kernel of form {}", name(), form));
}

std::uint32_t Operation::kernel(std::span<const DType> types, int form) const {
  const auto variables = package_->variables(*record_);
  if (types.size() != variables.size()) [[unlikely]]
    refuse_count(types.size());
  const std::uint8_t* const digits = package_->digits().data();
  std::size_t index = 0;
  for (std::size_t v = 0; v < types.size(); ++v) {
    const std::uint8_t digit = digit_of(digits + variables[v].first_digit, types[v]);
    if (digit == KERNELGEN_NO_DIGIT) refuse_types(types);
    index = index * variables[v].radix + digit;
  }
  const std::uint32_t kernel =
      package_->variants(*record_)[index * record_->form_count + static_cast<std::size_t>(form)];
  if (kernel == KERNELGEN_NO_KERNEL) refuse_types(types);
  return first_kernel_ + kernel;
}

void Operation::refuse_count(std::size_t types) const {
  throw Error(Code::bad_package,
              formatted("{0}: the library's operation of that name has kernels for {1} dtypes at a time, the "
                        "package's for {2}; build the package from the shipped manifest of {0}",
                        name(), types, record_->variable_count));
}

void Operation::refuse_types(std::span<const DType> types) const {
  const auto variables = package_->variables(*record_);
  std::vector<std::string_view> given;
  std::vector<std::string> accepted;
  for (std::size_t v = 0; v < types.size(); ++v) {
    given.push_back(name_of(types[v]));
    const std::uint8_t* const digits = package_->digits().data() + variables[v].first_digit;
    std::vector<std::string_view> names;
    for (std::size_t code = 0; code < dtype_count; ++code)
      if (const auto type = static_cast<DType>(code); digit_of(digits, type) != KERNELGEN_NO_DIGIT)
        names.push_back(name_of(type));
    accepted.push_back(formatted("{}", joined(names, " ")));
    if (types.size() > 1) accepted.back() += formatted(" for {}", text(variables[v].name));
  }
  throw Error(Code::invalid_argument, formatted("{}: no kernel for dtype {}; it accepts {}", name(),
                                                joined(given, ","), joined(accepted, ", ")));
}

}  // namespace kernelgen
