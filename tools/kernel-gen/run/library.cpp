#include "run/library.hpp"

#include <map>
#include <string_view>

namespace kernelgen::tool {
namespace {

/// Functions that launch operations of other names, and those operations.
const std::map<std::string_view, std::vector<std::string>> kernels = {
    {"argmax", {"max_with_index"}},
    {"argmin", {"min_with_index"}},
    {"concat", {"copy"}},
    {"conv1d", {"conv2d"}},
    {"conv_transpose1d", {"conv2d"}},
    {"conv_transpose2d", {"conv2d"}},
    {"const_set", {"fill"}},
    {"copy2d", {"copy"}},
    {"copy_into", {"copy"}},
    {"diag", {"copy", "fill"}},
    {"get_rows", {"dequantize"}},
    {"group_norm", {"plain_layer_norm"}},
    {"arg_sort", {"arg_sort", "sort"}},
    {"index_add", {"copy", "scatter_add_set"}},
    {"index_select", {"gather"}},
    {"indexed_matmul", {"quantized_matmul"}},
    {"pad_circular", {"pad"}},
    {"pad_reflect", {"pad"}},
    {"pad_replicate", {"pad"}},
    {"roll", {"pad"}},
    {"rope_i", {"rope"}},
    {"rope_i_qk", {"rope"}},
    {"rope_qk", {"rope"}},
    {"rope_thd", {"rope"}},
    {"rope_thd_qk", {"rope"}},
    {"sort", {"arg_sort", "sort"}},
    {"stack", {"copy"}},
    {"to_dtype", {"cast"}},
    {"top_k", {"arg_sort", "select_k", "sort"}},
    {"tril", {"triangle"}},
    {"triu", {"triangle"}},
    {"upsample_nearest1d", {"upsample_nearest2d"}},
    {"where_cond", {"where"}},
};

/// Functions with an input that has to be quantized, and that input.
const std::map<std::string_view, std::string> quantized_inputs = {
    {"dequantize", "x"}, {"indexed_matmul", "weights"}, {"quantized_matmul", "weights"}};

/// Functions that may also be called by the name of the operation that they launch.
const std::map<std::string_view, std::string> other_names = {
    {"const_set", "fill"}, {"to_dtype", "cast"}, {"where_cond", "where"}};

/// The seed is set before each call, so that the same line gives the same numbers.
void add_seed(Runnable& row) {
  row.parameters.push_back({"seed", ParameterKind::integer, "299792458"});
  row.bind = [bind = row.bind](const ParameterValues& values) -> BoundCall {
    return [call = bind(values), seed = values.integer("seed")](const Operands& operands) {
      operands.device.set_seed(static_cast<std::uint64_t>(seed));
      return call(operands);
    };
  };
}

}  // namespace

const std::vector<Runnable>& library_runnables() {
  static const std::vector<Runnable> all = [] {
    std::vector<Runnable> rows = function_runnables();
    rows.push_back(attention_runnable());
    rows.push_back(expression_runnable());
    for (Runnable& row : rows) {
      if (const auto found = kernels.find(row.name); found != kernels.end()) row.needs = found->second;
      if (const auto found = quantized_inputs.find(row.name); found != quantized_inputs.end())
        row.quantized_input = found->second;
      if (const auto found = other_names.find(row.name); found != other_names.end()) row.also = found->second;
      if (row.name.starts_with("rand_")) add_seed(row);
    }
    return rows;
  }();
  return all;
}

}  // namespace kernelgen::tool
