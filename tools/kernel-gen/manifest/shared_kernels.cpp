#include "manifest/shared_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "kernelgen/dtype.hpp"
#include "manifest/row_steps.hpp"

namespace kernelgen::tool {
namespace {

/// Whether a kernel that takes `arguments` can be launched with `other`. The names of their types may differ.
bool same_layout(const std::vector<Argument>& arguments, const std::vector<Argument>& other) {
  return std::ranges::equal(arguments, other, [](const Argument& a, const Argument& b) {
    return a.offset == b.offset && a.size == b.size && a.is_pointer == b.is_pointer &&
           a.is_written == b.is_written;
  });
}

/// The index of the types among an operation's combinations(); for an operation of raw elements, of their widths.
std::optional<std::size_t> combination_of(const Operation& operation, const std::vector<ElementCode>& types) {
  const auto all = combinations(operation.variables);
  const auto matches = [&](const std::vector<ElementCode>& combination) {
    return std::ranges::equal(combination, types, [](ElementCode accepted, ElementCode given) {
      return accepted == given || (!is_quantized_code(given) && accepted == width_code(element_size(given)));
    });
  };
  auto found = std::ranges::find(all, types);
  if (found == all.end()) found = std::ranges::find_if(all, matches);
  return found == all.end() ? std::nullopt : std::optional<std::size_t>(found - all.begin());
}

std::string spell(const SharedVariant& shared) {
  const std::string types = spell_types(shared.owner.types_for(shared.types));
  if (shared.owner.operation.empty()) return types;
  return shared.owner.its_types.empty() ? shared.owner.operation
                                        : fmt::format("{}({})", shared.owner.operation, types);
}

}  // namespace

const SharedVariant* SharedKernels::find(std::size_t operation, std::size_t variant) const {
  const auto found = std::ranges::find_if(variants_, [&](const SharedVariant& each) {
    return each.operation == operation && each.variant == variant;
  });
  return found == variants_.end() ? nullptr : &*found;
}

void SharedKernels::resolve(KernelSet& set, Faults& faults) {
  std::vector<std::string> names;
  for (const Operation& operation : set.operations) names.push_back(operation.name);
  std::set<std::string> refused;
  for (const SharedVariant& shared : variants_) {
    const std::string location = shared.file + shared.owner.pointer;
    if (refused.contains(location)) continue;
    const std::string& name = shared.owner.operation;
    std::string objection;
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      faults.add_unknown(shared.file, shared.owner.pointer,
                         fmt::format("there is no operation '{}'; name one of these manifests", name), name,
                         names);
    else if (objection = resolve(set, shared); objection.empty())
      continue;
    else
      faults.add(shared.file, shared.owner.pointer, objection);
    refused.insert(location);
  }
}

std::string SharedKernels::resolve(KernelSet& set, const SharedVariant& shared) const {
  Operation& operation = set.operations[shared.operation];
  const std::string& name = shared.owner.operation;
  const bool is_own = name.empty() || name == operation.name;
  if (is_own && shared.owner.its_types.empty())
    return fmt::format("'{}' is the operation itself; leave it out", name);
  const auto found = is_own ? set.operations.begin() + static_cast<std::ptrdiff_t>(shared.operation)
                            : std::ranges::find(set.operations, name, &Operation::name);
  const Operation& owner = *found;
  const std::size_t own_form = shared.variant % operation.forms.size();
  const std::string& form = operation.forms[own_form];
  const auto its_form = std::ranges::find(owner.forms, form);
  if (its_form == owner.forms.end())
    return fmt::format("'{}' has no form '{}'; name an operation that has kernels of it", name, form);
  if (!is_own && !operation.row.empty() && !owner.row.empty()) {
    if (const std::string objection = first_pass_objection(operation.row, owner.row); !objection.empty())
      return fmt::format("'{}' {}; both must be the same reduction of the elements", name, objection);
    if (set.modules[operation.module].header != set.modules[owner.module].header)
      return fmt::format(
          "'{}' is of a manifest with the header '{}', this one has '{}', and functions may "
          "differ; give both one header",
          name, set.modules[owner.module].header, set.modules[operation.module].header);
  }
  const std::vector<ElementCode> types = shared.owner.types_for(shared.types);
  const auto combination = combination_of(owner, types);
  if (!combination)
    return fmt::format("'{}' has no kernels for {}; give both operations the same types", owner.name,
                       spell_types(types));
  const std::size_t variant =
      *combination * owner.forms.size() + static_cast<std::size_t>(its_form - owner.forms.begin());
  if (const SharedVariant* const other =
          find(static_cast<std::size_t>(found - set.operations.begin()), variant))
    return fmt::format("'{}' has no kernels of form '{}' itself; name '{}', whose kernels it launches",
                       owner.name, form, spell(*other));
  const Kernel& kernel = set.kernels[owner.variants[variant]];
  if (!shared.arguments.empty() && !same_layout(kernel.arguments, shared.arguments))
    return fmt::format(
        "kernel '{}' takes other arguments than form '{}' for {}; only types of the same size "
        "can share kernels",
        kernel.name, form, spell_types(shared.types));
  operation.variants[shared.variant] = owner.variants[variant];
  return {};
}

}  // namespace kernelgen::tool
