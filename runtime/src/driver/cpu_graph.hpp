#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "kernelgen/launch_shape.hpp"

namespace kernelgen {

/// Recorded work of a CPU device, in order.
struct CpuGraph {
  struct Launch {
    void* function;
    LaunchShape shape;
    std::vector<std::uint64_t> arguments;  ///< aligned, as kernels read them
    std::size_t bytes;

    Launch(void* kernel, const LaunchShape& grid, std::span<const std::byte> block)
        : function(kernel), shape(grid), arguments((block.size() + 7) / 8), bytes(block.size()) {
      if (bytes != 0) std::memcpy(arguments.data(), block.data(), bytes);
    }
    std::span<const std::byte> block() const { return std::as_bytes(std::span(arguments)).first(bytes); }
  };
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  struct Fill {
    void* to;
    std::uint8_t value;
    std::size_t bytes;
  };

  struct HostCall {
    void (*function)(void* data);
    void* data;
  };

  std::vector<std::variant<Launch, Copy, Fill, HostCall>> nodes;
};

}  // namespace kernelgen
