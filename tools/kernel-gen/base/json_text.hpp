#pragma once
#include <string>

namespace kernelgen::tool {

/// A value of nlohmann's JSON, indented, as it may go to a terminal: all of it is ASCII, whatever names it repeats.
/// Other characters are spelled "\u202e", which every reader of JSON takes for them; bytes that are no UTF-8 become
/// U+FFFD.
template <class Value>
std::string json_text(const Value& json) {
  constexpr int indent = 2;
  return json.dump(indent, ' ', true, Value::error_handler_t::replace) + '\n';
}

}  // namespace kernelgen::tool
