#include "commands/inspect_loops.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "commands/inspection.hpp"

namespace kernelgen::tool {
namespace {

struct Row {
  std::string kernel;
  std::string target;
  LoopCost cost;
};

std::vector<Row> rows_of(const Inspection& inspection, const MachineTable& machines) {
  std::vector<Row> rows;
  for (const Inspected& object : inspection.objects) {
    const Machine* machine = machines.find(object.target);
    if (machine == nullptr || object.code.kind != CodeKind::hsaco) continue;
    const Functions functions = inspection.disassembled(object);
    for (const CodeKernel& kernel : object.code.kernels) {
      const std::string where = fmt::format("{}: {} {}", inspection.file, object.target, kernel.name);
      const auto function = functions.find(kernel.name);
      if (function == functions.end()) throw BadInput(Fault{where, "", "has no code", {}});
      try {
        rows.push_back(
            {inspection.name_of(kernel), object.target, cost_of(*machine, kernel, function->second)});
      } catch (const BadCodeObject& error) {
        throw BadInput(Fault{where, "", error.what(), {}});
      }
    }
  }
  return rows;
}

std::string spell(const LoopCost& cost, Pipe pipe) {
  const LoopCost::Use& use = cost[pipe];
  return use.instructions == 0 ? "-" : fmt::format("{}/{}", use.instructions, use.cycles);
}

void print(const std::vector<Row>& rows, std::FILE* out) {
  Table table({"kernel", "target", "VALU", "matrix", "LDS", "global", "scalar", "branch", "bytes", "waves",
               "by", "in flight", "share", "bound", "pipe", "memory"});
  for (const Row& row : rows) {
    const LoopCost& cost = row.cost;
    const bool matrix = cost[Pipe::matrix].instructions != 0;
    table.add(
        {row.kernel, row.target, spell(cost, Pipe::valu), spell(cost, Pipe::matrix), spell(cost, Pipe::lds),
         spell(cost, Pipe::global), spell(cost, Pipe::scalar), spell(cost, Pipe::branch),
         std::to_string(cost.loaded_bytes + cost.stored_bytes), std::to_string(cost.occupancy.waves),
         std::string(cost.occupancy.limit), std::to_string(cost.bytes_in_flight),
         matrix ? fmt::format("{:.2f}", cost.matrix_share()) : "-", fmt::format("{:.0f}", cost.bound_cycles),
         std::string(cost.bound_by), fmt::format("{:.0f}", cost.memory_cycles)});
  }
  table.print(out);
}

Json to_json(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) {
    Json line = {{"kernel", row.kernel}, {"target", row.target}};
    line.update(loop_json(row.cost));
    json.push_back(std::move(line));
  }
  return json;
}

}  // namespace

Json loop_json(const LoopCost& cost) {
  Json pipes = Json::object();
  for (std::size_t i = 0; i < pipe_names.size(); ++i)
    pipes[std::string(pipe_names[i])] = {{"instructions", cost.use[i].instructions},
                                         {"cycles", cost.use[i].cycles}};
  return {{"is_loop", cost.is_loop},
          {"address", cost.address},
          {"instructions", cost.instructions},
          {"all_instructions", cost.all_instructions},
          {"pipes", std::move(pipes)},
          {"multiplications", cost.multiplications},
          {"products", cost.products},
          {"loaded_bytes", cost.loaded_bytes},
          {"stored_bytes", cost.stored_bytes},
          {"waves", cost.occupancy.waves},
          {"waves_limit", cost.occupancy.limit},
          {"bytes_in_flight", cost.bytes_in_flight},
          {"matrix_share", cost.matrix_share()},
          {"bound_cycles", cost.bound_cycles},
          {"bound_by", cost.bound_by},
          {"memory_cycles", cost.memory_cycles}};
}

int run_inspect_loops(const InspectOptions& options, const Disk& disk, std::FILE* out) {
  const MachineTable machines = read_machines(disk, options.machines);
  const Inspection inspection = read_inspection(options, disk);
  const std::vector<Row> rows = rows_of(inspection, machines);
  if (rows.empty()) {
    std::vector<std::string> known;
    for (const Machine& machine : machines.machines) known.push_back(machine.target);
    throw BadInput(Fault{inspection.file,
                         "",
                         fmt::format("holds no code for a GPU that {} has figures of: {}",
                                     options.machines.filename().string(), fmt::join(known, ", ")),
                         {}});
  }
  if (options.json)
    fmt::print(out, "{}", json_text(to_json(rows)));
  else
    print(rows, out);
  return inspection.finish();
}

}  // namespace kernelgen::tool
