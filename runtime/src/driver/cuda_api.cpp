#include "common/format.hpp"

#include <array>
#include <cstring>

#include "driver/code_object.hpp"
#include "driver/cuda_declarations.hpp"
#include "driver/driver_library.hpp"
#include "driver/gpu_api.hpp"

namespace kernelgen {
namespace {

constexpr const char* library_names[] = {"libcuda.so.1", "libcuda.so"};

/// A symbol in each module whose kernels begin by waiting for their predecessors (kernels/device/cuda.hpp).
constexpr const char* awaiting_symbol = "kg_awaits_earlier_work";

/// First driver version that can capture programmatic launches: CUDA 12.3.
constexpr int least_version_of_programmatic_launches = 12030;

class CudaApi final : public GpuApi {
 public:
  CudaApi() : GpuApi(DeviceKind::cuda, open_cuda_library(), cuda::constants) {
    load_calls();
    using cuda::LaunchConfig;
#define KERNELGEN_LOAD(member, name, arguments) \
  own_.member = {reinterpret_cast<int(*) arguments>(KERNELGEN_SYMBOL(#name)), #name};
#define KERNELGEN_SYMBOL required
    KERNELGEN_CUDA_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_SYMBOL
#define KERNELGEN_SYMBOL library().symbol
    KERNELGEN_CUDA_OPTIONAL_CALLS(KERNELGEN_LOAD)
    KERNELGEN_CUDA_NEWER_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_SYMBOL
#undef KERNELGEN_LOAD
    if (own_.read_version.function(&version_) != 0) version_ = 0;
    if (version_ < least_version_of_programmatic_launches) own_.launch_with.function = nullptr;
    initialize();
  }

  int version() const override { return version_ / 1000 * 100 + version_ % 1000 / 10; }

  std::string describe(int status) const override {
    const char* name = nullptr;
    const char* text = nullptr;
    if (own_.error_name.function(status, &name) != 0 || own_.error_string.function(status, &text) != 0)
      return "unknown to the driver";
    return formatted("{} ({})", name, text);
  }

  std::string load_advice(int status, std::span<const std::byte> code,
                          const std::string& architecture) const override {
    if (status == cuda::status_no_binary_for_gpu)
      return formatted("likely cause: the {} is for another architecture than the device's, {}",
                       is_elf(code) ? "cubin" : "code", architecture);
    if (status == cuda::status_unsupported_ptx_version)
      return "likely cause: the PTX is from a newer CUDA than the driver; update the driver or build a cubin "
             "for it";
    return {};
  }

  std::string architecture(int device) const override {
    int major = 0, minor = 0;
    invoke(calls.device_attribute, &major, cuda::attribute_capability_major, device);
    invoke(calls.device_attribute, &minor, cuda::attribute_capability_minor, device);
    return formatted("sm_{}{}", major, minor);
  }

  std::uintptr_t open_device(int device) const override {
    void* context = nullptr;
    invoke(own_.retain, &context, device);
    return reinterpret_cast<std::uintptr_t>(context);
  }
  void close_device(int device) const noexcept override { own_.release.function(device); }

  int current(std::uintptr_t* context) const override {
    void* handle = nullptr;
    const int status = own_.get_context.function(&handle);
    *context = reinterpret_cast<std::uintptr_t>(handle);
    return status;
  }
  int make_current(std::uintptr_t context) const override {
    return own_.set_context.function(reinterpret_cast<void*>(context));
  }

  int reach_peer(std::uintptr_t peer) const override {
    return own_.reach_peer.function(reinterpret_cast<void*>(peer), 0);
  }

  int load_module(void** module, std::span<const std::byte> code, std::string* log) const override {
    // PTX is text and must end with a NUL, which a slice of a package may lack.
    std::string text;
    const void* image = code.data();
    if (is_text(code)) {
      text.assign(reinterpret_cast<const char*>(code.data()), code.size());
      image = text.c_str();
    }
    std::array<char, 4096> buffer{};
    int options[] = {cuda::jit_error_log_buffer, cuda::jit_error_log_buffer_bytes};
    void* values[] = {buffer.data(), reinterpret_cast<void*>(buffer.size() - 1)};
    const int status = own_.load_data.function(module, image, 2, options, values);
    *log = buffer.data();
    return status;
  }

  std::optional<std::vector<KernelArgument>> arguments(void* function) const override {
    if (!own_.parameter) return std::nullopt;
    std::vector<KernelArgument> all;
    std::size_t offset = 0, size = 0;
    // After the last argument, the driver reports an invalid index.
    while (own_.parameter.function(function, all.size(), &offset, &size) == 0)
      all.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    return all;
  }

  bool awaits_earlier_work(void* module) const override {
    void* address = nullptr;
    std::size_t bytes = 0;
    return own_.find_global && own_.launch_with &&
           own_.find_global.function(&address, &bytes, module, awaiting_symbol) == 0;
  }

  int launch_early(void* function, const LaunchShape& shape, void* stream, void** extra) const override {
    cuda::LaunchAttribute attribute{cuda::attribute_programmatic_stream_serialization, {}, {}};
    attribute.is_allowed = 1;
    const cuda::LaunchConfig config{{shape.grid[0], shape.grid[1], shape.grid[2]},
                                    {shape.block[0], shape.block[1], shape.block[2]},
                                    shape.shared_bytes,
                                    stream,
                                    &attribute,
                                    1};
    return own_.launch_with.function(&config, function, nullptr, extra);
  }

  int allow_shared_memory(void* function, unsigned bytes) const override {
    return own_.set_attribute.function(function, cuda::attribute_most_dynamic_shared_bytes,
                                       static_cast<int>(bytes));
  }

 private:
  int version_ = 0;  ///< 1000 · major + 10 · minor
  cuda::Calls own_;
};

}  // namespace

DynamicLibrary open_cuda_library() {
  return DynamicLibrary("CUDA driver library", "KERNELGEN_CUDA_LIBRARY", library_names);
}

const GpuApi& cuda_api() {
  static const GpuApi& api = *new CudaApi;
  return api;
}

}  // namespace kernelgen
