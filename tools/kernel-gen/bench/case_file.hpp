#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/extents.hpp"
#include "kernelgen/dtype.hpp"

/// The list of what is timed, bench/cases.json, which says itself how it is written.
namespace kernelgen::tool {

struct CaseInput {
  std::vector<std::string> shape;  ///< texts for Extents, as in `below`
  std::optional<DType> dtype;      ///< else the case's
  std::string below;               ///< integers from 0 to below; empty: numbers in `range`
  std::array<double, 2> range = {-2, 2};
  std::optional<std::array<std::int64_t, 2>> transposed;  ///< two dims of the view that is given
  bool overwritten = false;                               ///< not read
};

struct CaseParameter {
  std::string name;
  std::string text;                 ///< the value; or
  std::vector<std::string> values;  ///< texts for Extents, joined by commas
};

/// One operation on inputs of one kind; timed for each dtype and each of the sizes.
struct CaseFamily {
  std::string name;  ///< with {dtype} in the dtype's place
  std::string operation;
  std::vector<DType> dtypes;
  std::vector<Extents> gpu, cpu;
  std::vector<CaseInput> inputs;
  std::vector<CaseParameter> parameters;
  std::string terms = "1";
  std::optional<double> tolerance;
  std::string flops = "0";
};

/// Those that `kernel-gen bench` times. Throws BadInput with all that is wrong in the file.
std::vector<CaseFamily> read_case_file(std::string_view file, std::string_view text);

}  // namespace kernelgen::tool
