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
#include "commands/output_file.hpp"
#include "commands/package_file.hpp"
#include "manifest/manifest.hpp"
#include "run/npy.hpp"
#include "run/number.hpp"
#include "run/runnable.hpp"
#include "run/simulated_launches.hpp"
#include "run/usage.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t shown_values = 8;

[[noreturn]] void refuse(std::string what) { throw BadInput(Fault{{}, {}, std::move(what), {}}); }

std::string spell_names(std::span<const std::string> names) {
  return fmt::format("{}{}", spell_count(names.size(), "array"),
                     names.empty() ? "" : fmt::format(" ({})", fmt::join(names, ", ")));
}

[[noreturn]] void refuse_files(const RunOptions& options, const Runnable& runnable) {
  refuse(fmt::format("{} takes {}{}, given {}; give each with --in, as in: {}", runnable.name,
                     runnable.optional_inputs == 0 ? "" : fmt::format("{} to ", runnable.least_inputs()),
                     spell_names(runnable.inputs), options.inputs.size(), example_line(runnable)));
}

/// A file given with --in, and which of the operation's inputs it is.
struct GivenInput {
  std::size_t position = 0;
  fs::path file;
};

/// "mask=x.npy" is the file of the optional input mask; other files are inputs in order.
GivenInput assign_input(const Runnable& runnable, const std::string& text, std::size_t next) {
  const std::size_t equals = text.find('=');
  for (std::size_t i = runnable.least_inputs(); i < runnable.inputs.size(); ++i)
    if (equals != std::string::npos && text.substr(0, equals) == runnable.inputs[i])
      return {i, text.substr(equals + 1)};
  return {next, text};
}

/// Refuses too few or too many files.
std::vector<GivenInput> assign_inputs(const RunOptions& options, const Runnable& runnable) {
  std::vector<GivenInput> given;
  std::size_t next = 0;
  for (const std::string& text : options.inputs) {
    given.push_back(assign_input(runnable, text, next));
    const std::size_t position = given.back().position;
    if (position == next) ++next;
    if (position >= runnable.inputs.size()) refuse_files(options, runnable);
    if (std::ranges::count(given, position, &GivenInput::position) > 1)
      refuse(fmt::format("{}: --in {}: '{}' is given twice", runnable.name, text, runnable.inputs[position]));
  }
  if (next < runnable.least_inputs() && given.size() < runnable.least_inputs())
    refuse_files(options, runnable);
  if (next < runnable.least_inputs())
    refuse(fmt::format("{}: input '{}' is missing; give it with --in, as in: {}", runnable.name,
                       runnable.inputs[next], example_line(runnable)));
  if (options.outputs.size() > runnable.outputs.size())
    refuse(fmt::format("{} gives {}, but there are {} --out; write: {}", runnable.name,
                       spell_names(runnable.outputs), options.outputs.size(), example_line(runnable)));
  return given;
}

Tensor read_tensor(Disk& disk, const Device& device, const fs::path& file, std::optional<DType> as) {
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

/// A .npy file has no quantized dtypes: quantize writes the blocks as bytes.
void check_quantized(const Runnable& runnable, std::size_t position, const fs::path& file,
                     const Tensor& tensor) {
  const std::string& input = runnable.inputs[position];
  if (input != runnable.quantized_input || is_quantized(tensor.dtype())) return;
  std::vector<std::string> names;
  for (const auto& row : detail::dtype_rows)
    if (const auto dtype = parse_dtype(row.name); dtype && is_quantized(*dtype)) names.emplace_back(row.name);
  throw BadInput(Fault{
      file.string(),
      {},
      fmt::format("{}: {} is {}, and has to be of a quantized dtype, which a .npy file cannot say; name "
                  "the one it was quantized to with --dtype ({}), once, or once for each --in",
                  runnable.name, input, name_of(tensor.dtype()), fmt::join(names, " ")),
      {}});
}

/// In the order of the operation's inputs; null where an optional one is left out.
std::vector<Tensor> read_inputs(const RunOptions& options, const Runnable& runnable,
                                std::span<const GivenInput> given, Disk& disk, const Device& device) {
  if (options.dtypes.size() > 1 && options.dtypes.size() != given.size())
    refuse(fmt::format("--dtype is given {} times for {}; give it once, or once for each --in",
                       options.dtypes.size(), spell_count(given.size(), "input")));
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::optional<DType> as;
    if (!options.dtypes.empty())
      as = dtype_named(options.dtypes[options.dtypes.size() == 1 ? 0 : i], "--dtype");
    const auto& [position, file] = given[i];
    if (position >= inputs.size()) inputs.resize(position + 1);
    inputs[position] = read_tensor(disk, device, file, as);
    check_quantized(runnable, position, file, inputs[position]);
  }
  return inputs;
}

struct Timed {
  std::vector<Tensor> results;
  double seconds = 0;
  std::vector<SimulatedLaunch> launches;  ///< with --counters
};

