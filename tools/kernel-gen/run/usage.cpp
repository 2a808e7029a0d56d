#include "run/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/table.hpp"

namespace kernelgen::tool {
namespace {

/// "dims=all", and "dim=" for one that has to be given.
std::string spell_parameters(std::span<const CallParameter> parameters) {
  std::string text;
  for (const CallParameter& parameter : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, parameter.fallback.value_or(""));
  return text;
}

void add_names(std::string& text, const char* head, std::span<const std::string> names) {
  if (!names.empty()) text += fmt::format("{}: {}\n", head, fmt::join(names, ", "));
}

}  // namespace

std::string example_line(const Runnable& runnable) {
  std::string line = "kernel-gen run " + runnable.name;
  for (const std::string& input : std::span(runnable.inputs).first(runnable.least_inputs()))
    line += fmt::format(" --in {}.npy", input);
  for (const CallParameter& parameter : runnable.parameters) {
    if (parameter.fallback) continue;
    const bool is_text = parameter.kind == ParameterKind::text;
    line += fmt::format(" --param {}",
                        is_text ? fmt::format("'{}'", example_of(parameter)) : example_of(parameter));
  }
  for (const std::string& output : runnable.outputs)
    line += fmt::format(" --out {}.npy", runnable.in_place ? "y" : output);
  return line;
}

std::string usage_of(const Runnable& runnable) {
  std::string text = fmt::format("{}\n\n{}\n\n", runnable.name, runnable.doc);
  if (!runnable.also.empty()) text += fmt::format("Also called {}.\n", runnable.also);
  const auto inputs = std::span<const std::string>(runnable.inputs);
  add_names(text, "inputs, each with --in FILE, in this order", inputs.first(runnable.least_inputs()));
  add_names(text, "optional inputs, in this order after the others, or each with --in NAME=FILE",
            inputs.last(runnable.optional_inputs));
  if (!runnable.parameters.empty()) text += "parameters, each with --param NAME=VALUE:\n";
  for (const CallParameter& parameter : runnable.parameters) {
    const std::string value =
        parameter.fallback ? fmt::format("{}={}", parameter.name, *parameter.fallback) : parameter.name;
    text += fmt::format("  {:<20} {}{}\n", value, what_it_takes(parameter.kind),
                        parameter.fallback ? "" : " (required)");
  }
  add_names(text, "outputs, each with --out FILE, in this order", runnable.outputs);
  return text + "example:\n  " + example_line(runnable);
}

void print_runnables(std::span<const Runnable> runnables, std::FILE* out) {
  Table table({"operation", "inputs", "outputs", "parameters"});
  for (const Runnable& runnable : runnables)
    table.add({runnable.name, fmt::format("{}", fmt::join(runnable.inputs, ", ")),
               fmt::format("{}", fmt::join(runnable.outputs, ", ")), spell_parameters(runnable.parameters)});
  table.print(out);
}

nlohmann::ordered_json to_json(std::span<const Runnable> runnables) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Runnable& runnable : runnables) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const CallParameter& parameter : runnable.parameters) {
      nlohmann::ordered_json row = {{"name", parameter.name}, {"takes", what_it_takes(parameter.kind)}};
      if (parameter.fallback) row["default"] = *parameter.fallback;
      parameters.push_back(std::move(row));
    }
    nlohmann::ordered_json row = {{"operation", runnable.name}, {"doc", runnable.doc}};
    if (!runnable.also.empty()) row["also"] = runnable.also;
    row["inputs"] = runnable.inputs;
    if (runnable.optional_inputs != 0) row["optional_inputs"] = runnable.optional_inputs;
    row["parameters"] = std::move(parameters);
    row["outputs"] = runnable.outputs;
    row["example"] = example_line(runnable);
    json.push_back(std::move(row));
  }
  return json;
}

}  // namespace kernelgen::tool
