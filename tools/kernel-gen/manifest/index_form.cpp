#include "manifest/index_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernelgen/dtype.hpp"
#include "manifest/operand_check.hpp"
#include "manifest/reduction.hpp"
#include "manifest/statement_text.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"output", "set", "over", "from", "outside", "reduce"};
const std::vector<std::string> outsides = {"error", "zero", "edge", "wrap", "skip"};
const std::vector<std::string> window_keys = {"identity", "combine", "finish"};
constexpr std::size_t most_loops = 8;

constexpr std::string_view example =
    R"j({"output": "y: T = [ids[0], x[1]]", "set": "y[i, j] = x[ids[i], j]"})j";
constexpr std::string_view scatter_example =
    R"j({"output": "y: T = [n]", "over": ["i = ids[0]"], "set": "y[ids[i]] += x[i]"})j";
constexpr std::string_view window_example =
    R"j({"output": "y: T = [x[0] - 2]", "over": ["k = 3"], "set": "y[i] = x[i + k]", )j"
    R"j("reduce": {"identity": "lowest", "combine": "maximum(a, b)"}})j";

class Reader {
 public:
  Reader(const StringLines& lines, OperationEntry& operation, bool has_own_functions)
      : lines_(lines), operation_(operation), has_own_functions_(has_own_functions) {
    std::vector<std::string> integers;
    for (const Operand& input : operation.inputs) tensors_.push_back(input.name);
    for (const Operand& scalar : operation.scalars) {
      names_.push_back(scalar.name);
      if (const auto code = parse_element(scalar.type);
          code && *code < dtype_count && !is_float(static_cast<DType>(*code)))
        integers.push_back(scalar.name);
    }
    operation.rule = LaunchRule(tensors_, integers);
    operation.index.emplace();
  }

  void read(const Node& node) {
    if (!node.expect_object(keys)) return;
    if (tensors_.empty()) return node.fault("an operation with an index needs an input");
    const auto output = node.find("output"), set = node.find("set");
    const auto declared = output ? output->text() : std::nullopt, text = set ? set->text() : std::nullopt;
    if (!declared || !text)
      return node.fault(fmt::format("needs 'output' and 'set', as in {} or {}", example, scatter_example));
    const auto over = node.find("over"), reduce = node.find("reduce");
    if (over) read_loops(*over);
    if (reduce && !over)
      return reduce->fault(fmt::format(
          "needs the loops 'over' whose values are combined for an element of the result, as in {}",
          window_example));
    if (reduce) read_window(*reduce);
    if (!read_output(*output, *declared) || !read_set(*set, *text, over && !reduce)) return;
    if (const auto outside = node.find("outside"))
      if (const auto word = outside->text()) {
        if (!holds(outsides, *word))
          outside->fault_unknown(fmt::format("unknown word '{}'", *word), *word, outsides);
        if (*word == "skip" && !reduce)
          outside->fault(fmt::format("'skip' leaves elements out of a reduction, as in {}", window_example));
        outside_ = *word;
      }
    if (const auto from = node.find("from"); from && !is_scatter_)
      from->fault("is for a scatter, whose result begins with it; a gather sets every element");
    else if (from)
      read_base(*from);
    try {
      make_launches();
    } catch (const DimFault& fault) {
      node.fault(fault.why);
    }
  }

 private:
  LaunchRule& rule() { return *operation_.rule; }
  IndexStatement& statement() { return *operation_.index; }

  bool add(const Node& node, std::string_view word, std::string_view rest) {
    try {
      rule().add(word, rest);
      return true;
    } catch (const DimFault& fault) {
      node.fault(fault.why);
      return false;
    }
  }

  /// The loops are those of a window, whose values are reduced.
  void read_window(const Node& node) {
    if (!node.expect_object(window_keys)) return;
    window_ = statement().loops.size();
    for (const Operand& scalar : operation_.scalars)
      if (holds(reduction_words, scalar.name))
        node.fault(fmt::format(
            "the name '{}' is taken by the expressions of a reduction: give the scalar another one",
            scalar.name));
    operation_.reduce = read_expressions(node, lines_, operation_, has_own_functions_);
    operation_.reduce->state = 0;  // of a package's reductions only
  }

