#include "commands/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/table.hpp"
#include "build/compile_cache.hpp"
#include "build/package_folder.hpp"
#include "build/provenance.hpp"
#include "code_object/loop_cost.hpp"
#include "commands/inspection.hpp"
#include "commands/output_file.hpp"
#include "commands/progress_line.hpp"
#include "commands/report_launches.hpp"
#include "commands/report_page.hpp"
#include "manifest/machine.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

/// What a row holds, in the words of the page's script; then ReportLaunches::columns.
const Json code_columns = {"kernel", "module", "target",  "size",  "VGPRs", "AGPRs", "SGPRs",  "LDS",
                           "waves",  "spills", "scratch", "bound", "pipe",  "share", "memory", "seconds"};

/// What the page has of a code object.
struct ObjectRows {
  Json rows = Json::array();
  std::vector<std::string> notes;
};

/// The packages of a report as its script reads them.
class Report {
 public:
  Report(const MachineTable& machines, const Cache& cache) : machines_(machines), cache_(cache) {}

  void add(const Inspection& inspection, const ReportLaunches& launches) {
    Json objects = Json::array(), seconds = Json::array();
    std::set<std::string_view> targets;
    const std::map<std::string, std::string> manifests =
        inspection.package ? manifests_of(*inspection.package) : std::map<std::string, std::string>{};
    for (const Inspected& object : inspection.objects) {
      // "reduce.sum" is a part of the module "reduce".
      const auto manifest = manifests.find(object.module.substr(0, object.module.find('.')));
      const auto known = manifest == manifests.end()
                             ? std::nullopt
                             : last_seconds(cache_, object.target, object.module, manifest->second);
      seconds.push_back(known ? Json(*known) : Json(nullptr));
      targets.insert(object.target);
      objects.push_back({{"module", object.module},
                         {"target", object.target},
                         {"size", object.bytes},
                         {"seconds", seconds.back()}});
    }
    Json rows = Json::array();
    for (ObjectRows& object : all_rows(inspection, seconds, launches)) {
      for (Json& row : object.rows) rows.push_back(std::move(row));
      for (std::string& note : object.notes) notes_.push_back(std::move(note));
    }
    packages_.push_back({{"name", inspection.package ? inspection.package->name() : inspection.file},
                         {"bytes", inspection.bytes()},
                         {"targets", targets.size()},
                         {"objects", std::move(objects)},
                         {"rows", std::move(rows)}});
    kernels_ += packages_.back()["rows"].size();
  }

  std::size_t rows() const { return kernels_; }

