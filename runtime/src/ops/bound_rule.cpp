#include "ops/bound_rule.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

std::optional<std::size_t> index_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<std::size_t> index_of_report(std::string_view name) {
  const auto found = std::ranges::find(index_report_names, name);
  if (found == std::end(index_report_names)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(index_report_names));
}

/// Bytes of the argument by which kernels take a number of the rule.
std::size_t bytes_of(const LaunchRule& rule, std::string_view name) {
  const auto found = std::ranges::find(rule.numbers(), name, &LaunchRule::Number::name);
  return found == rule.numbers().end() ? 8 : found->bytes();
}

/// Names the inputs and the result for reports, once the rule stays where it is.
void describe_reports(BoundRule& bound, const Operation& operation) {
  bound.reported_names = {std::string(operation.name())};
  const auto inputs = bound.rule().names().tensors;
  bound.reported_names.insert(bound.reported_names.end(), inputs.begin(), inputs.end());
  bound.reported_names.push_back(bound.rule().tensors().front().name);
  bound.reported.name = bound.reported_names.front().c_str();
  for (std::size_t i = 0; i + 1 < bound.reported_names.size() && i < bound.reported.operands.size(); ++i)
    bound.reported.operands[i] = bound.reported_names[i + 1].c_str();
  bound.reported.is_by_coordinates = true;
  bound.reported.result = inputs.size();
}

BoundRule bind(const Operation& operation) {
  using Source = BoundRule::Source;
  const auto operands = operation.operands();
  BoundRule bound{
      read_rule(operation.record(), operands, [&](std::uint32_t string) { return operation.text(string); }),
      {},
      {},
      0,
      false,
      {},
      {}};
  const LaunchRule& rule = bound.rule();
  if (rule.launches().empty()) throw DimFault{"has no launch"};
  std::vector<std::string> scalars;
  for (const auto& scalar : operands.last(static_cast<std::size_t>(operation.scalars())))
    scalars.emplace_back(operation.text(scalar.name));
  for (const LaunchRule::Constant& constant : rule.constants())
    bound.constants.push_back(constant.value(operation.target()));
  std::vector<std::string> tensors;
  for (const LaunchRule::Tensor& tensor : rule.tensors()) tensors.push_back(tensor.name);
  bound.output_count =
      static_cast<std::size_t>(std::ranges::count(rule.tensors(), true, &LaunchRule::Tensor::is_output));
  for (std::size_t form = 0; form < rule.launches().size(); ++form) {
    auto& arguments = bound.launches.emplace_back();
    for (const auto& argument : operation.arguments(static_cast<int>(form))) {
      const std::string_view name = operation.text(argument.name);
      const auto input = index_of(rule.names().tensors, name), tensor = index_of(tensors, name);
      const auto scalar = index_of(scalars, name), number = index_of(rule.names().numbers, name);
      if (const auto report = index_of_report(name); report && !argument.is_pointer && argument.size == 8) {
        arguments.push_back({Source::report, *report});
        bound.reports_indices = true;
        continue;
      }
      const auto& loop = rule.launches()[form].loop;
      const bool is_tensor = input || tensor, is_step = loop && loop->name == name;
      const std::size_t bytes = is_step ? loop->bytes() : bytes_of(rule, name);
      if (is_tensor != (argument.is_pointer != 0) || !(is_tensor || scalar || number || is_step) ||
          (!is_tensor && !scalar && argument.size != bytes))
        throw DimFault{formatted("argument {} of launch {} is nothing that a call has", name, form)};
      if (is_tensor)
        arguments.push_back({input ? Source::input : Source::tensor, input ? *input : *tensor});
      else if (is_step)
        arguments.push_back({Source::step, 0, bytes});
      else
        arguments.push_back({scalar ? Source::scalar : Source::number, scalar ? *scalar : *number, bytes});
    }
  }
  return bound;
}

/// The rules that a device's operations were called by. Thread-safe.
struct RuleCache {
  std::shared_mutex mutex;
  std::map<const kernelgen_operation_record*, std::unique_ptr<const BoundRule>> rules;
};

}  // namespace

const BoundRule& BoundRule::of(const Device& device, const Operation& operation) {
  RuleCache& cache =
      *state_of(device).attachments().get<RuleCache>([] { return std::make_unique<RuleCache>(); });
  const auto* const key = &operation.record();
  {
    const std::shared_lock lock(cache.mutex);
    if (const auto found = cache.rules.find(key); found != cache.rules.end()) return *found->second;
  }
  try {
    auto rule = std::make_unique<BoundRule>(bind(operation));
    if (rule->reports_indices) describe_reports(*rule, operation);
    const std::lock_guard lock(cache.mutex);
    return *cache.rules.try_emplace(key, std::move(rule)).first->second;
  } catch (const DimFault& fault) {
    throw Error(Code::bad_package, formatted("{}: its rule {}", operation.name(), fault.why));
  }
}

}  // namespace kernelgen