  /// "i = ids[0]": a loop of a scatter, or of a window.
  void read_loops(const Node& node) {
    for (const Node& item : node.items(most_loops))
      if (const auto text = item.text()) {
        const auto equals = text->find('=');
        const std::string name(trimmed(std::string_view(*text).substr(0, equals)));
        if (equals == text->npos) {
          item.fault(fmt::format("'{}' must be \"NAME = EXTENT\", as in {}", *text, scatter_example));
        } else if (add(item, "number", fmt::format("{}_extent = {}", name, text->substr(equals + 1)))) {
          take_loop(item, name);
        }
      }
  }

  void take_loop(const Node& node, const std::string& name) {
    if (const std::string objection = identifier_objection(name); !objection.empty())
      node.fault(fmt::format("'{}' {}", name, objection));
    else if (holds(names_, name) || holds(tensors_, name) || is_type_parameter(name) || name == "at")
      node.fault(fmt::format("the name '{}' is taken", name));
    statement().loops.push_back(name);
    names_.push_back(name);
  }

  /// "y: T = [ids[0], x[1]]"; each extent becomes a number.
  bool read_output(const Node& node, const std::string& text) {
    const auto open = text.find('['), close = text.rfind(']'), colon = text.find(':'),
               equals = text.find('=');
    if (colon == text.npos || equals == text.npos || open == text.npos || close == text.npos ||
        colon > equals || equals > open || close < open) {
      node.fault(fmt::format("'{}' must be \"NAME: DTYPE = [EXTENTS]\", as in {}", text, example));
      return false;
    }
    const std::string name(trimmed(std::string_view(text).substr(0, colon)));
    const std::string type(trimmed(std::string_view(text).substr(colon + 1, equals - colon - 1)));
    const std::string_view list = std::string_view(text).substr(open + 1, close - open - 1);
    std::vector<std::string> extents;
    for (const std::string_view entry : list_entries(list)) {
      extents.push_back(fmt::format("{}_{}", name, extents.size()));
      if (!add(node, "number", fmt::format("{} ={}", extents.back(), entry))) return false;
    }
    rank_ = extents.size();
    operation_.output = {name, type};
    if (!add(node, "output", fmt::format("{}: {} = [{}]", name, type, fmt::join(extents, ", "))))
      return false;
    check_tensor(node, rule().tensors().back(), operation_);
    return true;
  }

  /// "y[i, j] = …": a gather if the indices are new names, else a scatter.
  bool read_set(const Node& node, const std::string& text, bool has_loops) {
    const std::string& y = operation_.output.name;
    const std::string_view whole = text, left = whole.substr(0, whole.find(']'));
    const auto open = left.find('[');
    auto equals = std::string_view::npos;
    // The assignment is the first '=' after the last bracket that closes the left side.
    int depth = 0;
    for (std::size_t i = 0; i < whole.size() && equals == whole.npos; ++i) {
      depth += whole[i] == '[' || whole[i] == '(' ? 1 : whole[i] == ']' || whole[i] == ')' ? -1 : 0;
      if (whole[i] == '=' && depth == 0) equals = i;
    }
    const bool adds = equals != whole.npos && equals > 0 && whole[equals - 1] == '+';
    const std::string_view target =
        trimmed(whole.substr(0, equals == whole.npos ? 0 : equals - (adds ? 1 : 0)));
    if (open == left.npos || trimmed(left.substr(0, open)) != y || !target.ends_with(']')) {
      node.fault(fmt::format("'{}' must be \"{}[INDICES] = EXPRESSION\", as in {} or {}", text, y, example,
                             scatter_example));
      return false;
    }
    const auto first = static_cast<std::size_t>(target.data() - whole.data()) + target.find('[') + 1;
    const auto indices = list_entries(whole.substr(
        first, static_cast<std::size_t>(target.data() - whole.data()) + target.size() - 1 - first));
    if (indices.size() != rank_) {
      node.fault(fmt::format("{} has {} indices; its output has rank {}", y, indices.size(), rank_));
      return false;
    }
    is_scatter_ = has_loops;
    statement().adds = adds;
    if (!is_scatter_) {
      if (adds)
        node.fault(fmt::format("'+=' is for a scatter, which has loops 'over' other extents, as in {}",
                               scatter_example));
      for (const std::string_view index : indices) {
        if (const std::string name(trimmed(index)); identifier_objection(name).empty()) {
          take_loop(node, name);
          continue;
        }
        node.fault(
            fmt::format("'{}' is not the name of an index; a scatter has loops 'over' extents, as in {}",
                        trimmed(index), scatter_example));
        return false;
      }
    } else {
      for (const std::string_view index : indices)
        statement().position.push_back(expression(node, whole, index));
    }
    statement().value = expression(node, whole, whole.substr(equals + 1));
    if (operation_.reduce) operation_.reduce->of.text = statement().value.text;
    return true;
  }

