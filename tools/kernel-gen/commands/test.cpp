#include "commands/test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <map>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/package_file.hpp"
#include "compile/scratch_folder.hpp"
#include "conformance/comparison.hpp"
#include "conformance/drawn_case.hpp"
#include "kernelgen/error.hpp"
#include "manifest/node.hpp"
#include "manifest/reference.hpp"
#include "run/runnable.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t shown_failures = 3;  ///< of an operation
constexpr unsigned usual_cases = 12, simulated_cases = 3;
constexpr std::size_t usual_elements = 20'000, simulated_elements = 3000;
const std::string copy_operation = "copy";

struct Failure {
  std::string operation, types, what;
  unsigned number;
  std::string given;
};

/// The target that a device executes.
std::string target_of(const std::string& device) {
  constexpr std::string_view simulated = "simulated:";
  if (device.starts_with(simulated)) return device.substr(simulated.size());
  return device.starts_with("cpu") ? "cpu" : "native";
}

class Tests {
 public:
  Tests(const TestOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment)
      : options_(options), disk_(disk), runner_(runner), environment_(environment) {}

  int run(std::FILE* out) {
    read();
    std::optional<ScratchFolder> scratch;
    if (options_.package.empty()) scratch.emplace();
    const std::vector<Package> packages = open_packages(scratch ? scratch->path() : fs::path());
    device_ = Device::open(options_.device, packages);
    is_simulated_ = options_.device.starts_with("simulated:");
    has_layouts_ = std::ranges::any_of(
        packages, [](const Package& package) { return package.find_operation(copy_operation) != nullptr; });
    for (const Operation* operation : tested_) test(*operation, packages[0]);
    print(out);
    return failures_.empty() ? exit_ok : exit_failure;
  }

 private:
  void read() {
    const std::vector<Manifest> manifests =
        read_manifests(disk_, options_.build.paths.manifests, options_.build.paths.kernels);
    set_ = expand(manifests);
    for (const Manifest& manifest : manifests) references_.merge(references_of(manifest));
    for (const std::string& name : options_.operations) {
      const auto found = std::ranges::find(set_.operations, name, &Operation::name);
      if (found == set_.operations.end()) {
        Faults faults;
        std::vector<std::string> names;
        for (const Operation& operation : set_.operations) names.push_back(operation.name);
        faults.add_unknown("", "", fmt::format("test: the manifests have no operation '{}'", name), name,
                           names);
        faults.throw_if_any();
      }
      if (!references_.contains(name))
        refuse(fmt::format("test: '{}' has no \"reference\" to be compared with", name));
    }
    for (const Operation& operation : set_.operations) {
      if (!options_.operations.empty() &&
          std::ranges::find(options_.operations, operation.name) == options_.operations.end())
        continue;
      if (references_.contains(operation.name))
        tested_.push_back(&operation);
      else
        untested_.push_back(operation.name);
    }
    if (tested_.empty())
      refuse(
          R"(test: no operation has a "reference"; one is an expression of numpy, as in {"op": "cube", "expr": "x * x * x", )"
          R"("reference": "x ** 3", …})");
  }

  [[noreturn]] static void refuse(std::string what) { throw BadInput(Fault{{}, {}, std::move(what), {}}); }

  /// The one that was given; or one with the operations, and one to copy strided inputs with.
  std::vector<Package> open_packages(const fs::path& folder) {
    if (!options_.package.empty()) return {open_package(disk_, options_.package)};
    std::vector<std::string> names;
    for (const Operation* operation : tested_) names.push_back(operation->name);
    const bool has_copy =
        std::ranges::find(set_.operations, copy_operation, &Operation::name) != set_.operations.end();
    if (has_copy) names.push_back(copy_operation);
    std::vector<Package> packages = {build(options_.build.paths, names, folder / "tested")};
    if (has_copy) return packages;
    Paths shipped = options_.build.paths;
    shipped.manifests = options_.shipped;
    shipped.kernels = shipped.shipped_kernels;
    packages.push_back(build(shipped, {copy_operation}, folder / "shipped"));
    return packages;
  }

  Package build(const Paths& paths, const std::vector<std::string>& names, const fs::path& folder) {
    BuildOptions build = options_.build;
    build.paths = paths;
    build.targets = {target_of(options_.device)};
    build.only = {fmt::format("op={}", fmt::join(names, ","))};
    build.out = folder;
    build.quiet = true;
    run_build(build, disk_, runner_, environment_, stdout);
    return open_package(disk_, folder);
  }

  /// The dtypes that type variables stand for; raw elements are integers of their width. Nothing where blocks are among them.
  static std::optional<std::vector<DType>> dtypes_of(const std::vector<ElementCode>& codes) {
    constexpr DType raw[] = {DType::u8, DType::i16, DType::i32, DType::i64};
    std::vector<DType> types;
    for (const ElementCode code : codes) {
      if (is_quantized_code(code)) return std::nullopt;
      types.push_back(code < dtype_count ? static_cast<DType>(code) : raw[code - KERNELGEN_FIRST_RAW_CODE]);
    }
    return types;
  }

