#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "array/array_expression.hpp"
#include "source/dim_expression.hpp"

namespace kernelgen::tool {

class Node;
struct Manifest;
struct OperationEntry;

/// How the shape and the values of an input, or a scalar, of a test are drawn.
struct Draw {
  /// A number, or an expression over dims and integers that were drawn before.
  struct Bound {
    double number = 0;
    std::optional<DimExpression> expression = {};
  };
  /// A dim whose name is new is drawn, and is a number from then on.
  struct Extent {
    std::string drawn;  ///< empty: the expression
    std::optional<DimExpression> expression = {};
  };
  std::string name;
  std::optional<std::vector<Extent>> shape = {};
  std::optional<Bound> low = {}, high = {};
};

/// What an operation's results are, as arrays, and what it is tested with.
struct Reference {
  std::vector<ArrayExpression> outputs;  ///< in the order of the results
  std::vector<Draw> draws;               ///< in the manifest's order
  std::vector<std::string> numbers;      ///< dims and scalars in the order in which they are drawn
  double tolerance = 0;                  ///< relative; 0: that of the results' dtype
};

/// The names of an operation's results.
std::vector<std::string> output_names(const OperationEntry& operation);

/// Reads "reference"; adds what is wrong to the node's faults.
Reference read_reference(const Node& node, const OperationEntry& operation);

/// The references of a manifest, which was checked, by the names of their operations.
std::map<std::string, Reference> references_of(const Manifest& manifest);

}  // namespace kernelgen::tool
