#include "commands/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/package_file.hpp"
#include "run/npy.hpp"
#include "run/number.hpp"
#include "run/runnable.hpp"
#include "run/usage.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::int64_t shown_values = 8;

[[noreturn]] void refuse(std::string what) { throw BadInput(Fault{{}, {}, std::move(what), {}}); }

std::string spell_names(std::span<const Role> roles) {
  std::vector<std::string> names;
  for (const Role& role : roles) names.push_back(role.name);
  return fmt::format("{}{}", spell_count(roles.size(), "array"),
                     names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")));
}

/// Refuses a line with too few or too many files.
void check_files(const RunOptions& options, const Runnable& runnable) {
  if (!runnable.takes(options.inputs.size()))
    refuse(fmt::format("{} takes {}{}, given {}; give each with --in, as in: {}", runnable.name,
                       runnable.optional_inputs == 0 ? "" : fmt::format("{} to ", runnable.least_inputs()),
                       spell_names(runnable.inputs), options.inputs.size(), example_line(runnable)));
  if (options.outputs.size() > runnable.outputs.size())
    refuse(fmt::format("{} gives {}, but there are {} --out; write: {}", runnable.name,
                       spell_names(runnable.outputs), options.outputs.size(), example_line(runnable)));
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
    if (!options.dtypes.empty())
      as = dtype_named(options.dtypes[options.dtypes.size() == 1 ? 0 : i], "--dtype");
    inputs.push_back(read_tensor(disk, device, options.inputs[i], as));
  }
  return inputs;
}

struct Timed {
  std::vector<Tensor> results;
  double seconds = 0;
};

/// Runs twice and times the second: the first loads the kernel's module.
Timed run_timed(const Runnable& runnable, const BoundCall& bound, const Device& device,
                std::span<const Tensor> inputs) {
  std::vector<Tensor> first(inputs.begin(), inputs.end());
  if (runnable.in_place) first[0] = copy(first[0]);
  bound({.device = device, .inputs = first});
  device.synchronize();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Tensor> results = bound({.device = device, .inputs = inputs});
  device.synchronize();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {std::move(results), elapsed.count()};
}

/// An output on the host.
struct Result {
  std::string name;
  DType dtype;
  Shape shape;
  std::int64_t elements;
  std::vector<std::byte> bytes;
  std::filesystem::path file;  ///< empty: not written

  std::vector<Number> first_values() const {
    std::vector<Number> values;
    const DType shown_as = is_quantized(dtype) ? DType::u8 : dtype;
    for (std::int64_t i = 0; i < std::min(elements, shown_values); ++i)
      values.push_back(read_number(shown_as, bytes.data() + static_cast<std::size_t>(i) * size_of(shown_as)));
    return values;
  }
};

std::vector<Result> fetch(const RunOptions& options, const Runnable& runnable,
                          std::span<const Tensor> tensors) {
  std::vector<Result> results;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    results.push_back({runnable.outputs[i].name, tensors[i].dtype(), tensors[i].shape(),
                       tensors[i].elements(), tensors[i].to_host(),
                       i < options.outputs.size() ? options.outputs[i] : std::filesystem::path()});
  return results;
}

void write(Disk& disk, const Result& result) {
  if (result.file.empty()) return;
  std::string file = npy_header(result.dtype, result.shape);
  file.append(reinterpret_cast<const char*>(result.bytes.data()), result.bytes.size());
  disk.write_atomically(result.file, file);
}

void print_text(const std::string& operation, const Device& device, double seconds,
                std::span<const Result> results, std::FILE* out) {
  std::vector<std::string> kinds;
  for (const Result& result : results)
    kinds.push_back(fmt::format("{} {}", name_of(result.dtype), result.shape.to_string()));
  fmt::print(out, "{} on {}: {} in {:.3f} ms\n", printable(operation), device.location(),
             fmt::join(kinds, ", "), seconds * 1e3);
  for (const Result& result : results) {
    std::vector<std::string> texts;
    for (const Number& value : result.first_values()) texts.push_back(to_text(result.dtype, value));
    if (static_cast<std::int64_t>(texts.size()) < result.elements) texts.emplace_back("...");
    fmt::print(out, "{}[{}]\n", results.size() > 1 ? printable(result.name) + ": " : "",
               fmt::join(texts, ", "));
  }
  for (const Result& result : results)
    if (!result.file.empty()) fmt::print(out, "wrote {}\n", printable(result.file.string()));
}

nlohmann::ordered_json to_json(const Result& result) {
  nlohmann::ordered_json first = nlohmann::ordered_json::array();
  for (const Number& value : result.first_values()) {
    const double* real = std::get_if<double>(&value);
    // JSON has no NaN and no infinity.
    if (real != nullptr && !std::isfinite(*real))
      first.push_back(to_text(result.dtype, value));
    else
      std::visit([&](auto number) { first.push_back(number); }, value);
  }
  nlohmann::ordered_json json = {
      {"name", result.name},
      {"dtype", name_of(result.dtype)},
      {"shape", std::vector<std::int64_t>(result.shape.begin(), result.shape.end())},
      {"first", std::move(first)}};
  if (!result.file.empty()) json["file"] = result.file.string();
  return json;
}

void print_json(const std::string& operation, const Device& device, double seconds,
                std::span<const Result> results, std::FILE* out) {
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (const Result& result : results) outputs.push_back(to_json(result));
  const nlohmann::ordered_json report = {{"operation", operation},
                                         {"device", device.location()},
                                         {"target", device.target()},
                                         {"seconds", seconds},
                                         {"outputs", std::move(outputs)}};
  fmt::print(out, "{}", json_text(report));
}

void list_operations(const Package& package, bool json, std::FILE* out) {
  const std::vector<Runnable> rows = runnables(package);
  if (json)
    fmt::print(out, "{}", json_text(to_json(std::span(rows))));
  else
    print_runnables(rows, out);
}

}  // namespace

int run_operation(const RunOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  const Package package = choose_package(options.package, options.places, disk, environment);
  if (options.operation.empty()) {
    list_operations(package, options.json, out);
    return exit_ok;
  }
  const Runnable runnable = find_runnable(package, options.operation);
  check_files(options, runnable);
  const BoundCall bound =
      runnable.bind(ParameterValues(runnable.name, runnable.parameters, options.parameters));
  const Device device = Device::open(options.device, package);
  const std::vector<Tensor> inputs = read_inputs(options, disk, device);
  const Timed timed = run_timed(runnable, bound, device, inputs);

  const std::vector<Result> results = fetch(options, runnable, timed.results);
  for (const Result& result : results) write(disk, result);
  (options.json ? print_json : print_text)(runnable.name, device, timed.seconds, results, out);
  return exit_ok;
}

std::string describe_operation(const RunOptions& options, const Disk& disk, const Environment& environment) {
  try {
    const Package package = choose_package(options.package, options.places, disk, environment);
    return printable(usage_of(find_runnable(package, options.operation)), Lines::many);
  } catch (const std::exception& error) {
    return printable(error.what(), Lines::many);
  }
}

}  // namespace kernelgen::tool