  void test(const Operation& operation, const Package& package) {
    const Runnable runnable = find_runnable(package, operation.name);
    const unsigned cases = options_.cases.value_or(is_simulated_ ? simulated_cases : usual_cases);
    for (const std::vector<ElementCode>& codes : combinations(operation.variables)) {
      const auto types = dtypes_of(codes);
      if (!types) continue;
      std::vector<std::string> names;
      for (const DType type : *types) names.emplace_back(name_of(type));
      const std::string spelled = fmt::format("{}", fmt::join(names, " "));
      for (unsigned number = 0; number < cases; ++number) {
        ++cases_;
        const std::string of = fmt::format("{}/{}/{}/{}", options_.seed, operation.name, spelled, number);
        DrawnCase drawn;
        try {
          drawn =
              draw_case(operation, references_.at(operation.name), *types, XXH3_64bits(of.data(), of.size()),
                        {is_simulated_ ? simulated_elements : usual_elements, has_layouts_});
          if (std::string what = compare(operation, runnable, drawn); !what.empty())
            failures_.push_back({operation.name, spelled, std::move(what), number, drawn.text()});
        } catch (const ArrayFault& fault) {
          failures_.push_back({operation.name, spelled, "reference: " + fault.why, number, drawn.text()});
          break;  // so would all others
        } catch (const Error& error) {
          failures_.push_back({operation.name, spelled, error.what(), number, drawn.text()});
        }
      }
    }
  }

  /// What is wrong with the results; empty where nothing is.
  std::string compare(const Operation& operation, const Runnable& runnable, const DrawnCase& drawn) {
    const BoundCall bound =
        runnable.bind(ParameterValues(runnable.name, runnable.parameters, drawn.parameters));
    std::vector<Tensor> inputs;
    for (const DrawnInput& input : drawn.inputs) inputs.push_back(input.tensor(*device_));
    const std::vector<Tensor> results = bound({.device = *device_, .inputs = inputs});
    device_->synchronize();
    const Reference& reference = references_.at(operation.name);
    const bool wraps =
        std::ranges::none_of(drawn.inputs, [](const DrawnInput& input) { return is_float(input.dtype); });
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ArrayValue expected = reference.outputs[i].value(drawn.names);
      const std::vector<std::byte> bytes = results[i].to_host();
      const auto difference = first_difference({results[i].dtype(), results[i].shape(), bytes},
                                               ArrayCall({expected}).array(0), reference.tolerance, wraps);
      if (!difference) continue;
      const std::string& name = runnable.outputs[i];
      if (difference->element.empty())
        return fmt::format("{} has shape {}; the reference gives {}", name, difference->is,
                           difference->has_to_be);
      return fmt::format("{}{} is {}; the reference gives {}, up to {:.2g}", name, difference->element,
                         difference->is, difference->has_to_be, difference->allowed);
    }
    return {};
  }

  void print(std::FILE* out) const {
    if (options_.json) {
      Json failures = Json::array();
      for (const Failure& failure : failures_)
        failures.push_back({{"operation", failure.operation},
                            {"dtypes", failure.types},
                            {"case", failure.number},
                            {"given", failure.given},
                            {"what", failure.what}});
      std::vector<std::string> tested;
      for (const Operation* operation : tested_) tested.push_back(operation->name);
      fmt::print(out, "{}",
                 json_text(Json{{"ok", failures_.empty()},
                                {"device", device_->location()},
                                {"seed", options_.seed},
                                {"cases", cases_},
                                {"tested", tested},
                                {"without_reference", untested_},
                                {"failures", std::move(failures)}}));
      return;
    }
    std::map<std::string, std::size_t> shown;
    for (const Failure& failure : failures_)
      if (++shown[failure.operation] <= shown_failures)
        fmt::print(out, "{}\n",
                   printable(fmt::format("{}{}{}: case {} of seed {}: {}{}{}", failure.operation,
                                         failure.types.empty() ? "" : " ", failure.types, failure.number,
                                         options_.seed, failure.given, failure.given.empty() ? "" : ": ",
                                         failure.what)));
    for (const auto& [operation, count] : shown)
      if (count > shown_failures)
        fmt::print(out, "{}: {} more\n", printable(operation), count - shown_failures);
    fmt::print(out, "{} on {}, seed {}: {}\n", spell_count(tested_.size(), "operation"), device_->location(),
               options_.seed,
               failures_.empty()
                   ? fmt::format("{}, all as their references say", spell_count(cases_, "case"))
                   : fmt::format("{} of {} differ", failures_.size(), spell_count(cases_, "case")));
    if (!untested_.empty())
      fmt::print(out, "without \"reference\": {}\n",
                 printable(fmt::format("{}", fmt::join(untested_, ", "))));
  }

  const TestOptions& options_;
  Disk& disk_;
  ProcessRunner& runner_;
  const Environment& environment_;
  KernelSet set_;
  std::map<std::string, Reference> references_;
  std::vector<const Operation*> tested_;
  std::vector<std::string> untested_;
  std::optional<Device> device_;
  bool is_simulated_ = false, has_layouts_ = false;
  std::vector<Failure> failures_;
  std::size_t cases_ = 0;
};

}  // namespace

int run_test(const TestOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
             std::FILE* out) {
  return Tests(options, disk, runner, environment).run(out);
}

}  // namespace kernelgen::tool
