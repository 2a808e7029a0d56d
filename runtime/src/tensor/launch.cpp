#include "kernelgen/launch.hpp"

#include <string>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

namespace {

/// What a pointer points to: "f32" of "const f32*".
std::string_view pointee_of(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.ends_with('*')) type.remove_suffix(1);
  return type;
}

/// Whether elements of the dtype are what the kernel expects. Kernels may point to types that no tensor has:
/// raw ones and integers count by their width, structs are the caller's.
bool is_taken(DType dtype, std::string_view pointee) {
  if (pointee == name_of(dtype)) return true;
  if (parse_dtype(pointee)) return false;
  for (const std::string_view other : {"b8", "i8", "b16", "u16", "b32", "b64", "u64"})
    if (pointee == other)
      return !is_quantized(dtype) && std::to_string(8 * size_of(dtype)) == other.substr(1);
  return true;
}

/// A kernel that is about to be launched, for messages.
struct Launched {
  const DeviceState& device;
  const Package& package;
  std::string_view kernel;

  [[noreturn]] void refuse(const kernelgen_argument_record& argument, const std::string& why) const {
    throw Error(Code::invalid_argument,
                formatted("launch of {} on {}: argument {} ({}): {}", kernel, device.location(),
                          package.text(argument.name), package.text(argument.type), why));
  }

  void check(const kernelgen_argument_record& argument, const Tensor& tensor) const {
    if (argument.is_pointer == 0) refuse(argument, "a tensor is given; it takes a value");
    if (!tensor) refuse(argument, "the tensor is empty: it was default-constructed");
    if (&state_of(tensor.device()) != &device)
      refuse(argument, describe_two(state_of(tensor.device()), device));
    if (!is_taken(tensor.dtype(), pointee_of(package.text(argument.type))))
      refuse(argument, formatted("the tensor is {}; to_dtype() converts it", name_of(tensor.dtype())));
    if (!tensor.layout().is_contiguous())
      refuse(argument,
             "the tensor is not contiguous, and a kernel gets its address only; copy() makes it so");
    if (argument.is_written != 0 && tensor.storage()->is_read_only())
      refuse(argument, "the tensor is read-only, and the kernel writes it");
  }
};

std::string spell_types(const Package& package, std::span<const kernelgen_argument_record> arguments) {
  std::string types;
  for (const kernelgen_argument_record& argument : arguments)
    types.append(types.empty() ? "" : ", ").append(package.text(argument.type));
  return types;
}

}  // namespace

std::uint32_t find_kernel(const Device& device, std::string_view name, std::string_view types) {
  const std::uint32_t id = device.find_kernel(name);
  const auto [package, index] = state_of(device).kernels().origin(id);
  if (const std::string there = spell_types(*package, package->arguments(index)); there != types)
    throw Error(Code::invalid_argument,
                formatted("kernel {} of {} takes ({}), and its wrapper was written for ({}); run `kernel-gen "
                          "emit --wrappers` again",
                          name, package->name(), there, types));
  return id;
}

void launch(const Device& device, std::uint32_t kernel, const LaunchShape& shape,
            std::span<const LaunchArgument> arguments, const Stream& stream) {
  const Function function = device.kernel(kernel);
  DeviceState& state = state_of(device);
  const auto [package, index] = state.kernels().origin(kernel);
  const std::span<const kernelgen_argument_record> wanted = package->arguments(index);
  const Launched launched = {state, *package, state.kernels().name(kernel)};
  if (arguments.size() != wanted.size())
    throw Error(Code::invalid_argument,
                formatted("launch of {} on {}: {} arguments are given; it takes {}: ({})", launched.kernel,
                          state.location(), arguments.size(), wanted.size(), spell_types(*package, wanted)));

  alignas(16) std::array<std::byte, KERNELGEN_MAX_ARGUMENT_BYTES> block;
  const std::uint32_t block_bytes = package->kernels()[index].kernarg_bytes;
  std::memset(block.data(), 0, block_bytes);  // with the padding between arguments
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [tensor, bytes] = arguments[i];
    if (tensor != nullptr) {
      launched.check(wanted[i], *tensor);
      void* const address = tensor->data();
      std::memcpy(block.data() + wanted[i].offset, &address, sizeof address);
    } else if (bytes.size() != wanted[i].size) {
      launched.refuse(wanted[i], formatted("{} bytes are given; it has {}", bytes.size(), wanted[i].size));
    } else {
      std::memcpy(block.data() + wanted[i].offset, bytes.data(), bytes.size());
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (arguments[i].tensor != nullptr)
      arguments[i].tensor->use(stream, wanted[i].is_written != 0 ? Access::write : Access::read);
  device.launch(function, shape, std::span(block).first(block_bytes), stream);
}

}  // namespace kernelgen