/// Runs twice and times the second: the first loads the kernel's module.
Timed run_timed(const Runnable& runnable, const BoundCall& bound, const Device& device,
                std::span<const Tensor> inputs, const RunOptions& options, const Disk& disk) {
  std::vector<Tensor> first(inputs.begin(), inputs.end());
  if (runnable.in_place) first[0] = copy(first[0]);
  bound({.device = device, .inputs = first});
  device.synchronize();
  std::optional<LaunchRecorder> recorder;
  if (options.counters) recorder.emplace(device);
  const auto start = std::chrono::steady_clock::now();
  std::vector<Tensor> results = bound({.device = device, .inputs = inputs});
  device.synchronize();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Timed timed{std::move(results), elapsed.count(), {}};
  if (recorder)
    timed.launches =
        recorder->launches(read_machines(disk, options.paths.machines).find(device.architecture()));
  return timed;
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
    results.push_back({runnable.outputs[i], tensors[i].dtype(), tensors[i].shape(), tensors[i].elements(),
                       tensors[i].to_host(),
                       i < options.outputs.size() ? options.outputs[i] : std::filesystem::path()});
  return results;
}

void write(Disk& disk, const Result& result) {
  if (result.file.empty()) return;
  std::string file = npy_header(result.dtype, result.shape);
  file.append(reinterpret_cast<const char*>(result.bytes.data()), result.bytes.size());
  disk.write_atomically(result.file, file);
}

void print_text(const std::string& operation, const Device& device, const Timed& timed,
                std::span<const Result> results, std::FILE* out) {
  std::vector<std::string> kinds;
  for (const Result& result : results)
    kinds.push_back(fmt::format("{} {}", name_of(result.dtype), result.shape.to_string()));
  fmt::print(out, "{} on {}: {} in {:.3f} ms\n", printable(operation), device.location(),
             fmt::join(kinds, ", "), timed.seconds * 1e3);
  for (const Result& result : results) {
    std::vector<std::string> texts;
    for (const Number& value : result.first_values()) texts.push_back(to_text(result.dtype, value));
    if (static_cast<std::int64_t>(texts.size()) < result.elements) texts.emplace_back("...");
    fmt::print(out, "{}[{}]\n", results.size() > 1 ? printable(result.name) + ": " : "",
               fmt::join(texts, ", "));
  }
  for (const Result& result : results)
    if (!result.file.empty()) {
      const std::string file = printable(result.file.string());
      fmt::print(out, "wrote {}\n", file);
      if (is_quantized(result.dtype))
        fmt::print(
            out, "its blocks are stored as bytes; to read it: kernel-gen run dequantize --in {} --dtype {}\n",
            file, name_of(result.dtype));
    }
  for (const SimulatedLaunch& launch : timed.launches) launch.print(out);
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

void print_json(const std::string& operation, const Device& device, const Timed& timed,
                std::span<const Result> results, std::FILE* out) {
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  for (const Result& result : results) outputs.push_back(to_json(result));
  nlohmann::ordered_json report = {{"operation", operation},
                                   {"device", device.location()},
                                   {"target", device.target()},
                                   {"seconds", timed.seconds},
                                   {"outputs", std::move(outputs)}};
  for (const SimulatedLaunch& launch : timed.launches) report["launches"].push_back(launch.to_json());
  fmt::print(out, "{}", json_text(report));
}

void list_operations(const RunOptions& options, const Package& package, std::FILE* out) {
  std::optional<std::string> target;
  if (options.lists_device) target = Device::open(options.device, package).target();
  const std::vector<Runnable> rows = runnables(package, target);
  if (options.json)
    fmt::print(out, "{}", json_text(to_json(std::span(rows))));
  else
    print_runnables(rows, out);
}

}  // namespace

int run_operation(const RunOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  const Package package = choose_package(options.package, options.paths, disk, environment);
  if (options.operation.empty()) {
    list_operations(options, package, out);
    return exit_ok;
  }
  const Runnable runnable = find_runnable(package, options.operation);
  const std::vector<GivenInput> given = assign_inputs(options, runnable);
  std::vector<fs::path> read{package.name()};
  for (const GivenInput& input : given) read.push_back(input.file);
  for (const fs::path& output : options.outputs) refuse_inputs(disk, "--out", output, read);
  const BoundCall bound =
      runnable.bind(ParameterValues(runnable.name, runnable.parameters, options.parameters));
  const Device device = Device::open(options.device, package);
  const std::vector<Tensor> inputs = read_inputs(options, runnable, given, disk, device);
  const Timed timed = run_timed(runnable, bound, device, inputs, options, disk);

  const std::vector<Result> results = fetch(options, runnable, timed.results);
  for (const Result& result : results) write(disk, result);
  (options.json ? print_json : print_text)(runnable.name, device, timed, results, out);
  return exit_ok;
}

std::string describe_operation(const RunOptions& options, const Disk& disk, const Environment& environment) {
  std::optional<Package> package;
  try {
    package = choose_package(options.package, options.paths, disk, environment);
  } catch (const BadInput&) {
    if (!options.package.empty()) throw;
  }
  KernelSet shipped;
  if (std::ranges::any_of(options.paths.manifests,
                          [&](const auto& folder) { return disk.is_directory(folder); }))
    shipped = expand(read_manifests(disk, options.paths.manifests, options.paths.kernels));
  const Runnable found =
      describe_runnable(options.operation, package ? &*package : nullptr, shipped.operations);
  return printable(usage_of(found), Lines::many);
}

}  // namespace kernelgen::tool
