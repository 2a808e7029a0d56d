#include "run/parameter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/fault.hpp"
#include "common/suggest.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::string_view all = "all";
constexpr std::string_view none = "none";

/// Values for examples, of parameters for which not any of their kind will do.
const std::map<std::string_view, std::string_view> examples = {
    {"columns", "8"}, {"dims", "0,1"},   {"format", "q4_K"},     {"k", "5"},
    {"length", "8"},  {"shifts", "1,2"}, {"size", "8,8"},        {"start", "0"},
    {"step", "2"},    {"stop", "5"},     {"text", "silu(a) + 1"}};

[[noreturn]] void refuse(std::string what, std::optional<std::string> meant = std::nullopt) {
  throw BadInput(Fault{{}, {}, std::move(what), std::move(meant)});
}

/// The whole of `text` as a number, or nothing.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "1,2,3" as numbers; the empty text has none.
template <class T>
std::optional<std::vector<T>> numbers_in(std::string_view text) {
  std::vector<T> numbers;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::optional<T> number = number_in<T>(text.substr(0, comma));
    if (!number || comma + 1 == text.size()) return std::nullopt;
    numbers.push_back(*number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return numbers;
}

const CallParameter* find(std::span<const CallParameter> parameters, std::string_view name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const CallParameter& parameter) { return parameter.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace

std::string_view what_it_takes(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::number:
      return "a number";
    case ParameterKind::integer:
      return "an integer";
    case ParameterKind::integers:
      return "integers with commas between, or 'all'";
    case ParameterKind::flag:
      return "true or false";
    case ParameterKind::dim:
      return "a dim, counted from the end where negative, or 'all'";
    case ParameterKind::dims:
      return "dims with commas between, counted from the end where negative, or 'all'";
    case ParameterKind::shape:
      return "up to eight integers with commas between";
    case ParameterKind::size:
      return "one integer, or two: height,width";
    case ParameterKind::scale:
      return "one number, or two: height,width; or 'none'";
    case ParameterKind::dtype_or_none:
      return "a dtype, or 'none'";
    case ParameterKind::text:
      return "a text";
    case ParameterKind::dtype:
      break;
  }
  return "a dtype";
}

std::string example_of(const CallParameter& parameter) {
  const auto value = [&]() -> std::string_view {
    if (const auto own = examples.find(parameter.name); own != examples.end()) return own->second;
    switch (parameter.kind) {
      case ParameterKind::number:
        return "0.5";
      case ParameterKind::integer:
      case ParameterKind::dim:
        return "1";
      case ParameterKind::integers:
        return "3,5";
      case ParameterKind::flag:
        return parameter.fallback == "true" ? "false" : "true";
      case ParameterKind::dims:
        return "0,1";
      case ParameterKind::shape:
        return "2,3";
      case ParameterKind::size:
        return "2,2";
      case ParameterKind::scale:
        return "2";
      case ParameterKind::text:
        return "a";
      case ParameterKind::dtype:
      case ParameterKind::dtype_or_none:
        break;
    }
    return "f16";
  };
  return fmt::format("{}={}", parameter.name, value());
}

DType dtype_named(std::string_view name, std::string_view context) {
  if (const auto dtype = parse_dtype(name)) return *dtype;
  std::vector<std::string> names;
  for (const auto& row : detail::dtype_rows) names.emplace_back(row.name);
  refuse(fmt::format("{}: unknown dtype '{}'; there are {}", context, name, fmt::join(names, " ")),
         nearest(name, names));
}

ParameterValues::ParameterValues(std::string_view operation, std::span<const CallParameter> parameters,
                                 std::span<const std::string> given) {
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(fmt::format("{}: --param '{}': expected NAME=VALUE", operation, text));
    const std::string name = text.substr(0, equals);
    const CallParameter* parameter = find(parameters, name);
    if (parameter == nullptr) {
      std::vector<std::string> names;
      for (const CallParameter& known : parameters) names.push_back(known.name);
      refuse(names.empty() ? fmt::format("{} takes no parameter, so no '{}'", operation, name)
                           : fmt::format("{} has no parameter '{}'; it has {}", operation, name,
                                         fmt::join(names, ", ")),
             nearest(name, names));
    }
    if (values_.contains(name)) refuse(fmt::format("{}: --param {} is given twice", operation, name));
    values_[name] = parse(*parameter, std::string_view(text).substr(equals + 1),
                          fmt::format("{}: --param {}", operation, text));
  }
  for (const CallParameter& parameter : parameters) {
    if (values_.contains(parameter.name)) continue;
    if (!parameter.fallback)
      refuse(fmt::format("{} needs --param {}=VALUE: {}, as in --param {}", operation, parameter.name,
                         what_it_takes(parameter.kind), example_of(parameter)));
    values_[parameter.name] = parse(parameter, *parameter.fallback, std::string(operation));
  }
}

ParameterValues::Value ParameterValues::parse(const CallParameter& parameter, std::string_view text,
                                              const std::string& context) {
  const ParameterKind kind = parameter.kind;
  switch (kind) {
    case ParameterKind::number:
      if (const auto integer = number_in<std::int64_t>(text)) return Scalar(*integer);
      if (const auto real = number_in<double>(text)) return Scalar(*real);
      break;
    case ParameterKind::integer:
      if (const auto integer = number_in<std::int64_t>(text)) return *integer;
      break;
    case ParameterKind::flag:
      if (text == "true" || text == "false") return text == "true";
      break;
    case ParameterKind::dim:
      if (text == all) return All{};
      if (const auto integer = number_in<std::int64_t>(text)) return *integer;
      break;
    case ParameterKind::dims:
    case ParameterKind::integers:
      if (text == all) return All{};
      if (auto integers = numbers_in<std::int64_t>(text)) return std::move(*integers);
      break;
    case ParameterKind::shape:
      if (auto integers = numbers_in<std::int64_t>(text); integers && integers->size() <= max_rank)
        return std::move(*integers);
      break;
    case ParameterKind::size:
      if (const auto integers = numbers_in<std::int64_t>(text);
          integers && (integers->size() == 1 || integers->size() == 2))
        return Size2{integers->front(), integers->back()};
      break;
    case ParameterKind::scale:
      if (text == none) return Scale2{};
      if (const auto reals = numbers_in<double>(text); reals && (reals->size() == 1 || reals->size() == 2))
        return Scale2{reals->front(), reals->back()};
      break;
    case ParameterKind::dtype:
      return dtype_named(text, context);
    case ParameterKind::dtype_or_none:
      return text == none ? std::optional<DType>() : dtype_named(text, context);
    case ParameterKind::text:
      return std::string(text);
  }
  refuse(fmt::format("{}: '{}' is not what {} takes: {}, as in {}", context, text, parameter.name,
                     what_it_takes(kind), example_of(parameter)));
}

std::optional<std::int64_t> ParameterValues::dim(const std::string& name) const {
  if (std::holds_alternative<All>(values_.at(name))) return std::nullopt;
  return get<std::int64_t>(name);
}

std::optional<std::vector<std::int64_t>> ParameterValues::dims(const std::string& name) const {
  if (std::holds_alternative<All>(values_.at(name))) return std::nullopt;
  return get<std::vector<std::int64_t>>(name);
}

}  // namespace kernelgen::tool
