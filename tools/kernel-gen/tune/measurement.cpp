#include "tune/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernelgen/error.hpp"
#include "run/simulated_launches.hpp"

namespace kernelgen::tool {

const char* const widening_operation = "kernelgen_tune_widen";
const char* const widening_manifest =
    R"j({"module": "tune", "operations": [{"op": "kernelgen_tune_widen", "types": {"T": "F"}, )j"
    R"j("inputs": ["x: T"], "output": "f64", "expr": "f64(x)"}]})j";

namespace {

/// Draws until one is a call that the operation takes.
constexpr int most_draws = 1000;

bool is_refusal(const Error& error) {
  return error.code() == Code::invalid_argument || error.code() == Code::unsupported;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::vector<Combination> combinations(const std::vector<TunableConstant>& constants) {
  std::vector<Combination> all = {{}};
  for (const TunableConstant& constant : constants) {
    std::vector<Combination> longer;
    for (const Combination& begun : all)
      for (const std::int64_t value : constant.values) {
        longer.push_back(begun);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

std::string spell(const std::vector<TunableConstant>& constants, const Combination& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", constants[i].name, values[i]);
  return text;
}

void Measurement::leave_out(Candidate& candidate, std::string why) const {
  candidate.name.clear();
  candidate.why = std::move(why);
  say_(fmt::format("{} is left out: {}", spell(constants_, candidate.values), candidate.why));
}

Results Measurement::call(const Candidate& candidate, const DrawnCall& drawn) const {
  return call_all(candidate.name, drawn.inputs, drawn.scalars);
}

/// A call that the operation takes with its present values.
DrawnCall Measurement::draw(CallDrawer& drawer, const Candidate& present) const {
  std::string last;
  for (int draws = 0; draws < most_draws; ++draws) {
    try {
      DrawnCall drawn = drawer.draw(device_);
      const Results results = call(present, drawn);
      device_.synchronize();
      if (std::ranges::any_of(results, [](const Tensor& result) { return result.elements() != 0; }))
        return drawn;
    } catch (const Error& error) {
      if (!is_refusal(error)) throw;
      last = error.what();
    } catch (const Unfit& unfit) {
      last = unfit.why;
    } catch (const DimFault& fault) {
      last = fault.why;
    }
  }
  throw Error(Code::invalid_argument,
              fmt::format("tune: none of {} drawn calls is one that {} takes; the last: {}", most_draws,
                          operation_.name, last));
}

/// Whether a result is that of the present values: sums may be rounded in another order.
bool Measurement::is_near(const Tensor& result, const Tensor& wanted) const {
  if (result.to_host() == wanted.to_host()) return true;
  if (!is_float(wanted.dtype())) return false;
  const bool is_wide = wanted.dtype() == DType::f64 || wanted.dtype() == DType::f32;
  const double tolerance = is_wide ? 1e-4 : 0.02;
  const auto x = call_all(widening_operation, {{result}})[0].to_vector<double>(),
             y = call_all(widening_operation, {{wanted}})[0].to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != y[i] && !(std::isnan(x[i]) && std::isnan(y[i])) &&
        !(std::abs(x[i] - y[i]) <= tolerance * std::max(1.0, std::abs(y[i]))))
      return false;
  return true;
}

/// Leaves out the candidates that refuse the call or give something else.
void Measurement::compare(std::vector<Candidate>& candidates, const DrawnCall& drawn) const {
  const Results wanted = call(candidates[0], drawn);
  for (Candidate& candidate : candidates) {
    if (candidate.name.empty() || &candidate == &candidates[0]) continue;
    try {
      const Results found = call(candidate, drawn);
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (found[i].shape() != wanted[i].shape() || !is_near(found[i], wanted[i])) {
          leave_out(candidate,
                    fmt::format("result {} is another than with {} for {}", i,
                                spell(constants_, candidates[0].values), drawn.describe(operation_)));
          break;
        }
    } catch (const Error& error) {
      if (!is_refusal(error)) throw;
      leave_out(candidate, error.what());
    }
  }
}

/// On a simulated GPU.
double Measurement::bound_of_call(const Candidate& candidate, const DrawnCall& drawn) const {
  const LaunchRecorder recorder(device_);
  call(candidate, drawn);
  device_.synchronize();
  const Machine* const machine = machines_.find(device_.architecture());
  double total = 0;
  for (const SimulatedLaunch& launch : recorder.launches(machine)) {
    if (!launch.bound)
      throw Error(Code::unsupported,
                  fmt::format("tune: machines.json has no figures of {}", device_.architecture()));
    total += launch.bound->longest().second;
  }
  return total;
}

/// Microseconds of each usable candidate, in turns; one turn is of as many calls as take a millisecond.
void Measurement::time_calls(std::vector<Candidate>& candidates, const DrawnCall& drawn) const {
  constexpr int turns = 9;
  std::vector<Candidate*> usable;
  for (Candidate& candidate : candidates)
    if (!candidate.name.empty()) usable.push_back(&candidate);
  const auto repeated = [&](const Candidate& candidate, int count) {
    return 1e6 / count * seconds_of([&] {
             for (int i = 0; i < count; ++i) call(candidate, drawn);
             device_.synchronize();
           });
  };
  const int count = static_cast<int>(std::clamp(1e3 / repeated(candidates[0], 1), 1.0, 1000.0));
  std::vector<std::vector<double>> times(usable.size());
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < usable.size(); ++i) times[i].push_back(repeated(*usable[i], count));
  for (std::size_t i = 0; i < usable.size(); ++i) {
    std::ranges::nth_element(times[i], times[i].begin() + turns / 2);
    usable[i]->microseconds.push_back(times[i][turns / 2]);
  }
}

std::vector<std::string> Measurement::run(std::vector<Candidate>& candidates, unsigned cases,
                                          std::uint64_t seed) const {
  std::vector<std::string> texts;
  const bool counts = is_simulated(device_);
  CallDrawer drawer(operation_, reference_, seed, counts ? 13 : device_.kind() == DeviceKind::cpu ? 20 : 24);
  for (unsigned number = 0; number < cases; ++number) {
    const DrawnCall drawn = draw(drawer, candidates[0]);
    texts.push_back(drawn.describe(operation_));
    say_(fmt::format("case {} of {}: {}", number + 1, cases, texts.back()));
    compare(candidates, drawn);
    if (!counts) {
      time_calls(candidates, drawn);
      continue;
    }
    for (Candidate& candidate : candidates)
      if (!candidate.name.empty()) candidate.microseconds.push_back(bound_of_call(candidate, drawn));
  }
  for (Candidate& candidate : candidates) {
    if (candidate.name.empty()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
      sum += std::log(candidate.microseconds[i] / candidates[0].microseconds[i]);
    candidate.relative = std::exp(sum / static_cast<double>(texts.size()));
  }
  return texts;
}

}  // namespace kernelgen::tool
