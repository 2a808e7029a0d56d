#include "common/format.hpp"

#include <array>
#include <cstring>

#include "driver/code_object.hpp"
#include "driver/driver_library.hpp"
#include "driver/gpu_api.hpp"

namespace kernelgen {
namespace {

constexpr const char* library_names[] = {"libcuda.so.1", "libcuda.so"};

// CUdevice_attribute; the markers of an argument buffer are 1 (pointer), 2 (size) as in HIP, but 0 ends it.
constexpr GpuConstants cuda_constants{.wave_size = 10,
                                      .compute_units = 16,
                                      .pools_supported = 115,
                                      .launch_end = 0,
                                      .nothing_current = 0,
                                      .reads_code_later = false,
                                      .graphs_end_their_work = true,
                                      .driver_hint =
                                          "is the nvidia kernel driver loaded, and may this user open "
                                          "/dev/nvidia0?"};
constexpr int attribute_capability_major = 75;
constexpr int attribute_capability_minor = 76;

// CUjit_option
constexpr int jit_error_log_buffer = 5;
constexpr int jit_error_log_buffer_bytes = 6;

// CUfunction_attribute
constexpr int attribute_most_dynamic_shared_bytes = 8;

constexpr int status_no_binary_for_gpu = 209;
constexpr int status_unsupported_ptx_version = 222;

/// Of every kernel in a module whose kernels begin by waiting (kernels/device/cuda.hpp).
constexpr const char* awaiting_symbol = "kg_awaits_earlier_work";

// CUlaunchAttribute and CUlaunchConfig of CUDA 11.8 and later.
constexpr int attribute_programmatic_stream_serialization = 6;
/// From this driver on such launches can be captured: CUDA 12.3.
constexpr int least_version_of_programmatic_launches = 12030;
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int is_allowed;
  };
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
static_assert(sizeof(LaunchAttribute) == 72 && sizeof(LaunchConfig) == 56, "as cuda.h has them");

class CudaApi final : public GpuApi {
 public:
  CudaApi() : GpuApi(DeviceKind::cuda, open_cuda_library(), cuda_constants) {
    load_calls();
    error_name_ = reinterpret_cast<int (*)(int, const char**)>(required("cuGetErrorName"));
    error_string_ = reinterpret_cast<int (*)(int, const char**)>(required("cuGetErrorString"));
    retain_ = {reinterpret_cast<int (*)(void**, int)>(required("cuDevicePrimaryCtxRetain")),
               "cuDevicePrimaryCtxRetain"};
    release_ = reinterpret_cast<int (*)(int)>(required("cuDevicePrimaryCtxRelease_v2"));
    get_context_ = reinterpret_cast<int (*)(void**)>(required("cuCtxGetCurrent"));
    set_context_ = reinterpret_cast<int (*)(void*)>(required("cuCtxSetCurrent"));
    load_data_ = reinterpret_cast<int (*)(void**, const void*, unsigned, int*, void**)>(
        required("cuModuleLoadDataEx"));
    set_attribute_ = reinterpret_cast<int (*)(void*, int, int)>(required("cuFuncSetAttribute"));
    // Optional: programmatic launches.
    find_global_ = reinterpret_cast<int (*)(void**, std::size_t*, void*, const char*)>(
        library().symbol("cuModuleGetGlobal_v2"));
    launch_with_ = reinterpret_cast<int (*)(const LaunchConfig*, void*, void**, void**)>(
        library().symbol("cuLaunchKernelEx"));
    int version = 0;
    const auto read_version = reinterpret_cast<int (*)(int*)>(required("cuDriverGetVersion"));
    if (read_version(&version) != 0 || version < least_version_of_programmatic_launches)
      launch_with_ = nullptr;
    initialize();
  }

  std::string describe(int status) const override {
    const char* name = nullptr;
    const char* text = nullptr;
    if (error_name_(status, &name) != 0 || error_string_(status, &text) != 0) return "unknown to the driver";
    return formatted("{} ({})", name, text);
  }

  std::string load_advice(int status, std::span<const std::byte> code,
                          const std::string& architecture) const override {
    if (status == status_no_binary_for_gpu)
      return formatted("likely cause: the {} is for another architecture than the device's, {}",
                       is_elf(code) ? "cubin" : "code", architecture);
    if (status == status_unsupported_ptx_version)
      return "likely cause: the PTX is from a newer CUDA than the driver; update the driver or build a cubin "
             "for it";
    return {};
  }

  std::string architecture(int device) const override {
    int major = 0, minor = 0;
    invoke(calls.device_attribute, &major, attribute_capability_major, device);
    invoke(calls.device_attribute, &minor, attribute_capability_minor, device);
    return formatted("sm_{}{}", major, minor);
  }

  std::uintptr_t open_device(int device) const override {
    void* context = nullptr;
    invoke(retain_, &context, device);
    return reinterpret_cast<std::uintptr_t>(context);
  }
  void close_device(int device) const noexcept override { release_(device); }

  int current(std::uintptr_t* context) const override {
    void* handle = nullptr;
    const int status = get_context_(&handle);
    *context = reinterpret_cast<std::uintptr_t>(handle);
    return status;
  }
  int make_current(std::uintptr_t context) const override {
    return set_context_(reinterpret_cast<void*>(context));
  }

  int load_module(void** module, std::span<const std::byte> code, std::string* log) const override {
    // PTX is text and must end with a NUL, which a slice of a package need not have behind it.
    std::string text;
    const void* image = code.data();
    if (is_text(code)) {
      text.assign(reinterpret_cast<const char*>(code.data()), code.size());
      image = text.c_str();
    }
    std::array<char, 4096> buffer{};
    int options[] = {jit_error_log_buffer, jit_error_log_buffer_bytes};
    void* values[] = {buffer.data(), reinterpret_cast<void*>(buffer.size() - 1)};
    const int status = load_data_(module, image, 2, options, values);
    *log = buffer.data();
    return status;
  }

  bool awaits_earlier_work(void* module) const override {
    void* place = nullptr;
    std::size_t bytes = 0;
    return find_global_ != nullptr && launch_with_ != nullptr &&
           find_global_(&place, &bytes, module, awaiting_symbol) == 0;
  }

  int launch_early(void* function, const LaunchShape& shape, void* stream, void** extra) const override {
    LaunchAttribute attribute{attribute_programmatic_stream_serialization, {}, {}};
    attribute.is_allowed = 1;
    const LaunchConfig config{{shape.grid[0], shape.grid[1], shape.grid[2]},
                              {shape.block[0], shape.block[1], shape.block[2]},
                              shape.shared_bytes,
                              stream,
                              &attribute,
                              1};
    return launch_with_(&config, function, nullptr, extra);
  }

  int allow_shared_memory(void* function, unsigned bytes) const override {
    return set_attribute_(function, attribute_most_dynamic_shared_bytes, static_cast<int>(bytes));
  }

 private:
  int (*error_name_)(int, const char**) = nullptr;
  int (*error_string_)(int, const char**) = nullptr;
  GpuCall<void**, int> retain_;
  int (*release_)(int) = nullptr;
  int (*get_context_)(void**) = nullptr;
  int (*set_context_)(void*) = nullptr;
  int (*load_data_)(void**, const void*, unsigned, int*, void**) = nullptr;
  int (*set_attribute_)(void*, int, int) = nullptr;
  int (*find_global_)(void**, std::size_t*, void*, const char*) = nullptr;
  int (*launch_with_)(const LaunchConfig*, void*, void**, void**) = nullptr;
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
