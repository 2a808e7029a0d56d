#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array/array_value.hpp"

namespace kernelgen::tool {

/// What the names of an expression stand for.
using ArrayNames = std::map<std::string, ArrayValue, std::less<>>;

/// An expression over arrays as numpy writes it, such as `x / np.sum(x, axis=-1, keepdims=True)`, evaluated in double.
/// It reaches its names, numpy's constants and the functions of find_array_function(), and nothing else. Text and nesting are
/// bounded, so any input may be given.
class ArrayExpression {
 public:
  /// Throws ArrayFault with the column: for a name or a function that is not there, and for arguments that a function
  /// lacks or does not take.
  static ArrayExpression parse(std::string_view text, std::span<const std::string> names);
  /// Throws ArrayFault with the column.
  ArrayValue value(const ArrayNames& names) const;
  const std::string& text() const { return text_; }

 private:
  friend class ArrayParser;
  enum class Kind : std::uint8_t { value, name, unary, binary, call, attribute, index, tuple };
  /// An entry between brackets: of a slice its bounds and step, nodes or -1.
  struct Entry {
    enum class Kind : std::uint8_t { value, slice, newaxis, ellipsis } kind = Kind::value;
    std::int32_t nodes[3] = {-1, -1, -1};
  };
  struct Node {
    Kind kind;
    std::size_t column;
    ArrayValue value = {};
    std::string name = {};                    ///< of a name, an operator, an attribute
    const ArrayFunction* function = nullptr;  ///< of a call
    std::vector<std::int32_t> operands = {};  ///< of a call one for each parameter, or -1
    std::vector<Entry> entries = {};
  };

  ArrayValue evaluate(std::int32_t at, const ArrayNames& names) const;
  ArrayValue evaluate(const Node& node, const ArrayNames& names) const;
  Array operand(std::int32_t at, const ArrayNames& names) const;
  ArrayValue attribute(const Node& node, const ArrayNames& names) const;
  ArrayValue indexed(const Node& node, const ArrayNames& names) const;
  Array indices(const Entry& slice, std::int64_t extent, const ArrayNames& names) const;

  std::string text_;
  std::vector<Node> nodes_;
  std::int32_t root_ = -1;
};

}  // namespace kernelgen::tool
