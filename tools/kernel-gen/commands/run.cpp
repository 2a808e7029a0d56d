#include "commands/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/fault.hpp"
#include "commands/package_file.hpp"
#include "common/suggest.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"
#include "run/npy.hpp"
#include "run/number.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::int64_t shown_values = 8;

[[noreturn]] void refuse(std::string what, std::optional<std::string> meant = std::nullopt) {
  throw BadInput(Fault{{}, {}, std::move(what), std::move(meant)});
}

DType dtype_named(std::string_view name) {
  if (const auto dtype = parse_dtype(name)) return *dtype;
  std::vector<std::string> names;
  for (const auto& row : detail::dtype_rows) names.emplace_back(row.name);
  refuse(fmt::format("unknown dtype '{}'", name), nearest(name, names));
}

struct Parameter {
  std::string name;
  std::string value;
};

std::vector<Parameter> parse_parameters(const std::vector<std::string>& texts) {
  std::vector<Parameter> parameters;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse(fmt::format("--param '{}': expected NAME=VALUE", text));
    Parameter parameter{text.substr(0, equals), text.substr(equals + 1)};
    for (const Parameter& other : parameters)
      if (other.name == parameter.name) refuse(fmt::format("--param {} is given twice", parameter.name));
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

Scalar parse_scalar(const Parameter& parameter) {
  const char* const first = parameter.value.data();
  const char* const last = first + parameter.value.size();
  std::int64_t integer = 0;
  if (const auto [end, error] = std::from_chars(first, last, integer); error == std::errc() && end == last)
    return integer;
  double real = 0;
  if (const auto [end, error] = std::from_chars(first, last, real); error == std::errc() && end == last)
    return real;
  refuse(fmt::format("--param {}: '{}' is no number", parameter.name, parameter.value));
}

/// The operation's scalars in its own order. `names` are theirs.
std::vector<Scalar> match_scalars(const std::string& operation, const std::vector<std::string>& names,
                                  const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters)
    if (std::find(names.begin(), names.end(), parameter.name) == names.end())
      refuse(fmt::format("{} has no parameter '{}'", operation, parameter.name),
             nearest(parameter.name, names));
  std::vector<Scalar> scalars;
  for (const std::string& name : names) {
    const auto given = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& parameter) { return parameter.name == name; });
    if (given == parameters.end()) refuse(fmt::format("{} needs --param {}=NUMBER", operation, name));
    scalars.push_back(parse_scalar(*given));
  }
  return scalars;
}

Tensor read_tensor(Disk& disk, const Device& device, const std::filesystem::path& file,
                   std::optional<DType> as) {
  const std::string bytes = disk.read(file);
  const NpyArray array = read_npy(bytes, file.string(), as);
  const auto elements = std::as_bytes(std::span(array.data));
  if (!array.fortran_order) return Tensor::from_host(device, elements, array.shape, array.dtype);
  Shape reversed;
  Dims order;
  for (std::size_t i = array.shape.size(); i-- > 0;) {
    reversed.push_back(array.shape[i]);
    order.push_back(static_cast<std::int64_t>(i));
  }
  return Tensor::from_host(device, elements, reversed, array.dtype)
      .permute(std::span(order.data(), order.size()));
}

std::vector<Tensor> read_inputs(const RunOptions& options, Disk& disk, const Device& device) {
  const std::size_t count = options.inputs.size();
  if (options.dtypes.size() > 1 && options.dtypes.size() != count)
    refuse(fmt::format("--dtype is given {} times for {} inputs; give it once, or once for each --in",
                       options.dtypes.size(), count));
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<DType> as;
    if (!options.dtypes.empty()) as = dtype_named(options.dtypes[options.dtypes.size() == 1 ? 0 : i]);
    inputs.push_back(read_tensor(disk, device, options.inputs[i], as));
  }
  return inputs;
}

