#include "common/format.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <utility>

#include "driver/code_object.hpp"
#include "driver/device_environment.hpp"
#include "driver/driver_library.hpp"
#include "driver/gpu_api.hpp"
#include "driver/hip_declarations.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                         "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};

constexpr const char* simulator_name = "libamdhip64-simulated.so";

constexpr std::size_t properties_bytes = 4096;  // above any version

/// Newest code-object version each HIP version reads; a HIP that does not report its version gets the
/// oldest's.
int newest_code_object(int hip_version) {
  if (hip_version >= 603) return 6;
  return hip_version >= 503 ? 5 : 4;
}

class HipApi final : public GpuApi {
 public:
  explicit HipApi(DynamicLibrary opened) : GpuApi(DeviceKind::hip, std::move(opened), hip::constants) {
    load_calls();
#define KERNELGEN_LOAD(member, name, result, arguments) \
  own_.member = reinterpret_cast<result(*) arguments>(required(#name));
    KERNELGEN_HIP_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
    if (void* newer = library().symbol("hipGetDevicePropertiesR0600")) {
      get_properties_ = {reinterpret_cast<hip::GetProperties>(newer), "hipGetDevicePropertiesR0600"};
      arch_offset_ = hip::properties_of_6.arch_offset;
    } else {
      get_properties_ = {reinterpret_cast<hip::GetProperties>(required("hipGetDeviceProperties")),
                         "hipGetDeviceProperties"};
      arch_offset_ = hip::properties_of_5.arch_offset;
    }
    initialize();
  }

  int version() const override {
    int version = 0;
    const auto read = reinterpret_cast<hip::ReadVersion>(library().symbol("hipRuntimeGetVersion"));
    if (read == nullptr || read(&version) != 0) return 0;
    return version / 10'000'000 * 100 + version / 100'000 % 100;
  }

  std::string describe(int status) const override {
    const std::string name = own_.error_name(status), text = own_.error_string(status);
    // Before HIP 5.3 the text repeated the name.
    return text == name ? name : formatted("{} ({})", name, text);
  }

  std::string load_advice(int status, std::span<const std::byte> code,
                          const std::string& architecture) const override {
    if (status != hip::status_shared_object_init_failed && status != hip::status_no_binary_for_gpu) return {};
    const int of_code = code_object_version(code), newest = newest_code_object(version());
    if (of_code > newest)
      return formatted(
          "likely cause: the code object's version, {}, is newer than {} reads, {}; build with "
          "`-mcode-object-version={}`, or use a newer driver (5 needs HIP 5.3, 6 and generic targets HIP "
          "6.3)",
          of_code, library().path(), newest, newest);
    const std::string note = overridden_architecture_note(DeviceKind::hip);
    return formatted("likely cause: the code object is for another architecture than the device's, {}{}{}",
                     architecture, note.empty() ? "" : "; ", note);
  }

  std::string architecture(int device) const override {
    // alignas: the driver fills a struct.
    alignas(16) std::array<char, properties_bytes> properties{};
    invoke(get_properties_, static_cast<void*>(properties.data()), device);
    const char* arch = properties.data() + arch_offset_;
    const std::string name(arch, ::strnlen(arch, hip::arch_bytes));
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
    const int status = own_.get_device(&device);
    *context = static_cast<std::uintptr_t>(device);
    return status;
  }
  int make_current(std::uintptr_t context) const override {
    return own_.set_device(static_cast<int>(context));
  }

  /// HIP launches may use all shared memory of the device.
  int allow_shared_memory(void*, unsigned) const override { return 0; }

  int reach_peer(std::uintptr_t peer) const override { return own_.reach_peer(static_cast<int>(peer), 0); }

  int load_module(void** module, std::span<const std::byte> code, std::string*) const override {
    return own_.load_data(module, code.data());
  }

 private:
  hip::Calls own_;
  GpuCall<void*, int> get_properties_;
  std::size_t arch_offset_ = 0;
};

}  // namespace

DynamicLibrary open_hip_library() {
  return DynamicLibrary("HIP driver library", "KERNELGEN_HIP_LIBRARY", library_names);
}

DynamicLibrary open_simulator_library() {
  // Where this code is: in libkernelgen.so, or in the program.
  Dl_info own{};
  std::string beside;
  if (::dladdr(reinterpret_cast<const void*>(&open_simulator_library), &own) != 0)
    beside = std::filesystem::path(own.dli_fname).parent_path() / simulator_name;
  const std::array names = {beside.c_str(), simulator_name};
  return DynamicLibrary("simulator of AMD GPUs", "KERNELGEN_SIMULATOR_LIBRARY",
                        std::span(names).subspan(beside.empty() ? 1 : 0));
}

const GpuApi& hip_api() {
  static const GpuApi& api = *new HipApi(open_hip_library());
  return api;
}

const GpuApi& simulated_api() {
  static const GpuApi& api = *new HipApi(open_simulator_library());
  return api;
}

int simulated_ordinal(const GpuApi& simulated, const std::string& processor) {
  using FindDevice = int (*)(const char* processor, int* ordinal);
  const auto find = reinterpret_cast<FindDevice>(simulated.library().symbol(simulated_device_function));
  int ordinal = 0;
  if (find == nullptr || find(processor.c_str(), &ordinal) != 0)
    throw Error(Code::unsupported,
                formatted("no device simulated:{}: {} {}", processor, simulated.library().path(),
                          find == nullptr ? "is not a simulator of AMD GPUs"
                                          : "simulates the GPUs that LLVM knows of gfx9 to gfx12, as in "
                                            "simulated:gfx942"));
  return ordinal;
}

}  // namespace kernelgen
