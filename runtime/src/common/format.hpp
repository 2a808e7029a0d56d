#pragma once
#include <fmt/core.h>

#include <string>
#include <string_view>

/// What the runtime uses of {fmt}. {fmt}'s own functions would have to be compiled into every file, as programs that
/// link the runtime need not have the library: three seconds a file.
namespace kernelgen {

std::string format_values(std::string_view pattern, fmt::format_args values);

/// fmt::format.
template <class... T>
std::string formatted(fmt::format_string<T...> pattern, T&&... values) {
  return format_values(std::string_view(fmt::string_view(pattern).data(), fmt::string_view(pattern).size()),
                       fmt::make_format_args(values...));
}

/// The elements as they are formatted, with `separator` between them.
template <class Iterator>
std::string joined(Iterator first, Iterator last, std::string_view separator) {
  std::string text;
  for (Iterator it = first; it != last; ++it) {
    if (it != first) text += separator;
    text += formatted("{}", *it);
  }
  return text;
}
template <class Range>
std::string joined(const Range& range, std::string_view separator) {
  return joined(std::begin(range), std::end(range), separator);
}

}  // namespace kernelgen
