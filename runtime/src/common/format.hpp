#pragma once
#include <fmt/core.h>

#include <string>
#include <string_view>

/// What the runtime uses of {fmt}, under the names it has there. {fmt}'s own functions would have to be compiled into
/// every file, as programs that link the runtime need not have the library: three seconds a file.
namespace kernelgen::fmt {

template <class... T>
using format_string = ::fmt::format_string<T...>;

std::string vformat(std::string_view pattern, ::fmt::format_args values);

template <class... T>
std::string format(format_string<T...> pattern, T&&... values) {
  return vformat(std::string_view(::fmt::string_view(pattern).data(), ::fmt::string_view(pattern).size()),
                 ::fmt::make_format_args(values...));
}

/// The elements as they are formatted, with `separator` between them.
template <class Iterator>
std::string join(Iterator first, Iterator last, std::string_view separator) {
  std::string text;
  for (Iterator it = first; it != last; ++it) {
    if (it != first) text += separator;
    text += format("{}", *it);
  }
  return text;
}
template <class Range>
std::string join(const Range& range, std::string_view separator) {
  return join(std::begin(range), std::end(range), separator);
}

}  // namespace kernelgen::fmt
