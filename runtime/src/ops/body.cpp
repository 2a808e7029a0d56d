#include "ops/body.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "common/format.hpp"
#include "ops/bound_rule.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "ops/type_binding.hpp"

namespace kernelgen {
namespace {

/// What drivers of every GPU accept.
constexpr std::int64_t most_blocks[] = {0x7fffffff, 65535, 65535};
/// Of a loop of launches.
constexpr std::int64_t most_steps = 4096;

/// One call, as its rule is evaluated.
class BodyCall {
 public:
  BodyCall(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
           const CallOptions& options)
      : operation_(operation),
        bound_(BoundRule::of(inputs[0]->device(), operation)),
        device_(inputs[0]->device()),
        traits_(traits_of(device_)),
        stream_(options.stream),
        types_(operation) {
    check_inputs(operation.name(), inputs);
    const auto operands = operation.operands();
    for (std::size_t k = 0; k < inputs.size(); ++k) types_.bind(operands[k], inputs[k]->dtype());
    for (std::size_t i = 0; i < scalars.size(); ++i)
      elements_[i] = {scalars[i], types_.type_of(operands[inputs.size() + 1 + i].type)};
    for (const Tensor* input : inputs) {
      values_.shapes.push_back({input->shape().data(), input->shape().size()});
      values_.element_bytes.push_back(static_cast<std::int64_t>(size_of(input->dtype())));
    }
    evaluate_numbers(scalars);
    make_outputs(inputs, options);
    for (const Tensor* input : inputs) inputs_.push_back(*input);
  }

  std::vector<Tensor> run() {
    if (std::ranges::all_of(outputs_, [](const Tensor& output) { return output.elements() == 0; }))
      return outputs_;
    // A grid that cannot be is reported before anything is launched.
    for (std::size_t i = 0; i < bound_.launches.size(); ++i) plan(i);
    for (Tensor& input : inputs_) input = make_contiguous(input, stream_);
    make_workspaces();
    std::optional<IndexFaults::Call> reports;
    if (bound_.reports_indices)
      reports.emplace(state_of(device_).index_faults(), *state_of(device_).fault_queue(stream_));
    for (const Planned& planned : planned_) launch(planned, reports ? &*reports : nullptr);
    return outputs_;
  }

 private:
  struct Planned {
    std::size_t index;  ///< of the rule's launches
    std::int64_t step;  ///< of its loop
    LaunchShape shape;
  };

  /// Calls f with what a fault is about in its message.
  template <class F>
  auto evaluated(std::string_view what, const LaunchRule::Expression& expression, const F& f) const {
    try {
      return f(expression.parsed);
    } catch (const DimFault& fault) {
      invalid(formatted("{}: {} \"{}\": {}", operation_.name(), what, expression.text, fault.why));
    }
  }
  std::int64_t value(std::string_view what, const LaunchRule::Expression& expression,
                     std::size_t index = 0) const {
    return evaluated(what, expression, [&](const DimExpression& e) { return e.value(values_, index); });
  }

  void evaluate_numbers(std::span<const Scalar> scalars) {
    auto& numbers = values_.numbers;
    numbers = {traits_.on_cpu() ? traits_.threads : traits_.compute_units, traits_.wave_size,
               traits_.on_cpu() ? 1 : 0};
    for (const std::size_t scalar : bound_.of_package.integers)
      numbers.push_back(scalars[scalar].is_real() ? static_cast<std::int64_t>(scalars[scalar].real())
                                                  : scalars[scalar].integer());
    numbers.insert(numbers.end(), bound_.constants.begin(), bound_.constants.end());
    for (const LaunchRule::Number& number : bound_.rule().numbers()) {
      if (!number.name.empty()) {
        numbers.push_back(evaluated(number.name, number.expression, [&](const DimExpression& e) {
          const std::int64_t given = e.value(values_);
          number.check(given);
          return given;
        }));
      } else if (value("requires", number.expression) == 0) {
        std::string shapes;
        for (std::size_t k = 0; k < values_.shapes.size(); ++k)
          shapes += formatted("{}{} is {}", k == 0 ? "" : ", ", bound_.rule().names().tensors[k],
                              Shape(values_.shapes[k]).to_string());
        invalid(formatted("{}: requires {}; {}", operation_.name(), number.expression.text, shapes));
      }
    }
  }

  DType type_of(const LaunchRule::Tensor& tensor) const {
    if (const auto type = types_.named(tensor.type)) return *type;
    throw Error(Code::bad_package,
                formatted("{}: {} has an unknown type {}", operation_.name(), tensor.name, tensor.type));
  }
  Shape shape_of(const LaunchRule::Tensor& tensor) const {
    const auto extents =
        evaluated(tensor.name, tensor.extents, [&](const DimExpression& e) { return e.extents(values_); });
    if (extents.size() > max_rank)
      invalid(formatted("{}: {} has rank {}; a tensor has at most {}", operation_.name(), tensor.name,
                        extents.size(), max_rank));
    return Shape(extents);
  }

