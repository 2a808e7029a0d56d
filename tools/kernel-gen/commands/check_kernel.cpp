#include "commands/check_kernel.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <random>

#include "base/fault.hpp"

namespace kernelgen::tool {
namespace {

[[noreturn]] void refuse(std::string what) { throw BadInput(Fault{"", "", "check: " + std::move(what), {}}); }

/// The functions of HIP that a launch needs.
class Hip {
 public:
  explicit Hip(const std::filesystem::path& library)
      : library_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) refuse(fmt::format("cannot open {}: {}", library.string(), ::dlerror()));
  }

  /// Throws BadInput where the function fails, but for kernels' faults, which are in the report.
  template <class... A>
  void call(const char* name, A... arguments) const {
    const int status = status_of(name, arguments...);
    if (status == 0) return;
    const auto error_name = function<const char*, int>("hipGetErrorName");
    refuse(fmt::format("{}: {}", name, error_name(status)));
  }
  template <class... A>
  int status_of(const char* name, A... arguments) const {
    return function<int, A...>(name)(arguments...);
  }

 private:
  template <class R, class... A>
  auto function(const char* name) const -> R (*)(A...) {
    void* const address = ::dlsym(library_, name);
    if (address == nullptr) refuse(fmt::format("the HIP library has no {}", name));
    return reinterpret_cast<R (*)(A...)>(address);
  }

  void* library_;  // stays open: device memory is in it
};

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
Bytes number(const std::string& argument, const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(fmt::format("--arg {}: '{}' is not a number of that type", argument, text));
  return bytes_of(value);
}

/// A buffer's address: uninitialised, of zeros, or of random floats from 0 to 1.
Bytes buffer(const Hip& hip, const CheckOptions& options, const std::string& kind, std::size_t size) {
  void* address = nullptr;
  hip.call("hipMalloc", &address, size);
  if (kind == "zeros")
    hip.call("hipMemsetD8Async", address, static_cast<unsigned char>(0), size, static_cast<void*>(nullptr));
  if (kind == "random") {
    std::mt19937_64 random(options.seed);
    std::vector<float> values((size + 3) / 4);
    for (float& value : values) value = static_cast<float>(random() >> 40) * 0x1p-24f;
    hip.call("hipMemcpyHtoDAsync", address, static_cast<const void*>(values.data()), size,
             static_cast<void*>(nullptr));
  }
  return bytes_of(address);
}

Bytes value_of(const Hip& hip, const CheckOptions& options, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  const std::string kind = argument.substr(0, equals);
  const std::string text = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (kind == "i32") return number<std::int32_t>(argument, text);
  if (kind == "u32") return number<std::uint32_t>(argument, text);
  if (kind == "i64") return number<std::int64_t>(argument, text);
  if (kind == "u64") return number<std::uint64_t>(argument, text);
  if (kind == "f32") return number<float>(argument, text);
  if (kind == "f64") return number<double>(argument, text);
  if (kind != "buffer" && kind != "zeros" && kind != "random")
    refuse(fmt::format(
        "--arg {}: not i32, u32, i64, u64, f32 or f64 with a number, or buffer, zeros or random with a "
        "number of bytes",
        argument));
  std::uint64_t size = 0;
  const Bytes bytes = number<std::uint64_t>(argument, text);
  std::memcpy(&size, bytes.data(), sizeof size);
  return buffer(hip, options, kind, size);
}

std::array<unsigned, 3> extent(const std::vector<unsigned>& given) {
  std::array<unsigned, 3> sizes{1, 1, 1};
  for (std::size_t i = 0; i < given.size() && i < 3; ++i) sizes[i] = given[i];
  return sizes;
}

}  // namespace

std::string check_kernel(const CheckOptions& options, const std::filesystem::path& hip_library,
                         const Disk& disk) {
  const std::string image = disk.read(options.words.front());
  const Hip hip(hip_library);
  void *module = nullptr, *kernel = nullptr;
  hip.call("hipModuleLoadData", &module, static_cast<const void*>(image.data()));
  if (hip.status_of("hipModuleGetFunction", &kernel, module, options.kernel.c_str()) != 0)
    refuse(fmt::format("{} has no kernel '{}'; 'kernel-gen inspect' lists them", options.words.front(),
                       options.kernel));
  // Each at a multiple of its size, as compilers place them.
  Bytes arguments;
  for (const std::string& argument : options.arguments) {
    const Bytes value = value_of(hip, options, argument);
    arguments.resize((arguments.size() + value.size() - 1) / value.size() * value.size());
    arguments.insert(arguments.end(), value.begin(), value.end());
  }
  std::size_t size = arguments.size();
  // HIP_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END.
  std::array<void*, 5> extra{reinterpret_cast<void*>(1), arguments.data(), reinterpret_cast<void*>(2), &size,
                             reinterpret_cast<void*>(3)};
  const auto grid = extent(options.grid), block = extent(options.block);
  const int status = hip.status_of("hipModuleLaunchKernel", kernel, grid[0], grid[1], grid[2], block[0],
                                   block[1], block[2], options.shared_bytes, static_cast<void*>(nullptr),
                                   static_cast<void**>(nullptr), extra.data());
  return status == 0 ? "" : fmt::format("kernel '{}' did not end as it should", options.kernel);
}

}  // namespace kernelgen::tool
