#include "driver/gpu_driver.hpp"

#include "common/format.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include "driver/code_object.hpp"
#include "driver/current.hpp"
#include "driver/device_environment.hpp"
#include "driver/gpu_numbers.hpp"
#include "driver/unsafe_calls.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// A kernel's driver handle.
struct Function {
  void* handle;
  bool awaits_earlier_work;
  std::mutex mutex;
  /// Dynamic bytes that a launch may have, raised under `mutex`. What a kernel may have unasked depends on its static bytes.
  std::atomic<std::uint32_t> allowed_shared_bytes = 0;

  Function(void* function, bool awaits) : handle(function), awaits_earlier_work(awaits) {}

  /// Raises what a launch may have. It is never lowered: another thread may be about to launch with more.
  int allow_shared_memory(const GpuApi& api, std::uint32_t bytes) {
    if (bytes <= allowed_shared_bytes) return 0;
    const std::lock_guard lock(mutex);
    if (bytes <= allowed_shared_bytes) return 0;
    const int status = api.allow_shared_memory(handle, bytes);
    if (status == 0) allowed_shared_bytes = bytes;
    return status;
  }
};

/// The result of load_module(); owns its functions.
struct Module {
  void* handle;
  bool awaits_earlier_work;
  std::mutex mutex;
  std::deque<Function> functions;

  Module(void* loaded, bool awaits) : handle(loaded), awaits_earlier_work(awaits) {}
};

void* marker(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

}  // namespace

GpuDriver::GpuDriver(const GpuApi& api, std::string location, int ordinal)
    : api_(api), location_(std::move(location)), ordinal_(ordinal) {
  int count = 0;
  // With no devices, or hidden ones, HIP returns an error.
  if (const int status = api_.calls.device_count.function(&count); status == gpu::status_no_device)
    count = 0;
  else if (status != 0)
    api_.fail(api_.calls.device_count.name, status);
  if (ordinal >= count) {
    std::string why = count == 0 ? formatted("; {}", api_.constants.driver_hint) : std::string();
    if (const std::string note = visible_devices_note(api_.kind()); !note.empty())
      why += formatted("; {}", note);
    throw Error(Code::unsupported, formatted("no device {}: {} sees {} device{}{}", location_,
                                             api_.library().path(), count, count == 1 ? "" : "s", why));
  }
  std::array<char, 256> name{};
  api_.invoke(api_.calls.device_name, name.data(), static_cast<int>(name.size() - 1), ordinal);
  info_.name = name.data();
  info_.is_simulated = api_.library().symbol(simulated_device_function) != nullptr;
  info_.architecture = api_.architecture(ordinal);
  api_.invoke(api_.calls.device_memory, &info_.total_memory, ordinal);
  api_.invoke(api_.calls.device_attribute, &info_.wave_size, api_.constants.wave_size, ordinal);
  api_.invoke(api_.calls.device_attribute, &info_.compute_units, api_.constants.compute_units, ordinal);
  open_memory();
  // Last: only a fully constructed driver closes it again.
  context_ = api_.open_device(ordinal);
}

GpuDriver::~GpuDriver() {
  close_memory();
  if (!driver_is_exiting()) api_.close_device(ordinal_);
}

void GpuDriver::copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) {
  if (bytes != 0) call(api_.calls.copy_to_device, to, from, bytes, stream);
}

void GpuDriver::copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) {
  if (bytes != 0) call(api_.calls.copy_to_host, to, from, bytes, stream);
}

void GpuDriver::copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) {
  if (bytes != 0) call(api_.calls.copy_on_device, to, from, bytes, stream);
}

void GpuDriver::fill(void* to, std::uint8_t value, std::size_t bytes, void* stream) {
  if (bytes != 0) call(api_.calls.fill, to, value, bytes, stream);
}

void* GpuDriver::create_stream(Priority priority) {
  void* stream = nullptr;
  if (priority == Priority::normal || !api_.calls.priority_range || !api_.calls.create_stream_with_priority) {
    call(api_.calls.create_stream, &stream, gpu::stream_non_blocking);
    return stream;
  }
  int least = 0, most = 0;
  call(api_.calls.priority_range, &least, &most);
  call(api_.calls.create_stream_with_priority, &stream, gpu::stream_non_blocking,
       priority == Priority::high ? most : least);
  return stream;
}

void GpuDriver::destroy_stream(void* stream) noexcept {
  if (blocks_ != nullptr) blocks_->forget(stream);
  kept_.forget(stream, [&](void* memory, void* where) { free_in_pool(memory, where); });
  call_quietly(api_.calls.destroy_stream, stream);
}
void GpuDriver::synchronize_stream(void* stream) { call(api_.calls.synchronize_stream, stream); }
void GpuDriver::synchronize() { call(api_.calls.synchronize_device); }

