"""kernelgen/kernelgen.h for ctypes. Written by bindings/generate.py from the C headers; do not edit."""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64,
                    c_size_t, c_uint16, c_uint32, c_uint64, c_uint8, c_void_p)

Release = CFUNCTYPE(None, c_void_p)

PACKAGE_MAGIC = "KGENPKG"
PACKAGE_VERSION = 6
NO_KERNEL = 0xffffffff
NO_BLOB = 0xffffffff
MAX_TYPE_VARIABLES = 3
MAX_INPUTS = 3
MAX_SCALARS = 8
MAX_RESULTS = 8
MAX_ARGUMENT_BYTES = 4096
MAX_REFERENCES = 2
MAX_DTYPES = 40
FIRST_RAW_CODE = 64
ELEMENT_CODES = 68
NO_DIGIT = 0xff
TYPE_VARIABLE = 0x80000000
STATE_COUNTS_ONE = 0x80000000

U8 = 0
U32 = 1
I16 = 2
I32 = 3
I64 = 4
BF16 = 5
F16 = 6
F32 = 7
F64 = 8
F8E4M3 = 9
Q4_0 = 10
Q4_1 = 11
Q5_0 = 12
Q5_1 = 13
Q8_0 = 14
Q8_1 = 15
Q2_K = 16
Q3_K = 17
Q4_K = 18
Q5_K = 19
Q6_K = 20
Q8_K = 21
IQ4_NL = 22
MXFP4 = 23
IQ4_XS = 24
NVFP4 = 25
Q1_0 = 26
Q2_0 = 27
TQ1_0 = 28
TQ2_0 = 29
IQ2_XXS = 30
IQ2_XS = 31
IQ2_S = 32
IQ3_XXS = 33
IQ3_S = 34
IQ1_S = 35
IQ1_M = 36
DTYPE_COUNT = 37

OK = 0
INVALID_ARGUMENT = 1
NOT_FOUND = 2
UNSUPPORTED = 3
OUT_OF_MEMORY = 4
DEVICE_ERROR = 5
BAD_PACKAGE = 6
INDEX_OUT_OF_RANGE = 7
IO = 8
INTERNAL = 9

REDUCE_SUM = 0
REDUCE_PRODUCT = 1
REDUCE_MIN = 2
REDUCE_MAX = 3
REDUCE_MEAN = 4

CPU = 0
HIP = 1
CUDA = 2

PRIORITY_LOW = 0
PRIORITY_NORMAL = 1
PRIORITY_HIGH = 2

GGUF_U8 = 0
GGUF_I8 = 1
GGUF_U16 = 2
GGUF_I16 = 3
GGUF_U32 = 4
GGUF_I32 = 5
GGUF_F32 = 6
GGUF_BOOLEAN = 7
GGUF_TEXT = 8
GGUF_ARRAY = 9
GGUF_U64 = 10
GGUF_I64 = 11
GGUF_F64 = 12

CODEC_NONE = 0
CODEC_ZSTD = 1

OPERATION_OTHER = 0
OPERATION_MAP = 1
OPERATION_REDUCE = 2
OPERATION_ROW = 3
OPERATION_BODY = 4
OPERATION_MATMUL = 5

STATE_SUM = 0
STATE_EXTREME = 1
STATE_TRUTH = 2
STATE_INDEX = 3
STATE_EXPRESSION = 4


class Scalar(Structure):
    _fields_ = [
        ("is_integer", c_int),
        ("real", c_double),
        ("integer", c_int64),
    ]


class CommunicatorId(Structure):
    _fields_ = [
        ("bytes", c_char * 128),
    ]


class ExpressionOperand(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("tensor", c_void_p),
        ("number", Scalar),
    ]


