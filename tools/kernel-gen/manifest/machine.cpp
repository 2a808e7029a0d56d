#include "manifest/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace kernelgen::tool {
namespace {

using Field = std::uint32_t Machine::*;

constexpr std::pair<const char*, Field> figures[] = {
    {"compute_units", &Machine::compute_units},
    {"clock_mhz", &Machine::clock_mhz},
    {"memory_gb_s", &Machine::memory_gb_s},
    {"compute_units_a_block", &Machine::compute_units_a_block},
    {"simds", &Machine::simds},
    {"simd_lanes", &Machine::simd_lanes},
    {"issue_cycles", &Machine::issue_cycles},
    {"waves", &Machine::waves},
    {"vgpr_bytes", &Machine::vgpr_bytes},
    {"vgpr_granule_bytes", &Machine::vgpr_granule_bytes},
    {"lds_bytes", &Machine::lds_bytes},
    {"lds_granule", &Machine::lds_granule},
    {"lds_bytes_a_cycle", &Machine::lds_bytes_a_cycle},
    {"l1_bytes_a_cycle", &Machine::l1_bytes_a_cycle},
};
/// Those that may be 0.
constexpr std::pair<const char*, Field> limits[] = {
    {"sgprs", &Machine::sgprs},
    {"sgpr_granule", &Machine::sgpr_granule},
};
constexpr std::pair<const char*, Field> rates[] = {
    {"transcendental", &Machine::transcendental_rate},
    {"f64", &Machine::f64_rate},
    {"int_multiply", &Machine::int_multiply_rate},
    {"b64", &Machine::b64_rate},
};
constexpr const char* apart_key = "transcendentals_apart";

std::vector<std::string> names_of(std::span<const std::pair<const char*, Field>> fields) {
  std::vector<std::string> names;
  for (const auto& [name, field] : fields) names.emplace_back(name);
  return names;
}

class Reader {
 public:
  explicit Reader(const Node& sources) {
    for (const auto& [name, node] : sources.members())
      if (node.text()) sources_.push_back(name);
  }

  Machine read(const Node& row) const {
    Machine machine;
    std::vector<std::string> keys = {"target", "product", "rates", apart_key, "matrix"};
    for (const auto& fields : {names_of(figures), names_of(limits)})
      keys.insert(keys.end(), fields.begin(), fields.end());
    if (!row.expect_object(keys)) return machine;
    if (const auto node = row.need("target")) machine.target = node->text().value_or("");
    if (const auto node = row.need("product")) machine.product = node->text().value_or("");
    read_figures(row, figures, 1, machine);
    read_figures(row, limits, 0, machine);
    if (const auto node = row.need("rates"); node && node->expect_object(names_of(rates)))
      read_figures(*node, rates, 1, machine);
    if (const auto node = row.need(apart_key)) machine.transcendentals_apart = figure(*node, 0, 1) == 1;
    if (const auto node = row.need("matrix")) read_matrix(*node, machine);
    return machine;
  }

 private:
  void read_figures(const Node& row, std::span<const std::pair<const char*, Field>> fields,
                    std::uint32_t lowest, Machine& machine) const {
    for (const auto& [name, field] : fields)
      if (const auto node = row.need(name))
        machine.*field = figure(*node, lowest, std::numeric_limits<std::uint32_t>::max());
  }

  /// [number, "source"]; the lowest number with a fault where it is none.
  std::uint32_t figure(const Node& node, std::uint32_t lowest, std::uint32_t highest) const {
    const std::vector<Node> pair = node.items();
    if (pair.size() != 2) {
      node.fault("must be a figure and its source, such as [64, \"specs\"]");
      return lowest;
    }
    check_source(pair[1]);
    return pair[0].number(lowest, highest).value_or(lowest);
  }

  void check_source(const Node& node) const {
    const auto source = node.text();
    if (source && std::ranges::find(sources_, *source) == sources_.end())
      node.fault_unknown(fmt::format("'{}' is none of the file's sources", *source), *source, sources_);
  }

  void read_matrix(const Node& node, Machine& machine) const {
    static const std::vector<std::string> keys = {"source", "cycles", "alone"};
    if (!node.expect_object(keys)) return;
    if (const auto source = node.need("source")) check_source(*source);
    if (const auto cycles = node.need("cycles"))
      for (const auto& [name, count] : cycles->members())
        machine.matrix_cycles[name] = count.number(1, 1024).value_or(1);
    const auto alone = node.need("alone");
    if (!alone) return;
    for (const Node& item : alone->items()) {
      const std::string name = item.text().value_or("");
      if (!machine.matrix_cycles.contains(name)) item.fault(fmt::format("'{}' has no cycles", name));
      machine.matrix_alone.insert(name);
    }
  }

  std::vector<std::string> sources_;
};

}  // namespace

const Machine* MachineTable::find(std::string_view target) const {
  const auto at = std::ranges::find(machines, target, &Machine::target);
  return at == machines.end() ? nullptr : &*at;
}

MachineTable read_machines(const Disk& disk, const std::filesystem::path& file) {
  static const std::vector<std::string> keys = {"sources", "machines"};
  Faults faults;
  MachineTable table;
  const std::string name = file.string();
  if (!disk.exists(file)) throw BadInput(Fault{name, "", "there is no such file of machines", std::nullopt});
  if (const auto json = parse_json(name, disk.read(file), faults)) {
    const Node root(*json, name, faults);
    const auto sources = root.expect_object(keys) ? root.need("sources") : std::nullopt;
    const auto rows = sources ? root.need("machines") : std::nullopt;
    if (rows) {
      const Reader reader(*sources);
      for (const Node& row : rows->items()) {
        Machine machine = reader.read(row);
        if (table.find(machine.target) != nullptr)
          row.fault(fmt::format("machine '{}' is listed twice", machine.target));
        table.machines.push_back(std::move(machine));
      }
    }
  }
  faults.throw_if_any();
  return table;
}

}  // namespace kernelgen::tool
