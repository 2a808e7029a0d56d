#include "library/stopwatch.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace kernelgen {
namespace {

constexpr std::size_t filled_bytes = std::size_t{64} << 20;
constexpr int runs = 3;
/// Work whose second run takes this many times the least so far is not run again. The first run may load kernels and measure.
constexpr double hopeless = 4;

}  // namespace

Stopwatch::Stopwatch(GpuDriver& driver, void* stream)
    : driver_(driver), stream_(stream), filled_(driver, filled_bytes, stream) {}

double Stopwatch::milliseconds(const std::function<bool()>& work, double least) const {
  constexpr double forever = std::numeric_limits<double>::infinity();
  const auto release = [this](void* event) { driver_.destroy_event(event); };
  const auto mark = [&] {
    return std::unique_ptr<void, decltype(release)>(driver_.record_event(stream_), release);
  };
  double fastest = forever;
  for (int i = 0; i < runs; ++i) {
    driver_.fill(filled_.data(), 0, filled_bytes, stream_);
    const auto start = mark();
    if (!work()) return forever;
    const auto end = mark();
    driver_.synchronize_event(end.get());
    const double taken = driver_.milliseconds_between(start.get(), end.get());
    fastest = std::min(fastest, taken);
    if (i > 0 && taken > hopeless * least) break;
  }
  return fastest;
}

}  // namespace kernelgen
