#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen {

/// Names of a dim expression: of tensors, whose dims it reads, and of integers.
struct DimNames {
  std::vector<std::string> tensors, numbers;
};

/// What the names stand for in a call, in the order of DimNames.
struct DimValues {
  std::vector<std::span<const std::int64_t>> shapes;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> element_bytes = {};  ///< of the tensors
};

/// Why a text is no dim expression, or one has no value in a call.
struct DimFault {
  std::string why;
};

/// Integer expressions over the dims of tensors, such as `ceil_div(x[-1], TILE) * size(x[:-1])`
/// (docs/adding-an-operation.md). They are evaluated in 64 bits. Text and nesting are bounded, so any input may be given.
class DimExpression {
 public:
  /// Parses one expression, or several with commas between them. Throws DimFault.
  static DimExpression parse(std::string_view text, const DimNames& names);
  /// Parses "[x[:-1], n]": each entry is an extent, some dims of a tensor, or all its dims ("x"). Throws DimFault.
  static DimExpression parse_extents(std::string_view text, const DimNames& names);

  std::size_t size() const { return roots_.size(); }
  /// Value number `index`. Throws DimFault for an overflow, a division by 0, and a dim that a tensor lacks.
  std::int64_t value(const DimValues& values, std::size_t index = 0) const;
  /// Of parse_extents(). Also throws DimFault for a negative extent.
  std::vector<std::int64_t> extents(const DimValues& values) const;

 private:
  friend class DimParser;
  enum class Kind : std::uint8_t {
    literal,
    number,
    dim,
    rank,
    slice,
    size,
    axis,
    bytes,
    unary,
    binary,
    function,
    conditional
  };
  struct Node {
    Kind kind;
    std::int64_t value = 0;                   ///< a literal, or the index of a name
    std::string_view operation = {};          ///< an operator or a function, of static lifetime
    std::int32_t operands[3] = {-1, -1, -1};  ///< nodes
  };

  std::int64_t evaluate(std::int32_t node, const DimValues& values) const;
  std::int64_t binary(const Node& node, const DimValues& values) const;
  std::int64_t bound(std::int32_t node, std::int64_t otherwise, std::int64_t rank,
                     const DimValues& values) const;
  std::span<const std::int64_t> slice(const Node& node, const DimValues& values) const;

  std::vector<std::string> tensors_;  // names, for messages
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
};

}  // namespace kernelgen
