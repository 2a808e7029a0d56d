#pragma once
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "code_object/loop_cost.hpp"
#include "kernelgen/device.hpp"
#include "manifest/machine.hpp"

namespace kernelgen::tool {

/// The least time that a launch takes on a card, by each of what it uses; that by memory counts each line once, as an ideal
/// cache would.
struct LaunchBound {
  std::map<std::string, double> microseconds;  ///< by what: "memory", "l1", "lds", "valu", "matrix", "scalar"
  Occupancy occupancy;

  /// The entry of `microseconds` that is longest.
  std::pair<std::string, double> longest() const;
};

/// A launch as the simulator counted it: docs/simulator.md describes `counts`.
struct SimulatedLaunch {
  nlohmann::ordered_json counts;
  std::optional<LaunchBound> bound;  ///< none where machines.json has no figures of the card

  nlohmann::ordered_json to_json() const;
  void print(std::FILE* out) const;
};

bool is_simulated(const Device& device);

/// Records the launches on a simulated device from its construction on.
class LaunchRecorder {
 public:
  /// Throws BadInput: the device is not a simulated one.
  explicit LaunchRecorder(const Device& device);
  ~LaunchRecorder();
  LaunchRecorder(const LaunchRecorder&) = delete;
  LaunchRecorder& operator=(const LaunchRecorder&) = delete;

  /// Those up to now. `machine` is the card's row of machines.json, or null.
  std::vector<SimulatedLaunch> launches(const Machine* machine) const;

 private:
  int ordinal_ = 0;
  int (*record_)(int ordinal, int on) = nullptr;
  const char* (*report_)(int ordinal) = nullptr;
};

/// Of counts as the simulator writes them. Nothing if the machine's row lacks an instruction.
std::optional<LaunchBound> bound_of(const Machine& machine, const nlohmann::ordered_json& counts);

}  // namespace kernelgen::tool
