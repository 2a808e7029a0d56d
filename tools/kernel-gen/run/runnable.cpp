#include "run/runnable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.hpp"
#include "common/suggest.hpp"
#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

/// An element-wise operation as its package describes it.
Runnable element_wise(const Package& package, const kernelgen_operation_record& record) {
  const auto operands = package.operands(record);
  Runnable runnable{.name = std::string(package.text(record.name)),
                    .summary = "element-wise; inputs are broadcast to a common shape",
                    .inputs = {},
                    .bind = {}};
  for (const auto& input : operands.first(record.input_count))
    runnable.inputs.push_back({std::string(package.text(input.name)), "any shape"});
  for (const auto& scalar : operands.subspan(record.input_count + 1))
    runnable.parameters.push_back(
        {std::string(package.text(scalar.name)), ParameterKind::number, std::nullopt, "a scalar"});
  runnable.bind = [name = runnable.name, parameters = runnable.parameters](const ParameterValues& values) {
    std::vector<Scalar> scalars;
    for (const CallParameter& parameter : parameters) scalars.push_back(values.number(parameter.name));
    return [name, scalars](const Operands& operands) {
      return std::vector{call(name, operands.inputs, scalars, operands.options())};
    };
  };
  return runnable;
}

const Runnable* find(std::span<const Runnable> runnables, std::string_view name) {
  const auto found = std::find_if(runnables.begin(), runnables.end(),
                                  [&](const Runnable& runnable) { return runnable.is_called(name); });
  return found == runnables.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Runnable>& library_runnables() {
  static const std::vector<Runnable> all = [] {
    std::vector<Runnable> rows;
    for (const auto& family : {attention_runnables(), elementwise_runnables(), expression_runnables(),
                               image_runnables(), index_runnables(), loss_runnables(), matmul_runnables(),
                               normalization_runnables(), quantized_runnables(), random_runnables(),
                               reduce_runnables(), rope_runnables(), scan_runnables(), sort_runnables()})
      rows.insert(rows.end(), family.begin(), family.end());
    return rows;
  }();
  return all;
}

std::vector<Runnable> runnables(const Package& package) {
  std::vector<Runnable> rows;
  for (const auto& record : package.operations())
    if (record.is_map != 0 && find(library_runnables(), package.text(record.name)) == nullptr)
      rows.push_back(element_wise(package, record));
  rows.insert(rows.end(), library_runnables().begin(), library_runnables().end());
  return rows;
}

Runnable find_runnable(const Package& package, std::string_view name) {
  const std::vector<Runnable> rows = runnables(package);
  if (const Runnable* found = find(rows, name)) return *found;
  if (package.find_operation(name) != nullptr)
    throw BadInput(
        Fault{{},
              {},
              fmt::format("'{}' is neither element-wise nor an operation of the library, so only a "
                          "program can launch its kernels; 'kernel-gen run --list' lists the others",
                          name),
              {}});
  std::vector<std::string> names;
  for (const Runnable& row : rows) names.push_back(row.name);
  throw BadInput(
      Fault{{},
            {},
            fmt::format("the package has no operation '{}'; 'kernel-gen run --list' lists all", name),
            nearest(name, names)});
}

}  // namespace kernelgen::tool
