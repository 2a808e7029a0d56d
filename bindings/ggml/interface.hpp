#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

/// ggml's interface for back ends, as far as the plug-in uses it: ggml.h, ggml-backend.h, ggml-backend-impl.h and
/// ggml-impl.h, of which Debian's libggml-dev has no copy of the last two. `ctest -L headers` compares this with the headers where they exist.
/// Functions of ggml itself are in host.hpp.
namespace kernelgen::ggml {

/// Numbers of ggml's element types, which files contain and which therefore never change: those that the plug-in names. The
/// others become dtypes by gguf_dtype().
enum class Type : int {
  f32 = 0,
  f16 = 1,
  q8_0 = 8,
  i8 = 24,
  i32 = 26,
  i64 = 27,
  bf16 = 30,
};

enum class Status : int { alloc_failed = -2, failed = -1, success = 0 };
enum class LogLevel : int { info = 2, warn = 3, error = 4 };
enum class Usage : int { any = 0, weights = 1, compute = 2 };
enum class DeviceType : int { cpu = 0, gpu = 1 };

/// A flag of nodes whose result the program reads.
inline constexpr std::int32_t output_flag = 2;

inline constexpr std::size_t max_dims = 4, max_sources = 10, parameter_count = 16, max_name = 64;

struct BufferType;
struct BufferHandle;
struct Backend;
struct DeviceHandle;
struct Registry;
struct EventHandle;
struct Graph;  ///< ggml_cgraph

/// ggml_tensor. The number of an operation differs between versions of ggml; only its name is used (Host::op_name).
struct Node {
  Type type;
  BufferHandle* buffer;
  std::int64_t ne[max_dims];  ///< extents, fastest dim first
  std::size_t nb[max_dims];   ///< strides in bytes
  int op;
  std::int32_t op_params[parameter_count];
  std::int32_t flags;
  Node* src[max_sources];
  Node* view_src;
  std::size_t view_offs;
  void* data;
  char name[max_name];
  void* extra;
  char padding[8];
};

/// ggml_hash_set: of slot i, whether it is taken is bit i of `used`.
struct HashSet {
  std::size_t size;
  std::uint32_t* used;
  Node** keys;
};

/// How a Graph begins. What follows differs between versions.
struct GraphHead {
  int size, n_nodes, n_leafs;
  Node **nodes, **grads, **grad_accs, **leafs;
  std::int32_t* use_counts;  ///< how many nodes read each tensor, by its slot in `visited`
  HashSet visited;
};

/// The nodes in the order in which ggml computes them.
inline std::span<Node*> nodes_of(const Graph& graph) {
  const auto& head = reinterpret_cast<const GraphHead&>(graph);
  return {head.nodes, static_cast<std::size_t>(head.n_nodes)};
}

using Guid = std::uint8_t[16];

/// ggml_backend_buffer_type_i of API version 2.
struct BufferTypeCalls2 {
  const char* (*get_name)(BufferType*);
  BufferHandle* (*alloc_buffer)(BufferType*, std::size_t);
  std::size_t (*get_alignment)(BufferType*);
  std::size_t (*get_max_size)(BufferType*);
  std::size_t (*get_alloc_size)(BufferType*, const Node*);
  bool (*is_host)(BufferType*);
};
/// The same of API version 3, which Debian's ggml 0.27 has.
struct BufferTypeCalls3 {
  const char* (*get_name)(BufferType*);
  BufferHandle* (*alloc_buffer)(BufferType*, std::size_t);
  BufferHandle* (*alloc_buffer_n)(BufferType*, Node**, int);
  std::size_t (*get_alignment)(BufferType*);
  std::size_t (*get_max_size)(BufferType*);
  std::size_t (*get_alloc_size)(BufferType*, const Node*);
  std::size_t (*get_alloc_size_n)(BufferType*, Node**, int);
  bool (*is_host)(BufferType*);
};
/// ggml_backend_buffer_type, with the calls of one version.
template <class Calls>
struct BufferTypeOf {
  Calls calls;
  DeviceHandle* device;
  void* context;
};

struct BufferCalls {
  void (*free_buffer)(BufferHandle*);
  void* (*get_base)(BufferHandle*);
  Status (*init_tensor)(BufferHandle*, Node*);
  void (*memset_tensor)(BufferHandle*, Node*, std::uint8_t, std::size_t, std::size_t);
  void (*set_tensor)(BufferHandle*, Node*, const void*, std::size_t, std::size_t);
  void (*get_tensor)(BufferHandle*, const Node*, void*, std::size_t, std::size_t);
  void (*set_tensor_2d)(BufferHandle*, Node*, const void*, std::size_t, std::size_t, std::size_t, std::size_t,
                        std::size_t);
  void (*get_tensor_2d)(BufferHandle*, const Node*, void*, std::size_t, std::size_t, std::size_t, std::size_t,
                        std::size_t);
  bool (*cpy_tensor)(BufferHandle*, const Node*, Node*);
  void (*clear)(BufferHandle*, std::uint8_t);
  void (*reset)(BufferHandle*);
};
struct BufferHandle {
  BufferCalls calls;
  BufferType* type;
  void* context;
  std::size_t size;
  Usage usage;
};

struct BackendCalls {
  const char* (*get_name)(Backend*);
  void (*free)(Backend*);
  void (*set_tensor_async)(Backend*, Node*, const void*, std::size_t, std::size_t);
  void (*get_tensor_async)(Backend*, const Node*, void*, std::size_t, std::size_t);
  void (*set_tensor_2d_async)(Backend*, Node*, const void*, std::size_t, std::size_t, std::size_t,
                              std::size_t, std::size_t);
  void (*get_tensor_2d_async)(Backend*, const Node*, void*, std::size_t, std::size_t, std::size_t,
                              std::size_t, std::size_t);
  bool (*cpy_tensor_async)(Backend*, Backend*, const Node*, Node*);
  void (*synchronize)(Backend*);
  void* (*graph_plan_create)(Backend*, const Graph*);
  void (*graph_plan_free)(Backend*, void*);
  void (*graph_plan_update)(Backend*, void*, const Graph*);
  Status (*graph_plan_compute)(Backend*, void*);
  Status (*graph_compute)(Backend*, Graph*);
  void (*event_record)(Backend*, EventHandle*);
  void (*event_wait)(Backend*, EventHandle*);
  void (*graph_optimize)(Backend*, Graph*);  ///< some versions pass a third parameter
};
struct Backend {
  Guid* guid;
  BackendCalls calls;
  DeviceHandle* device;
  void* context;
};

struct EventHandle {
  DeviceHandle* device;
  void* context;
};

struct Capabilities {
  bool async, host_buffer, buffer_from_host_ptr, events, mmap_support;
};
struct Properties {
  const char* name;
  const char* description;
  std::size_t memory_free, memory_total;
  DeviceType type;
  const char* device_id;
  Capabilities caps;
};
struct DeviceCalls {
  const char* (*get_name)(DeviceHandle*);
  const char* (*get_description)(DeviceHandle*);
  void (*get_memory)(DeviceHandle*, std::size_t*, std::size_t*);
  DeviceType (*get_type)(DeviceHandle*);
  void (*get_props)(DeviceHandle*, Properties*);
  Backend* (*init_backend)(DeviceHandle*, const char*);
  BufferType* (*get_buffer_type)(DeviceHandle*);
  BufferType* (*get_host_buffer_type)(DeviceHandle*);
  BufferHandle* (*buffer_from_host_ptr)(DeviceHandle*, void*, std::size_t, std::size_t);
  bool (*supports_op)(DeviceHandle*, const Node*);
  bool (*supports_buft)(DeviceHandle*, BufferType*);
  bool (*offload_op)(DeviceHandle*, const Node*);
  EventHandle* (*event_new)(DeviceHandle*);
  void (*event_free)(DeviceHandle*, EventHandle*);
  void (*event_synchronize)(DeviceHandle*, EventHandle*);
};
struct DeviceHandle {
  DeviceCalls calls;
  Registry* registry;
  void* context;
};

struct RegistryCalls {
  const char* (*get_name)(Registry*);
  std::size_t (*get_device_count)(Registry*);
  DeviceHandle* (*get_device)(Registry*, std::size_t);
  void* (*get_proc_address)(Registry*, const char*);
};
struct Registry {
  int api_version;
  RegistryCalls calls;
  void* context;
};

}  // namespace kernelgen::ggml
