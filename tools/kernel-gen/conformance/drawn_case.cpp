#include "conformance/drawn_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>

#include "conformance/given_draws.hpp"
#include "conformance/random.hpp"
#include "kernelgen/call.hpp"
#include "run/number.hpp"

namespace kernelgen::tool {
namespace {

/// Around powers of two, where kernels change their ways.
constexpr std::int64_t drawn_extents[] = {1,    1,    2,    3,    4,    5,    7,     8,     9,    12,   16,
                                          17,   31,   32,   33,   63,   64,   65,    100,   127,  128,  129,
                                          200,  255,  257,  500,  512,  513,  1000,  1023,  1024, 1025, 2000,
                                          2048, 4095, 4096, 4097, 5000, 8192, 10007, 16384, 20000};
constexpr std::int64_t short_extent = 16, most_rank = 4;
constexpr int most_tries = 200;
constexpr std::size_t no_dim = SIZE_MAX;

class Drawer {
 public:
  Drawer(const Operation& operation, const Reference& reference, std::span<const DType> types,
         std::uint64_t seed, const DrawLimits& limits)
      : operation_(operation), reference_(reference), types_(types), random_(seed), limits_(limits) {}

  DrawnCase draw() {
    std::string why;
    for (int i = 0; i < most_tries; ++i) {
      try {
        return attempt();
      } catch (const Unfit& unfit) {
        why = unfit.why;
      } catch (const DimFault& fault) {
        why = fault.why;
      }
    }
    throw ArrayFault{fmt::format(
        "none of {} drawn shapes is one that the operation takes: {}; say with \"draw\" how they are drawn",
        most_tries, why)};
  }

 private:
  DrawnCase attempt() {
    case_ = {};
    long_dim_ = random_.one_in(2) ? static_cast<std::size_t>(random_.between(0, 3)) : no_dim;
    draw_given();
    draw_shapes();
    for (const Operand& scalar : operation_.scalars())
      if (!case_.names.contains(scalar.name)) add_scalar(scalar.name, scalar_value(scalar));
    if (operation_.reduce && !operation_.rule) add_reduction();
    if (operation_.rule) check_rule();
    for (const Operand& input : operation_.inputs()) add_input(input);
    return std::move(case_);
  }

  DType type_of(const Operand& operand) const {
    const std::uint32_t code = operation_.type_code(operand);
    return code & KERNELGEN_TYPE_VARIABLE ? types_[code & ~KERNELGEN_TYPE_VARIABLE]
                                          : static_cast<DType>(code);
  }

  // Shapes

  std::int64_t extent_up_to(std::int64_t most) {
    const auto count = std::ranges::upper_bound(drawn_extents, most) - std::begin(drawn_extents);
    return count == 0 ? 1 : drawn_extents[random_.between(0, count - 1)];
  }

