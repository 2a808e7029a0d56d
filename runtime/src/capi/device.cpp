#include "kernelgen/device.hpp"

#include "device/device_state.hpp"
#include "handles.hpp"

using kernelgen::Device;
using kernelgen::DeviceKind;
using kernelgen::Function;
using kernelgen::LaunchShape;
using kernelgen::Package;
using kernelgen::Priority;
using namespace kernelgen::capi;

namespace {

static_assert(KERNELGEN_CPU == static_cast<int>(DeviceKind::cpu));
static_assert(KERNELGEN_HIP == static_cast<int>(DeviceKind::hip));
static_assert(KERNELGEN_CUDA == static_cast<int>(DeviceKind::cuda));
static_assert(KERNELGEN_PRIORITY_LOW == static_cast<int>(Priority::low));
static_assert(KERNELGEN_PRIORITY_HIGH == static_cast<int>(Priority::high));

kernelgen_launch_shape given_shape(const LaunchShape& shape) {
  return {{shape.grid[0], shape.grid[1], shape.grid[2]},
          {shape.block[0], shape.block[1], shape.block[2]},
          shape.shared_bytes};
}

}  // namespace

kernelgen_device::kernelgen_device(Device opened)
    : device(std::move(opened)),
      location(device.location()),
      name(device.name()),
      architecture(device.architecture()),
      target(device.target()) {}

kernelgen_status kernelgen_device_open(const char* name, const kernelgen_package* package,
                                       kernelgen_device** device) {
  return guarded(__func__, [&] {
    need(name, "name");
    give(device, "device",
         [&] { return Device::open(name, package == nullptr ? Package::embedded() : package->package); });
  });
}

kernelgen_status kernelgen_device_open_packages(const char* name, const kernelgen_package* const* packages,
                                                size_t count, kernelgen_device** device) {
  return guarded(__func__, [&] {
    need(name, "name");
    if (count != 0) need(packages, "packages");
    std::vector<Package> given;
    for (size_t i = 0; i < count; ++i)
      given.push_back(need(packages[i], ("packages[" + std::to_string(i) + "]").c_str()).package);
    give(device, "device", [&] { return Device::open(name, given); });
  });
}

kernelgen_status kernelgen_device_add_package(const kernelgen_device* device,
                                              const kernelgen_package* package, uint32_t* number) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    const std::uint32_t added = opened.add(need(package, "package").package).number;
    if (number != nullptr) *number = added;
  });
}

kernelgen_status kernelgen_device_retain(const kernelgen_device* device, kernelgen_device** shared) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    give(shared, "shared", [&] { return opened; });
  });
}

void kernelgen_device_release(kernelgen_device* device) { delete device; }

kernelgen_status kernelgen_device_count(kernelgen_device_kind kind, int* count) {
  return guarded(__func__, [&] {
    need(count, "count");
    const auto number = static_cast<int>(kind);
    if (number < KERNELGEN_CPU || number > KERNELGEN_CUDA)
      fail("kind", "is " + std::to_string(number) + ", which is not a kernelgen_device_kind (0 to 2)");
    *count = Device::count(static_cast<DeviceKind>(number));
  });
}

kernelgen_status kernelgen_device_describe(const kernelgen_device* device, kernelgen_device_info* info) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    kernelgen_device_info& filled = need(info, "info");
    filled = {};
    filled.kind = static_cast<kernelgen_device_kind>(opened.kind());
    filled.ordinal = opened.ordinal();
    filled.id = opened.id();
    filled.location = device->location.c_str();
    filled.name = device->name.c_str();
    filled.architecture = device->architecture.c_str();
    filled.target = device->target.c_str();
    filled.total_memory = opened.total_memory();
    filled.wave_size = opened.wave_size();
    filled.compute_units = opened.compute_units();
    filled.supports_bf16 = opened.supports_bf16() ? 1 : 0;
  });
}

kernelgen_status kernelgen_device_free_memory(const kernelgen_device* device, size_t* bytes) {
  return guarded(__func__, [&] { need(bytes, "bytes") = need(device, "device").device.free_memory(); });
}

kernelgen_status kernelgen_device_memory_use(const kernelgen_device* device, kernelgen_memory_use* memory) {
  return guarded(__func__, [&] {
    const kernelgen::MemoryUse found = need(device, "device").device.memory_use();
    need(memory, "memory") = {found.in_use, found.peak, found.cached, found.free, found.total, found.limit};
  });
}

kernelgen_status kernelgen_device_set_memory_limit(const kernelgen_device* device, size_t bytes) {
  return guarded(__func__, [&] { need(device, "device").device.set_memory_limit(bytes); });
}

