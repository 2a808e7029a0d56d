#include "run/runnable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/fault.hpp"
#include "common/suggest.hpp"
#include "package/operation_rule.hpp"
#include "run/function.hpp"

namespace kernelgen::tool {
namespace {

/// An operation that call() takes.
Runnable called(const std::string& name, std::string doc, std::span<const std::string> inputs,
                std::span<const std::string> scalars, std::vector<std::string> outputs) {
  Runnable runnable{
      .name = name, .doc = std::move(doc), .inputs = {inputs.begin(), inputs.end()}, .bind = {}};
  const bool has_several = outputs.size() > 1;
  if (!outputs.empty()) runnable.outputs = std::move(outputs);
  for (const std::string& scalar : scalars)
    runnable.parameters.push_back({scalar, ParameterKind::number, std::nullopt});
  runnable.bind = [name, has_several, parameters = runnable.parameters](const ParameterValues& values) {
    std::vector<Scalar> scalars;
    for (const CallParameter& parameter : parameters) scalars.push_back(values.number(parameter.name));
    return [name, scalars, has_several](const Operands& operands) {
      if (has_several) return call_all(name, operands.inputs, scalars);
      return std::vector{call(name, operands.inputs, scalars, operands.options())};
    };
  };
  return runnable;
}

/// Of the shape that the inputs are broadcast to.
std::vector<std::int64_t> all_dims(std::span<const Tensor> inputs) {
  std::size_t rank = 0;
  for (const Tensor& input : inputs) rank = std::max(rank, input.shape().size());
  std::vector<std::int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), std::int64_t{0});
  return dims;
}

Runnable reduction(const std::string& name, std::span<const std::string> inputs,
                   std::span<const std::string> scalars) {
  Runnable runnable{.name = name,
                    .doc = inputs.size() == 1 ? "Reduces x along dims; keep_dims leaves them with extent 1."
                                              : "Reduces the inputs, broadcast to a common shape, along "
                                                "dims; keep_dims leaves them with extent 1.",
                    .inputs = {inputs.begin(), inputs.end()},
                    .bind = {}};
  for (const std::string& scalar : scalars)
    runnable.parameters.push_back({scalar, ParameterKind::number, std::nullopt});
  const std::size_t count = runnable.parameters.size();
  runnable.parameters.push_back({"dims", ParameterKind::dims, "all"});
  runnable.parameters.push_back({"keep_dims", ParameterKind::flag, "false"});
  runnable.bind = [name, count, parameters = runnable.parameters](const ParameterValues& values) {
    std::vector<Scalar> scalars;
    for (const CallParameter& parameter : std::span(parameters).first(count))
      scalars.push_back(values.number(parameter.name));
    return [name, scalars, dims = values.dims("dims"),
            keeps = values.flag("keep_dims")](const Operands& operands) {
      return std::vector{reduce_inputs(name, operands.inputs, dims ? *dims : all_dims(operands.inputs), keeps,
                                       scalars, operands.options())};
    };
  };
  return runnable;
}

Runnable by_name(std::uint32_t kind, const std::string& name, std::span<const std::string> inputs,
                 std::span<const std::string> scalars, const LaunchRule* rule) {
  if (rule != nullptr) {
    std::vector<std::string> outputs;
    for (const LaunchRule::Tensor& tensor : rule->tensors())
      if (tensor.is_output()) outputs.push_back(tensor.name);
    return called(name, "Launched as its manifest says.", inputs, scalars, std::move(outputs));
  }
  if (kind == KERNELGEN_OPERATION_REDUCE) return reduction(name, inputs, scalars);
  if (kind == KERNELGEN_OPERATION_MAP)
    return called(name, "Element-wise; inputs are broadcast to a common shape.", inputs, scalars, {});
  if (kind == KERNELGEN_OPERATION_MATMUL)
    return called(name, "Maps the product of the first two inputs; others are broadcast to its shape.",
                  inputs, scalars, {});
  return called(name,
                "Maps the rows along the last dim of the first input; others are broadcast to its shape.",
                inputs, scalars, {});
}

/// An operation as its package describes it.
Runnable by_name(const Package& package, const kernelgen_operation_record& record) {
  const auto operands = package.operands(record);
  const auto names_of = [&](std::span<const kernelgen_operand_record> some) {
    std::vector<std::string> names;
    for (const auto& operand : some) names.emplace_back(package.text(operand.name));
    return names;
  };
  std::optional<OperationRule> rule;
  if (record.kind == KERNELGEN_OPERATION_BODY)
    rule = read_rule(record, operands, [&](std::uint32_t string) { return package.text(string); });
  return by_name(record.kind, std::string(package.text(record.name)),
                 names_of(operands.first(record.input_count)),
                 names_of(operands.subspan(record.input_count + 1)), rule ? &rule->rule : nullptr);
}

