#include "source/launch_rule.hpp"

#include <algorithm>
#include <charconv>

#include "common/format.hpp"
#include "kernelgen/package_format.h"
#include "source/identifier.hpp"

namespace kernelgen {
namespace {

constexpr std::size_t most_statements = 256;
constexpr std::string_view threads_name = "threads";
constexpr std::string_view number_types[] = {"i32", "u32", "i64", "u64"};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// The word at the front, which is taken off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

/// Blanks for the first `count` characters, so that columns count from the statement's beginning.
std::string blanked(std::string_view text, std::size_t count) {
  return std::string(count, ' ') + std::string(text.substr(count));
}

std::int64_t whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    throw DimFault{formatted("'{}' is not a whole number", text)};
  return value;
}

}  // namespace

std::int64_t LaunchRule::Constant::value(std::string_view target) const {
  constexpr std::string_view ptx = "compute_";
  const auto found = by_target.find(target.starts_with("cpu") ? "cpu"
                                    : target.starts_with(ptx) ? "sm_" + std::string(target.substr(ptx.size()))
                                                              : std::string(target));
  return found == by_target.end() ? otherwise : found->second;
}

void LaunchRule::Number::check(std::int64_t value) const {
  const bool fits = type == "i32"   ? value == static_cast<std::int32_t>(value)
                    : type == "u32" ? value == static_cast<std::uint32_t>(value)
                                    : type == "i64" || value >= 0;
  if (!fits) throw DimFault{formatted("it is {}, which {} does not hold", value, type)};
}

const std::vector<std::string>& LaunchRule::device_names() {
  static const std::vector<std::string> names = {"units", "wave", "cpu"};
  return names;
}

LaunchRule::LaunchRule(std::vector<std::string> inputs, std::vector<std::string> scalars) {
  names_.tensors = std::move(inputs);
  names_.numbers = device_names();
  names_.numbers.insert(names_.numbers.end(), scalars.begin(), scalars.end());
}

LaunchRule LaunchRule::parse(std::string_view text, std::vector<std::string> inputs,
                             std::vector<std::string> scalars) {
  LaunchRule rule(std::move(inputs), std::move(scalars));
  for (std::size_t count = 0; !text.empty(); ++count) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view statement = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (count == most_statements) throw DimFault{formatted("has more than {} statements", most_statements)};
    std::string_view rest = statement;
    const std::string_view word = take_word(rest);
    try {
      rule.add(word, trimmed(rest));
    } catch (const DimFault& fault) {
      throw DimFault{formatted("'{}': {}", statement, fault.why)};
    }
  }
  if (std::ranges::any_of(rule.launches_, [](const Launch& launch) { return !launch.grid; }))
    throw DimFault{"has a launch without a grid"};
  return rule;
}

void LaunchRule::add(std::string_view word, std::string_view rest) {
  if (word == "constant")
    add_constant(rest);
  else if (word == "number")
    add_number(rest);
  else if (word == "require")
    numbers_.push_back({"", "i64", expression(rest, names_)});
  else if (word == "output" || word == "workspace" || word == "zeros")
    add_tensor(rest, word == "output" ? Use::output : word == "zeros" ? Use::zeros : Use::workspace);
  else if (word == "launch")
    launches_.emplace_back();
  else
    add_part(word, rest);
  text_ += formatted("{}{}{}{}", text_.empty() ? "" : "; ", word, rest.empty() ? "" : " ", rest);
}

LaunchRule::Expression LaunchRule::expression(std::string_view text, const DimNames& names) {
  Expression one{std::string(trimmed(text)), DimExpression::parse(text, names)};
  if (one.parsed.size() != 1) throw DimFault{"is one expression, not several"};
  return one;
}