  /// A shape of that rank: one long dim, or several of a similar length.
  ArrayShape shape_of_rank(std::int64_t rank) {
    ArrayShape shape(static_cast<std::size_t>(rank), 1);
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(i) - 1))]);
    auto left = static_cast<std::int64_t>(limits_.elements);
    const bool has_long = random_.one_in(2);
    for (const std::size_t dim : order) {
      const bool is_long = has_long && dim == order[0];
      shape[dim] = extent_up_to(is_long ? left : std::min(left, 4 * short_extent));
      left = std::max<std::int64_t>(1, left / shape[dim]);
    }
    return shape;
  }

  /// A dim that a "draw" names.
  std::int64_t named_dim(std::size_t number) {
    const auto most = static_cast<std::int64_t>(limits_.elements);
    if (long_dim_ == no_dim) return extent_up_to(static_cast<std::int64_t>(2 * std::cbrt(most)));
    return extent_up_to(number == long_dim_ ? most : 4);
  }

  /// As `shape`, or with some dims that are broadcast.
  ArrayShape broadcast_part(ArrayShape shape) {
    if (random_.one_in(2)) return shape;
    for (std::int64_t& extent : shape)
      if (random_.one_in(3)) extent = 1;
    if (random_.one_in(2)) {
      const auto first = std::ranges::find_if(shape, [](std::int64_t extent) { return extent != 1; });
      shape.erase(shape.begin(), first);
    }
    return shape;
  }

  void draw_shapes() {
    ArrayShape whole;
    for (const Operand& input : operation_.inputs()) {
      if (shapes_.contains(input.name)) {
        if (whole.empty()) whole = shapes_.at(input.name);
        continue;
      }
      const bool is_first = shapes_.empty();
      if (operation_.epilogue) return draw_product();
      if (operation_.is_map()) {
        if (is_first) whole = drawn_map_shape();
        shapes_[input.name] = broadcast_part(whole);
      } else if (operation_.index) {
        const auto rank = operation_.index->ranks.find(input.name);
        shapes_[input.name] = shape_of_rank(rank == operation_.index->ranks.end() ? 1 : rank->second);
      } else if (is_first) {
        shapes_[input.name] = whole = shape_of_rank(random_.between(1, most_rank));
      } else if (!operation_.row.empty()) {
        shapes_[input.name] = random_.one_in(2) ? ArrayShape{whole.back()} : broadcast_part(whole);
      } else {
        shapes_[input.name] = operation_.reduce ? broadcast_part(whole) : whole;
      }
    }
  }

  /// Two matrices or batches of them, and tensors that are broadcast to their product.
  void draw_product() {
    const ArrayShape shape = shape_of_rank(random_.between(2, most_rank));
    const std::int64_t columns = extent_up_to(4 * short_extent);
    const ArrayShape batch(shape.begin(), shape.end() - 2);
    ArrayShape right = random_.one_in(2) ? ArrayShape{} : broadcast_part(batch), result = batch;
    right.insert(right.end(), {shape.back(), columns});
    result.insert(result.end(), {shape[shape.size() - 2], columns});
    const auto inputs = operation_.inputs();
    shapes_[inputs[0].name] = shape;
    shapes_[inputs[1].name] = right;
    for (const Operand& input : inputs.subspan(2))
      shapes_[input.name] = random_.one_in(2) ? ArrayShape{columns} : broadcast_part(result);
  }

  ArrayShape drawn_map_shape() {
    ArrayShape shape = shape_of_rank(random_.between(0, most_rank));
    if (!shape.empty() && random_.one_in(16)) shape[0] = 0;
    return shape;
  }

  // Scalars and dims

  DrawSource source() {
    return {[this](std::int64_t low, std::int64_t high) { return random_.between(low, high); },
            [this](std::size_t number) { return named_dim(number); },
            [this](const std::string& name) {
              return scalar_value(*std::ranges::find(operation_.scalars(), name, &Operand::name));
            }};
  }

  void draw_given() {
    std::map<std::string, DType> types;
    for (const Operand& scalar : operation_.scalars()) types[scalar.name] = type_of(scalar);
    GivenDraws given = tool::draw_given(reference_, types, source(), 64 * limits_.elements);
    shapes_ = std::move(given.shapes);
    ranges_ = std::move(given.ranges);
    for (const auto& [name, value] : given.scalars) add_scalar(name, value);
  }

  double value_between(DType type, double low, double high) {
    return drawn_between(source(), type, low, high);
  }

  /// That of a scalar which no "draw" names.
  double scalar_value(const Operand& scalar) {
    if (operation_.reduce && operation_.rule && !operation_.index && scalar.name == "dim") {  // of a scan
      const auto rank = static_cast<std::int64_t>(shapes_.at(operation_.inputs()[0].name).size());
      return static_cast<double>(random_.between(-rank, rank - 1));
    }
    const DType type = type_of(scalar);
    return is_float(type) ? value_between(type, 0.125, 2) : value_between(type, 1, 4);
  }

  void add_scalar(const std::string& name, double value) {
    case_.parameters.push_back(fmt::format("{}={}", name, value));
    case_.names[name] = ArrayValue::of(Array::scalar(value));
  }

  void add_reduction() {
    std::size_t rank = 0;
    for (const Operand& input : operation_.inputs()) rank = std::max(rank, shapes_.at(input.name).size());
    ArrayShape dims;
    for (std::size_t dim = 0; dim < rank; ++dim)
      if (random_.one_in(2)) dims.push_back(static_cast<std::int64_t>(dim));
    if (dims.empty()) {
      dims.resize(rank);
      std::iota(dims.begin(), dims.end(), std::int64_t{0});
    }
    const bool keeps = random_.one_in(2);
    case_.parameters.push_back(fmt::format("dims={}", fmt::join(dims, ",")));
    case_.parameters.push_back(fmt::format("keep_dims={}", keeps));
    case_.names["dims"] = ArrayValue::of(std::move(dims));
    case_.names["keep_dims"] = ArrayValue::of(Array::scalar(keeps ? 1 : 0, true));
  }

  /// Throws Unfit where the operation would refuse the shapes.
  void check_rule() const {
    const LaunchRule& rule = *operation_.rule;
    std::vector<ArrayShape> shapes;
    DimValues values;
    for (const Operand& input : operation_.inputs()) {
      values.shapes.emplace_back(shapes_.at(input.name));
      values.element_bytes.push_back(static_cast<std::int64_t>(size_of(type_of(input))));
    }
    const auto& names = rule.names().numbers;
    for (const std::string& name : names) {
      if (std::ranges::find(rule.numbers(), name, &LaunchRule::Number::name) != rule.numbers().end()) break;
      const auto constant = std::ranges::find(rule.constants(), name, &LaunchRule::Constant::name);
      const auto given = case_.names.find(name);
      values.numbers.push_back(constant != rule.constants().end() ? constant->otherwise
                               : given != case_.names.end()
                                   ? static_cast<std::int64_t>(given->second.array.data[0])
                                   : 1);
    }
    for (const LaunchRule::Number& number : rule.numbers()) {
      const std::int64_t value = number.expression.parsed.value(values);
      number.check(value);
      if (!number.name.empty())
        values.numbers.push_back(value);
      else if (value == 0)
        throw Unfit{fmt::format("it requires {}", number.expression.text)};
    }
    for (const LaunchRule::Tensor& tensor : rule.tensors())
      if (count_elements(tensor.extents.parsed.extents(values)) > 64 * limits_.elements)
        throw Unfit{tensor.name + " would be too large"};
  }

  // Inputs

  struct View {
    std::string name = "contiguous";
    ArrayShape stored;  ///< the shape in memory
    std::function<Tensor(const Tensor&)> of_tensor = nullptr;
    std::function<Array(const Array&)> of_array = nullptr;
  };

  View drawn_view(const ArrayShape& shape) {
    View view{.stored = shape};
    const auto rank = static_cast<std::int64_t>(shape.size());
    if (!limits_.has_layouts || rank == 0 || random_.one_in(2)) return view;
    const std::int64_t dim = random_.between(0, rank - 1), extent = shape[static_cast<std::size_t>(dim)];
    const auto at = static_cast<std::size_t>(dim);
    const std::int64_t other = random_.between(0, rank - 1);
    switch (random_.between(0, 2)) {
      case 0:
        if (other == dim) return view;
        view.name = fmt::format("with dims {} and {} transposed", std::min(dim, other), std::max(dim, other));
        std::swap(view.stored[at], view.stored[static_cast<std::size_t>(other)]);
        view.of_tensor = [=](const Tensor& x) { return x.transpose(dim, other); };
        view.of_array = [=](const Array& x) {
          std::vector<std::size_t> order(x.shape.size());
          std::iota(order.begin(), order.end(), std::size_t{0});
          std::swap(order[at], order[static_cast<std::size_t>(other)]);
          return x.transposed(order);
        };
        return view;
      case 1:
        view.name = fmt::format("sliced in dim {}", dim);
        view.stored[at] += 3;
        view.of_tensor = [=](const Tensor& x) { return x.narrow(dim, 1, extent); };
        view.of_array = [=](const Array& x) {
          Array indices = Array::filled({extent}, 0);
          std::iota(indices.data.begin(), indices.data.end(), 1.0);
          return taken(x, indices, at);
        };
        return view;
      default:
        view.name = fmt::format("broadcast in dim {}", dim);
        view.stored[at] = 1;
        view.of_tensor = [shape](const Tensor& x) { return x.broadcast_to(Shape(shape)); };
        view.of_array = [shape](const Array& x) { return x.broadcast_to(shape); };
        return view;
    }
  }

  void add_input(const Operand& input) {
    const DType type = type_of(input);
    const ArrayShape& shape = shapes_.at(input.name);
    double low = is_float(type)                            ? -4
                 : type == DType::u8 || type == DType::u32 ? 0
                                                           : -8,
           high = is_float(type) ? 4 : 8;
    if (const auto given = ranges_.find(input.name); given != ranges_.end())
      std::tie(low, high) = given->second;
    View view = drawn_view(shape);
    Array stored = Array::filled(view.stored, 0);
    std::vector<std::byte> bytes(stored.data.size() * size_of(type));
    for (std::size_t i = 0; i < stored.data.size(); ++i) {
      std::byte* const element = bytes.data() + i * size_of(type);
      const double value = value_between(type, low, high);
      if (is_float(type))
        Scalar(value).store(type, element);
      else
        Scalar(static_cast<std::int64_t>(value)).store(type, element);
      // As it was rounded.
      stored.data[i] =
          std::visit([](auto number) { return static_cast<double>(number); }, read_number(type, element));
    }
    case_.names[input.name] = ArrayValue::of(view.of_array ? view.of_array(stored) : stored);
    case_.inputs.push_back({input.name, type, Shape(shape), view.name,
                            [bytes = std::move(bytes), to = Shape(view.stored), type,
                             of_tensor = view.of_tensor](const Device& device) {
                              const Tensor whole = Tensor::from_host(device, bytes, to, type);
                              return of_tensor ? of_tensor(whole) : whole;
                            }});
  }

  const Operation& operation_;
  const Reference& reference_;
  std::span<const DType> types_;
  Random random_;
  const DrawLimits& limits_;
  DrawnCase case_;
  std::map<std::string, ArrayShape> shapes_;
  std::map<std::string, std::pair<double, double>> ranges_;
  std::size_t long_dim_ = 0;
};

}  // namespace

std::string DrawnCase::text() const {
  std::vector<std::string> parts;
  for (const DrawnInput& input : inputs)
    parts.push_back(fmt::format("{} {} {}{}{}", input.name, name_of(input.dtype), input.shape.to_string(),
                                input.layout == "contiguous" ? "" : " ",
                                input.layout == "contiguous" ? "" : input.layout));
  parts.insert(parts.end(), parameters.begin(), parameters.end());
  return fmt::format("{}", fmt::join(parts, ", "));
}

DrawnCase draw_case(const Operation& operation, const Reference& reference, std::span<const DType> types,
                    std::uint64_t seed, const DrawLimits& limits) {
  return Drawer(operation, reference, types, seed, limits).draw();
}

}  // namespace kernelgen::tool