void* GpuDriver::record_event(void* stream) { return new_event(stream, gpu::event_default); }

void* GpuDriver::new_event(void* stream, unsigned flags) {
  void* event = nullptr;
  call(api_.calls.create_event, &event, flags);
  try {
    call(api_.calls.record_event, event, stream);
  } catch (const Error&) {
    destroy_event(event);
    throw;
  }
  return event;
}

void GpuDriver::destroy_event(void* event) noexcept { call_quietly(api_.calls.destroy_event, event); }
void GpuDriver::synchronize_event(void* event) { call(api_.calls.synchronize_event, event); }
void GpuDriver::wait_event(void* stream, void* event) {
  call(api_.calls.stream_wait_event, stream, event, 0u);
}

void GpuDriver::order(void* later, void* earlier) {
  const std::lock_guard lock(order_mutex_);
  if (order_event_ == nullptr)
    order_event_ = new_event(earlier, gpu::event_without_time);
  else
    call(api_.calls.record_event, order_event_, earlier);
  wait_event(later, order_event_);
}

void GpuDriver::call_host(void* stream, void (*function)(void* data), void* data) {
  if (!api_.calls.call_host)
    throw Error(Code::unsupported, formatted("a call of the host on {}: {} has no function {}", location_,
                                             api_.library().path(), api_.calls.call_host.name));
  call(api_.calls.call_host, stream, function, data);
}

double GpuDriver::milliseconds_between(void* start, void* end) {
  float milliseconds = 0;
  call(api_.calls.elapsed, &milliseconds, start, end);
  return milliseconds;
}

bool GpuDriver::is_capturing(void* stream) const noexcept {
  const Current current(api_, context_);
  int capture = 0;
  return current.status() != 0 || !api_.calls.is_capturing ||
         api_.calls.is_capturing.function(stream, &capture) != 0 || capture != 0;
}

void* GpuDriver::load_module(std::span<const std::byte> code, std::string_view name) {
  if (const std::string defect = image_defect(code); !defect.empty())
    throw Error(Code::bad_package, formatted("cannot load module {} on {}: {}", name, location_, defect));
  const Current current(api_, context_);
  current.require();
  const UnsafeCalls allowed(api_);
  void* module = nullptr;
  std::string log;
  const int status = api_.load_module(&module, code, &log);
  if (status == 0) return new Module(module, api_.awaits_earlier_work(module));
  const std::string advice = api_.load_advice(status, code, info_.architecture);
  throw Error(Code::device,
              formatted("cannot load module {} ({} bytes) on {} ({}): error {}, {}{}{}{}{}", name,
                        code.size(), location_, info_.architecture, status, api_.describe(status),
                        log.empty() ? "" : "; ", log, advice.empty() ? "" : "; ", advice));
}

void GpuDriver::unload_module(void* module) noexcept {
  const std::unique_ptr<Module> owned(static_cast<Module*>(module));
  call_quietly(api_.calls.unload_module, owned->handle);
}

void* GpuDriver::find_function(void* module, std::string_view kernel) {
  const Current current(api_, context_);
  current.require();
  const UnsafeCalls allowed(api_);
  void* function = nullptr;
  Module& from = *static_cast<Module*>(module);
  const int status = api_.calls.find_function.function(&function, from.handle, std::string(kernel).c_str());
  if (status == gpu::status_not_found) return nullptr;
  if (status != 0)
    api_.fail(api_.calls.find_function.name, status, formatted("looking for kernel {}", kernel));
  const std::lock_guard lock(from.mutex);
  return &from.functions.emplace_back(function, from.awaits_earlier_work);
}

std::optional<std::vector<KernelArgument>> GpuDriver::arguments(void*, void* function, std::string_view) {
  const Current current(api_, context_);
  current.require();
  return api_.arguments(static_cast<const Function*>(function)->handle);
}

void GpuDriver::launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
                       void* stream) {
  std::size_t bytes = arguments.size();
  void* extra[] = {marker(gpu::launch_buffer_pointer), const_cast<std::byte*>(arguments.data()),
                   marker(gpu::launch_buffer_size), &bytes, marker(api_.constants.launch_end)};
  void** const given = bytes != 0 ? extra : nullptr;
  Function& kernel = *static_cast<Function*>(function);
  const Current current(api_, context_);
  current.require();
  int status = kernel.allow_shared_memory(api_, shape.shared_bytes);
  if (status == 0)
    status = kernel.awaits_earlier_work ? api_.launch_early(kernel.handle, shape, stream, given)
                                        : api_.launch(kernel.handle, shape, stream, given);
  if (status != 0)
    api_.fail(
        api_.calls.launch.name, status,
        formatted("grid {} x {} x {}, block {} x {} x {}, {} bytes of shared memory, {} bytes of arguments",
                  shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                  shape.shared_bytes, bytes));
}

}  // namespace kernelgen
