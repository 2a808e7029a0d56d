// Expressions and templates of manifests.
#include "manifest/expression.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/disk.hpp"
#include "seeds.hpp"
#include "source/body.hpp"
#include "source/expression.hpp"

using namespace kernelgen::tool;

std::vector<std::string> kernelgen::fuzz::seeds() {
  const RealDisk disk;
  std::vector<std::string> seeds = {"map(op<{T}>{widen(a), widen(b)}, {}, {T", "t[(i + 1) & 255]",
                                    "c != 0 ? a : b", "a / b % -c", "f16(a) + 0x1p-3f"};
  for (const auto& file : disk.list(KERNELGEN_MANIFESTS "/core")) {
    if (file.extension() != ".json") continue;
    const nlohmann::json manifest = nlohmann::json::parse(disk.read(file), nullptr, true, true);
    for (const auto& operation : manifest.value("operations", nlohmann::json::array()))
      if (operation.contains("expr") && operation["expr"].is_string()) seeds.push_back(operation["expr"]);
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> operands = {"a", "b", "c", "x"};
  for (const bool has_own_functions : {false, true}) {
    const kernelgen::ExpressionNames names{operands, has_own_functions};
    const kernelgen::ExpressionCode code = kernelgen::parse_expression(text, names);
    // What is accepted is code of the same kind.
    if (code.objection.empty() && !kernelgen::body_objection(code.text).empty()) std::abort();
  }
  kernelgen::body_objection(text);
  const Template parsed(text);
  kernelgen::body_objection(parsed.plain());
  const std::vector<std::string> variables = {"T"};
  const std::vector<ElementCode> values = {*parse_element("f32")};
  if (parsed.placeholders().size() == 1 && parsed.placeholders()[0] == "T") parsed.fill({variables, values});
  return 0;
}
