#include "library/convolution_library.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
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
constexpr std::size_t most_choices = 1024;
constexpr CallerAlgorithm caller_algorithms[] = {CallerAlgorithm::kernels, CallerAlgorithm::gemm,
                                                 CallerAlgorithm::mirrored, CallerAlgorithm::parts};

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

/// A problem's fastest algorithm.
struct ConvolutionLibrary::Choice {
  std::unique_ptr<ConvolutionPlan> plan;  ///< null if the caller's is faster
  CallerAlgorithm algorithm = CallerAlgorithm::kernels;
};

ConvolutionLibrary::ConvolutionLibrary(std::unique_ptr<const ConvolutionVendor> vendor, GpuDriver& driver)
    : vendor_(std::move(vendor)), driver_(driver), choices_(most_choices) {}

std::unique_ptr<ConvolutionLibrary> ConvolutionLibrary::open(DeviceState& device) {
  auto& driver = dynamic_cast<GpuDriver&>(device.driver());
  const Current current = driver.make_current();
  current.require();
  std::unique_ptr<const ConvolutionVendor> vendor;
  if (device.kind() == DeviceKind::cuda)
    vendor = Cudnn::open(device);
  else
    vendor = Miopen::open(device);
  return std::unique_ptr<ConvolutionLibrary>(new ConvolutionLibrary(std::move(vendor), driver));
}

const ConvolutionLibrary* ConvolutionLibrary::of(DeviceState& device, DType dtype) {
  if (device.kind() == DeviceKind::cpu || device.driver().info().is_simulated || !is_library_dtype(dtype))
    return nullptr;
  const auto* library = device.attachments().get<ConvolutionLibrary>([&] { return open(device); });
  return library->vendor_ == nullptr || library->vendor_->takes(dtype) ? library : nullptr;
}

ConvolutionLibrary::~ConvolutionLibrary() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  choices_.clear();
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

std::shared_ptr<const ConvolutionLibrary::Choice> ConvolutionLibrary::choose(const Convolution& problem,
                                                                             const Call& call) const {
  auto best = std::make_shared<Choice>();
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  if (vendor_ != nullptr && problem.terms <= most_terms(problem.dtype))
    plans = vendor_->plans(problem, call.alignment(), most_tried);
  if (driver_.is_capturing(call.stream)) {
    if (!plans.empty())
      best->plan = std::move(plans[0]);
    else if (vendor_ != nullptr && call.caller.has(CallerAlgorithm::parts))
      best->algorithm = CallerAlgorithm::parts;
    return best;
  }
  std::vector<CallerAlgorithm> algorithms;
  std::ranges::copy_if(caller_algorithms, std::back_inserter(algorithms),
                       [&](CallerAlgorithm algorithm) { return call.caller.has(algorithm); });
  if (plans.size() + algorithms.size() == 1) return best;
  const Stopwatch stopwatch(driver_, call.stream);
  constexpr double forever = std::numeric_limits<double>::infinity();
  double least = forever;
  // An algorithm whose temporaries do not fit into memory is not chosen.
  const auto time_of = [&](const std::function<bool()>& work) {
    try {
      return stopwatch.milliseconds(work, least);
    } catch (const Error& error) {
      if (error.code() != Code::out_of_memory) throw;
      return forever;
    }
  };
  const auto is_faster = [&](const std::function<bool()>& work) {
    const double taken = time_of(work);
    const bool is_least = taken < least;
    if (is_least) least = taken;
    return is_least;
  };
  for (std::unique_ptr<ConvolutionPlan>& plan : plans)
    if (is_faster([&] { return run_and_fix_padding(*plan, call); })) best->plan = std::move(plan);
  for (const CallerAlgorithm algorithm : algorithms) {
    const auto work = [&] {
      call.caller.convolve(algorithm);
      return true;
    };
    if (is_faster(work)) *best = {nullptr, algorithm};
  }
  return best;
}

void ConvolutionLibrary::convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands,
                                  void* stream, const Caller& caller) const {
  const Current current = driver_.make_current();
  current.require();
  const Call call{operands, stream, caller};
  const ConvolutionOperands<std::int64_t> alignment = call.alignment();
  Choices::Key key{static_cast<std::int64_t>(problem.dtype), alignment.x, alignment.weight, alignment.y};
  std::ranges::copy(problem.numbers(), key.begin() + 4);
  const std::lock_guard lock(mutex_);
  if (vendor_ != nullptr) vendor_->set_stream(stream);
  const std::shared_ptr<const Choice> choice = choices_.get(key, [&] { return choose(problem, call); });
  if (choice->plan == nullptr || !run_and_fix_padding(*choice->plan, call))
    caller.convolve(choice->algorithm);
}

}  // namespace kernelgen