/// An operation as its manifest describes it.
Runnable by_name(const Operation& operation) {
  const auto names_of = [](std::span<const Operand> some) {
    std::vector<std::string> names;
    for (const Operand& operand : some) names.push_back(operand.name);
    return names;
  };
  return by_name(operation.kind(), operation.name, names_of(operation.inputs()),
                 names_of(operation.scalars()), operation.rule ? &*operation.rule : nullptr);
}

/// Whether the package has code of a kernel of the operation for the target, or without a target for any.
bool has_kernels(const Package& package, const kernelgen_operation_record& record,
                 std::optional<std::uint32_t> only) {
  const auto target_count = static_cast<std::uint32_t>(package.targets().size());
  return std::ranges::any_of(package.variants(record), [&](std::uint32_t kernel) {
    if (kernel == KERNELGEN_NO_KERNEL) return false;
    const std::uint32_t module = package.kernels()[kernel].module;
    if (only) return package.code_size(*only, module) > 0;
    for (std::uint32_t target = 0; target < target_count; ++target)
      if (package.code_size(target, module) > 0) return true;
    return false;
  });
}

bool has_kernels(const Package& package, std::string_view name, std::optional<std::uint32_t> only) {
  const kernelgen_operation_record* const record = package.find_operation(name);
  return record != nullptr && has_kernels(package, *record, only);
}

const Runnable* find(std::span<const Runnable> runnables, std::string_view name) {
  const auto found = std::find_if(runnables.begin(), runnables.end(),
                                  [&](const Runnable& runnable) { return runnable.is_called(name); });
  return found == runnables.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_unknown(std::span<const Runnable> rows, const std::string& what,
                                 std::string_view name) {
  std::vector<std::string> names;
  for (const Runnable& row : rows) names.push_back(row.name);
  throw BadInput(Fault{{}, {}, what + "; 'kernel-gen run --list' lists all", nearest(name, names)});
}

}  // namespace

std::vector<Runnable> runnables(const Package& package, std::optional<std::string_view> target) {
  std::optional<std::uint32_t> only;
  if (target) {
    only = package.find_target(*target);
    if (!only) return {};
  }
  std::vector<Runnable> rows;
  for (const auto& record : package.operations())
    if (record.kind != KERNELGEN_OPERATION_OTHER &&
        find(library_runnables(), package.text(record.name)) == nullptr && has_kernels(package, record, only))
      rows.push_back(by_name(package, record));
  for (const Runnable& runnable : library_runnables())
    if (std::ranges::all_of(runnable.needs.value_or(std::vector{runnable.name}),
                            [&](const std::string& name) { return has_kernels(package, name, only); }))
      rows.push_back(runnable);
  return rows;
}

Runnable find_runnable(const Package& package, std::string_view name) {
  const std::vector<Runnable> rows = runnables(package);
  if (const Runnable* found = find(rows, name)) return *found;
  if (find(library_runnables(), name) != nullptr)
    throw BadInput(
        Fault{package.name(),
              {},
              fmt::format("the package has no kernels of '{}'; 'kernel-gen run --list' lists the "
                          "operations it has, 'kernel-gen build' writes a package with all of them",
                          name),
              {}});
  if (package.find_operation(name) != nullptr)
    throw BadInput(
        Fault{{},
              {},
              fmt::format("'{}' is neither called by name nor an operation of the library, so only a "
                          "program can launch its kernels; 'kernel-gen run --list' lists the others",
                          name),
              {}});
  refuse_unknown(rows, fmt::format("the package has no operation '{}'", name), name);
}

Runnable describe_runnable(std::string_view name, const Package* package,
                           std::span<const Operation> manifests) {
  std::vector<Runnable> rows = library_runnables();
  if (package != nullptr)
    for (Runnable& runnable : runnables(*package)) rows.push_back(std::move(runnable));
  for (const Operation& operation : manifests)
    if (operation.kind() != KERNELGEN_OPERATION_OTHER) rows.push_back(by_name(operation));
  if (const Runnable* found = find(rows, name)) return *found;
  refuse_unknown(rows, fmt::format("there is no operation '{}'", name), name);
}

}  // namespace kernelgen::tool