class DeviceInfo(Structure):
    _fields_ = [
        ("kind", c_int),
        ("ordinal", c_int),
        ("id", c_uint64),
        ("location", c_char_p),
        ("name", c_char_p),
        ("architecture", c_char_p),
        ("target", c_char_p),
        ("total_memory", c_size_t),
        ("wave_size", c_int),
        ("compute_units", c_int),
        ("supports_bf16", c_int),
    ]


class MemoryUse(Structure):
    _fields_ = [
        ("in_use", c_size_t),
        ("peak", c_size_t),
        ("cached", c_size_t),
        ("free", c_size_t),
        ("total", c_size_t),
        ("limit", c_size_t),
    ]


class LaunchShape(Structure):
    _fields_ = [
        ("grid", c_uint32 * 3),
        ("block", c_uint32 * 3),
        ("shared_bytes", c_uint32),
    ]


class Function(Structure):
    _fields_ = [
        ("handle", c_void_p),
    ]


class KernelArgument(Structure):
    _fields_ = [
        ("offset", c_uint32),
        ("size", c_uint32),
    ]


class ModuleUse(Structure):
    _fields_ = [
        ("loaded", c_size_t),
        ("loads", c_size_t),
    ]


class LaunchInfo(Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("shape", LaunchShape),
        ("argument_bytes", c_size_t),
        ("stream", c_void_p),
        ("is_captured", c_int),
    ]


class Text(Structure):
    _fields_ = [
        ("data", c_char_p),
        ("bytes", c_size_t),
    ]


class GgufTensor(Structure):
    _fields_ = [
        ("name", Text),
        ("format_name", Text),
        ("format", c_uint32),
        ("dtype", c_int32),
        ("rank", c_size_t),
        ("shape", c_int64 * 8),
        ("offset", c_uint64),
        ("bytes", c_uint64),
    ]


class GraphInfo(Structure):
    _fields_ = [
        ("nodes", c_size_t),
        ("memory", c_size_t),
    ]


class LaunchArgument(Structure):
    _fields_ = [
        ("tensor", c_void_p),
        ("value", c_void_p),
        ("bytes", c_size_t),
    ]


class AttentionOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("scale", c_double),
        ("soft_cap", c_double),
        ("causal", c_int),
        ("window_left", c_int64),
        ("window_right", c_int64),
        ("mask", c_void_p),
        ("alibi_slopes", c_void_p),
        ("sinks", c_void_p),
        ("query_lengths", c_void_p),
        ("key_lengths", c_void_p),
        ("block_table", c_void_p),
        ("log_sum_exp", c_void_p),
    ]


class Size2(Structure):
    _fields_ = [
        ("height", c_int64),
        ("width", c_int64),
    ]


class Window1(Structure):
    _fields_ = [
        ("stride", c_int64),
        ("padding", c_int64),
        ("dilation", c_int64),
        ("output_padding", c_int64),
        ("groups", c_int64),
    ]


class Window2(Structure):
    _fields_ = [
        ("stride", Size2),
        ("padding", Size2),
        ("dilation", Size2),
        ("output_padding", Size2),
        ("groups", c_int64),
    ]


class BlobRecord(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("stored_bytes", c_uint64),
        ("bytes", c_uint64),
        ("codec", c_uint32),
        ("reference", c_uint32),
        ("hash_low", c_uint64),
        ("hash_high", c_uint64),
    ]


class Table(Structure):
    _fields_ = [
        ("offset", c_uint64),
        ("count", c_uint64),
    ]


class PackageHeader(Structure):
    _fields_ = [
        ("magic", c_char * 8),
        ("version", c_uint32),
        ("header_bytes", c_uint32),
        ("package_bytes", c_uint64),
        ("hash", c_uint64),
        ("tables", BlobRecord),
        ("strings", Table),
        ("provenance", Table),
        ("targets", Table),
        ("modules", Table),
        ("kernels", Table),
        ("arguments", Table),
        ("resources", Table),
        ("objects", Table),
        ("blobs", Table),
        ("displacements", Table),
        ("slots", Table),
        ("operations", Table),
        ("operands", Table),
        ("variables", Table),
        ("digits", Table),
        ("forms", Table),
        ("variants", Table),
    ]


class TargetRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("kind", c_uint32),
        ("wave_size", c_uint32),
        ("code_object_version", c_uint32),
    ]


class ModuleRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("first_kernel", c_uint32),
        ("kernel_count", c_uint32),
        ("reserved", c_uint32),
    ]


class KernelRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("module", c_uint32),
        ("first_argument", c_uint32),
        ("argument_count", c_uint32),
        ("kernarg_bytes", c_uint32),
        ("block", c_uint32),
    ]


class ArgumentRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("type", c_uint32),
        ("offset", c_uint32),
        ("size", c_uint32),
        ("is_pointer", c_uint32),
        ("is_written", c_uint32),
    ]


class ResourceRecord(Structure):
    _fields_ = [
        ("vgprs", c_uint16),
        ("agprs", c_uint16),
        ("sgprs", c_uint16),
        ("vgpr_spills", c_uint16),
        ("sgpr_spills", c_uint16),
        ("wave_size", c_uint16),
        ("lds_bytes", c_uint32),
        ("scratch_bytes", c_uint32),
        ("kernarg_bytes", c_uint32),
        ("max_block", c_uint32),
    ]


class ObjectRecord(Structure):
    _fields_ = [
        ("blob", c_uint32),
        ("reserved", c_uint32),
        ("offset", c_uint64),
        ("bytes", c_uint64),
    ]


class VariableRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("radix", c_uint32),
        ("first_digit", c_uint32),
    ]


class OperationRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("kind", c_uint32),
        ("first_variable", c_uint32),
        ("variable_count", c_uint32),
        ("first_operand", c_uint32),
        ("input_count", c_uint32),
        ("scalar_count", c_uint32),
        ("first_form", c_uint32),
        ("form_count", c_uint32),
        ("state", c_uint32),
        ("rule", c_uint32),
        ("reserved", c_uint32),
        ("first_variant", c_uint64),
        ("variant_count", c_uint64),
    ]


class OperandRecord(Structure):
    _fields_ = [
        ("name", c_uint32),
        ("type", c_uint32),
    ]