/// A part of the last launch.
void LaunchRule::add_part(std::string_view word, std::string_view rest) {
  if (launches_.empty()) throw DimFault{formatted("'{}' is not a statement here", word)};
  Launch& last = launches_.back();
  DimNames names = names_;
  if (last.loop) names.numbers.push_back(last.loop->name);
  if (word == "for") {
    if (last.loop || last.condition || last.grid || last.threads || last.shared)
      throw DimFault{"'for' is the first part of a launch"};
    last.loop = number(rest, "pass = ceil_div(n, 8)");
    check_name(last.loop->name);
  } else if (word == "when") {
    last.condition = expression(rest, names);
  } else if (word == "threads") {
    last.threads = expression(rest, names);
  } else if (word == "grid" || word == "shared") {
    names.numbers.emplace_back(threads_name);
    Expression given{std::string(trimmed(rest)), DimExpression::parse(rest, names)};
    const std::size_t most = word == "grid" ? 3 : 1;
    if (given.parsed.size() > most)
      throw DimFault{formatted("has {} entries; {} has at most {}", given.parsed.size(), word, most)};
    (word == "grid" ? last.grid : last.shared) = std::move(given);
  } else {
    throw DimFault{formatted("there is no statement '{}'", word)};
  }
}

void LaunchRule::add_constant(std::string_view rest) {
  Constant constant;
  constant.name = take_word(rest);
  if (!numbers_.empty()) throw DimFault{"constants are before numbers"};
  constant.otherwise = whole_number(take_word(rest));
  while (!trimmed(rest).empty()) {
    const std::string_view target = take_word(rest);
    constant.by_target.emplace(target, whole_number(take_word(rest)));
  }
  take_name(constant.name);
  names_.numbers.push_back(constant.name);
  constants_.push_back(std::move(constant));
}

/// "NAME = EXPRESSION" or "NAME: TYPE = EXPRESSION".
LaunchRule::Number LaunchRule::number(std::string_view rest, const char* example) const {
  const auto equals = rest.find('=');
  if (equals == rest.npos)
    throw DimFault{formatted("'{}' must be \"NAME = EXPRESSION\", as \"{}\"", rest, example)};
  const std::string_view named = rest.substr(0, equals);
  const auto colon = named.find(':');
  const std::string_view type = colon == named.npos ? "i64" : trimmed(named.substr(colon + 1));
  if (std::ranges::find(number_types, type) == std::end(number_types))
    throw DimFault{formatted("a number is i32, u32, i64 or u64, not '{}'", type)};
  return {std::string(trimmed(named.substr(0, colon))), std::string(type),
          expression(blanked(rest, equals + 1), names_)};
}

void LaunchRule::add_number(std::string_view rest) {
  Number given = number(rest, "n = x[-1]");
  take_name(given.name);
  names_.numbers.push_back(given.name);
  numbers_.push_back(std::move(given));
}

void LaunchRule::add_tensor(std::string_view rest, Use use) {
  const auto colon = rest.find(':'), equals = rest.find('=');
  if (colon == rest.npos || equals == rest.npos || colon > equals)
    throw DimFault{formatted("'{}' must be \"NAME: DTYPE = [EXTENTS]\", as \"y: f32 = [x[:-1], 2]\"", rest)};
  const std::string_view name = trimmed(rest.substr(0, colon));
  const std::string_view type = trimmed(rest.substr(colon + 1, equals - colon - 1));
  Expression extents{std::string(trimmed(rest.substr(equals + 1))),
                     DimExpression::parse_extents(blanked(rest, equals + 1), names_)};
  take_name(name);
  if (use == Use::output && std::ranges::count(tensors_, true, &Tensor::is_output) == KERNELGEN_MAX_RESULTS)
    throw DimFault{formatted("there are more than {} outputs", KERNELGEN_MAX_RESULTS)};
  tensors_.push_back({std::string(name), std::string(type), use, std::move(extents)});
}

void LaunchRule::take_name(std::string_view name) const {
  if (!launches_.empty()) throw DimFault{"launches are the last statements"};
  check_name(name);
}

void LaunchRule::check_name(std::string_view name) const {
  if (const std::string objection = identifier_objection(name); !objection.empty())
    throw DimFault{formatted("'{}' {}", name, objection)};
  const auto is_taken = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (name == threads_name || is_taken(names_.numbers) || is_taken(names_.tensors) ||
      std::ranges::find(tensors_, name, &Tensor::name) != tensors_.end())
    throw DimFault{formatted("the name '{}' is taken", name)};
}

}  // namespace kernelgen
