#include "bench/case_file.hpp"

#include <fmt/format.h>

#include <map>

#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::uint32_t largest_extent = 1u << 31;
constexpr std::string_view programs[] = {"kernel-gen", "compare_torch"};

struct Sizes {
  std::vector<std::string> dims;
  std::vector<Extents> gpu, cpu;
};

bool expect_keys(const Node& node, std::initializer_list<std::string> keys) {
  return node.expect_object(std::vector<std::string>(keys));
}

std::vector<std::string> texts(const Node& node) {
  std::vector<std::string> values;
  for (const Node& item : node.items()) values.push_back(item.text().value_or(""));
  return values;
}

std::string needed_text(const Node& node, const std::string& key) {
  const auto found = node.need(key);
  return found ? found->text().value_or("") : "";
}

bool flag(const Node& node, const std::string& key) {
  const auto found = node.find(key);
  if (found && !found->value().is_boolean()) found->fault("must be true or false");
  return found && found->value() == true;
}

std::vector<Extents> read_extents(const Node& node, const std::vector<std::string>& dims) {
  std::vector<Extents> all;
  for (const Node& row : node.items()) {
    std::vector<std::int64_t> values;
    for (const Node& extent : row.items()) values.push_back(extent.number(1, largest_extent).value_or(1));
    if (values.size() == dims.size())
      all.emplace_back(dims, values);
    else
      row.fault(fmt::format("{} extents for {} dims", values.size(), dims.size()));
  }
  return all;
}

std::map<std::string, Sizes> read_sizes(const Node& node) {
  std::map<std::string, Sizes> all;
  for (const auto& [name, row] : node.members()) {
    if (!expect_keys(row, {"dims", "gpu", "cpu", "quick"})) continue;
    Sizes& sizes = all[name];
    if (const auto dims = row.need("dims")) sizes.dims = texts(*dims);
    if (const auto gpu = row.need("gpu")) sizes.gpu = read_extents(*gpu, sizes.dims);
    if (const auto cpu = row.need("cpu")) sizes.cpu = read_extents(*cpu, sizes.dims);
    if (const auto quick = row.need("quick")) read_extents(*quick, sizes.dims);
  }
  return all;
}

std::optional<DType> read_dtype(const Node& node) {
  const auto name = node.text();
  if (!name) return std::nullopt;
  if (const auto dtype = parse_dtype(*name)) return dtype;
  std::vector<std::string> names;
  for (const auto& row : detail::dtype_rows) names.emplace_back(row.name);
  node.fault_unknown(fmt::format("unknown dtype '{}'", *name), *name, names);
  return std::nullopt;
}

/// Reads one case; texts are tried on the first of its sizes.
class FamilyReader {
 public:
  FamilyReader(const Node& node, const std::map<std::string, Sizes>& sizes) : node_(node), sizes_(sizes) {}

  CaseFamily read() {
    CaseFamily family;
    family.name = needed_text(node_, "name");
    family.operation = needed_text(node_, "operation");
    if (const auto dtypes = node_.need("dtypes"))
      for (const Node& dtype : dtypes->items())
        family.dtypes.push_back(read_dtype(dtype).value_or(DType::f32));
    read_sizes(family);
    if (const auto inputs = node_.need("inputs"))
      for (const Node& input : inputs->items()) family.inputs.push_back(read_input(input));
    if (const auto parameters = node_.find("parameters"))
      for (const auto& [name, value] : parameters->members())
        family.parameters.push_back(read_parameter(name, value));
    if (const auto terms = node_.find("terms")) family.terms = expression(*terms);
    if (const auto flops = node_.find("flops")) family.flops = expression(*flops);
    if (const auto tolerance = node_.find("tolerance")) {
      if (tolerance->value().is_number() && tolerance->value() >= 0)
        family.tolerance = tolerance->value().get<double>();
      else
        tolerance->fault("must be a number of at least 0");
    }
    return family;
  }

 private:
  void read_sizes(CaseFamily& family) {
    const std::string name = needed_text(node_, "sizes");
    const auto found = sizes_.find(name);
    if (found == sizes_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, row] : sizes_) names.push_back(known);
      if (const auto node = node_.find("sizes"))
        node->fault_unknown(fmt::format("there are no sizes '{}'", name), name, names);
      return;
    }
    family.gpu = found->second.gpu;
    family.cpu = found->second.cpu;
    const std::vector<std::int64_t> ones(found->second.dims.size(), 1);
    trial_ = Extents(found->second.dims, ones);
  }

  std::string expression(const Node& node) const {
    const std::string text = node.text().value_or("");
    if (trial_ && !trial_->evaluate(text))
      node.fault(fmt::format("'{}' is not a product or quotient of integers and the case's dims", text));
    return text;
  }

  std::vector<std::string> expressions(const Node& node) const {
    std::vector<std::string> values;
    for (const Node& item : node.items()) values.push_back(expression(item));
    return values;
  }

  CaseInput read_input(const Node& node) const {
    CaseInput input;
    if (!expect_keys(node, {"shape", "dtype", "below", "range", "transposed", "overwritten"})) return input;
    if (const auto shape = node.need("shape")) input.shape = expressions(*shape);
    if (const auto dtype = node.find("dtype")) input.dtype = read_dtype(*dtype);
    if (const auto below = node.find("below")) input.below = expression(*below);
    if (const auto range = node.find("range")) {
      const Json& value = range->value();
      if (value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number())
        input.range = value.get<std::array<double, 2>>();
      else
        range->fault("must be two numbers");
    }
    if (const auto transposed = node.find("transposed")) {
      std::vector<std::int64_t> dims;
      for (const Node& dim : transposed->items()) dims.push_back(dim.number(0, max_rank - 1).value_or(0));
      if (dims.size() == 2)
        input.transposed = {dims[0], dims[1]};
      else
        transposed->fault("must be two dims");
    }
    input.overwritten = flag(node, "overwritten");
    return input;
  }

  CaseParameter read_parameter(const std::string& name, const Node& node) const {
    const Json& value = node.value();
    if (value.is_array()) return {name, "", expressions(node)};
    if (value.is_string()) return {name, value.get<std::string>(), {}};
    if (!value.is_number() && !value.is_boolean())
      node.fault("must be a number, true, false, a string or an array of what is computed");
    return {name, value.dump(), {}};
  }

  const Node& node_;
  const std::map<std::string, Sizes>& sizes_;
  std::optional<Extents> trial_;
};

}  // namespace

std::vector<CaseFamily> read_case_file(std::string_view file, std::string_view text) {
  Faults faults;
  std::vector<CaseFamily> families;
  if (const std::optional<Json> json = parse_json(file, text, faults)) {
    const Node root(*json, file, faults);
    std::map<std::string, Sizes> sizes;
    if (expect_keys(root, {"about", "sizes", "cases"})) {
      if (const auto node = root.need("sizes")) sizes = read_sizes(*node);
      if (const auto cases = root.need("cases"))
        for (const Node& node : cases->items()) {
          if (!expect_keys(node, {"name", "operation", "dtypes", "sizes", "parameters", "inputs", "terms",
                                  "tolerance", "flops", "only"}))
            continue;
          CaseFamily family = FamilyReader(node, sizes).read();
          const auto only = node.find("only");
          if (only && only->value() != programs[0] && only->value() != programs[1])
            only->fault(fmt::format("must be '{}' or '{}'", programs[0], programs[1]));
          if (!only || only->value() == programs[0]) families.push_back(std::move(family));
        }
    }
  }
  faults.throw_if_any();
  return families;
}

}  // namespace kernelgen::tool
