#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

/// What an expression may name in addition to the vocabulary.
struct ExpressionNames {
  std::span<const std::string> operands = {};
  /// Whether any other function may be called: one of a header that is not kernel-gen's own.
  bool has_own_functions = false;
  /// Tensors whose elements are read by coordinates, `x[i, j + 1]`, which becomes `x(i, j + 1)`.
  std::span<const std::string> indexed = {};
  /// Whether the functions of rows (kernels/row/row_reduction.hpp) may be called too.
  bool has_row_functions = false;
};

/// An expression that was checked, as C++.
struct ExpressionCode {
  /// As written, except for what must mean the same for every dtype and on every device: `a / b` and `a % b` call
  /// kg::quotient and kg::remainder (kernels/device/quotient.hpp), `f16(a)` converts by the cast rules.
  std::string text;
  std::map<std::string, int> ranks = {};  ///< of the indexed tensors that it reads
  bool divides = false;                   ///< calls a function of kernels/device/quotient.hpp
  bool is_vector =
      false;              ///< also computes vectors of floats (kernels/engines/simd_cpu.hpp), one value a row
  bool is_rough = false;  ///< also computes kg::Rough (kernels/device/rough.hpp), and gains by it
  std::string objection;  ///< why the text is no expression; empty when it is one. Reads on from "what: ".
};

/// Parses the grammar of docs/adding-an-operation.md. Text and nesting are bounded, so any input may be given.
ExpressionCode parse_expression(std::string_view text, const ExpressionNames& names);

}  // namespace kernelgen
