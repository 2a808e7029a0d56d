//! The C interface as it is: kernelgen/kernelgen.h. Written by bindings/generate.py from the C headers; do not edit.
//!
//! For what the safe modules leave out; the C headers say what each function does.
#![allow(missing_docs)]

use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
pub struct Package {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Device {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Stream {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Event {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Module {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Tensor {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Graph {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Pinned {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Communicator {
    _private: [u8; 0],
}
#[repr(C)]
pub struct Gguf {
    _private: [u8; 0],
}
#[repr(C)]
pub struct DLManagedTensor {
    _private: [u8; 0],
}
#[repr(C)]
pub struct DLManagedTensorVersioned {
    _private: [u8; 0],
}

pub const PACKAGE_VERSION: u32 = 6;
pub const NO_KERNEL: u32 = 0xffffffff;
pub const NO_BLOB: u32 = 0xffffffff;
pub const MAX_TYPE_VARIABLES: u32 = 3;
pub const MAX_INPUTS: u32 = 3;
pub const MAX_SCALARS: u32 = 8;
pub const MAX_RESULTS: u32 = 8;
pub const MAX_ARGUMENT_BYTES: u32 = 4096;
pub const MAX_REFERENCES: u32 = 2;
pub const MAX_DTYPES: u32 = 40;
pub const FIRST_RAW_CODE: u32 = 64;
pub const ELEMENT_CODES: u32 = 68;
pub const NO_DIGIT: u32 = 0xff;
pub const TYPE_VARIABLE: u32 = 0x80000000;
pub const STATE_COUNTS_ONE: u32 = 0x80000000;
pub const U8: i32 = 0;
pub const U32: i32 = 1;
pub const I16: i32 = 2;
pub const I32: i32 = 3;
pub const I64: i32 = 4;
pub const BF16: i32 = 5;
pub const F16: i32 = 6;
pub const F32: i32 = 7;
pub const F64: i32 = 8;
pub const F8E4M3: i32 = 9;
pub const Q4_0: i32 = 10;
pub const Q4_1: i32 = 11;
pub const Q5_0: i32 = 12;
pub const Q5_1: i32 = 13;
pub const Q8_0: i32 = 14;
pub const Q8_1: i32 = 15;
pub const Q2_K: i32 = 16;
pub const Q3_K: i32 = 17;
pub const Q4_K: i32 = 18;
pub const Q5_K: i32 = 19;
pub const Q6_K: i32 = 20;
pub const Q8_K: i32 = 21;
pub const IQ4_NL: i32 = 22;
pub const MXFP4: i32 = 23;
pub const IQ4_XS: i32 = 24;
pub const NVFP4: i32 = 25;
pub const Q1_0: i32 = 26;
pub const Q2_0: i32 = 27;
pub const TQ1_0: i32 = 28;
pub const TQ2_0: i32 = 29;
pub const IQ2_XXS: i32 = 30;
pub const IQ2_XS: i32 = 31;
pub const IQ2_S: i32 = 32;
pub const IQ3_XXS: i32 = 33;
pub const IQ3_S: i32 = 34;
pub const IQ1_S: i32 = 35;
pub const IQ1_M: i32 = 36;
pub const DTYPE_COUNT: i32 = 37;
pub const OK: i32 = 0;
pub const INVALID_ARGUMENT: i32 = 1;
pub const NOT_FOUND: i32 = 2;
pub const UNSUPPORTED: i32 = 3;
pub const OUT_OF_MEMORY: i32 = 4;
pub const DEVICE_ERROR: i32 = 5;
pub const BAD_PACKAGE: i32 = 6;
pub const INDEX_OUT_OF_RANGE: i32 = 7;
pub const IO: i32 = 8;
pub const INTERNAL: i32 = 9;
pub const REDUCE_SUM: i32 = 0;
pub const REDUCE_PRODUCT: i32 = 1;
pub const REDUCE_MIN: i32 = 2;
pub const REDUCE_MAX: i32 = 3;
pub const REDUCE_MEAN: i32 = 4;
pub const CPU: i32 = 0;
pub const HIP: i32 = 1;
pub const CUDA: i32 = 2;
pub const PRIORITY_LOW: i32 = 0;
pub const PRIORITY_NORMAL: i32 = 1;
pub const PRIORITY_HIGH: i32 = 2;
pub const GGUF_U8: i32 = 0;
pub const GGUF_I8: i32 = 1;
pub const GGUF_U16: i32 = 2;
pub const GGUF_I16: i32 = 3;
pub const GGUF_U32: i32 = 4;
pub const GGUF_I32: i32 = 5;
pub const GGUF_F32: i32 = 6;
pub const GGUF_BOOLEAN: i32 = 7;
pub const GGUF_TEXT: i32 = 8;
pub const GGUF_ARRAY: i32 = 9;
pub const GGUF_U64: i32 = 10;
pub const GGUF_I64: i32 = 11;
pub const GGUF_F64: i32 = 12;
pub const CODEC_NONE: i32 = 0;
pub const CODEC_ZSTD: i32 = 1;
pub const OPERATION_OTHER: i32 = 0;
pub const OPERATION_MAP: i32 = 1;
pub const OPERATION_REDUCE: i32 = 2;
pub const OPERATION_ROW: i32 = 3;
pub const OPERATION_BODY: i32 = 4;
pub const OPERATION_MATMUL: i32 = 5;
pub const STATE_SUM: i32 = 0;
pub const STATE_EXTREME: i32 = 1;
pub const STATE_TRUTH: i32 = 2;
pub const STATE_INDEX: i32 = 3;
pub const STATE_EXPRESSION: i32 = 4;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar {
    pub is_integer: c_int,
    pub real: f64,
    pub integer: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CommunicatorId {
    pub bytes: [c_char; 128],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ExpressionOperand {
    pub name: *const c_char,
    pub tensor: *const Tensor,
    pub number: Scalar,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceInfo {
    pub kind: c_int,
    pub ordinal: c_int,
    pub id: u64,
    pub location: *const c_char,
    pub name: *const c_char,
    pub architecture: *const c_char,
    pub target: *const c_char,
    pub total_memory: usize,
    pub wave_size: c_int,
    pub compute_units: c_int,
    pub supports_bf16: c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryUse {
    pub in_use: usize,
    pub peak: usize,
    pub cached: usize,
    pub free: usize,
    pub total: usize,
    pub limit: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchShape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Function {
    pub handle: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelArgument {
    pub offset: u32,
    pub size: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModuleUse {
    pub loaded: usize,
    pub loads: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchInfo {
    pub kernel: *const c_char,
    pub shape: LaunchShape,
    pub argument_bytes: usize,
    pub stream: *mut c_void,
    pub is_captured: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub data: *const c_char,
    pub bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct GgufTensor {
    pub name: Text,
    pub format_name: Text,
    pub format: u32,
    pub dtype: i32,
    pub rank: usize,
    pub shape: [i64; 8],
    pub offset: u64,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphInfo {
    pub nodes: usize,
    pub memory: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct LaunchArgument {
    pub tensor: *const Tensor,
    pub value: *const c_void,
    pub bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct AttentionOptions {
    pub size: usize,
    pub scale: f64,
    pub soft_cap: f64,
    pub causal: c_int,
    pub window_left: i64,
    pub window_right: i64,
    pub mask: *const Tensor,
    pub alibi_slopes: *const Tensor,
    pub sinks: *const Tensor,
    pub query_lengths: *const Tensor,
    pub key_lengths: *const Tensor,
    pub block_table: *const Tensor,
    pub log_sum_exp: *const Tensor,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size2 {
    pub height: i64,
    pub width: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window1 {
    pub stride: i64,
    pub padding: i64,
    pub dilation: i64,
    pub output_padding: i64,
    pub groups: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window2 {
    pub stride: Size2,
    pub padding: Size2,
    pub dilation: Size2,
    pub output_padding: Size2,
    pub groups: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlobRecord {
    pub offset: u64,
    pub stored_bytes: u64,
    pub bytes: u64,
    pub codec: u32,
    pub reference: u32,
    pub hash_low: u64,
    pub hash_high: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    pub offset: u64,
    pub count: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PackageHeader {
    pub magic: [c_char; 8],
    pub version: u32,
    pub header_bytes: u32,
    pub package_bytes: u64,
    pub hash: u64,
    pub tables: BlobRecord,
    pub strings: Table,
    pub provenance: Table,
    pub targets: Table,
    pub modules: Table,
    pub kernels: Table,
    pub arguments: Table,
    pub resources: Table,
    pub objects: Table,
    pub blobs: Table,
    pub displacements: Table,
    pub slots: Table,
    pub operations: Table,
    pub operands: Table,
    pub variables: Table,
    pub digits: Table,
    pub forms: Table,
    pub variants: Table,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRecord {
    pub name: u32,
    pub kind: u32,
    pub wave_size: u32,
    pub code_object_version: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModuleRecord {
    pub name: u32,
    pub first_kernel: u32,
    pub kernel_count: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelRecord {
    pub name: u32,
    pub module: u32,
    pub first_argument: u32,
    pub argument_count: u32,
    pub kernarg_bytes: u32,
    pub block: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArgumentRecord {
    pub name: u32,
    pub type_: u32,
    pub offset: u32,
    pub size: u32,
    pub is_pointer: u32,
    pub is_written: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceRecord {
    pub vgprs: u16,
    pub agprs: u16,
    pub sgprs: u16,
    pub vgpr_spills: u16,
    pub sgpr_spills: u16,
    pub wave_size: u16,
    pub lds_bytes: u32,
    pub scratch_bytes: u32,
    pub kernarg_bytes: u32,
    pub max_block: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectRecord {
    pub blob: u32,
    pub reserved: u32,
    pub offset: u64,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariableRecord {
    pub name: u32,
    pub radix: u32,
    pub first_digit: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperationRecord {
    pub name: u32,
    pub kind: u32,
    pub first_variable: u32,
    pub variable_count: u32,
    pub first_operand: u32,
    pub input_count: u32,
    pub scalar_count: u32,
    pub first_form: u32,
    pub form_count: u32,
    pub state: u32,
    pub rule: u32,
    pub reserved: u32,
    pub first_variant: u64,
    pub variant_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperandRecord {
    pub name: u32,
    pub type_: u32,
}

extern "C" {
    pub fn kernelgen_last_error() -> *const c_char;
    pub fn kernelgen_status_name(status: c_int) -> *const c_char;
    pub fn kernelgen_version() -> *const c_char;
    pub fn kernelgen_dtype_size(dtype: i32) -> usize;
    pub fn kernelgen_dtype_block(dtype: i32) -> usize;
    pub fn kernelgen_dtype_name(dtype: i32) -> *const c_char;
    pub fn kernelgen_dtype_parse(name: *const c_char, dtype: *mut i32) -> c_int;
    pub fn kernelgen_call_all(
        operation: *const c_char,
        inputs: *const *const Tensor,
        input_count: usize,
        scalars: *const Scalar,
        scalar_count: usize,
        stream: *const Stream,
        results: *mut *mut Tensor,
        capacity: usize,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_communicator_make_id(device: *const Device, id: *mut CommunicatorId) -> c_int;
    pub fn kernelgen_communicator_join(
        device: *const Device,
        ranks: c_int,
        rank: c_int,
        id: *const CommunicatorId,
        communicator: *mut *mut Communicator,
    ) -> c_int;
    pub fn kernelgen_communicator_release(communicator: *mut Communicator);
    pub fn kernelgen_all_reduce(
        communicator: *const Communicator,
        x: *const Tensor,
        reduction: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_reduce_scatter(
        communicator: *const Communicator,
        x: *const Tensor,
        reduction: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_all_gather(
        communicator: *const Communicator,
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_broadcast(
        communicator: *const Communicator,
        x: *const Tensor,
        root: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_send(
        communicator: *const Communicator,
        x: *const Tensor,
        to: c_int,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_receive(
        communicator: *const Communicator,
        result: *const Tensor,
        from: c_int,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_group_begin() -> c_int;
    pub fn kernelgen_group_end() -> c_int;
    pub fn kernelgen_device_compile(
        device: *const Device,
        source: *const c_char,
        name: *const c_char,
        flags: *const *const c_char,
        flag_count: usize,
        is_cached: c_int,
        module: *mut *mut Module,
    ) -> c_int;
    pub fn kernelgen_module_log(module: *const Module, log: *mut *const c_char) -> c_int;
    pub fn kernelgen_device_compile_manifest(
        device: *const Device,
        manifest: *const c_char,
        name: *const c_char,
        header_names: *const *const c_char,
        header_texts: *const *const c_char,
        header_count: usize,
        is_cached: c_int,
        package: *mut *mut Package,
        number: *mut u32,
    ) -> c_int;
    pub fn kernelgen_expression(
        text: *const c_char,
        operands: *const ExpressionOperand,
        operand_count: usize,
        dtype: *const i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_device_open(
        name: *const c_char,
        package: *const Package,
        device: *mut *mut Device,
    ) -> c_int;
    pub fn kernelgen_device_open_packages(
        name: *const c_char,
        packages: *const *const Package,
        count: usize,
        device: *mut *mut Device,
    ) -> c_int;
    pub fn kernelgen_device_add_package(
        device: *const Device,
        package: *const Package,
        number: *mut u32,
    ) -> c_int;
    pub fn kernelgen_device_retain(device: *const Device, shared: *mut *mut Device) -> c_int;
    pub fn kernelgen_device_release(device: *mut Device);
    pub fn kernelgen_device_count(kind: c_int, count: *mut c_int) -> c_int;
    pub fn kernelgen_device_describe(device: *const Device, info: *mut DeviceInfo) -> c_int;
    pub fn kernelgen_device_free_memory(device: *const Device, bytes: *mut usize) -> c_int;
    pub fn kernelgen_device_package(device: *const Device, package: *mut *mut Package) -> c_int;
    pub fn kernelgen_device_synchronize(device: *const Device) -> c_int;
    pub fn kernelgen_device_set_seed(device: *const Device, seed: u64) -> c_int;
    pub fn kernelgen_device_get_seed(device: *const Device, seed: *mut u64) -> c_int;
    pub fn kernelgen_device_preload(device: *const Device) -> c_int;
    pub fn kernelgen_device_memory_use(device: *const Device, memory: *mut MemoryUse) -> c_int;
    pub fn kernelgen_device_set_memory_limit(device: *const Device, bytes: usize) -> c_int;
    pub fn kernelgen_device_reset_peak_memory(device: *const Device) -> c_int;
    pub fn kernelgen_device_set_allocator(
        device: *const Device,
        allocate: Option<unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> *mut c_void>,
        give_back: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, usize, *mut c_void)>,
        context: *mut c_void,
    ) -> c_int;
    pub fn kernelgen_device_trim_memory(device: *const Device) -> c_int;
    pub fn kernelgen_stream_new(device: *const Device, stream: *mut *mut Stream) -> c_int;
    pub fn kernelgen_stream_new_with_priority(
        device: *const Device,
        priority: c_int,
        stream: *mut *mut Stream,
    ) -> c_int;
    pub fn kernelgen_stream_of_thread(device: *const Device, stream: *mut *mut Stream) -> c_int;
    pub fn kernelgen_device_use_thread_streams(device: *const Device, own: c_int) -> c_int;
    pub fn kernelgen_device_follow_streams(device: *const Device, follow: c_int) -> c_int;
    pub fn kernelgen_device_follows_streams(device: *const Device, follows: *mut c_int) -> c_int;
    pub fn kernelgen_device_call(
        device: *const Device,
        work: Option<unsafe extern "C" fn(*mut c_void)>,
        context: *mut c_void,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_stream_release(stream: *mut Stream);
    pub fn kernelgen_stream_synchronize(stream: *const Stream) -> c_int;
    pub fn kernelgen_stream_native(stream: *const Stream, native: *mut *mut c_void) -> c_int;
    pub fn kernelgen_stream_wait(device: *const Device, stream: *const Stream, event: *const Event) -> c_int;
    pub fn kernelgen_event_record(
        device: *const Device,
        stream: *const Stream,
        event: *mut *mut Event,
    ) -> c_int;
    pub fn kernelgen_event_release(event: *mut Event);
    pub fn kernelgen_event_synchronize(event: *const Event) -> c_int;
    pub fn kernelgen_event_elapsed(start: *const Event, end: *const Event, milliseconds: *mut f64) -> c_int;
    pub fn kernelgen_device_kernel(device: *const Device, kernel: u32, function: *mut Function) -> c_int;
    pub fn kernelgen_device_find_kernel(
        device: *const Device,
        name: *const c_char,
        kernel: *mut u32,
    ) -> c_int;
    pub fn kernelgen_module_load(
        device: *const Device,
        code: *const c_void,
        bytes: usize,
        name: *const c_char,
        module: *mut *mut Module,
    ) -> c_int;
    pub fn kernelgen_module_release(module: *mut Module);
    pub fn kernelgen_module_function(
        module: *const Module,
        kernel: *const c_char,
        function: *mut Function,
    ) -> c_int;
    pub fn kernelgen_module_arguments(
        module: *const Module,
        kernel: *const c_char,
        capacity: usize,
        arguments: *mut KernelArgument,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_device_module_use(device: *const Device, use_: *mut ModuleUse) -> c_int;
    pub fn kernelgen_device_on_launch(
        device: *const Device,
        look: Option<unsafe extern "C" fn(*mut c_void, *const LaunchInfo)>,
        release: Option<unsafe extern "C" fn(*mut c_void)>,
        context: *mut c_void,
    ) -> c_int;
    pub fn kernelgen_launch(
        device: *const Device,
        function: Function,
        shape: *const LaunchShape,
        arguments: *const c_void,
        bytes: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_launch_kernel(
        device: *const Device,
        kernel: u32,
        shape: *const LaunchShape,
        arguments: *const c_void,
        bytes: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_gguf_open(file: *const c_char, gguf: *mut *mut Gguf) -> c_int;
    pub fn kernelgen_gguf_from_memory(data: *const c_void, bytes: usize, gguf: *mut *mut Gguf) -> c_int;
    pub fn kernelgen_gguf_release(gguf: *mut Gguf);
    pub fn kernelgen_gguf_counts(gguf: *const Gguf, entries: *mut usize, tensors: *mut usize) -> c_int;
    pub fn kernelgen_gguf_key(gguf: *const Gguf, position: usize, key: *mut Text) -> c_int;
    pub fn kernelgen_gguf_kind(
        gguf: *const Gguf,
        key: *const c_char,
        type_: *mut i32,
        is_array: *mut c_int,
        count: *mut u64,
    ) -> c_int;
    pub fn kernelgen_gguf_integer(gguf: *const Gguf, key: *const c_char, value: *mut i64) -> c_int;
    pub fn kernelgen_gguf_real(gguf: *const Gguf, key: *const c_char, value: *mut f64) -> c_int;
    pub fn kernelgen_gguf_boolean(gguf: *const Gguf, key: *const c_char, value: *mut c_int) -> c_int;
    pub fn kernelgen_gguf_text(gguf: *const Gguf, key: *const c_char, value: *mut Text) -> c_int;
    pub fn kernelgen_gguf_integers(
        gguf: *const Gguf,
        key: *const c_char,
        values: *mut i64,
        count: usize,
    ) -> c_int;
    pub fn kernelgen_gguf_reals(
        gguf: *const Gguf,
        key: *const c_char,
        values: *mut f64,
        count: usize,
    ) -> c_int;
    pub fn kernelgen_gguf_texts(
        gguf: *const Gguf,
        key: *const c_char,
        values: *mut Text,
        count: usize,
    ) -> c_int;
    pub fn kernelgen_gguf_describe(gguf: *const Gguf, position: usize, tensor: *mut GgufTensor) -> c_int;
    pub fn kernelgen_gguf_find(gguf: *const Gguf, name: *const c_char, position: *mut usize) -> c_int;
    pub fn kernelgen_gguf_bytes(
        gguf: *const Gguf,
        position: usize,
        data: *mut *const c_void,
        bytes: *mut usize,
    ) -> c_int;
    pub fn kernelgen_gguf_load(
        gguf: *const Gguf,
        device: *const Device,
        name: *const c_char,
        stream: *const Stream,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_graph_begin(device: *const Device, stream: *const Stream) -> c_int;
    pub fn kernelgen_graph_end(device: *const Device, graph: *mut *mut Graph) -> c_int;
    pub fn kernelgen_graph_cancel();
    pub fn kernelgen_graph_begin_update(graph: *const Graph) -> c_int;
    pub fn kernelgen_graph_end_update(graph: *const Graph, in_place: *mut c_int) -> c_int;
    pub fn kernelgen_graph_release(graph: *mut Graph);
    pub fn kernelgen_graph_launch(graph: *const Graph, stream: *const Stream) -> c_int;
    pub fn kernelgen_graph_describe(graph: *const Graph, info: *mut GraphInfo) -> c_int;
    pub fn kernelgen_device_find_typed_kernel(
        device: *const Device,
        name: *const c_char,
        types: *const c_char,
        kernel: *mut u32,
    ) -> c_int;
    pub fn kernelgen_launch_arguments(
        device: *const Device,
        kernel: u32,
        shape: *const LaunchShape,
        arguments: *const LaunchArgument,
        count: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_attention(
        q: *const Tensor,
        k: *const Tensor,
        v: *const Tensor,
        options: *const AttentionOptions,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_call(
        operation: *const c_char,
        inputs: *const *const Tensor,
        input_count: usize,
        scalars: *const Scalar,
        scalar_count: usize,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu_erf(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_silu(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sigmoid(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_normcdf(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_relu(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_elu(
        x: *const Tensor,
        alpha: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_silu_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_affine(
        x: *const Tensor,
        mul: Scalar,
        add: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_add(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sub(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_div(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_maximum(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_minimum(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_eq(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_ne(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_lt(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_le(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gt(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_ge(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_exp(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_log(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sin(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_cos(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tanh(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_erf(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_powf(
        x: *const Tensor,
        e: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_ceil(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_floor(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_round(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sqr(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_abs(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_neg(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sign(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sqrt(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_recip(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_expm1(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_softplus(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu_quick(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_xielu(
        x: *const Tensor,
        alpha_n: Scalar,
        alpha_p: Scalar,
        beta: Scalar,
        eps: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_relu_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu_erf_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gelu_quick_mul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_swiglu_oai(
        a: *const Tensor,
        b: *const Tensor,
        alpha: Scalar,
        limit: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_step(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_trunc(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_clamp(
        x: *const Tensor,
        low: Scalar,
        high: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_leaky_relu(
        x: *const Tensor,
        slope: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_hardsigmoid(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_hardswish(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_to_dtype(
        x: *const Tensor,
        dtype: i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_where_cond(
        condition: *const Tensor,
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_copy(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_copy_into(
        destination: *const Tensor,
        source: *const Tensor,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_copy2d(
        destination: *const Tensor,
        source: *const Tensor,
        rows: i64,
        columns: i64,
        destination_stride: i64,
        source_stride: i64,
        destination_offset: i64,
        source_offset: i64,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_const_set(destination: *const Tensor, value: Scalar, stream: *const Stream) -> c_int;
    pub fn kernelgen_conv2d(
        x: *const Tensor,
        weight: *const Tensor,
        window: Window2,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_conv1d(
        x: *const Tensor,
        weight: *const Tensor,
        window: Window1,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_conv_transpose2d(
        x: *const Tensor,
        weight: *const Tensor,
        window: Window2,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_conv_transpose1d(
        x: *const Tensor,
        weight: *const Tensor,
        window: Window1,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_avg_pool2d(
        x: *const Tensor,
        kernel: Size2,
        stride: Size2,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_max_pool2d(
        x: *const Tensor,
        kernel: Size2,
        stride: Size2,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_upsample_nearest1d(
        x: *const Tensor,
        length: i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_upsample_nearest2d(
        x: *const Tensor,
        size: Size2,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_upsample_bilinear2d(
        x: *const Tensor,
        size: Size2,
        align_corners: c_int,
        scale_height: *const f64,
        scale_width: *const f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_gather(
        x: *const Tensor,
        dim: i64,
        ids: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_index_select(
        x: *const Tensor,
        dim: i64,
        ids: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_scatter_set(
        destination: *const Tensor,
        dim: i64,
        ids: *const Tensor,
        source: *const Tensor,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_scatter_add_set(
        destination: *const Tensor,
        dim: i64,
        ids: *const Tensor,
        source: *const Tensor,
        deterministic: c_int,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_index_add(
        x: *const Tensor,
        dim: i64,
        ids: *const Tensor,
        source: *const Tensor,
        deterministic: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_cross_entropy(
        logits: *const Tensor,
        targets: *const Tensor,
        out_loss: *const Tensor,
        out_log_sum_exp: *const Tensor,
        stream: *const Stream,
        loss: *mut *mut Tensor,
        log_sum_exp: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_concat(
        tensors: *const *const Tensor,
        tensor_count: usize,
        dim: i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_stack(
        tensors: *const *const Tensor,
        tensor_count: usize,
        dim: i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_pad(
        x: *const Tensor,
        before_count: usize,
        before: *const i64,
        after_count: usize,
        after: *const i64,
        value: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_pad_reflect(
        x: *const Tensor,
        before_count: usize,
        before: *const i64,
        after_count: usize,
        after: *const i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_pad_replicate(
        x: *const Tensor,
        before_count: usize,
        before: *const i64,
        after_count: usize,
        after: *const i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_pad_circular(
        x: *const Tensor,
        before_count: usize,
        before: *const i64,
        after_count: usize,
        after: *const i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_roll(
        x: *const Tensor,
        shift_count: usize,
        shifts: *const i64,
        dim_count: usize,
        dims: *const i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tril(
        x: *const Tensor,
        diagonal: i64,
        value: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_triu(
        x: *const Tensor,
        diagonal: i64,
        value: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_diag(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_matmul(
        a: *const Tensor,
        b: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_softmax(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_scaled_softmax(
        x: *const Tensor,
        scale: f64,
        mask: *const Tensor,
        slopes: *const Tensor,
        sinks: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_log_softmax(
        x: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rms_norm(
        x: *const Tensor,
        weight: *const Tensor,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_layer_norm(
        x: *const Tensor,
        weight: *const Tensor,
        bias: *const Tensor,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_plain_rms_norm(
        x: *const Tensor,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_plain_layer_norm(
        x: *const Tensor,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_l2_norm(
        x: *const Tensor,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_group_norm(
        x: *const Tensor,
        groups: i64,
        eps: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_add_rms_norm(
        x: *const Tensor,
        residual: *const Tensor,
        weight: *const Tensor,
        eps: f64,
        out_sum: *const Tensor,
        out_norm: *const Tensor,
        stream: *const Stream,
        sum: *mut *mut Tensor,
        norm: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_add_layer_norm(
        x: *const Tensor,
        residual: *const Tensor,
        weight: *const Tensor,
        bias: *const Tensor,
        eps: f64,
        out_sum: *const Tensor,
        out_norm: *const Tensor,
        stream: *const Stream,
        sum: *mut *mut Tensor,
        norm: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_quantize(
        x: *const Tensor,
        format: i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_dequantize(
        x: *const Tensor,
        dtype: i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_get_rows(
        table: *const Tensor,
        ids: *const Tensor,
        dtype: i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_set_rows(
        destination: *const Tensor,
        ids: *const Tensor,
        source: *const Tensor,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_quantized_matmul(
        x: *const Tensor,
        weights: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_indexed_matmul(
        x: *const Tensor,
        weights: *const Tensor,
        ids: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rand_uniform(
        device: *const Device,
        rank: usize,
        shape: *const i64,
        dtype: i32,
        low: Scalar,
        high: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rand_normal(
        device: *const Device,
        rank: usize,
        shape: *const i64,
        dtype: i32,
        mean: Scalar,
        deviation: Scalar,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_linear_recurrence(
        q: *const Tensor,
        k: *const Tensor,
        v: *const Tensor,
        state: *const Tensor,
        decay: *const Tensor,
        rates: *const Tensor,
        removal: *const Tensor,
        insertion: *const Tensor,
        bonus: *const Tensor,
        scale: f64,
        delta: *const Tensor,
        before: *const Tensor,
        before_ids: *const Tensor,
        discretize: c_int,
        tile_heads: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sum(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_mean(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_prod(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_min(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_max(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_any(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_all(
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_argmin(
        x: *const Tensor,
        dim: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_argmax(
        x: *const Tensor,
        dim: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_min_with_index(
        x: *const Tensor,
        dim: *const i64,
        keep_dims: c_int,
        out_values: *const Tensor,
        out_indices: *const Tensor,
        stream: *const Stream,
        values: *mut *mut Tensor,
        indices: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_max_with_index(
        x: *const Tensor,
        dim: *const i64,
        keep_dims: c_int,
        out_values: *const Tensor,
        out_indices: *const Tensor,
        stream: *const Stream,
        values: *mut *mut Tensor,
        indices: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_reduce(
        operation: *const c_char,
        x: *const Tensor,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_reduce_inputs(
        operation: *const c_char,
        inputs: *const *const Tensor,
        input_count: usize,
        dim_count: usize,
        dims: *const i64,
        keep_dims: c_int,
        scalars: *const Scalar,
        scalar_count: usize,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope(
        x: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_i(
        x: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_thd(
        x: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_qk(
        q: *const Tensor,
        k: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out_q: *const Tensor,
        out_k: *const Tensor,
        stream: *const Stream,
        q_result: *mut *mut Tensor,
        k_result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_i_qk(
        q: *const Tensor,
        k: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out_q: *const Tensor,
        out_k: *const Tensor,
        stream: *const Stream,
        q_result: *mut *mut Tensor,
        k_result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_thd_qk(
        q: *const Tensor,
        k: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        out_q: *const Tensor,
        out_k: *const Tensor,
        stream: *const Stream,
        q_result: *mut *mut Tensor,
        k_result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_rope_set_rows(
        q: *const Tensor,
        k: *const Tensor,
        v: *const Tensor,
        cos: *const Tensor,
        sin: *const Tensor,
        keys: *const Tensor,
        key_ids: *const Tensor,
        values: *const Tensor,
        value_ids: *const Tensor,
        are_neighbours: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_cumsum(
        x: *const Tensor,
        dim: i64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_arange(
        device: *const Device,
        start: Scalar,
        stop: Scalar,
        step: Scalar,
        dtype: i32,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_timestep_embedding(
        x: *const Tensor,
        columns: i64,
        max_period: f64,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_solve_triangular(
        a: *const Tensor,
        b: *const Tensor,
        upper: c_int,
        unit_diagonal: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_arg_sort(
        x: *const Tensor,
        ascending: c_int,
        out: *const Tensor,
        stream: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_sort(
        x: *const Tensor,
        ascending: c_int,
        out_values: *const Tensor,
        out_indices: *const Tensor,
        stream: *const Stream,
        values: *mut *mut Tensor,
        indices: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_top_k(
        x: *const Tensor,
        k: i64,
        dim: i64,
        out_values: *const Tensor,
        out_indices: *const Tensor,
        stream: *const Stream,
        values: *mut *mut Tensor,
        indices: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_package_embedded(package: *mut *mut Package) -> c_int;
    pub fn kernelgen_package_open(file: *const c_char, package: *mut *mut Package) -> c_int;
    pub fn kernelgen_package_from_memory(
        data: *const c_void,
        bytes: usize,
        package: *mut *mut Package,
    ) -> c_int;
    pub fn kernelgen_package_release(package: *mut Package);
    pub fn kernelgen_package_targets(
        package: *const Package,
        targets: *mut *const TargetRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_modules(
        package: *const Package,
        modules: *mut *const ModuleRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_kernels(
        package: *const Package,
        kernels: *mut *const KernelRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_operations(
        package: *const Package,
        operations: *mut *const OperationRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_blobs(
        package: *const Package,
        blobs: *mut *const BlobRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_arguments(
        package: *const Package,
        kernel: u32,
        arguments: *mut *const ArgumentRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_operands(
        package: *const Package,
        operation: u32,
        operands: *mut *const OperandRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_variables(
        package: *const Package,
        operation: u32,
        variables: *mut *const VariableRecord,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_forms(
        package: *const Package,
        operation: u32,
        names: *mut *const u32,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_variants(
        package: *const Package,
        operation: u32,
        kernels: *mut *const u32,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_digits(
        package: *const Package,
        digits: *mut *const u8,
        count: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_resources(
        package: *const Package,
        target: u32,
        kernel: u32,
        resources: *mut *const ResourceRecord,
    ) -> c_int;
    pub fn kernelgen_package_code(
        package: *const Package,
        target: u32,
        module: u32,
        code: *mut *const c_void,
        bytes: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_text(
        package: *const Package,
        string_offset: u32,
        text: *mut *const c_char,
    ) -> c_int;
    pub fn kernelgen_package_provenance(
        package: *const Package,
        text: *mut *const c_char,
        bytes: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_bytes(
        package: *const Package,
        data: *mut *const c_void,
        bytes: *mut usize,
    ) -> c_int;
    pub fn kernelgen_package_find_kernel(
        package: *const Package,
        name: *const c_char,
        kernel: *mut u32,
    ) -> c_int;
    pub fn kernelgen_package_find_target(
        package: *const Package,
        name: *const c_char,
        target: *mut u32,
    ) -> c_int;
    pub fn kernelgen_package_find_operation(
        package: *const Package,
        name: *const c_char,
        operation: *mut u32,
    ) -> c_int;
    pub fn kernelgen_package_verify(package: *const Package) -> c_int;
    pub fn kernelgen_tensor_empty(
        device: *const Device,
        dtype: i32,
        rank: usize,
        shape: *const i64,
        stream: *const Stream,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_zeros(
        device: *const Device,
        dtype: i32,
        rank: usize,
        shape: *const i64,
        stream: *const Stream,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_from_host(
        device: *const Device,
        data: *const c_void,
        bytes: usize,
        dtype: i32,
        rank: usize,
        shape: *const i64,
        stream: *const Stream,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_borrow(
        device: *const Device,
        data: *mut c_void,
        bytes: usize,
        dtype: i32,
        rank: usize,
        shape: *const i64,
        release: Option<unsafe extern "C" fn(*mut c_void)>,
        context: *mut c_void,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_release(tensor: *mut Tensor);
    pub fn kernelgen_tensor_retain(tensor: *const Tensor, shared: *mut *mut Tensor) -> c_int;
    pub fn kernelgen_tensor_to_host(
        tensor: *const Tensor,
        data: *mut c_void,
        bytes: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_tensor_shape(tensor: *const Tensor, shape: *mut *const i64, rank: *mut usize) -> c_int;
    pub fn kernelgen_tensor_strides(
        tensor: *const Tensor,
        strides: *mut *const i64,
        rank: *mut usize,
    ) -> c_int;
    pub fn kernelgen_tensor_dtype(tensor: *const Tensor, dtype: *mut i32) -> c_int;
    pub fn kernelgen_tensor_elements(tensor: *const Tensor, elements: *mut i64) -> c_int;
    pub fn kernelgen_tensor_bytes(tensor: *const Tensor, bytes: *mut usize) -> c_int;
    pub fn kernelgen_tensor_is_contiguous(tensor: *const Tensor, contiguous: *mut c_int) -> c_int;
    pub fn kernelgen_tensor_offset(tensor: *const Tensor, offset: *mut i64) -> c_int;
    pub fn kernelgen_tensor_data(tensor: *const Tensor, data: *mut *mut c_void) -> c_int;
    pub fn kernelgen_tensor_use(tensor: *const Tensor, stream: *const Stream, writes: c_int) -> c_int;
    pub fn kernelgen_tensor_device(tensor: *const Tensor, device: *mut *mut Device) -> c_int;
    pub fn kernelgen_tensor_transpose(
        tensor: *const Tensor,
        dim0: i64,
        dim1: i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_permute(
        tensor: *const Tensor,
        rank: usize,
        order: *const i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_narrow(
        tensor: *const Tensor,
        dim: i64,
        start: i64,
        length: i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_broadcast_to(
        tensor: *const Tensor,
        rank: usize,
        shape: *const i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_reshape(
        tensor: *const Tensor,
        rank: usize,
        shape: *const i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_squeeze(tensor: *const Tensor, dim: i64, view: *mut *mut Tensor) -> c_int;
    pub fn kernelgen_tensor_unsqueeze(tensor: *const Tensor, dim: i64, view: *mut *mut Tensor) -> c_int;
    pub fn kernelgen_tensor_as_strided(
        tensor: *const Tensor,
        rank: usize,
        shape: *const i64,
        strides: *const i64,
        offset: i64,
        view: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_to_dlpack(tensor: *const Tensor, managed: *mut *mut DLManagedTensor) -> c_int;
    pub fn kernelgen_tensor_from_dlpack(
        managed: *mut DLManagedTensor,
        device: *const Device,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_to_dlpack_versioned(
        tensor: *const Tensor,
        managed: *mut *mut DLManagedTensorVersioned,
    ) -> c_int;
    pub fn kernelgen_tensor_from_dlpack_versioned(
        managed: *mut DLManagedTensorVersioned,
        device: *const Device,
        tensor: *mut *mut Tensor,
    ) -> c_int;
    pub fn kernelgen_tensor_is_read_only(tensor: *const Tensor, read_only: *mut c_int) -> c_int;
    pub fn kernelgen_pinned_new(device: *const Device, bytes: usize, pinned: *mut *mut Pinned) -> c_int;
    pub fn kernelgen_pinned_release(pinned: *mut Pinned);
    pub fn kernelgen_pinned_data(pinned: *const Pinned, data: *mut *mut c_void, bytes: *mut usize) -> c_int;
    pub fn kernelgen_upload(
        destination: *const Tensor,
        source: *const Pinned,
        offset: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_download(
        destination: *const Pinned,
        source: *const Tensor,
        offset: usize,
        stream: *const Stream,
    ) -> c_int;
    pub fn kernelgen_tensor_to_device(
        tensor: *const Tensor,
        device: *const Device,
        from: *const Stream,
        to: *const Stream,
        result: *mut *mut Tensor,
    ) -> c_int;
}

impl crate::DType {
    /// `u8`.
    pub const U8: Self = Self(0);
    /// `u32`.
    pub const U32: Self = Self(1);
    /// `i16`.
    pub const I16: Self = Self(2);
    /// `i32`.
    pub const I32: Self = Self(3);
    /// `i64`.
    pub const I64: Self = Self(4);
    /// `bf16`.
    pub const BF16: Self = Self(5);
    /// `f16`.
    pub const F16: Self = Self(6);
    /// `f32`.
    pub const F32: Self = Self(7);
    /// `f64`.
    pub const F64: Self = Self(8);
    /// OCP e4m3fn: no infinity, NaN is 0x7f or 0xff, largest finite value 448.
    pub const F8E4M3: Self = Self(9);
    /// Blocks of 32: f16 scale, codes of 4 bits.
    pub const Q4_0: Self = Self(10);
    /// Blocks of 32: f16 scale and offset, codes of 4 bits.
    pub const Q4_1: Self = Self(11);
    /// Blocks of 32: f16 scale, codes of 5 bits.
    pub const Q5_0: Self = Self(12);
    /// Blocks of 32: f16 scale and offset, codes of 5 bits.
    pub const Q5_1: Self = Self(13);
    /// Blocks of 32: f16 scale, codes of 8 bits.
    pub const Q8_0: Self = Self(14);
    /// Blocks of 32: f16 scale and scaled sum, codes of 8 bits.
    pub const Q8_1: Self = Self(15);
    /// Blocks of 256: 16 scales and offsets of 4 bits, codes of 2 bits.
    pub const Q2_K: Self = Self(16);
    /// Blocks of 256: 16 scales of 6 bits, codes of 3 bits.
    pub const Q3_K: Self = Self(17);
    /// Blocks of 256: 8 scales and offsets of 6 bits, codes of 4 bits.
    pub const Q4_K: Self = Self(18);
    /// Blocks of 256: 8 scales and offsets of 6 bits, codes of 5 bits.
    pub const Q5_K: Self = Self(19);
    /// Blocks of 256: 16 scales of 8 bits, codes of 6 bits.
    pub const Q6_K: Self = Self(20);
    /// Blocks of 256: f32 scale, codes of 8 bits and their sums.
    pub const Q8_K: Self = Self(21);
    /// Blocks of 32: f16 scale, codes of 4 bits that index a table of 16 values.
    pub const IQ4_NL: Self = Self(22);
    /// Blocks of 32: scale as a power of two, e2m1 floats (OCP Microscaling v1.0).
    pub const MXFP4: Self = Self(23);
    /// Blocks of 256: 8 scales of 6 bits, codes as in iq4_nl.
    pub const IQ4_XS: Self = Self(24);
    /// Blocks of 64: 4 scales in e4m3, e2m1 floats.
    pub const NVFP4: Self = Self(25);
    /// Blocks of 128: f16 scale, signs.
    pub const Q1_0: Self = Self(26);
    /// Blocks of 64: f16 scale, codes of 2 bits for -1 to 2.
    pub const Q2_0: Self = Self(27);
    /// Blocks of 256: f16 scale, base-3 digits for -1 to 1, five in a byte.
    pub const TQ1_0: Self = Self(28);
    /// Blocks of 256: f16 scale, codes of 2 bits for -1 to 1.
    pub const TQ2_0: Self = Self(29);
    /// Blocks of 256: 8 scales of 4 bits, 8-bit indices of eight values, signs.
    pub const IQ2_XXS: Self = Self(30);
    /// Blocks of 256: 16 scales of 4 bits, 9-bit indices of eight values, signs.
    pub const IQ2_XS: Self = Self(31);
    /// Blocks of 256: 16 scales of 4 bits, 10-bit indices of eight values, signs.
    pub const IQ2_S: Self = Self(32);
    /// Blocks of 256: 8 scales of 4 bits, 8-bit indices of four values, signs.
    pub const IQ3_XXS: Self = Self(33);
    /// Blocks of 256: 8 scales of 4 bits, 9-bit indices of four values, signs.
    pub const IQ3_S: Self = Self(34);
    /// Blocks of 256: 8 scales of 3 bits, 11-bit indices of eight values, ±1/8.
    pub const IQ1_S: Self = Self(35);
    /// Blocks of 256: 16 scales of 3 bits, 11-bit indices of eight values, ±1/8.
    pub const IQ1_M: Self = Self(36);
}

/// Status codes and what they are here.
pub(crate) const CODES: &[(i32, crate::Code)] = &[
    (1, crate::Code::InvalidArgument),
    (2, crate::Code::NotFound),
    (3, crate::Code::Unsupported),
    (4, crate::Code::OutOfMemory),
    (5, crate::Code::DeviceError),
    (6, crate::Code::BadPackage),
    (7, crate::Code::IndexOutOfRange),
    (8, crate::Code::Io),
    (9, crate::Code::Internal),
];
