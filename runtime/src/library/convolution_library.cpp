#include "library/convolution_library.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "driver/device_memory.hpp"
#include "library/cudnn.hpp"
#include "library/miopen.hpp"
#include "library/stopwatch.hpp"

namespace kernelgen {
namespace {

/// Maximum number of the library's algorithms measured.
constexpr std::size_t most_tried = 8;
/// Exceeds the number of shapes in a typical program; the cache is cleared when full.
constexpr std::size_t most_plans = 1024;

/// Whether any vendor's library computes the dtype; no library is opened for others.
bool is_library_dtype(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

std::int64_t alignment_of(const void* memory) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(memory) | 16;
  return static_cast<std::int64_t>(bits & (~bits + 1));
}

}  // namespace

/// The stream and operands of a convolution.
struct ConvolutionLibrary::Call {
  const ConvolutionOperands<void*>& operands;
  void* stream;
  const Caller& caller;

  ConvolutionOperands<std::int64_t> alignment() const {
    return {alignment_of(operands.x), alignment_of(operands.weight), alignment_of(operands.y)};
  }
};

ConvolutionLibrary::ConvolutionLibrary(std::unique_ptr<const ConvolutionVendor> vendor, GpuDriver& driver)
    : vendor_(std::move(vendor)), driver_(driver), plans_(most_plans) {}

std::unique_ptr<ConvolutionLibrary> ConvolutionLibrary::open(DeviceState& device) {
  auto& driver = dynamic_cast<GpuDriver&>(device.driver());
  const Current current = driver.make_current();
  current.require();
  std::unique_ptr<const ConvolutionVendor> vendor;
  if (device.kind() == DeviceKind::cuda)
    vendor = Cudnn::open(device);
  else
    vendor = Miopen::open(device);
  if (vendor == nullptr) return nullptr;
  return std::unique_ptr<ConvolutionLibrary>(new ConvolutionLibrary(std::move(vendor), driver));
}

const ConvolutionLibrary* ConvolutionLibrary::of(DeviceState& device, DType dtype) {
  if (device.kind() == DeviceKind::cpu || device.driver().info().is_simulated || !is_library_dtype(dtype))
    return nullptr;
  const auto* library = device.attachments().get<ConvolutionLibrary>([&] { return open(device); });
  return library != nullptr && library->vendor_->takes(dtype) ? library : nullptr;
}

ConvolutionLibrary::~ConvolutionLibrary() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  plans_.clear();
  // The device must be current when a handle is destroyed.
  if (current.status() == 0)
    vendor_.reset();
  else
    static_cast<void>(vendor_.release());
}

bool ConvolutionLibrary::run_and_fix_padding(const ConvolutionPlan& plan, const Call& call) const {
  {
    const DeviceMemory workspace(driver_, plan.workspace_bytes, call.stream);
    if (!plan.run(call.operands, workspace.data())) return false;
  }
  call.caller.fix_padding();
  return true;
}

std::shared_ptr<const ConvolutionPlan> ConvolutionLibrary::choose(const Convolution& problem,
                                                                  const Call& call) const {
  std::vector<std::unique_ptr<ConvolutionPlan>> plans = vendor_->plans(problem, call.alignment(), most_tried);
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
      if (is_faster([&] { return run_and_fix_padding(*plans[i], call); })) best = i;
    const auto by_caller = [&] {
      call.caller.convolve();
      return true;
    };
    if (is_faster(by_caller)) return nullptr;
  }
  return std::move(plans[best]);
}

bool ConvolutionLibrary::convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands,
                                  void* stream, const Caller& caller) const {
  const Current current = driver_.make_current();
  current.require();
  const Call call{operands, stream, caller};
  const ConvolutionOperands<std::int64_t> alignment = call.alignment();
  Plans::Key key{static_cast<std::int64_t>(problem.dtype), alignment.x, alignment.weight, alignment.y};
  std::ranges::copy(problem.numbers(), key.begin() + 4);
  const std::lock_guard lock(mutex_);
  vendor_->set_stream(stream);
  const std::shared_ptr<const ConvolutionPlan> plan = plans_.get(key, [&] { return choose(problem, call); });
  return plan != nullptr && run_and_fix_padding(*plan, call);
}

}  // namespace kernelgen
