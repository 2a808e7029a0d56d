#include "emit/row_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "emit/function_object.hpp"

namespace kernelgen::tool {
namespace {

/// The library's class template for a reduction of a row (kernels/reduce/reduction.hpp, kernels/row/row_reduction.hpp).
std::string_view reduction_class(std::string_view reduction) {
  if (reduction == "sum_exp") return "OnlineSoftmax";
  if (reduction == "moments") return "Moments";
  if (reduction == "prod") return "Product";
  if (reduction == "min") return "Min";
  return reduction == "max" ? "Max" : "Sum";  // of sum and mean
}

/// Writes the class of an operation. Its type parameters are X0 (a row), X1 (an element), X2 (what an element widens to) and S0 (a
/// State): no operand can have such a name (is_type_parameter), so none hides them.
class RowObject {
 public:
  RowObject(const Operation& operation, const Module& module) : operation_(operation), module_(module) {
    for (const Operand& scalar : operation.scalars()) members_.push_back(scalar.name);
    for (const Operand& input : operation.inputs().subspan(1)) operands_.push_back(input.name);
  }

  std::string text(std::size_t line) {
    const RowSteps& row = operation_.row;
    text_ = fmt::format(
        "// The steps of {0} for row/row.hpp. X0: a row; X1: its elements' type; X2: the type that they are\n"
        "// computed in{1}.\ntemplate <class X1>\nstruct {0}_op {{\n  using X2 = widened<X1>;\n"
        "  static constexpr bool has_lanes = {2};\n  X2 {3};\n",
        operation_.name, row.long_steps.empty() ? "" : "; S0: the State of LongRowReduction", has_lanes(),
        fmt::join(members_, ", "));
    if (!row.long_steps.empty()) {
      add_long_reduction(row.long_steps[0]);
      begin("finish", "const S0& row_state, ", ", class S0");
      add_line(row.long_steps[0]);
      add_numbers(row.long_steps[0], "row_state");
      for (const RowStep& step : std::span(row.long_steps).subspan(1)) add(step, row.long_steps.back());
      text_ += "  }\n";
    }
    begin("operator()", "", "");
    const bool has_own_long = !row.long_steps.empty() && !is_same(row.long_steps, row.steps);
    if (has_own_long)
      text_ += fmt::format(
          "    if constexpr (X0::is_multi_pass) {{\n      finish(row_0, row_0.template "
          "reduce<LongRowReduction>(), "
          "y{});\n    }} else {{\n",
          list(", ", operands_));
    rows_ = 0;
    for (const RowStep& step : row.steps) add(step, row.steps.back());
    text_ += has_own_long ? "    }\n  }\n" : "  }\n";
    return text_ + own_lines(module_, line + count_lines(text_)) + "};\n";
  }

 private:
  /// Whether a CPU may compute several rows at once, as vectors with one row per lane. Pairs of numbers are reduced row by row.
  bool has_lanes() const {
    return std::ranges::all_of(operation_.row.steps, [](const RowStep& step) {
      return step.expression.code.is_vector && step.second.empty();
    });
  }

  static bool is_same(std::span<const RowStep> a, std::span<const RowStep> b) {
    const auto text = [](const RowStep& step) -> const std::string& { return step.expression.text; };
    return std::ranges::equal(a, b, {}, text, text);
  }

  /// The names, each after `before`.
  static std::string list(std::string_view before, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += fmt::format("{}{}", before, name);
    return text;
  }

  /// Begins a member function. It copies the members: lambdas then capture numbers instead of `this`.
  void begin(std::string_view name, std::string_view parameter, std::string_view types) {
    std::vector<std::string> copies;
    for (const std::string& member : members_) copies.push_back(fmt::format("{0} = this->{0}", member));
    text_ += fmt::format(
        "  template <class X0{}>\n  KG_DEVICE void {}(X0& row_0, {}X1* y{}) const {{\n    [[maybe_unused]] "
        "const X2 {};\n",
        types, name, parameter, list(", const X1* ", operands_), fmt::join(copies, ", "));
  }

  /// Begins a line that compiler diagnostics place at the step in the manifest.
  void add_line(const RowStep& step) {
    text_ += line_directive(step.expression.line, module_.manifest) + "    ";
  }

  /// The step's expression as a function of one element.
  static std::string each(const RowStep& step) {
    return fmt::format("[=](auto {}) KG_INLINE {{ return row_value<X2>({}); }}", step.elements,
                       step.expression.code.text);
  }

  /// LongRowReduction: what the first of `long` steps reduces a part of a row by.
  void add_long_reduction(const RowStep& step) {
    const std::string_view base = reduction_class(step.reduction);
    if (!step.second.empty()) {
      text_ += fmt::format("  using LongRowReduction = {}<X2>;\n", base);
      return;
    }
    text_ += fmt::format("  struct LongRowReduction : {}<X2> {{\n", base);
    add_line(step);
    text_ += fmt::format("static KG_DEVICE X2 of(X2 {}, u32) {{ return row_value<X2>({}); }}\n  }};\n",
                         step.elements, step.expression.code.text);
  }

  /// Defines the numbers that a reduction gives, from the variable that holds its State.
  void add_numbers(const RowStep& step, std::string_view state) {
    text_ += fmt::format("[[maybe_unused]] const X2 {} = ", step.name);
    if (step.reduction == "sum_exp")
      text_ += fmt::format("{0}.top, {1} = sum_of_exp<X2>({0});\n", state, step.second);
    else if (step.reduction == "moments")
      text_ += fmt::format("{0}.mean, {1} = {0}.squares / n;\n", state, step.second);
    else
      text_ += fmt::format("{}{};\n", state, step.reduction == "mean" ? " / n" : "");
  }

  void add(const RowStep& step, const RowStep& last) {
    add_line(step);
    const std::string& code = step.expression.code.text;
    if (&step == &last) {
      text_ += fmt::format("row_{}.store(y, [=](auto {}{}) KG_INLINE {{ return {}; }}{});\n", rows_,
                           step.elements, list(", auto ", operands_), code, list(", ", operands_));
    } else if (step.kind == RowStep::Kind::number) {
      text_ += fmt::format("const auto {} = row_value<X2>({});\n", step.name, code);
    } else if (step.kind == RowStep::Kind::reduction && !step.second.empty()) {
      const std::string state = fmt::format("row_state_{}", step.name);
      text_ += fmt::format("const auto {} = row_{}.template reduce<{}<X2>>();\n    ", state, rows_,
                           reduction_class(step.reduction));
      add_numbers(step, state);
    } else if (step.kind == RowStep::Kind::reduction) {
      text_ +=
          fmt::format("const auto {} = row_{}.template reduce<{}<X2>>({}){};\n", step.name, rows_,
                      reduction_class(step.reduction), each(step), step.reduction == "mean" ? " / n" : "");
    } else {
      text_ += fmt::format("auto&& row_{} = row_{}.map({});\n", rows_ + 1, rows_, each(step));
      ++rows_;
    }
  }

  const Operation& operation_;
  const Module& module_;
  std::vector<std::string> members_ = {"n"},
                           operands_;  ///< n and the scalars; the inputs that the last step reads
  std::string text_;
  std::size_t rows_ = 0;  ///< steps so far that computed the elements anew: they are row_0, row_1, …
};

}  // namespace

std::string row_object(const Operation& operation, const Module& module, std::size_t line) {
  return RowObject(operation, module).text(line);
}

}  // namespace kernelgen::tool