  void make_outputs(Inputs inputs, const CallOptions& options) {
    if (options.out && bound_.output_count != 1)
      invalid(formatted("{}: has {} outputs, so it takes no out", operation_.name(), bound_.output_count));
    for (const LaunchRule::Tensor& tensor : bound_.rule().tensors())
      if (tensor.is_output())
        outputs_.push_back(output(operation_.name(), device_, shape_of(tensor), type_of(tensor), options,
                                  inputs, InPlace::refused));
  }
  void make_workspaces() {
    std::size_t outputs = 0;
    for (const LaunchRule::Tensor& tensor : bound_.rule().tensors()) {
      const auto make = tensor.use == LaunchRule::Use::zeros ? &Tensor::zeros : &Tensor::empty;
      tensors_.push_back(tensor.is_output() ? outputs_[outputs++]
                                            : make(device_, shape_of(tensor), type_of(tensor), stream_));
    }
  }

  /// The launches of a launch statement: one, or as many as its loop says.
  void plan(std::size_t index) {
    const LaunchRule::Launch& rule = bound_.rule().launches()[index];
    if (!rule.loop) {
      if (const auto shape = launch_shape(rule, index)) planned_.push_back({index, 0, *shape});
      return;
    }
    const std::int64_t steps = value("\"for\"", rule.loop->expression);
    if (steps > most_steps)
      invalid(formatted("{}: \"for\" \"{}\" would be {} launches; at most {} are possible", operation_.name(),
                        rule.loop->expression.text, steps, most_steps));
    for (std::int64_t step = 0; step < steps; ++step) {
      values_.numbers.push_back(step);
      if (const auto shape = launch_shape(rule, index)) planned_.push_back({index, step, *shape});
      values_.numbers.pop_back();
    }
  }

  /// Nothing where the launch's condition does not hold.
  std::optional<LaunchShape> launch_shape(const LaunchRule::Launch& rule, std::size_t index) {
    if (rule.condition && value("\"if\"", *rule.condition) == 0) return std::nullopt;
    const std::int64_t most_threads =
        state_of(device_).kernels().block(types_.kernel(static_cast<int>(index)));
    LaunchShape shape;
    shape.block[0] =
        count("threads", most_threads, rule.threads ? value("threads", *rule.threads) : most_threads);
    if (traits_.on_cpu()) shape.block[0] = 1;
    values_.numbers.push_back(shape.block[0]);
    for (std::size_t d = 0; d < rule.grid->parsed.size(); ++d)
      shape.grid[d] = count("the grid", most_blocks[d], value("grid", *rule.grid, d));
    if (rule.shared) shape.shared_bytes = count("shared memory", 1 << 20, value("shared", *rule.shared), 0);
    values_.numbers.pop_back();
    return shape;
  }

  void launch(const Planned& planned, const IndexFaults::Call* reports) const {
    const std::uint64_t report[] = {reports ? reinterpret_cast<std::uintptr_t>(reports->record()) : 0,
                                    reports ? reports->number(0) : 0,
                                    reinterpret_cast<std::uintptr_t>(&bound_.reported)};
    Arguments arguments;
    for (const BoundRule::Argument& argument : bound_.launches[planned.index]) switch (argument.source) {
        case BoundRule::Source::input:
          arguments.add(inputs_[argument.index].data());
          break;
        case BoundRule::Source::tensor:
          arguments.add(tensors_[argument.index].data());
          break;
        case BoundRule::Source::scalar:
          elements_[argument.index].add_to(arguments);
          break;
        case BoundRule::Source::number:
          add_number(arguments, values_.numbers[argument.index], argument.size);
          break;
        case BoundRule::Source::step:
          add_number(arguments, planned.step, argument.size);
          break;
        case BoundRule::Source::report:
          arguments.add(report[argument.index]);
      }
    kernelgen::launch(device_, types_.kernel(static_cast<int>(planned.index)), planned.shape, arguments,
                      stream_);
  }

  /// Of 4 or 8 bytes; LaunchRule::Number::check() passed.
  static void add_number(Arguments& arguments, std::int64_t value, std::size_t bytes) {
    if (bytes == 4)
      arguments.add(static_cast<std::uint32_t>(value));
    else
      arguments.add(value);
  }

  std::uint32_t count(std::string_view what, std::int64_t most, std::int64_t given,
                      std::int64_t least = 1) const {
    if (given < least || given > most)
      invalid(formatted("{}: {} would be {}; it has to be {} to {}", operation_.name(), what, given, least,
                        most));
    return static_cast<std::uint32_t>(given);
  }

  const Operation& operation_;
  const BoundRule& bound_;
  const Device& device_;
  const DeviceTraits traits_;
  const Stream& stream_;
  TypeBinding types_;
  DimValues values_;
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> elements_;
  std::vector<Tensor> inputs_, outputs_, tensors_;  ///< tensors_ are those of the rule
  std::vector<Planned> planned_;
};

}  // namespace

std::vector<Tensor> run_body(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                             const CallOptions& options) {
  check_counts(operation, inputs, scalars);
  return BodyCall(operation, inputs, scalars, options).run();
}

}  // namespace kernelgen
