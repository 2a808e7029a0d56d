#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/dim_expression.hpp"

namespace kernelgen {

/// Arguments of kernels that report indices outside of a tensor (kernels/index/expression_index.hpp), which a call fills in: the
/// address of the record, the number of the call, and what describes the operation.
inline constexpr std::string_view index_report_names[] = {"index_record", "index_call", "index_operation"};

/// How an operation's kernels are launched: the shapes of its results and workspaces, and grids, as expressions over the
/// dims of its inputs. A manifest's "body" says so (docs/adding-an-operation.md); a package stores it as text
/// (docs/package.md).
class LaunchRule {
 public:
  struct Expression {
    std::string text;
    DimExpression parsed;
  };
  /// A number for each target, or for all others.
  struct Constant {
    std::string name;
    std::int64_t otherwise = 0;
    std::map<std::string, std::int64_t, std::less<>> by_target;

    /// `target` is that of the compiled code: all of CPUs are "cpu", and "compute_80" is "sm_80".
    std::int64_t value(std::string_view target) const;
  };
  /// A number that later statements may use, or without a name a condition that has to hold.
  struct Number {
    std::string name;
    std::string type;  ///< i32, u32, i64 or u64: as kernels take it
    Expression expression;

    std::size_t bytes() const { return type.ends_with("32") ? 4 : 8; }
    /// Throws DimFault where the type does not hold the value.
    void check(std::int64_t value) const;
  };
  enum class Use : std::uint8_t { output, workspace, zeros };
  struct Tensor {
    std::string name, type;  ///< a dtype, a type variable, or of others than outputs raw elements, "b64"
    Use use;
    Expression extents;

    bool is_output() const { return use == Use::output; }
  };
  /// A launch of a kernel: that of the operation's form of the same number.
  struct Launch {
    std::optional<Number> loop = {};  ///< launched for each value from 0 to below that of the expression
    std::optional<Expression> condition = {}, grid = {}, threads = {}, shared = {};
  };

  /// Names that every rule has: units (compute units, or a CPU's threads), wave (its lanes), cpu (1 or 0).
  static const std::vector<std::string>& device_names();

  /// `scalars` are those of an integer dtype.
  LaunchRule(std::vector<std::string> inputs, std::vector<std::string> scalars);
  /// Reads what text() gave. Throws DimFault that quotes the statement.
  static LaunchRule parse(std::string_view text, std::vector<std::string> inputs,
                          std::vector<std::string> scalars);

  /// Adds a statement: "number", "n = x[-1]". Throws DimFault.
  void add(std::string_view word, std::string_view rest);
  std::string text() const { return text_; }

  const std::vector<Constant>& constants() const { return constants_; }
  const std::vector<Number>& numbers() const { return numbers_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }  ///< outputs and workspaces
  const std::vector<Launch>& launches() const { return launches_; }
  /// Its numbers are device_names(), scalars, constants, and numbers with a name. Parts of a launch have more: that of its loop
  /// if it has one, and grids and shared memory the threads of a block.
  const DimNames& names() const { return names_; }

 private:
  static Expression expression(std::string_view text, const DimNames& names);
  Number number(std::string_view rest, const char* example) const;
  void add_part(std::string_view word, std::string_view rest);
  void add_constant(std::string_view rest);
  void add_number(std::string_view rest);
  void add_tensor(std::string_view rest, Use use);
  void check_name(std::string_view name) const;
  void take_name(std::string_view name) const;

  DimNames names_;
  std::vector<Constant> constants_;
  std::vector<Number> numbers_;
  std::vector<Tensor> tensors_;
  std::vector<Launch> launches_;
  std::string text_;
};

}  // namespace kernelgen
