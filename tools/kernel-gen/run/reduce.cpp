#include <numeric>

#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

using enum ParameterKind;

const CallParameter kept{"keep_dims", flag, "false", "keep the reduced dims, with extent 1"};

Runnable reduction(const std::string& name, const std::string& summary,
                   Tensor (*function)(const Tensor&, Axes, bool, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "any shape"}},
          .parameters = {{"dims", dims, "all", "the dims to reduce"}, kept},
          .outputs = {{"y", "x's shape without the dims"}},
          .bind = [=](const ParameterValues& values) {
            return
                [=, dims = values.dims("dims"), keep = values.flag("keep_dims")](const Operands& operands) {
                  const Tensor& x = operands.inputs[0];
                  if (dims) return std::vector{function(x, *dims, keep, operands.options())};
                  std::vector<std::int64_t> every(x.shape().size());
                  std::iota(every.begin(), every.end(), 0);
                  return std::vector{function(x, every, keep, operands.options())};
                };
          }};
}

Runnable place(const std::string& name, const std::string& summary,
               Tensor (*function)(const Tensor&, std::optional<std::int64_t>, bool, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "any shape"}},
          .parameters = {{"dim", dim, "all", "the dim to search; all: the index is row-major"}, kept},
          .outputs = {{"y", "u32, x's shape without the dim"}},
          .bind = [=](const ParameterValues& values) {
            return [=, dim = values.dim("dim"), keep = values.flag("keep_dims")](const Operands& operands) {
              return std::vector{function(operands.inputs[0], dim, keep, operands.options())};
            };
          }};
}

Runnable pair(const std::string& name, const std::string& summary,
              Indexed (*function)(const Tensor&, std::optional<std::int64_t>, bool, const IndexedOptions&)) {
  Runnable runnable = place(name, summary, nullptr);
  runnable.outputs = {{"values", "x's shape without the dim"}, {"indices", "u32, of the same shape"}};
  runnable.bind = [=](const ParameterValues& values) {
    return [=, dim = values.dim("dim"), keep = values.flag("keep_dims")](const Operands& operands) {
      const Indexed found = function(operands.inputs[0], dim, keep, operands.indexed_options());
      return std::vector{found.values, found.indices};
    };
  };
  return runnable;
}

}  // namespace

std::vector<Runnable> reduce_runnables() {
  return {
      reduction("sum", "the sum along dims", &sum),
      reduction("mean", "the average along dims", &mean),
      reduction("prod", "the product along dims", &prod),
      reduction("min", "the least element along dims", &min),
      reduction("max", "the greatest element along dims", &max),
      reduction("any", "1 where any element along dims is not zero", &any),
      reduction("all", "1 where no element along dims is zero", &all),
      place("argmin", "the index of the least element", &argmin),
      place("argmax", "the index of the greatest element", &argmax),
      pair("min_with_index", "the least element and its index", &min_with_index),
      pair("max_with_index", "the greatest element and its index", &max_with_index),
  };
}

}  // namespace kernelgen::tool
