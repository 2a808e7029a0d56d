#include "device/launch_observer.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* log_variable = "KERNELGEN_LOG";
/// Maximum traced launches before their times are read.
constexpr std::size_t most_traced = 1024;

/// Null if logging is disabled.
std::FILE* open_log() {
  const char* const path = environment_variable(log_variable);
  if (path == nullptr || *path == '\0') return nullptr;
  if (std::strcmp(path, "stderr") == 0) return stderr;
  // Shared by all devices and never closed: they may be used during process exit.
  static std::FILE* const file = std::fopen(path, "a");
  if (file == nullptr)
    throw Error(Code::io, formatted("{} is {}, neither `stderr` nor a file that can be written: {}",
                                    log_variable, path, std::strerror(errno)));
  return file;
}

std::string text_of(const LaunchShape& shape) {
  return formatted("grid {} x {} x {}, block {} x {} x {}, {} bytes shared", shape.grid[0], shape.grid[1],
                   shape.grid[2], shape.block[0], shape.block[1], shape.block[2], shape.shared_bytes);
}

}  // namespace

LaunchObserver::LaunchObserver(Driver& driver, const std::string& location)
    : driver_(driver),
      location_(location),
      log_(open_log()),
      trace_(TraceFile::of_environment()),
      ranges_(ProfilerRanges::of_environment()),
      is_on_(log_ != nullptr || trace_ != nullptr || ranges_ != nullptr) {}

LaunchObserver::~LaunchObserver() {
  write_trace();
  if (base_ != nullptr) driver_.destroy_event(base_);
}

void LaunchObserver::set_callback(Callback callback) {
  const std::lock_guard lock(mutex_);
  callback_ = callback ? std::make_shared<const Callback>(std::move(callback)) : nullptr;
  is_on_ = callback_ != nullptr || log_ != nullptr || trace_ != nullptr || ranges_ != nullptr;
}

void LaunchObserver::name(const void* function, std::string_view kernel) {
  const std::lock_guard lock(mutex_);
  names_.insert_or_assign(function, std::string(kernel));
}

std::string LaunchObserver::name_of(const void* function) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(function);
  return found != names_.end() ? found->second : "kernel";
}

void LaunchObserver::note(std::string_view text) const {
  if (log_ == nullptr) return;
  const std::string line = formatted("kernelgen {}: {}\n", location_, text);
  std::fputs(line.c_str(), log_);
  std::fflush(log_);
}

void LaunchObserver::around(const LaunchInfo& launch, const std::function<void()>& put) {
  std::shared_ptr<const Callback> look;
  {
    const std::lock_guard lock(mutex_);
    look = callback_;
  }
  if (look != nullptr) (*look)(launch);
  if (log_ != nullptr)
    note(formatted("{}, {}, {} bytes of arguments, stream {}{}", launch.kernel, text_of(launch.shape),
                   launch.argument_bytes, launch.stream, launch.is_captured ? ", captured" : ""));
  if (ranges_ != nullptr) ranges_->push(std::string(launch.kernel).c_str());
  const auto pop = [](const ProfilerRanges* ranges) { ranges->pop(); };
  const std::unique_ptr<const ProfilerRanges, decltype(pop)> range(ranges_, pop);
  if (trace_ != nullptr && !launch.is_captured)
    trace(launch, put);
  else
    put();
}

void LaunchObserver::trace(const LaunchInfo& launch, const std::function<void()>& put) {
  const auto destroy = [this](void* event) { driver_.destroy_event(event); };
  using Event = std::unique_ptr<void, decltype(destroy)>;
  std::vector<Traced> full;
  {
    const std::lock_guard lock(mutex_);
    if (base_ == nullptr) {
      base_ = driver_.record_event(launch.stream);
      driver_.synchronize_event(base_);
      base_microseconds_ = trace_->now();
    }
  }
  Event start(driver_.record_event(launch.stream), destroy);
  put();
  Event end(driver_.record_event(launch.stream), destroy);
  const std::lock_guard lock(mutex_);
  traced_.push_back({std::string(launch.kernel),
                     formatted(R"({{"launch": {}}})", json_string(text_of(launch.shape))), launch.stream,
                     start.get(), end.get()});
  start.release();
  end.release();
  if (traced_.size() == most_traced) write(std::exchange(traced_, {}));
}

/// Requires the mutex.
void LaunchObserver::write(std::vector<Traced> launches) {
  for (const Traced& launch : launches) {
    try {
      driver_.synchronize_event(launch.end);
      const double begin = driver_.milliseconds_between(base_, launch.start),
                   took = driver_.milliseconds_between(launch.start, launch.end);
      trace_->add(location_, launch.stream, launch.name, base_microseconds_ + begin * 1000, took * 1000,
                  launch.arguments);
    } catch (const Error&) {
      // The device is in error, which the program sees; the trace omits the launch.
    }
    driver_.destroy_event(launch.start);
    driver_.destroy_event(launch.end);
  }
}

void LaunchObserver::write_trace() noexcept {
  const std::lock_guard lock(mutex_);
  write(std::exchange(traced_, {}));
}

}  // namespace kernelgen