kernelgen_status kernelgen_device_reset_peak_memory(const kernelgen_device* device) {
  return guarded(__func__, [&] { need(device, "device").device.reset_peak_memory(); });
}

kernelgen_status kernelgen_device_set_allocator(
    const kernelgen_device* device, void* (*allocate)(void* context, size_t bytes, void* stream),
    void (*give_back)(void* context, void* memory, size_t bytes, void* stream), void* context) {
  return guarded(__func__, [&] {
    kernelgen::Allocator allocator;
    if (allocate != nullptr)
      allocator.allocate = [=](size_t bytes, void* stream) { return allocate(context, bytes, stream); };
    if (give_back != nullptr)
      allocator.free = [=](void* memory, size_t bytes, void* stream) {
        give_back(context, memory, bytes, stream);
      };
    need(device, "device").device.set_allocator(std::move(allocator));
  });
}

kernelgen_status kernelgen_device_trim_memory(const kernelgen_device* device) {
  return guarded(__func__, [&] { need(device, "device").device.trim_memory(); });
}

kernelgen_status kernelgen_device_set_seed(const kernelgen_device* device, uint64_t seed) {
  return guarded(__func__, [&] { need(device, "device").device.set_seed(seed); });
}

kernelgen_status kernelgen_device_get_seed(const kernelgen_device* device, uint64_t* seed) {
  return guarded(__func__, [&] { need(seed, "seed") = need(device, "device").device.get_current_seed(); });
}

kernelgen_status kernelgen_device_package(const kernelgen_device* device, kernelgen_package** package) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    give(package, "package", [&] { return opened.package(); });
  });
}

kernelgen_status kernelgen_device_synchronize(const kernelgen_device* device) {
  return guarded(__func__, [&] { need(device, "device").device.synchronize(); });
}

kernelgen_status kernelgen_device_preload(const kernelgen_device* device) {
  return guarded(__func__, [&] { need(device, "device").device.preload(); });
}

kernelgen_status kernelgen_stream_new(const kernelgen_device* device, kernelgen_stream** stream) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    give(stream, "stream", [&] { return opened.new_stream(); });
  });
}

kernelgen_status kernelgen_stream_new_with_priority(const kernelgen_device* device,
                                                    kernelgen_priority priority, kernelgen_stream** stream) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    const auto number = static_cast<int>(priority);
    if (number < KERNELGEN_PRIORITY_LOW || number > KERNELGEN_PRIORITY_HIGH)
      fail("priority", "is " + std::to_string(number) + ", which is not a kernelgen_priority (0 to 2)");
    give(stream, "stream", [&] { return opened.new_stream(static_cast<Priority>(number)); });
  });
}

kernelgen_status kernelgen_stream_of_thread(const kernelgen_device* device, kernelgen_stream** stream) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    give(stream, "stream", [&] { return opened.thread_stream(); });
  });
}

kernelgen_status kernelgen_device_use_thread_streams(const kernelgen_device* device, int own) {
  return guarded(__func__, [&] { need(device, "device").device.use_thread_streams(own != 0); });
}

kernelgen_status kernelgen_device_follow_streams(const kernelgen_device* device, int follow) {
  return guarded(__func__, [&] { need(device, "device").device.follow_streams(follow != 0); });
}

kernelgen_status kernelgen_device_follows_streams(const kernelgen_device* device, int* follows) {
  return guarded(__func__,
                 [&] { need(follows, "follows") = need(device, "device").device.follows_streams() ? 1 : 0; });
}

kernelgen_status kernelgen_device_call(const kernelgen_device* device, void (*work)(void* context),
                                       void* context, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    need(work, "work");
    need(device, "device").device.call([work, context] { work(context); }, stream_of(stream));
  });
}

void kernelgen_stream_release(kernelgen_stream* stream) { delete stream; }

kernelgen_status kernelgen_stream_synchronize(const kernelgen_stream* stream) {
  return guarded(__func__, [&] { need(stream, "stream").stream.synchronize(); });
}

kernelgen_status kernelgen_stream_native(const kernelgen_stream* stream, void** native) {
  return guarded(__func__, [&] { need(native, "native") = need(stream, "stream").stream.native(); });
}

kernelgen_status kernelgen_stream_wait(const kernelgen_device* device, const kernelgen_stream* stream,
                                       const kernelgen_event* event) {
  return guarded(__func__,
                 [&] { need(device, "device").device.wait(stream_of(stream), need(event, "event").event); });
}

kernelgen_status kernelgen_event_record(const kernelgen_device* device, const kernelgen_stream* stream,
                                        kernelgen_event** event) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    give(event, "event", [&] { return opened.record(stream_of(stream)); });
  });
}