/// The operation with its parameters bound: what remains is to give it inputs.
std::function<Tensor(std::span<const Tensor>)> bind_operation(const RunOptions& options,
                                                              const Package& package) {
  const std::vector<Parameter> parameters = parse_parameters(options.parameters);
  const std::string& name = options.operation;
  const kernelgen_operation_record* record = package.find_operation(name);
  if (record == nullptr) {
    std::vector<std::string> names;
    for (const auto& operation : package.operations()) names.emplace_back(package.text(operation.name));
    refuse(fmt::format("the package has no operation '{}'", name), nearest(name, names));
  }
  if (options.inputs.size() != record->input_count)
    refuse(fmt::format("{} takes {} input{}, given {}; give each with --in", name, record->input_count,
                       record->input_count == 1 ? "" : "s", options.inputs.size()));
  if (name == "cast") {
    if (parameters.size() != 1 || parameters[0].name != "dtype")
      refuse("cast needs --param dtype=NAME, and no other");
    return [dtype = dtype_named(parameters[0].value)](std::span<const Tensor> inputs) {
      return to_dtype(inputs[0], dtype);
    };
  }
  std::vector<std::string> names;
  for (const auto& scalar : package.operands(*record).subspan(record->input_count + 1))
    names.emplace_back(package.text(scalar.name));
  return [name, scalars = match_scalars(name, names, parameters)](std::span<const Tensor> inputs) {
    return call(name, inputs, scalars);
  };
}

struct Timed {
  Tensor result;
  double seconds = 0;
};

/// Runs twice and times the second: the first loads the kernel's module.
Timed run_timed(const std::function<Tensor()>& operation, const Device& device) {
  operation();
  device.synchronize();
  const auto start = std::chrono::steady_clock::now();
  Tensor result = operation();
  device.synchronize();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {std::move(result), elapsed.count()};
}

std::vector<Number> first_values(DType dtype, std::span<const std::byte> elements, std::int64_t count) {
  std::vector<Number> values;
  for (std::int64_t i = 0; i < std::min(count, shown_values); ++i)
    values.push_back(read_number(dtype, elements.data() + static_cast<std::size_t>(i) * size_of(dtype)));
  return values;
}

void print_text(const RunOptions& options, const Timed& timed, const std::vector<Number>& values,
                std::FILE* out) {
  const DType dtype = timed.result.dtype();
  std::string list;
  for (const Number& value : values) list.append(list.empty() ? "" : ", ").append(to_text(dtype, value));
  if (static_cast<std::int64_t>(values.size()) < timed.result.elements()) list += ", ...";
  fmt::print(out, "{} on {}: {} {} in {:.3f} ms\n[{}]\n", options.operation, timed.result.device().location(),
             name_of(dtype), timed.result.shape().to_string(), timed.seconds * 1e3, list);
  if (!options.output.empty()) fmt::print(out, "wrote {}\n", options.output.string());
}

void print_json(const RunOptions& options, const Timed& timed, const std::vector<Number>& values,
                std::FILE* out) {
  const DType dtype = timed.result.dtype();
  nlohmann::ordered_json first = nlohmann::ordered_json::array();
  for (const Number& value : values) {
    const double* real = std::get_if<double>(&value);
    // JSON has no NaN and no infinity.
    if (real != nullptr && !std::isfinite(*real))
      first.push_back(to_text(dtype, value));
    else
      std::visit([&](auto number) { first.push_back(number); }, value);
  }
  nlohmann::ordered_json report;
  report["operation"] = options.operation;
  report["device"] = timed.result.device().location();
  report["target"] = timed.result.device().target();
  report["dtype"] = name_of(dtype);
  report["shape"] = std::vector<std::int64_t>(timed.result.shape().begin(), timed.result.shape().end());
  report["seconds"] = timed.seconds;
  report["first"] = std::move(first);
  if (!options.output.empty()) report["output"] = options.output.string();
  fmt::print(out, "{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

int run_operation(const RunOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  const Package package = choose_package(options.package, options.places, disk, environment);
  const auto operation = bind_operation(options, package);
  const Device device = Device::open(options.device, package);
  const std::vector<Tensor> inputs = read_inputs(options, disk, device);
  const Timed timed = run_timed([&] { return operation(inputs); }, device);

  const std::vector<std::byte> elements = timed.result.to_host();
  if (!options.output.empty()) {
    std::string file = npy_header(timed.result.dtype(), timed.result.shape());
    file.append(reinterpret_cast<const char*>(elements.data()), elements.size());
    disk.write_atomically(options.output, file);
  }
  const auto values = first_values(timed.result.dtype(), elements, timed.result.elements());
  (options.json ? print_json : print_text)(options, timed, values, out);
  return exit_ok;
}

}  // namespace kernelgen::tool
