// Expressions and templates of manifests.
#include "manifest/expression.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/disk.hpp"
#include "seeds.hpp"
#include "source/body.hpp"
#include "source/expression.hpp"
#include "source/launch_rule.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  const RealDisk disk;
  std::vector<std::string> seeds = {
      "map(op<{T}>{widen(a), widen(b)}, {}, {T",
      "t[(i + 1) & 255]",
      "c != 0 ? a : b",
      "a / b % -c",
      "f16(a) + 0x1p-3f",
      "t[a, b + 1] * c",
      "constant N 4 cpu 8; number n = t[-1] / N; require n > 0; output y: f32 = [t[:-1], n]; "
      "zeros c: b64 = [bytes(t)]; launch; for i: u32 = n; when i % 2; grid ceil_div(n, threads), min(units, "
      "i)"};
  for (const auto& file : disk.list(KERNELGEN_MANIFESTS "/core")) {
    if (file.extension() != ".json") continue;
    const nlohmann::json manifest = nlohmann::json::parse(disk.read(file), nullptr, true, true);
    for (const auto& operation : manifest.value("operations", nlohmann::json::array()))
      if (operation.contains("expr") && operation["expr"].is_string()) seeds.push_back(operation["expr"]);
  }
  return seeds;
}

namespace {

/// Every expression of a launch rule for a tensor of three dims. Each has a value or a fault.
void evaluate_rule(std::string_view text) try {
  const kernelgen::LaunchRule rule = kernelgen::LaunchRule::parse(text, {"t"}, {"a"});
  const std::vector<std::int64_t> shape = {3, 0, -1};
  kernelgen::DimValues values{{shape}, {8, 64, 0, 5}, {4}};
  for (const auto& constant : rule.constants()) values.numbers.push_back(constant.value("cpu"));
  for (const auto& number : rule.numbers())
    if (const std::int64_t value = number.expression.parsed.value(values); !number.name.empty())
      values.numbers.push_back(value);
  for (const auto& tensor : rule.tensors()) tensor.extents.parsed.extents(values);
  for (const auto& launch : rule.launches()) {
    const std::size_t known = values.numbers.size();
    if (launch.loop) values.numbers.push_back(launch.loop->expression.parsed.value(values));
    if (launch.condition) launch.condition->parsed.value(values);
    values.numbers.push_back(256);
    if (launch.grid) launch.grid->parsed.value(values);
    values.numbers.resize(known);
  }
} catch (const kernelgen::DimFault&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> operands = {"a", "b", "c", "x"};
  for (const bool has_own_functions : {false, true}) {
    const kernelgen::ExpressionNames names{operands, has_own_functions};
    const kernelgen::ExpressionCode code = kernelgen::parse_expression(text, names);
    // What is accepted is code of the same kind.
    if (code.objection.empty() && !kernelgen::body_objection(code.text).empty()) std::abort();
  }
  const std::vector<std::string> tensors = {"t"};
  kernelgen::parse_expression(text, {.operands = operands, .indexed = tensors});
  evaluate_rule(text);
  kernelgen::body_objection(text);
  const Template parsed(text);
  kernelgen::body_objection(parsed.plain());
  const std::vector<std::string> variables = {"T"};
  const std::vector<ElementCode> values = {*parse_element("f32")};
  if (parsed.placeholders().size() == 1 && parsed.placeholders()[0] == "T") parsed.fill({variables, values});
  return 0;
}