# Of each function its result and its parameters.
FUNCTIONS = {
    "kernelgen_last_error": (c_char_p, ()),
    "kernelgen_status_name": (c_char_p, (c_int,)),
    "kernelgen_version": (c_char_p, ()),
    "kernelgen_dtype_size": (c_size_t, (c_int32,)),
    "kernelgen_dtype_block": (c_size_t, (c_int32,)),
    "kernelgen_dtype_name": (c_char_p, (c_int32,)),
    "kernelgen_dtype_parse": (c_int, (c_char_p, POINTER(c_int32))),
    "kernelgen_call_all": (c_int, (c_char_p, POINTER(c_void_p), c_size_t, POINTER(Scalar), c_size_t, c_void_p,
        POINTER(c_void_p), c_size_t, POINTER(c_size_t))),
    "kernelgen_communicator_make_id": (c_int, (c_void_p, POINTER(CommunicatorId))),
    "kernelgen_communicator_join": (c_int, (c_void_p, c_int, c_int, POINTER(CommunicatorId),
        POINTER(c_void_p))),
    "kernelgen_communicator_release": (None, (c_void_p,)),
    "kernelgen_all_reduce": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_reduce_scatter": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_all_gather": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_broadcast": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_send": (c_int, (c_void_p, c_void_p, c_int, c_void_p)),
    "kernelgen_receive": (c_int, (c_void_p, c_void_p, c_int, c_void_p)),
    "kernelgen_group_begin": (c_int, ()),
    "kernelgen_group_end": (c_int, ()),
    "kernelgen_device_compile": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(c_char_p), c_size_t, c_int,
        POINTER(c_void_p))),
    "kernelgen_module_log": (c_int, (c_void_p, POINTER(c_char_p))),
    "kernelgen_device_compile_manifest": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(c_char_p),
        POINTER(c_char_p), c_size_t, c_int, POINTER(c_void_p), POINTER(c_uint32))),
    "kernelgen_expression": (c_int, (c_char_p, POINTER(ExpressionOperand), c_size_t, POINTER(c_int32),
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_device_open": (c_int, (c_char_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_device_open_packages": (c_int, (c_char_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p))),
    "kernelgen_device_add_package": (c_int, (c_void_p, c_void_p, POINTER(c_uint32))),
    "kernelgen_device_retain": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_device_release": (None, (c_void_p,)),
    "kernelgen_device_count": (c_int, (c_int, POINTER(c_int))),
    "kernelgen_device_describe": (c_int, (c_void_p, POINTER(DeviceInfo))),
    "kernelgen_device_free_memory": (c_int, (c_void_p, POINTER(c_size_t))),
    "kernelgen_device_package": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_device_synchronize": (c_int, (c_void_p,)),
    "kernelgen_device_set_seed": (c_int, (c_void_p, c_uint64)),
    "kernelgen_device_get_seed": (c_int, (c_void_p, POINTER(c_uint64))),
    "kernelgen_device_preload": (c_int, (c_void_p,)),
    "kernelgen_device_memory_use": (c_int, (c_void_p, POINTER(MemoryUse))),
    "kernelgen_device_set_memory_limit": (c_int, (c_void_p, c_size_t)),
    "kernelgen_device_reset_peak_memory": (c_int, (c_void_p,)),
    "kernelgen_device_set_allocator": (c_int, (c_void_p, CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_void_p),
        CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_void_p), c_void_p)),
    "kernelgen_device_trim_memory": (c_int, (c_void_p,)),
    "kernelgen_stream_new": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_stream_new_with_priority": (c_int, (c_void_p, c_int, POINTER(c_void_p))),
    "kernelgen_stream_of_thread": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_device_use_thread_streams": (c_int, (c_void_p, c_int)),
    "kernelgen_device_follow_streams": (c_int, (c_void_p, c_int)),
    "kernelgen_device_follows_streams": (c_int, (c_void_p, POINTER(c_int))),
    "kernelgen_device_call": (c_int, (c_void_p, Release, c_void_p, c_void_p)),
    "kernelgen_stream_release": (None, (c_void_p,)),
    "kernelgen_stream_synchronize": (c_int, (c_void_p,)),
    "kernelgen_stream_native": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_stream_wait": (c_int, (c_void_p, c_void_p, c_void_p)),
    "kernelgen_event_record": (c_int, (c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_event_release": (None, (c_void_p,)),
    "kernelgen_event_synchronize": (c_int, (c_void_p,)),
    "kernelgen_event_elapsed": (c_int, (c_void_p, c_void_p, POINTER(c_double))),
    "kernelgen_device_kernel": (c_int, (c_void_p, c_uint32, POINTER(Function))),
    "kernelgen_device_find_kernel": (c_int, (c_void_p, c_char_p, POINTER(c_uint32))),
    "kernelgen_module_load": (c_int, (c_void_p, c_void_p, c_size_t, c_char_p, POINTER(c_void_p))),
    "kernelgen_module_release": (None, (c_void_p,)),
    "kernelgen_module_function": (c_int, (c_void_p, c_char_p, POINTER(Function))),
    "kernelgen_module_arguments": (c_int, (c_void_p, c_char_p, c_size_t, POINTER(KernelArgument),
        POINTER(c_size_t))),
    "kernelgen_device_module_use": (c_int, (c_void_p, POINTER(ModuleUse))),
    "kernelgen_device_on_launch": (c_int, (c_void_p, CFUNCTYPE(None, c_void_p, POINTER(LaunchInfo)), Release,
        c_void_p)),
    "kernelgen_launch": (c_int, (c_void_p, Function, POINTER(LaunchShape), c_void_p, c_size_t, c_void_p)),
    "kernelgen_launch_kernel": (c_int, (c_void_p, c_uint32, POINTER(LaunchShape), c_void_p, c_size_t,
        c_void_p)),
    "kernelgen_gguf_open": (c_int, (c_char_p, POINTER(c_void_p))),
    "kernelgen_gguf_from_memory": (c_int, (c_void_p, c_size_t, POINTER(c_void_p))),
    "kernelgen_gguf_release": (None, (c_void_p,)),
    "kernelgen_gguf_counts": (c_int, (c_void_p, POINTER(c_size_t), POINTER(c_size_t))),
    "kernelgen_gguf_key": (c_int, (c_void_p, c_size_t, POINTER(Text))),
    "kernelgen_gguf_kind": (c_int, (c_void_p, c_char_p, POINTER(c_int32), POINTER(c_int), POINTER(c_uint64))),
    "kernelgen_gguf_integer": (c_int, (c_void_p, c_char_p, POINTER(c_int64))),
    "kernelgen_gguf_real": (c_int, (c_void_p, c_char_p, POINTER(c_double))),
    "kernelgen_gguf_boolean": (c_int, (c_void_p, c_char_p, POINTER(c_int))),
    "kernelgen_gguf_text": (c_int, (c_void_p, c_char_p, POINTER(Text))),
    "kernelgen_gguf_integers": (c_int, (c_void_p, c_char_p, POINTER(c_int64), c_size_t)),
    "kernelgen_gguf_reals": (c_int, (c_void_p, c_char_p, POINTER(c_double), c_size_t)),
    "kernelgen_gguf_texts": (c_int, (c_void_p, c_char_p, POINTER(Text), c_size_t)),
    "kernelgen_gguf_describe": (c_int, (c_void_p, c_size_t, POINTER(GgufTensor))),
    "kernelgen_gguf_find": (c_int, (c_void_p, c_char_p, POINTER(c_size_t))),
    "kernelgen_gguf_bytes": (c_int, (c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t))),
    "kernelgen_gguf_load": (c_int, (c_void_p, c_void_p, c_char_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_graph_begin": (c_int, (c_void_p, c_void_p)),
    "kernelgen_graph_end": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_graph_cancel": (None, ()),
    "kernelgen_graph_begin_update": (c_int, (c_void_p,)),
    "kernelgen_graph_end_update": (c_int, (c_void_p, POINTER(c_int))),
    "kernelgen_graph_release": (None, (c_void_p,)),
    "kernelgen_graph_launch": (c_int, (c_void_p, c_void_p)),
    "kernelgen_graph_describe": (c_int, (c_void_p, POINTER(GraphInfo))),
    "kernelgen_device_find_typed_kernel": (c_int, (c_void_p, c_char_p, c_char_p, POINTER(c_uint32))),
    "kernelgen_launch_arguments": (c_int, (c_void_p, c_uint32, POINTER(LaunchShape), POINTER(LaunchArgument),
        c_size_t, c_void_p)),
    "kernelgen_attention": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(AttentionOptions), c_void_p,
        c_void_p, POINTER(c_void_p))),
    "kernelgen_call": (c_int, (c_char_p, POINTER(c_void_p), c_size_t, POINTER(Scalar), c_size_t, c_void_p,
        c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu_erf": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_silu": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sigmoid": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_normcdf": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_relu": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_elu": (c_int, (c_void_p, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_silu_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_affine": (c_int, (c_void_p, Scalar, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_add": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sub": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_div": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_maximum": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_minimum": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_eq": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_ne": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_lt": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_le": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gt": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_ge": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_exp": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_log": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sin": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_cos": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_tanh": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_erf": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_powf": (c_int, (c_void_p, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_ceil": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_floor": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_round": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sqr": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_abs": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_neg": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sign": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sqrt": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_recip": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_expm1": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_softplus": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu_quick": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_xielu": (c_int, (c_void_p, Scalar, Scalar, Scalar, Scalar, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_relu_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu_erf_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gelu_quick_mul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_swiglu_oai": (c_int, (c_void_p, c_void_p, Scalar, Scalar, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_step": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_trunc": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_clamp": (c_int, (c_void_p, Scalar, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_leaky_relu": (c_int, (c_void_p, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_hardsigmoid": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_hardswish": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_to_dtype": (c_int, (c_void_p, c_int32, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_where_cond": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_copy": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_copy_into": (c_int, (c_void_p, c_void_p, c_void_p)),
    "kernelgen_copy2d": (c_int, (c_void_p, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_int64,
        c_void_p)),
    "kernelgen_const_set": (c_int, (c_void_p, Scalar, c_void_p)),
    "kernelgen_conv2d": (c_int, (c_void_p, c_void_p, Window2, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_conv1d": (c_int, (c_void_p, c_void_p, Window1, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_conv_transpose2d": (c_int, (c_void_p, c_void_p, Window2, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_conv_transpose1d": (c_int, (c_void_p, c_void_p, Window1, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_avg_pool2d": (c_int, (c_void_p, Size2, Size2, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_max_pool2d": (c_int, (c_void_p, Size2, Size2, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_upsample_nearest1d": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_upsample_nearest2d": (c_int, (c_void_p, Size2, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_upsample_bilinear2d": (c_int, (c_void_p, Size2, c_int, POINTER(c_double), POINTER(c_double),
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_gather": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_index_select": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_scatter_set": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, c_void_p)),
    "kernelgen_scatter_add_set": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, c_int, c_void_p)),
    "kernelgen_index_add": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_cross_entropy": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p),
        POINTER(c_void_p))),
    "kernelgen_concat": (c_int, (POINTER(c_void_p), c_size_t, c_int64, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_stack": (c_int, (POINTER(c_void_p), c_size_t, c_int64, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_pad": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_size_t, POINTER(c_int64), Scalar,
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_pad_reflect": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_size_t, POINTER(c_int64),
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_pad_replicate": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_size_t, POINTER(c_int64),
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_pad_circular": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_size_t, POINTER(c_int64),
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_roll": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_size_t, POINTER(c_int64), c_void_p,
        c_void_p, POINTER(c_void_p))),
    "kernelgen_tril": (c_int, (c_void_p, c_int64, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_triu": (c_int, (c_void_p, c_int64, Scalar, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_diag": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_matmul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_softmax": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_scaled_softmax": (c_int, (c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_log_softmax": (c_int, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rms_norm": (c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_layer_norm": (c_int, (c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_plain_rms_norm": (c_int, (c_void_p, c_double, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_plain_layer_norm": (c_int, (c_void_p, c_double, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_l2_norm": (c_int, (c_void_p, c_double, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_group_norm": (c_int, (c_void_p, c_int64, c_double, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_add_rms_norm": (c_int, (c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_add_layer_norm": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p,
        c_void_p, POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_quantize": (c_int, (c_void_p, c_int32, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_dequantize": (c_int, (c_void_p, c_int32, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_get_rows": (c_int, (c_void_p, c_void_p, c_int32, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_set_rows": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "kernelgen_quantized_matmul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_indexed_matmul": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_rand_uniform": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int32, Scalar, Scalar,
        c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rand_normal": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int32, Scalar, Scalar, c_void_p,
        c_void_p, POINTER(c_void_p))),
    "kernelgen_linear_recurrence": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_int, c_int, c_void_p,
        c_void_p, POINTER(c_void_p))),
    "kernelgen_sum": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_mean": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_prod": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_min": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_max": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_any": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_all": (c_int, (c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_argmin": (c_int, (c_void_p, POINTER(c_int64), c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_argmax": (c_int, (c_void_p, POINTER(c_int64), c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_min_with_index": (c_int, (c_void_p, POINTER(c_int64), c_int, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_max_with_index": (c_int, (c_void_p, POINTER(c_int64), c_int, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_reduce": (c_int, (c_char_p, c_void_p, c_size_t, POINTER(c_int64), c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_reduce_inputs": (c_int, (c_char_p, POINTER(c_void_p), c_size_t, c_size_t, POINTER(c_int64),
        c_int, POINTER(Scalar), c_size_t, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rope": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rope_i": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rope_thd": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_rope_qk": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_rope_i_qk": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_rope_thd_qk": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        POINTER(c_void_p), POINTER(c_void_p))),
    "kernelgen_rope_set_rows": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_cumsum": (c_int, (c_void_p, c_int64, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_arange": (c_int, (c_void_p, Scalar, Scalar, Scalar, c_int32, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_timestep_embedding": (c_int, (c_void_p, c_int64, c_double, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_solve_triangular": (c_int, (c_void_p, c_void_p, c_int, c_int, c_void_p, c_void_p,
        POINTER(c_void_p))),
    "kernelgen_arg_sort": (c_int, (c_void_p, c_int, c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_sort": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, POINTER(c_void_p),
        POINTER(c_void_p))),
    "kernelgen_top_k": (c_int, (c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p, POINTER(c_void_p),
        POINTER(c_void_p))),
    "kernelgen_package_embedded": (c_int, (POINTER(c_void_p),)),
    "kernelgen_package_open": (c_int, (c_char_p, POINTER(c_void_p))),
    "kernelgen_package_from_memory": (c_int, (c_void_p, c_size_t, POINTER(c_void_p))),
    "kernelgen_package_release": (None, (c_void_p,)),
    "kernelgen_package_targets": (c_int, (c_void_p, POINTER(POINTER(TargetRecord)), POINTER(c_size_t))),
    "kernelgen_package_modules": (c_int, (c_void_p, POINTER(POINTER(ModuleRecord)), POINTER(c_size_t))),
    "kernelgen_package_kernels": (c_int, (c_void_p, POINTER(POINTER(KernelRecord)), POINTER(c_size_t))),
    "kernelgen_package_operations": (c_int, (c_void_p, POINTER(POINTER(OperationRecord)), POINTER(c_size_t))),
    "kernelgen_package_blobs": (c_int, (c_void_p, POINTER(POINTER(BlobRecord)), POINTER(c_size_t))),
    "kernelgen_package_arguments": (c_int, (c_void_p, c_uint32, POINTER(POINTER(ArgumentRecord)),
        POINTER(c_size_t))),
    "kernelgen_package_operands": (c_int, (c_void_p, c_uint32, POINTER(POINTER(OperandRecord)),
        POINTER(c_size_t))),
    "kernelgen_package_variables": (c_int, (c_void_p, c_uint32, POINTER(POINTER(VariableRecord)),
        POINTER(c_size_t))),
    "kernelgen_package_forms": (c_int, (c_void_p, c_uint32, POINTER(POINTER(c_uint32)), POINTER(c_size_t))),
    "kernelgen_package_variants": (c_int, (c_void_p, c_uint32, POINTER(POINTER(c_uint32)),
        POINTER(c_size_t))),
    "kernelgen_package_digits": (c_int, (c_void_p, POINTER(POINTER(c_uint8)), POINTER(c_size_t))),
    "kernelgen_package_resources": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(POINTER(ResourceRecord)))),
    "kernelgen_package_code": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(c_void_p), POINTER(c_size_t))),
    "kernelgen_package_text": (c_int, (c_void_p, c_uint32, POINTER(c_char_p))),
    "kernelgen_package_provenance": (c_int, (c_void_p, POINTER(c_char_p), POINTER(c_size_t))),
    "kernelgen_package_bytes": (c_int, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
    "kernelgen_package_find_kernel": (c_int, (c_void_p, c_char_p, POINTER(c_uint32))),
    "kernelgen_package_find_target": (c_int, (c_void_p, c_char_p, POINTER(c_uint32))),
    "kernelgen_package_find_operation": (c_int, (c_void_p, c_char_p, POINTER(c_uint32))),
    "kernelgen_package_verify": (c_int, (c_void_p,)),
    "kernelgen_tensor_empty": (c_int, (c_void_p, c_int32, c_size_t, POINTER(c_int64), c_void_p,
        POINTER(c_void_p))),
    "kernelgen_tensor_zeros": (c_int, (c_void_p, c_int32, c_size_t, POINTER(c_int64), c_void_p,
        POINTER(c_void_p))),
    "kernelgen_tensor_from_host": (c_int, (c_void_p, c_void_p, c_size_t, c_int32, c_size_t, POINTER(c_int64),
        c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_borrow": (c_int, (c_void_p, c_void_p, c_size_t, c_int32, c_size_t, POINTER(c_int64),
        Release, c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_release": (None, (c_void_p,)),
    "kernelgen_tensor_retain": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_to_host": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "kernelgen_tensor_shape": (c_int, (c_void_p, POINTER(POINTER(c_int64)), POINTER(c_size_t))),
    "kernelgen_tensor_strides": (c_int, (c_void_p, POINTER(POINTER(c_int64)), POINTER(c_size_t))),
    "kernelgen_tensor_dtype": (c_int, (c_void_p, POINTER(c_int32))),
    "kernelgen_tensor_elements": (c_int, (c_void_p, POINTER(c_int64))),
    "kernelgen_tensor_bytes": (c_int, (c_void_p, POINTER(c_size_t))),
    "kernelgen_tensor_is_contiguous": (c_int, (c_void_p, POINTER(c_int))),
    "kernelgen_tensor_offset": (c_int, (c_void_p, POINTER(c_int64))),
    "kernelgen_tensor_data": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_use": (c_int, (c_void_p, c_void_p, c_int)),
    "kernelgen_tensor_device": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_transpose": (c_int, (c_void_p, c_int64, c_int64, POINTER(c_void_p))),
    "kernelgen_tensor_permute": (c_int, (c_void_p, c_size_t, POINTER(c_int64), POINTER(c_void_p))),
    "kernelgen_tensor_narrow": (c_int, (c_void_p, c_int64, c_int64, c_int64, POINTER(c_void_p))),
    "kernelgen_tensor_broadcast_to": (c_int, (c_void_p, c_size_t, POINTER(c_int64), POINTER(c_void_p))),
    "kernelgen_tensor_reshape": (c_int, (c_void_p, c_size_t, POINTER(c_int64), POINTER(c_void_p))),
    "kernelgen_tensor_squeeze": (c_int, (c_void_p, c_int64, POINTER(c_void_p))),
    "kernelgen_tensor_unsqueeze": (c_int, (c_void_p, c_int64, POINTER(c_void_p))),
    "kernelgen_tensor_as_strided": (c_int, (c_void_p, c_size_t, POINTER(c_int64), POINTER(c_int64), c_int64,
        POINTER(c_void_p))),
    "kernelgen_tensor_to_dlpack": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_from_dlpack": (c_int, (c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_to_dlpack_versioned": (c_int, (c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_from_dlpack_versioned": (c_int, (c_void_p, c_void_p, POINTER(c_void_p))),
    "kernelgen_tensor_is_read_only": (c_int, (c_void_p, POINTER(c_int))),
    "kernelgen_pinned_new": (c_int, (c_void_p, c_size_t, POINTER(c_void_p))),
    "kernelgen_pinned_release": (None, (c_void_p,)),
    "kernelgen_pinned_data": (c_int, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
    "kernelgen_upload": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "kernelgen_download": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "kernelgen_tensor_to_device": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))),
}