void kernelgen_event_release(kernelgen_event* event) { delete event; }

kernelgen_status kernelgen_event_synchronize(const kernelgen_event* event) {
  return guarded(__func__, [&] { need(event, "event").event.synchronize(); });
}

kernelgen_status kernelgen_event_elapsed(const kernelgen_event* start, const kernelgen_event* end,
                                         double* milliseconds) {
  return guarded(__func__, [&] {
    const auto& from = need(start, "start").event;
    need(milliseconds, "milliseconds") = need(end, "end").event.milliseconds_since(from);
  });
}

kernelgen_status kernelgen_device_kernel(const kernelgen_device* device, uint32_t kernel,
                                         kernelgen_function* function) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    need_index(kernel, state_of(opened).kernels().size(), "kernel");
    need(function, "function").handle = opened.kernel(kernel).handle;
  });
}

kernelgen_status kernelgen_device_find_kernel(const kernelgen_device* device, const char* name,
                                              uint32_t* kernel) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    need(name, "name");
    need(kernel, "kernel") = opened.find_kernel(name);
  });
}

kernelgen_status kernelgen_module_load(const kernelgen_device* device, const void* code, size_t bytes,
                                       const char* name, kernelgen_module** module) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    const auto object = need_bytes(code, bytes, "code");
    need(name, "name");
    give(module, "module", [&] { return opened.load_module(object, name); });
  });
}

void kernelgen_module_release(kernelgen_module* module) { delete module; }

kernelgen_status kernelgen_module_function(const kernelgen_module* module, const char* kernel,
                                           kernelgen_function* function) {
  return guarded(__func__, [&] {
    const auto& loaded = need(module, "module").module;
    need(kernel, "kernel");
    need(function, "function").handle = loaded.function(kernel).handle;
  });
}

kernelgen_status kernelgen_module_arguments(const kernelgen_module* module, const char* kernel,
                                            size_t capacity, kernelgen_kernel_argument* arguments,
                                            size_t* count) {
  return guarded(__func__, [&] {
    const auto& loaded = need(module, "module").module;
    const char* const name = &need(kernel, "kernel");
    if (capacity != 0) need(arguments, "arguments");
    size_t& number = need(count, "count");
    const auto known = loaded.arguments(name);
    if (!known)
      throw kernelgen::Error(
          kernelgen::Code::unsupported,
          std::string("neither the code nor the driver says what kernel ") + name + " takes");
    for (size_t i = 0; i < capacity && i < known->size(); ++i)
      arguments[i] = {(*known)[i].offset, (*known)[i].size};
    number = known->size();
  });
}

kernelgen_status kernelgen_device_module_use(const kernelgen_device* device, kernelgen_module_use* use) {
  return guarded(__func__, [&] {
    const auto [loaded, loads] = need(device, "device").device.module_use();
    need(use, "use") = {loaded, loads};
  });
}

kernelgen_status kernelgen_device_on_launch(const kernelgen_device* device,
                                            void (*look)(void* context, const kernelgen_launch_info* launch),
                                            void (*release)(void* context), void* context) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    const std::shared_ptr<void> held(context, [release](void* given) {
      if (release != nullptr) release(given);
    });
    if (look == nullptr) return opened.on_launch({});
    opened.on_launch([look, held](const kernelgen::LaunchInfo& launch) {
      const std::string kernel(launch.kernel);
      const kernelgen_launch_info info = {kernel.c_str(), given_shape(launch.shape), launch.argument_bytes,
                                          launch.stream, launch.is_captured ? 1 : 0};
      look(held.get(), &info);
    });
  });
}

kernelgen_status kernelgen_launch(const kernelgen_device* device, kernelgen_function function,
                                  const kernelgen_launch_shape* shape, const void* arguments, size_t bytes,
                                  const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    if (function.handle == nullptr) fail("function.handle", "is NULL");
    opened.launch(Function{function.handle}, shape_of(need(shape, "shape")),
                  need_bytes(arguments, bytes, "arguments"), stream_of(stream));
  });
}

kernelgen_status kernelgen_launch_kernel(const kernelgen_device* device, uint32_t kernel,
                                         const kernelgen_launch_shape* shape, const void* arguments,
                                         size_t bytes, const kernelgen_stream* stream) {
  return guarded(__func__, [&] {
    const Device& opened = need(device, "device").device;
    const LaunchShape wanted = shape_of(need(shape, "shape"));
    const auto block = need_bytes(arguments, bytes, "arguments");
    need_index(kernel, state_of(opened).kernels().size(), "kernel");
    opened.launch(opened.kernel(kernel), wanted, block, stream_of(stream));
  });
}
