#include "common/format.hpp"

#include <array>
#include <cstring>

#include "driver/code_object.hpp"
#include "driver/driver_library.hpp"
#include "driver/gpu_api.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                         "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};

// hipDeviceAttribute_t; these three have the same numbers in HIP 5, 6 and 7.
constexpr GpuConstants hip_constants{
    .wave_size = 87,
    .compute_units = 63,
    .pools_supported = 88,
    .launch_end = 3,
    .nothing_current = ~std::uintptr_t{0},  // threads begin with device 0, and mean it
    .reads_code_later =
        true,  // it builds a module when its first function is looked up, and keeps the pointer
    .graphs_end_their_work = false,
    .driver_hint =
        "is the amdgpu kernel driver loaded, and may this user open /dev/kfd "
        "(group render)?"};

constexpr int status_no_binary_for_gpu = 209;
constexpr int status_shared_object_init_failed = 303;

// Where hipDeviceProp_t has gcnArchName: at one place up to HIP 5, at another behind
// hipGetDevicePropertiesR0600 (HIP 6 and later, which keep the old function with the old struct). The struct
// itself is 792 or 1472 bytes.
constexpr std::size_t properties_bytes = 4096;
constexpr std::size_t arch_offset_hip5 = 396;
constexpr std::size_t arch_offset_r0600 = 1160;
constexpr std::size_t arch_bytes = 256;

class HipApi final : public GpuApi {
 public:
  HipApi() : GpuApi(DeviceKind::hip, open_hip_library(), hip_constants) {
    load_calls();
    error_name_ = reinterpret_cast<const char* (*)(int)>(required("hipGetErrorName"));
    error_string_ = reinterpret_cast<const char* (*)(int)>(required("hipGetErrorString"));
    get_device_ = reinterpret_cast<int (*)(int*)>(required("hipGetDevice"));
    set_device_ = reinterpret_cast<int (*)(int)>(required("hipSetDevice"));
    load_data_ = reinterpret_cast<int (*)(void**, const void*)>(required("hipModuleLoadData"));
    if (void* newer = library().symbol("hipGetDevicePropertiesR0600")) {
      get_properties_ = {reinterpret_cast<int (*)(void*, int)>(newer), "hipGetDevicePropertiesR0600"};
      arch_offset_ = arch_offset_r0600;
    } else {
      get_properties_ = {reinterpret_cast<int (*)(void*, int)>(required("hipGetDeviceProperties")),
                         "hipGetDeviceProperties"};
      arch_offset_ = arch_offset_hip5;
    }
    initialize();
  }

  std::string describe(int status) const override {
    const std::string name = error_name_(status), text = error_string_(status);
    // Before HIP 5.3 the text was the name once more.
    return text == name ? name : formatted("{} ({})", name, text);
  }

  std::string load_advice(int status, std::span<const std::byte> code,
                          const std::string& architecture) const override {
    const int version = code_object_version(code);
    if (status == status_shared_object_init_failed)
      return formatted(
          "likely cause: the code object's version, {}, is newer than {} reads (HIP 5 reads 4 at most, "
          "generic targets "
          "need HIP 6.3); build with `-mcode-object-version=4`, or use a newer driver",
          version > 0 ? std::to_string(version) : "unknown", library().path());
    if (status == status_no_binary_for_gpu)
      return formatted("likely cause: the code object is for another architecture than the device's, {}",
                       architecture);
    return {};
  }

  std::string architecture(int device) const override {
    // alignas: the driver fills a struct.
    alignas(16) std::array<char, properties_bytes> properties{};
    invoke(get_properties_, static_cast<void*>(properties.data()), device);
    const char* arch = properties.data() + arch_offset_;
    const std::string name(arch, ::strnlen(arch, arch_bytes));
    if (!name.starts_with("gfx"))
      throw Error(Code::device,
                  formatted("{} gives no architecture for hip:{} where it should be (found \"{}\"); {} is "
                            "of a version this runtime does not know",
                            get_properties_.name, device, name.substr(0, 16), library().path()));
    return name;
  }

  std::uintptr_t open_device(int device) const override { return static_cast<std::uintptr_t>(device); }
  void close_device(int) const noexcept override {}

  int current(std::uintptr_t* context) const override {
    int device = 0;
    const int status = get_device_(&device);
    *context = static_cast<std::uintptr_t>(device);
    return status;
  }
  int make_current(std::uintptr_t context) const override { return set_device_(static_cast<int>(context)); }

  /// HIP's launches may have what the device has.
  int allow_shared_memory(void*, unsigned) const override { return 0; }

  int load_module(void** module, std::span<const std::byte> code, std::string*) const override {
    return load_data_(module, code.data());
  }

 private:
  const char* (*error_name_)(int) = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*get_device_)(int*) = nullptr;
  int (*set_device_)(int) = nullptr;
  int (*load_data_)(void**, const void*) = nullptr;
  GpuCall<void*, int> get_properties_;
  std::size_t arch_offset_ = 0;
};

}  // namespace

DynamicLibrary open_hip_library() {
  return DynamicLibrary("HIP driver library", "KERNELGEN_HIP_LIBRARY", library_names);
}

const GpuApi& hip_api() {
  static const GpuApi& api = *new HipApi;
  return api;
}

}  // namespace kernelgen
