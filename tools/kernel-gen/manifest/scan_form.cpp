#include "manifest/scan_form.hpp"

#include <fmt/format.h>

#include "manifest/reduction.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"identity", "of", "combine", "finish", "exclusive", "reverse"};

/// The launch rule of every scan (kernels/scan/expression_scan.hpp). {0} is the input, {1} the output's type. Along rows a group of
/// threads takes a part, along other dims a thread. Few, long lists are divided into parts that fill the device: of at least 64
/// elements per thread, or 16,384 per CPU thread.
constexpr std::pair<std::string_view, std::string_view> statements[] = {
    {"number", "d = axis(dim, {0})"},
    {"number", "n = {0}[d]"},
    {"number", "inner = size({0}[d + 1:])"},
    {"number", "lists = size({0}[:d]) * inner"},
    {"number", "group = cpu || inner > 1 ? 1 : min(256, next_pow2(n))"},
    {"number", "wanted = ceil_div(cpu ? units * 2 : units * 2048 / group, max(lists, 1))"},
    {"number", "part = max(1, ceil_div(n, max(1, min(wanted, n / (cpu ? 16384 : 64 * group)))))"},
    {"number", "parts = max(1, ceil_div(n, part))"},
    {"output", "y: {1} = [{0}]"},
    {"workspace", "totals: i64 = [parts > 1 ? lists * parts : 0]"},
};
constexpr std::string_view grid =
    "cpu ? min(units * 4, lists * parts) : min(ceil_div(lists * parts * group, threads), 1048576)";

bool flag(const Node& owner, const std::string& key) {
  const auto node = owner.find(key);
  return node && node->truth().value_or(false);
}

}  // namespace

void read_scan(const Node& node, const StringLines& lines, OperationEntry& operation,
               bool has_own_functions) {
  if (!node.expect_object(keys)) return;
  check_reduced(node, operation, "a scan");
  operation.reduce = read_expressions(node, lines, operation, has_own_functions);
  operation.reduce->state = 0;  // only packages' reductions have one
  if (operation.inputs.size() != 1) return;
  const std::string &x = operation.inputs[0].name, &type = operation.inputs[0].type;
  operation.scalars = {{"dim", "i64"}};
  LaunchRule rule({x}, {"dim"});
  std::vector<Parameter> parameters = {
      {x, {type, true, true}}, {"y", {operation.output.type, false, true}}, {"totals", {"i64", false, true}}};
  for (const char* number : {"lists", "n", "inner", "part", "parts", "group"})
    parameters.push_back({number, {"i64", false, false}});
  const auto launch = [&](const char* form, const std::string& body, std::string_view grid,
                          const char* condition) {
    rule.add("launch", "");
    rule.add("grid", grid);
    if (condition != nullptr) rule.add("when", condition);
    operation.forms.push_back(
        {form, parameters, {Template(body), operation.reduce->combine.line}, operation.block});
  };
  const auto pass = [&](const char* name) {
    return fmt::format(
        "scan_parts<{}_op<{{{}}}>, ScanPass::{}, {}, {}>({}, y, totals, lists, n, inner, part, parts, group)",
        operation.name, type, name, flag(node, "exclusive"), flag(node, "reverse"), x);
  };
  try {
    for (const auto& [word, text] : statements)
      rule.add(word, fmt::format(fmt::runtime(text), x, operation.output.type));
    launch("totals", pass("totals"), grid, "parts > 1");
    launch("prefix", fmt::format("scan_totals<{}_op<{{{}}}>>(totals, lists, parts)", operation.name, type),
           "cpu ? min(units, lists) : min(ceil_div(lists, threads), 1048576)", "parts > 1");
    launch("elements", pass("elements"), grid, nullptr);
  } catch (const DimFault& fault) {
    node.fault(fault.why);
  }
  operation.rule = std::move(rule);
}

}  // namespace kernelgen::tool
