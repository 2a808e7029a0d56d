#include "../../bindings/ggml/interface.hpp"

#include <ggml-backend.h>
#include <ggml.h>
// Debian's libggml-dev lacks it; a prefix may also be a checkout of ggml.
#if __has_include(<ggml-backend-impl.h>)
#include <ggml-backend-impl.h>
#elif __has_include(<../src/ggml-backend-impl.h>)
#include <../src/ggml-backend-impl.h>
#include <../src/ggml-impl.h>
#endif

#include "same_call.hpp"

#ifdef GGML_BACKEND_API_VERSION
namespace kernelgen::ggml {
#if GGML_BACKEND_API_VERSION == 2
using TypeCalls = BufferTypeCalls2;
#else
using TypeCalls = BufferTypeCalls3;
#endif
struct BufferType : BufferTypeOf<TypeCalls> {};
struct Graph : ggml_cgraph {};
}  // namespace kernelgen::ggml
#endif

namespace ours = kernelgen::ggml;

#define EXPECT_SIZE(our, their)                                                 \
  static_assert(sizeof(our) == sizeof(their) && alignof(our) == alignof(their), \
                #our " has another size than " #their)
#define EXPECT_MEMBER(our, their, our_member, their_member)                   \
  static_assert(offsetof(our, our_member) == offsetof(their, their_member) && \
                    sizeof(our::our_member) == sizeof(their::their_member),   \
                #our "::" #our_member " is not where " #their "::" #their_member " is")
/// A function pointer of the same name in both.
#define EXPECT_FUNCTION(our, their, member)                                                    \
  EXPECT_MEMBER(our, their, member, member);                                                   \
  static_assert(kernelgen::test::is_same_call<std::remove_pointer_t<decltype(our::member)>,    \
                                              std::remove_pointer_t<decltype(their::member)>>, \
                #their "::" #member " is declared otherwise in ggml's headers")
#define EXPECT_TYPE(name, their) EXPECT_NUMBER(ours::Type::name, their)

EXPECT_TYPE(f32, GGML_TYPE_F32);
EXPECT_TYPE(f16, GGML_TYPE_F16);
EXPECT_TYPE(q8_0, GGML_TYPE_Q8_0);
EXPECT_TYPE(i32, GGML_TYPE_I32);
EXPECT_TYPE(i64, GGML_TYPE_I64);
EXPECT_TYPE(bf16, GGML_TYPE_BF16);
EXPECT_NUMBER(ours::Status::alloc_failed, GGML_STATUS_ALLOC_FAILED);
EXPECT_NUMBER(ours::Status::failed, GGML_STATUS_FAILED);
EXPECT_NUMBER(ours::Status::success, GGML_STATUS_SUCCESS);
EXPECT_NUMBER(ours::LogLevel::info, GGML_LOG_LEVEL_INFO);
EXPECT_NUMBER(ours::LogLevel::warn, GGML_LOG_LEVEL_WARN);
EXPECT_NUMBER(ours::LogLevel::error, GGML_LOG_LEVEL_ERROR);
EXPECT_NUMBER(ours::Usage::any, GGML_BACKEND_BUFFER_USAGE_ANY);
EXPECT_NUMBER(ours::Usage::weights, GGML_BACKEND_BUFFER_USAGE_WEIGHTS);
EXPECT_NUMBER(ours::Usage::compute, GGML_BACKEND_BUFFER_USAGE_COMPUTE);
EXPECT_NUMBER(ours::DeviceType::cpu, GGML_BACKEND_DEVICE_TYPE_CPU);
EXPECT_NUMBER(ours::DeviceType::gpu, GGML_BACKEND_DEVICE_TYPE_GPU);
EXPECT_NUMBER(ours::max_dims, GGML_MAX_DIMS);
EXPECT_NUMBER(ours::max_sources, GGML_MAX_SRC);
EXPECT_NUMBER(ours::max_name, GGML_MAX_NAME);
EXPECT_NUMBER(ours::parameter_count * sizeof(std::int32_t), GGML_MAX_OP_PARAMS);

EXPECT_SIZE(ours::Node, ggml_tensor);
EXPECT_MEMBER(ours::Node, ggml_tensor, type, type);
EXPECT_MEMBER(ours::Node, ggml_tensor, buffer, buffer);
EXPECT_MEMBER(ours::Node, ggml_tensor, ne, ne);
EXPECT_MEMBER(ours::Node, ggml_tensor, nb, nb);
EXPECT_MEMBER(ours::Node, ggml_tensor, op, op);
EXPECT_MEMBER(ours::Node, ggml_tensor, op_params, op_params);
EXPECT_MEMBER(ours::Node, ggml_tensor, flags, flags);
EXPECT_MEMBER(ours::Node, ggml_tensor, src, src);
EXPECT_MEMBER(ours::Node, ggml_tensor, view_src, view_src);
EXPECT_MEMBER(ours::Node, ggml_tensor, view_offs, view_offs);
EXPECT_MEMBER(ours::Node, ggml_tensor, data, data);
EXPECT_MEMBER(ours::Node, ggml_tensor, name, name);
EXPECT_SIZE(ours::Guid, ggml_guid);

EXPECT_SIZE(ours::Capabilities, ggml_backend_dev_caps);
EXPECT_MEMBER(ours::Capabilities, ggml_backend_dev_caps, async, async);
EXPECT_MEMBER(ours::Capabilities, ggml_backend_dev_caps, host_buffer, host_buffer);
EXPECT_MEMBER(ours::Capabilities, ggml_backend_dev_caps, buffer_from_host_ptr, buffer_from_host_ptr);
EXPECT_MEMBER(ours::Capabilities, ggml_backend_dev_caps, events, events);
EXPECT_SIZE(ours::Properties, ggml_backend_dev_props);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, name, name);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, description, description);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, memory_free, memory_free);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, memory_total, memory_total);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, type, type);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, device_id, device_id);
EXPECT_MEMBER(ours::Properties, ggml_backend_dev_props, caps, caps);

