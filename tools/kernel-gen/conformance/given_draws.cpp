#include "conformance/given_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernelgen::tool {
namespace {

class Given {
 public:
  Given(const DrawSource& source, std::size_t most_elements)
      : source_(source), most_elements_(most_elements) {}

  void add(const Draw& draw, const DType* scalar_type) {
    if (draw.shape) given_.shapes[draw.name] = shape(draw);
    if (scalar_type != nullptr) {
      const double value = draw.low
                               ? drawn_between(source_, *scalar_type, bound(*draw.low), bound(*draw.high))
                               : source_.scalar(draw.name);
      given_.scalars.emplace_back(draw.name, value);
      numbers_.push_back(static_cast<std::int64_t>(value));
    } else if (draw.low) {
      given_.ranges[draw.name] = {bound(*draw.low), bound(*draw.high)};
    }
  }
  GivenDraws take() { return std::move(given_); }

 private:
  double bound(const Draw::Bound& bound) const {
    return bound.expression ? static_cast<double>(bound.expression->value({{}, numbers_})) : bound.number;
  }

  ArrayShape shape(const Draw& draw) {
    ArrayShape shape;
    for (const Draw::Extent& extent : *draw.shape) {
      if (extent.expression) {
        shape.push_back(extent.expression->value({{}, numbers_}));
      } else {
        shape.push_back(source_.extent(dims_++));
        numbers_.push_back(shape.back());
      }
      if (shape.back() < 0) throw Unfit{fmt::format("an extent of {} would be {}", draw.name, shape.back())};
    }
    const auto most = static_cast<double>(most_elements_);
    if (std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>()) > most)
      throw Unfit{fmt::format("{} would be {}", draw.name, spell_extents(shape))};
    return shape;
  }

  const DrawSource& source_;
  std::size_t most_elements_, dims_ = 0;
  std::vector<std::int64_t> numbers_;  ///< as the reference's
  GivenDraws given_;
};

}  // namespace

GivenDraws draw_given(const Reference& reference, const std::map<std::string, DType>& types,
                      const DrawSource& source, std::size_t most_elements) {
  Given given(source, most_elements);
  for (const Draw& draw : reference.draws) {
    const auto type = types.find(draw.name);
    given.add(draw, type == types.end() ? nullptr : &type->second);
  }
  return given.take();
}

double drawn_between(const DrawSource& source, DType type, double low, double high) {
  if (type == DType::u8 || type == DType::i16 || type == DType::u32) {
    const double range = std::ldexp(1.0, static_cast<int>(8 * size_of(type))),
                 least = type == DType::i16 ? -range / 2 : 0;
    low = std::max(low, least);
    high = std::min(high, least + range - 1);
  }
  if (high < low) throw Unfit{fmt::format("values would be from {} to {}", low, high)};
  if (!is_float(type))
    return static_cast<double>(source.between(static_cast<std::int64_t>(std::ceil(low)),
                                              static_cast<std::int64_t>(std::floor(high))));
  if (high - low < 1) return low + (high - low) * static_cast<double>(source.between(0, 64)) / 64;
  return low + static_cast<double>(source.between(0, static_cast<std::int64_t>((high - low) * 8))) / 8;
}

}  // namespace kernelgen::tool