  /// All of it ASCII, with nothing that could end the element of the page that holds it.
  std::string text() const {
    Json columns = code_columns;
    for (const char* column : ReportLaunches::columns) columns.push_back(column);
    const Json json = {{"columns", columns}, {"packages", packages_}, {"notes", notes_}};
    std::string text;
    for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
      if (c == '<' || c == '>' || c == '&')
        text += fmt::format("\\u{:04x}", c);
      else
        text += c;
    }
    return text;
  }

 private:
  /// Those of each object, in parallel: a library may have a gigabyte of instructions.
  std::vector<ObjectRows> all_rows(const Inspection& inspection, const Json& seconds,
                                   const ReportLaunches& launches) const {
    const std::size_t count = inspection.objects.size();
    std::vector<ObjectRows> all(count);
    ProgressLine line(std::filesystem::path(inspection.file).filename().string(), "disassembled");
    std::mutex reading;  // what is unpacked is kept for the next that asks for it
    std::atomic<std::size_t> done{0};
    in_parallel(std::thread::hardware_concurrency(), count, [&] {
      return [&](std::size_t i) {
        const Inspected& object = inspection.objects[i];
        std::unique_lock lock(reading);
        const PackageCode bytes = inspection.code(object);
        lock.unlock();
        all[i] = rows_of(inspection, object, bytes, seconds[i], launches);
        line.show(static_cast<double>(++done) / static_cast<double>(count));
      };
    });
    return all;
  }

  ObjectRows rows_of(const Inspection& inspection, const Inspected& object, const PackageCode& bytes,
                     const Json& seconds, const ReportLaunches& launches) const {
    ObjectRows result;
    const bool gpu = object.code.kind != CodeKind::host;
    const Machine* machine = object.code.kind == CodeKind::hsaco ? machines_.find(object.target) : nullptr;
    std::map<std::string_view, LoopCost> costs;
    if (machine != nullptr) costs = costs_of(inspection, object, bytes, *machine, result.notes);
    const auto figure = [&](std::uint32_t value) { return gpu ? Json(value) : Json(nullptr); };
    for (const CodeKernel& k : object.code.kernels) {
      Json row = {inspection.name_of(k), object.module,
                  object.target,         k.code_bytes == 0 ? Json(nullptr) : Json(k.code_bytes),
                  figure(k.vgprs),       figure(k.agprs),
                  figure(k.sgprs),       figure(k.lds_bytes)};
      Json waves = nullptr, loop = {nullptr, nullptr, nullptr, nullptr};
      if (const auto found = costs.find(k.name); found != costs.end()) {
        const LoopCost& cost = found->second;
        const bool matrix = cost[Pipe::matrix].instructions != 0;
        waves = cost.occupancy.waves;
        loop = {cost.bound_cycles, cost.bound_by, matrix ? Json(cost.matrix_share()) : Json(nullptr),
                cost.memory_cycles};
      }
      row.push_back(std::move(waves));
      row.push_back(figure(k.vgpr_spills + k.sgpr_spills));
      row.push_back(figure(k.scratch_bytes));
      row.insert(row.end(), loop.begin(), loop.end());
      row.push_back(seconds);
      const Json counted = launches.row(k.name, object.target.substr(0, object.target.find(':')));
      row.insert(row.end(), counted.begin(), counted.end());
      result.rows.push_back(std::move(row));
    }
    return result;
  }

  /// By kernel; with a note for the page instead where LLVM does not read the code.
  static std::map<std::string_view, LoopCost> costs_of(const Inspection& inspection, const Inspected& object,
                                                       const PackageCode& bytes, const Machine& machine,
                                                       std::vector<std::string>& notes) {
    std::map<std::string_view, const CodeKernel*> kernels;
    for (const CodeKernel& kernel : object.code.kernels) kernels[kernel.name] = &kernel;
    std::map<std::string_view, LoopCost> costs;
    try {
      disassemble(bytes, object.code, [&](std::string_view name, const std::vector<Instruction>& function) {
        const auto kernel = kernels.find(name);
        if (kernel == kernels.end()) return;
        try {
          costs.emplace(kernel->first, cost_of(machine, *kernel->second, function));
        } catch (const BadCodeObject& error) {
          notes.push_back(fmt::format("{} for {}: {}", name, machine.target, error.what()));
        }
      });
    } catch (const BadCodeObject& error) {
      notes.push_back(inspection.where(object) + ": " + error.what());
    }
    return costs;
  }

  /// The manifest of each module; of none where the package does not say.
  static std::map<std::string, std::string> manifests_of(const Package& package) {
    // What is read calls manifests "package: NAME".
    const std::string origin = "package", before = origin + ": ";
    Faults faults;
    const RecordedInputs inputs = read_inputs(package.provenance(), origin, faults);
    std::map<std::string, std::string> manifests;
    if (!faults.empty()) return manifests;
    for (const Module& module : expand(inputs.manifests).modules)
      if (module.manifest.starts_with(before)) manifests[module.name] = module.manifest.substr(before.size());
    return manifests;
  }

  const MachineTable& machines_;
  const Cache& cache_;
  Json packages_ = Json::array();
  Json notes_ = Json::array();
  std::size_t kernels_ = 0;
};

/// The page with its placeholders filled.
std::string filled(std::string_view page,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> placeholders) {
  std::string text;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t open = page.find("{{", at), close = page.find("}}", open);
    text += page.substr(at, open - at);
    if (close == page.npos) break;
    const std::string_view name = page.substr(open + 2, close - open - 2);
    for (const auto& [placeholder, content] : placeholders)
      if (placeholder == name) text += content;
    at = close + 2;
  }
  return text;
}

}  // namespace

int run_report(const ReportOptions& options, Disk& disk, std::FILE* out) {
  for (const std::filesystem::path& folder : {options.package, options.other})
    refuse_inputs(disk, "--out", options.out, {folder, folder / package_file});
  refuse_inputs(disk, "--out", options.out, {options.launches});
  const MachineTable machines = read_machines(disk, options.machines);
  const Cache cache(disk, options.cache);
  Report report(machines, cache);
  ReportLaunches launches;
  if (!options.launches.empty())
    launches = ReportLaunches(disk.read(options.launches), options.launches.string());
  int code = exit_ok;
  for (const std::filesystem::path& file : {options.package, options.other}) {
    if (file.empty()) continue;
    InspectOptions inspect;
    inspect.file = file;
    inspect.target = options.target;
    const Inspection inspection = read_inspection(inspect, disk);
    report.add(inspection, file == options.package ? launches : ReportLaunches());
    code = std::max(code, inspection.finish());
  }
  const std::string page =
      filled(report_html, {{"css", report_css}, {"js", report_js}, {"data", report.text()}});
  disk.write_atomically(options.out, page);
  fmt::print(out, "{}: {}, {}\n", options.out.string(), spell_count(report.rows(), "row"),
             spell_bytes(page.size()));
  return code;
}

}  // namespace kernelgen::tool
