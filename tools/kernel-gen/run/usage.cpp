#include "run/usage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"

namespace kernelgen::tool {
namespace {

std::string names_of(std::span<const Role> roles) {
  std::string text;
  for (const Role& role : roles) text += (text.empty() ? "" : ", ") + role.name;
  return text;
}

/// "dims=all", and "dim=" for one that has to be given.
std::string spell_parameters(std::span<const CallParameter> parameters) {
  std::string text;
  for (const CallParameter& parameter : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name, parameter.fallback.value_or(""));
  return text;
}

void add_roles(std::string& text, const char* head, std::span<const Role> roles) {
  if (roles.empty()) return;
  text += fmt::format("{}:\n", head);
  for (const Role& role : roles) text += fmt::format("  {:<20} {}\n", role.name, role.meaning);
}

nlohmann::ordered_json to_json(std::span<const Role> roles) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Role& role : roles) json.push_back({{"name", role.name}, {"meaning", role.meaning}});
  return json;
}

}  // namespace

std::string example_line(const Runnable& runnable) {
  std::string line = "kernel-gen run " + runnable.name;
  for (const Role& input : std::span(runnable.inputs).first(runnable.least_inputs()))
    line += fmt::format(" --in {}.npy", input.name);
  for (const CallParameter& parameter : runnable.parameters) {
    if (parameter.fallback) continue;
    const bool is_text = parameter.kind == ParameterKind::text;
    line += fmt::format(" --param {}",
                        is_text ? fmt::format("'{}'", example_of(parameter)) : example_of(parameter));
  }
  for (const Role& output : runnable.outputs)
    line += fmt::format(" --out {}.npy", runnable.in_place ? "y" : output.name);
  return line;
}

std::string usage_of(const Runnable& runnable) {
  std::string text = fmt::format("{}: {}\n", runnable.name, runnable.summary);
  if (!runnable.also.empty()) text += fmt::format("Also called {}.\n", runnable.also);
  const auto inputs = std::span<const Role>(runnable.inputs);
  add_roles(text, "inputs, each with --in FILE, in this order", inputs.first(runnable.least_inputs()));
  add_roles(text, "optional inputs, in this order after the others, or each with --in NAME=FILE",
            inputs.last(runnable.optional_inputs));
  if (!runnable.parameters.empty()) text += "parameters, each with --param NAME=VALUE:\n";
  for (const CallParameter& parameter : runnable.parameters) {
    const std::string value =
        parameter.fallback ? fmt::format("{}={}", parameter.name, *parameter.fallback) : parameter.name;
    text += fmt::format("  {:<20} {}: {}{}\n", value, parameter.meaning, what_it_takes(parameter.kind),
                        parameter.fallback ? "" : " (required)");
  }
  add_roles(text, "outputs, each with --out FILE, in this order", runnable.outputs);
  return text + "example:\n  " + example_line(runnable);
}

void print_runnables(std::span<const Runnable> runnables, std::FILE* out) {
  Table table({"operation", "inputs", "outputs", "parameters"});
  for (const Runnable& runnable : runnables)
    table.add({runnable.name, names_of(runnable.inputs), names_of(runnable.outputs),
               spell_parameters(runnable.parameters)});
  table.print(out);
}

nlohmann::ordered_json to_json(std::span<const Runnable> runnables) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Runnable& runnable : runnables) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const CallParameter& parameter : runnable.parameters) {
      nlohmann::ordered_json row = {
          {"name", parameter.name}, {"meaning", parameter.meaning}, {"takes", what_it_takes(parameter.kind)}};
      if (parameter.fallback) row["default"] = *parameter.fallback;
      parameters.push_back(std::move(row));
    }
    nlohmann::ordered_json row = {{"operation", runnable.name}, {"summary", runnable.summary}};
    if (!runnable.also.empty()) row["also"] = runnable.also;
    row["inputs"] = to_json(std::span(runnable.inputs));
    if (runnable.optional_inputs != 0) row["optional_inputs"] = runnable.optional_inputs;
    row["parameters"] = std::move(parameters);
    row["outputs"] = to_json(std::span(runnable.outputs));
    row["example"] = example_line(runnable);
    json.push_back(std::move(row));
  }
  return json;
}

}  // namespace kernelgen::tool
