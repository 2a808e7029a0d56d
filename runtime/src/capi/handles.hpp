#pragma once
#include <span>
#include <string>
#include <utility>

#include "boundary.hpp"
#include "kernelgen/collective.hpp"
#include "kernelgen/device.hpp"
#include "kernelgen/gguf.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/package.hpp"
#include "kernelgen/tensor.hpp"
#include "kernelgen/transfer.hpp"

/// What the opaque handles of the C interface hold: the C++ object of the same name, by value.
struct kernelgen_package {
  kernelgen::Package package;
};

struct kernelgen_device {
  explicit kernelgen_device(kernelgen::Device opened);

  kernelgen::Device device;
  /// Texts that kernelgen_device_info points to; read once, so that describing is free of locks.
  std::string location;
  std::string name;
  std::string architecture;
  std::string target;
};

struct kernelgen_stream {
  kernelgen::Stream stream;
};

struct kernelgen_event {
  kernelgen::Event event;
};

struct kernelgen_module {
  kernelgen::Module module;
};

struct kernelgen_tensor {
  kernelgen::Tensor tensor;
};

struct kernelgen_graph {
  kernelgen::Graph graph;
};

struct kernelgen_pinned {
  kernelgen::PinnedMemory memory;
};

struct kernelgen_communicator {
  kernelgen::Communicator communicator;
};

struct kernelgen_gguf {
  kernelgen::GgufFile file;
};

namespace kernelgen::capi {

/// NULL is the default queue.
inline Stream stream_of(const kernelgen_stream* stream) {
  return stream == nullptr ? Stream{} : stream->stream;
}

inline LaunchShape shape_of(const kernelgen_launch_shape& shape) {
  return {{shape.grid[0], shape.grid[1], shape.grid[2]},
          {shape.block[0], shape.block[1], shape.block[2]},
          shape.shared_bytes};
}

/// The numbers of a shape, strides or order.
inline Dims dims_of(std::size_t rank, const std::int64_t* values, const char* name) {
  if (rank != 0) need(values, name);
  return Dims(std::span(values, rank));
}

/// Gives the caller a handle made of what `make` returns; the output parameter is checked before anything is
/// made.
template <class Handle, class Make>
void give(Handle** output, const char* name, const Make& make) {
  Handle*& slot = need(output, name);
  slot = new Handle{make()};
}

/// Gives the caller a table of the package.
template <class Record>
void give_table(std::span<const Record> table, const Record** records, const char* name, std::size_t* count) {
  const Record*& slot = need(records, name);
  need(count, "count") = table.size();
  slot = table.data();
}

}  // namespace kernelgen::capi