EXPECT_CALL(const char*, ggml_op_name, (int));
EXPECT_CALL(const char*, ggml_unary_op_name, (int));
EXPECT_CALL(const char*, ggml_glu_op_name, (int));
EXPECT_CALL(std::size_t, ggml_nbytes, (const ours::Node*));

#ifdef GGML_BACKEND_API_VERSION
static_assert(GGML_BACKEND_API_VERSION == 2 || GGML_BACKEND_API_VERSION == 3,
              "ggml has a new API version, which bindings/ggml does not serve yet");
EXPECT_MEMBER(ours::GraphHead, ggml_cgraph, n_nodes, n_nodes);
EXPECT_MEMBER(ours::GraphHead, ggml_cgraph, nodes, nodes);
EXPECT_MEMBER(ours::GraphHead, ggml_cgraph, use_counts, use_counts);
EXPECT_MEMBER(ours::GraphHead, ggml_cgraph, visited, visited_hash_set);
EXPECT_MEMBER(ours::HashSet, ggml_hash_set, size, size);
EXPECT_MEMBER(ours::HashSet, ggml_hash_set, used, used);
EXPECT_MEMBER(ours::HashSet, ggml_hash_set, keys, keys);
EXPECT_NUMBER(ours::output_flag, GGML_TENSOR_FLAG_OUTPUT);
EXPECT_CALL(ours::BufferHandle*, ggml_backend_buffer_init,
            (ours::BufferType*, ours::BufferCalls, void*, std::size_t));

EXPECT_SIZE(ours::BufferType, ggml_backend_buffer_type);
EXPECT_SIZE(ours::TypeCalls, ggml_backend_buffer_type_i);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, get_name);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, alloc_buffer);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, get_alignment);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, get_max_size);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, get_alloc_size);
EXPECT_FUNCTION(ours::TypeCalls, ggml_backend_buffer_type_i, is_host);
EXPECT_MEMBER(ours::BufferTypeOf<ours::TypeCalls>, ggml_backend_buffer_type, device, device);
EXPECT_MEMBER(ours::BufferTypeOf<ours::TypeCalls>, ggml_backend_buffer_type, context, context);

EXPECT_SIZE(ours::BufferCalls, ggml_backend_buffer_i);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, free_buffer);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, get_base);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, init_tensor);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, memset_tensor);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, set_tensor);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, get_tensor);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, cpy_tensor);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, clear);
EXPECT_FUNCTION(ours::BufferCalls, ggml_backend_buffer_i, reset);
EXPECT_SIZE(ours::BufferHandle, ggml_backend_buffer);
EXPECT_MEMBER(ours::BufferHandle, ggml_backend_buffer, type, buft);
EXPECT_MEMBER(ours::BufferHandle, ggml_backend_buffer, context, context);
EXPECT_MEMBER(ours::BufferHandle, ggml_backend_buffer, size, size);
EXPECT_MEMBER(ours::BufferHandle, ggml_backend_buffer, usage, usage);

EXPECT_SIZE(ours::BackendCalls, ggml_backend_i);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, get_name);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, free);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, set_tensor_async);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, get_tensor_async);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, cpy_tensor_async);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, synchronize);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, graph_compute);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, event_record);
EXPECT_FUNCTION(ours::BackendCalls, ggml_backend_i, event_wait);
EXPECT_MEMBER(ours::BackendCalls, ggml_backend_i, graph_optimize, graph_optimize);
EXPECT_SIZE(ours::Backend, ggml_backend);
EXPECT_MEMBER(ours::Backend, ggml_backend, guid, guid);
EXPECT_MEMBER(ours::Backend, ggml_backend, calls, iface);
EXPECT_MEMBER(ours::Backend, ggml_backend, device, device);
EXPECT_MEMBER(ours::Backend, ggml_backend, context, context);
EXPECT_SIZE(ours::EventHandle, ggml_backend_event);
EXPECT_MEMBER(ours::EventHandle, ggml_backend_event, context, context);

EXPECT_SIZE(ours::DeviceCalls, ggml_backend_device_i);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_name);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_description);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_memory);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_type);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_props);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, init_backend);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_buffer_type);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, get_host_buffer_type);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, buffer_from_host_ptr);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, supports_op);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, supports_buft);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, offload_op);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, event_new);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, event_free);
EXPECT_FUNCTION(ours::DeviceCalls, ggml_backend_device_i, event_synchronize);
EXPECT_SIZE(ours::DeviceHandle, ggml_backend_device);
EXPECT_MEMBER(ours::DeviceHandle, ggml_backend_device, registry, reg);
EXPECT_MEMBER(ours::DeviceHandle, ggml_backend_device, context, context);

EXPECT_SIZE(ours::RegistryCalls, ggml_backend_reg_i);
EXPECT_FUNCTION(ours::RegistryCalls, ggml_backend_reg_i, get_name);
EXPECT_FUNCTION(ours::RegistryCalls, ggml_backend_reg_i, get_device_count);
EXPECT_FUNCTION(ours::RegistryCalls, ggml_backend_reg_i, get_device);
EXPECT_FUNCTION(ours::RegistryCalls, ggml_backend_reg_i, get_proc_address);
EXPECT_SIZE(ours::Registry, ggml_backend_reg);
EXPECT_MEMBER(ours::Registry, ggml_backend_reg, calls, iface);
EXPECT_MEMBER(ours::Registry, ggml_backend_reg, context, context);
#endif