  Expression expression(const Node& node, std::string_view whole, std::string_view part) {
    Expression found{std::string(trimmed(part)), lines_.at(node.pointer()),
                     parse_expression(placed(whole, part), {names_, has_own_functions_, tensors_})};
    found.code.text = std::string(trimmed(found.code.text));
    if (!found.code.objection.empty()) node.fault(found.code.objection);
    for (const auto& [name, rank] : found.code.ranks)
      if (const auto [known, is_new] = statement().ranks.try_emplace(name, rank); known->second != rank)
        node.fault(fmt::format("{} has {} indices here, but {} before", name, rank, known->second));
    return found;
  }

  /// The input that a scatter's result begins with.
  void read_base(const Node& node) {
    const auto name = node.text();
    if (!name) return;
    const auto found = std::ranges::find(operation_.inputs, *name, &Operand::name);
    if (found == operation_.inputs.end())
      node.fault_unknown(fmt::format("'{}' is not an input", *name), *name, tensors_);
    else if (found->type != operation_.output.type)
      node.fault(fmt::format("'{}' has another type than the output", *name));
    base_ = *name;
  }

  std::vector<std::string> extents_of(const std::string& tensor, std::size_t rank) const {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < rank; ++d) names.push_back(fmt::format("{}_{}", tensor, d));
    return names;
  }

  void make_launches() {
    const std::string& y = operation_.output.name;
    const auto value = [](const std::string& name) { return Parameter{name, {"i64", false, false}}; };
    std::vector<Parameter> parameters = {{y, {operation_.output.type, false, true}}};
    std::string views;
    // Extents of the tensors that are read.
    for (const Operand& input : operation_.inputs) {
      const auto rank = statement().ranks.find(input.name);
      if (rank == statement().ranks.end()) continue;
      rule().add("require", fmt::format("rank({}) == {}", input.name, rank->second));
      const auto names = extents_of(input.name, static_cast<std::size_t>(rank->second));
      for (std::size_t d = 0; d < names.size(); ++d)
        rule().add("number", fmt::format("{} = {}[{}]", names[d], input.name, d));
      parameters.push_back({input.name, {input.type, true, true}});
      for (const std::string& name : names) parameters.push_back(value(name));
      const bool is_variable = !parse_element(input.type);
      views += fmt::format(", Indexed<{}, {}, Outside::{}>{{ {}, {{ {{ {} }} }}, {} }}",
                           is_variable ? fmt::format("{{{}}}", input.type) : input.type, names.size(),
                           outside_, input.name, fmt::join(names, ", "),
                           report(static_cast<std::size_t>(&input - operation_.inputs.data())));
    }
    const auto y_extents = extents_of(y, rank_);
    for (const std::string& name : y_extents) parameters.push_back(value(name));
    std::vector<std::string> loops = y_extents, window;
    const auto take_extents = [&](const std::vector<std::string>& names) {
      std::vector<std::string> extents;
      for (const std::string& name : names) {
        extents.push_back(name + "_extent");
        parameters.push_back(value(extents.back()));
      }
      return extents;
    };
    // The loops of a window were read before y's.
    auto& names = statement().loops;
    if (is_scatter_)
      loops = take_extents(names);
    else
      window = take_extents({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(window_)});
    std::rotate(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(window_), names.end());
    std::string scalars;
    for (const Operand& scalar : operation_.scalars) {
      parameters.push_back({scalar.name, {scalar.type, false, false}});
      scalars += fmt::format("{}widen({})", scalars.empty() ? "" : ", ", scalar.name);
    }
    if (outside_ == "error")
      for (const std::string_view name : index_report_names)
        parameters.push_back({std::string(name), {"u64", false, false}});
    if (loops.empty()) throw DimFault{"needs at least one loop: an output of rank 0 has one extent, [1]"};
    const auto coordinate = [](const std::vector<std::string>& extents) {
      return fmt::format("Coordinate<{}>{{ {{ {} }} }}", extents.size(), fmt::join(extents, ", "));
    };
    // Scalars are template arguments of the operation, as those of a map.
    std::vector<std::string> types;
    for (const Operand& scalar : operation_.scalars)
      types.push_back(fmt::format(
          "widened<{}>", parse_element(scalar.type) ? scalar.type : fmt::format("{{{}}}", scalar.type)));
    const std::string op =
        fmt::format("{}_op{}{{ {} }}", operation_.name,
                    types.empty() ? "" : fmt::format("<{}>", fmt::join(types, ", ")), scalars);
    if (is_scatter_) {
      fill(y, y_extents);
      launch("scatter", parameters,
             fmt::format("index_scatter<{}>({}, {}, {}, {}, {}{})", statement().adds, op, y,
                         coordinate(y_extents), report(operation_.inputs.size()), coordinate(loops), views),
             loops);
      rule().add("when", fmt::format("{} > 0", fmt::join(loops, " * ")));
    } else if (!window.empty()) {
      for (const std::string& extent : window) rule().add("require", extent + " >= 0");
      launch("window", parameters,
             fmt::format("index_window({}, {}, {}, {}{})", op, y, coordinate(y_extents), coordinate(window),
                         views),
             loops);
    } else {
      launch("gather", parameters,
             fmt::format("index_gather({}, {}, {}{})", op, y, coordinate(y_extents), views), loops);
    }
  }

  /// For the tensor of that number: the inputs, then the result.
  std::string report(std::size_t tensor) const {
    const auto& [record, call, described] = index_report_names;
    return outside_ == "error"
               ? fmt::format("IndexReport{{ {}, {} | {}, {} }}", record, call, tensor, described)
               : "IndexReport{ 0, 0, 0 }";
  }

  /// What a scatter begins with.
  void fill(const std::string& y, const std::vector<std::string>& extents) {
    std::vector<Parameter> parameters = {{y, {operation_.output.type, false, true}}};
    if (!base_.empty()) parameters.push_back({base_, {operation_.output.type, true, true}});
    if (!base_.empty())
      rule().add("require", fmt::format("size({}) == {}", base_, fmt::join(extents, " * ")));
    rule().add("number", fmt::format("all_of_{} = {}", y, fmt::join(extents, " * ")));
    parameters.push_back({"all_of_" + y, {"i64", false, false}});
    launch("fill", parameters,
           base_.empty() ? fmt::format("index_fill({0}, static_cast<decltype({0})>(nullptr), all_of_{0})", y)
                         : fmt::format("index_fill({0}, {1}, all_of_{0})", y, base_),
           extents);
  }

  void launch(const std::string& form, const std::vector<Parameter>& parameters, const std::string& body,
              const std::vector<std::string>& extents) {
    rule().add("launch", "");
    const std::string size = fmt::format("{}", fmt::join(extents, " * "));
    rule().add("grid",
               fmt::format("cpu ? min(units * 4, ceil_div({0}, 4096)) : min(ceil_div({0}, threads), 1048576)",
                           size));
    operation_.forms.push_back(
        {form, parameters, {Template(body), statement().value.line}, operation_.block});
  }

  const StringLines& lines_;
  OperationEntry& operation_;
  const bool has_own_functions_;
  std::vector<std::string> tensors_, names_;
  std::size_t rank_ = 0, window_ = 0;  ///< of y; loops of a window
  std::string outside_ = "error", base_;
  bool is_scatter_ = false;
};

