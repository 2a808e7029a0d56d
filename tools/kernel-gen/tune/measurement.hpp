#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manifest/machine.hpp"
#include "tune/candidate.hpp"
#include "tune/drawn_call.hpp"

namespace kernelgen::tool {

/// An operation that widens floats to f64, which the device of a Measurement has, and its manifest.
extern const char* const widening_operation;
extern const char* const widening_manifest;

/// Compares candidates of an operation on calls that are drawn. The first has the present values; those that refuse a
/// call or give another result are left out.
class Measurement {
 public:
  /// All arguments outlive it. `say` gets what goes on, a line each.
  Measurement(const OperationEntry& operation, const Reference& reference,
              const std::vector<TunableConstant>& constants, const Device& device,
              const MachineTable& machines, std::function<void(const std::string&)> say)
      : operation_(operation),
        reference_(reference),
        constants_(constants),
        device_(device),
        machines_(machines),
        say_(std::move(say)) {}

  /// Fills the candidates' times; gives what was called, a text for each case. Throws Error, also if the operation takes
  /// none of the calls that are drawn.
  std::vector<std::string> run(std::vector<Candidate>& candidates, unsigned cases, std::uint64_t seed) const;
  void leave_out(Candidate& candidate, std::string why) const;

 private:
  Results call(const Candidate& candidate, const DrawnCall& drawn) const;
  DrawnCall draw(CallDrawer& drawer, const Candidate& present) const;
  bool is_near(const Tensor& result, const Tensor& wanted) const;
  void compare(std::vector<Candidate>& candidates, const DrawnCall& drawn) const;
  double bound_of_call(const Candidate& candidate, const DrawnCall& drawn) const;
  void time_calls(std::vector<Candidate>& candidates, const DrawnCall& drawn) const;

  const OperationEntry& operation_;
  const Reference& reference_;
  const std::vector<TunableConstant>& constants_;
  const Device& device_;
  const MachineTable& machines_;
  std::function<void(const std::string&)> say_;
};

}  // namespace kernelgen::tool
