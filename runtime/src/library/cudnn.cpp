#include "library/cudnn.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "driver/device_memory.hpp"
#include "library/stopwatch.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_CUDNN_LIBRARY";
constexpr const char* library_names[] = {"libcudnn.so.9", "libcudnn.so"};

/// Of the library's ways, those that are tried.
constexpr std::size_t most_tried = 8;
/// More than a program has shapes; one that has more starts anew.
constexpr std::size_t most_plans = 1024;

std::int64_t alignment_of(const void* memory) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(memory) | 16;
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

}  // namespace

/// Where a convolution is put, and of what.
struct Cudnn::Call {
  const ConvolutionOperands<void*>& operands;
  void* stream;
  const Caller& caller;

  ConvolutionOperands<std::int64_t> alignment() const {
    return {alignment_of(operands.x), alignment_of(operands.weight), alignment_of(operands.y)};
  }
};

Cudnn::Cudnn(std::unique_ptr<const CudnnLibrary> library, GpuDriver& driver)
    : library_(std::move(library)), driver_(driver), plans_(most_plans) {
  const Current current = driver_.make_current();
  current.require();
  library_->invoke(library_->cudnnCreate, &handle_);
}

std::unique_ptr<Cudnn> Cudnn::open(GpuDriver& driver) {
  return open_vendor_library(variable, [&] {
    return std::unique_ptr<Cudnn>(new Cudnn(
        std::make_unique<CudnnLibrary>(DynamicLibrary("cuDNN library", variable, library_names)), driver));
  });
}

const Cudnn* Cudnn::of(DeviceState& device) {
  if (device.kind() != DeviceKind::cuda) return nullptr;
  return device.attachments().get<Cudnn>([&] { return open(dynamic_cast<GpuDriver&>(device.driver())); });
}

Cudnn::~Cudnn() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  plans_.clear();
  if (current.status() == 0) library_->cudnnDestroy.function(handle_);
}

bool Cudnn::run_and_repair(const CudnnPlan& plan, const Call& call) const {
  {
    const DeviceMemory workspace(driver_, plan.workspace_bytes, call.stream);
    if (!plan.run(*library_, handle_, call.operands, workspace.data())) return false;
  }
  call.caller.repair();
  return true;
}

std::shared_ptr<const CudnnPlan> Cudnn::choose(const Convolution& problem, const Call& call) const {
  std::vector<CudnnPlan> plans = cudnn_plans(*library_, handle_, problem, call.alignment(), most_tried);
  if (plans.empty()) return nullptr;
  std::size_t best = 0;
  if (!driver_.is_capturing(call.stream)) {
    const Stopwatch stopwatch(driver_, call.stream);
    double least = std::numeric_limits<double>::infinity();
    const auto is_faster = [&](const std::function<bool()>& work) {
      const double taken = stopwatch.milliseconds(work, least);
      const bool is_least = taken < least;
      if (is_least) least = taken;
      return is_least;
    };
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (is_faster([&] { return run_and_repair(plans[i], call); })) best = i;
    const auto by_caller = [&] {
      call.caller.convolve();
      return true;
    };
    if (is_faster(by_caller)) return nullptr;
  }
  return std::make_shared<const CudnnPlan>(std::move(plans[best]));
}

bool Cudnn::convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands, void* stream,
                     const Caller& caller) const {
  if (!takes(problem.dtype)) return false;
  const Current current = driver_.make_current();
  current.require();
  const Call call{operands, stream, caller};
  const ConvolutionOperands<std::int64_t> alignment = call.alignment();
  Plans::Key key{static_cast<std::int64_t>(problem.dtype), alignment.x, alignment.weight, alignment.y};
  std::ranges::copy(problem.numbers(), key.begin() + 4);
  const std::lock_guard lock(mutex_);
  library_->invoke(library_->cudnnSetStream, handle_, stream);
  const std::shared_ptr<const CudnnPlan> plan = plans_.get(key, [&] { return choose(problem, call); });
  return plan != nullptr && run_and_repair(*plan, call);
}

}  // namespace kernelgen