/// Expressions compute with numbers.
void check_types(const Node& node, const OperationEntry& operation) {
  for (const TypeVariable& variable : operation.types)
    if (std::ranges::any_of(variable.values,
                            [](ElementCode code) { return code >= dtype_count || is_quantized_code(code); }))
      node.fault(fmt::format(
          "type variable '{}' has types that are no numbers: use \"F\", \"I\", \"ids\" or \"all\"",
          variable.name));
}

/// Atomic additions are of words.
void check_sums(const Node& node, const OperationEntry& operation) {
  if (!operation.index || !operation.index->adds) return;
  const auto variable = std::ranges::find(operation.types, operation.output.type, &TypeVariable::name);
  std::vector<ElementCode> codes;
  if (variable != operation.types.end()) codes = variable->values;
  if (const auto code = parse_element(operation.output.type)) codes.push_back(*code);
  for (const ElementCode code : codes)
    if (code >= dtype_count || is_quantized_code(code) || size_of(static_cast<DType>(code)) < 4) {
      node.fault(fmt::format("'+=' takes outputs of u32, i32, i64, f32 and f64, not {}", element_name(code)));
      return;
    }
}

}  // namespace

void read_index(const Node& node, const StringLines& lines, OperationEntry& operation,
                bool has_own_functions) {
  check_types(node, operation);
  Reader(lines, operation, has_own_functions).read(node);
  check_sums(node, operation);
}

}  // namespace kernelgen::tool
