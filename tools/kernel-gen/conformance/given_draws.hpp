#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array/array.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/reference.hpp"

namespace kernelgen::tool {

/// A drawn shape that the operation does not take: another one is drawn.
struct Unfit {
  std::string why;
};

/// How a tool draws what a reference leaves open.
struct DrawSource {
  std::function<std::int64_t(std::int64_t low, std::int64_t high)> between;  ///< both included
  std::function<std::int64_t(std::size_t number)> extent;   ///< of the dim that is named as that one
  std::function<double(const std::string& scalar)> scalar;  ///< of one without bounds
};

/// What the "draw" of a reference says of one call.
struct GivenDraws {
  std::map<std::string, ArrayShape> shapes;
  std::vector<std::pair<std::string, double>> scalars;
  std::map<std::string, std::pair<double, double>> ranges;  ///< of inputs
};

/// `types` are those of the scalars. Throws Unfit, also for shapes of more than `most_elements`, and DimFault.
GivenDraws draw_given(const Reference& reference, const std::map<std::string, DType>& types,
                      const DrawSource& source, std::size_t most_elements);

/// A value of a dtype; bounds that it does not hold are its own. Throws Unfit where there is none.
double drawn_between(const DrawSource& source, DType type, double low, double high);

}  // namespace kernelgen::tool
