//! The launchers of mixtures of experts. Tasks are sorted by expert: task i is row `sorted_token_ids[i]` of the result, by
//! expert `expert_ids[i]`.

use crate::driver::{kernel, launch, Handle, Shape};
use crate::ffi::{blocks_for, count, SLICE, SLICE_BYTES};
use std::ffi::c_void;

/// Rows of a matrix that a group of threads multiplies, and rows and columns of a tile's tasks.
const VECTOR_ROWS: u64 = 16;
const TILE_COLUMNS: u64 = 128;
const THREADS: u32 = 256;
/// The most that a kernel may have without asking the driver for more.
const MOST_SHARED_BYTES: u64 = 48 * 1024;

struct Tasks {
    tokens: *const i32,
    experts: *const i32,
    weights: *const f32,
    matrices: i32,
    chosen: i32,
    count: i32,
}

/// Results of `rows` elements, the sums of `n` products.
unsafe fn multiply(
    kernel: usize,
    (x, w, y): (*const c_void, *const c_void, *mut c_void),
    tasks: &Tasks,
    (rows, n): (i32, i32),
    (grid, shared_bytes): ([u32; 2], u32),
    stream: i64,
) {
    let number = |n: i32| count(n) as u32;
    let (matrices, chosen, all) = (number(tasks.matrices), number(tasks.chosen).max(1), number(tasks.count));
    let (rows, n) = (number(rows), number(n));
    let shape = Shape { grid, block: [THREADS, 1], shared_bytes };
    let Tasks { tokens, experts, weights, .. } = tasks;
    launch!(
        kernel,
        stream as usize as Handle,
        shape,
        x,
        w,
        *tokens,
        *experts,
        *weights,
        y,
        matrices,
        chosen,
        all,
        rows,
        n
    );
}

unsafe fn multiply_tiles(
    kernel: usize,
    pointers: (*const c_void, *const c_void, *mut c_void),
    tasks: &Tasks,
    (rows, n): (i32, i32),
    stream: i64,
) {
    let grid = [blocks_for(count(rows), TILE_COLUMNS), count(tasks.matrices).min(0xffff) as u32];
    multiply(kernel, pointers, tasks, (rows, n), (if tasks.count > 0 { grid } else { [0; 2] }, 0), stream);
}

/// Kernels by candle's numbers of formats.
macro_rules! by_format {
    ($prefix:literal, $suffix:literal) => {
        [
            kernel(concat!($prefix, "q8_0", $suffix)),
            kernel(concat!($prefix, "q4_K", $suffix)),
            kernel(concat!($prefix, "q2_K", $suffix)),
            kernel(concat!($prefix, "q3_K", $suffix)),
            kernel(concat!($prefix, "q5_K", $suffix)),
            kernel(concat!($prefix, "q6_K", $suffix)),
        ]
    };
}

/// Matrices of f16 (`dtype` 0) or bf16 (1). The buffers for counts are not used.
///
/// # Safety
/// Pointers are to memory of the stream's device, for as much as the numbers say.
pub unsafe extern "C" fn moe_gemm_wmma(
    input: *const c_void,
    weights: *const c_void,
    sorted_token_ids: *const i32,
    expert_ids: *const i32,
    topk_weights: *const f32,
    output: *mut c_void,
    _expert_counts: *mut i32,
    _expert_offsets: *mut i32,
    num_experts: i32,
    topk: i32,
    size_m: i32,
    size_n: i32,
    size_k: i32,
    dtype: i32,
    _is_prefill: bool,
    stream: i64,
) {
    const KERNELS: [usize; 2] = [kernel("moe_tiles_f16"), kernel("moe_tiles_bf16")];
    let Some(kernel) = KERNELS.get(dtype as usize) else { return };
    let tasks = Tasks {
        tokens: sorted_token_ids,
        experts: expert_ids,
        weights: topk_weights,
        matrices: num_experts,
        chosen: topk,
        count: size_m,
    };
    multiply_tiles(*kernel, (input, weights, output), &tasks, (size_n, size_k), stream);
}

/// Quantized matrices, by a row of activations at a time, which becomes q8_1.
///
/// # Safety
/// Pointers are to memory of the stream's device, for as much as the numbers say.
pub unsafe extern "C" fn moe_gemm_gguf(
    input: *const f32,
    weights: *const c_void,
    sorted_token_ids: *const i32,
    expert_ids: *const i32,
    topk_weights: *const f32,
    output: *mut c_void,
    num_experts: i32,
    topk: i32,
    size_m: i32,
    size_n: i32,
    size_k: i32,
    gguf_dtype: i32,
    stream: i64,
) {
    const VECTORS: [usize; 6] = by_format!("moe_vectors_", "");
    let Some(kernel) = VECTORS.get(gguf_dtype as usize) else { return };
    let tasks = Tasks {
        tokens: sorted_token_ids,
        experts: expert_ids,
        weights: topk_weights,
        matrices: num_experts,
        chosen: topk,
        count: size_m,
    };
    let rows = u64::from(THREADS) / SLICE * VECTOR_ROWS;
    let grid = [count(size_m) as u32, blocks_for(count(size_n), rows).min(0xffff)];
    let shared_bytes = count(size_k) / SLICE * SLICE_BYTES;
    assert!(shared_bytes <= MOST_SHARED_BYTES, "moe_gemm_gguf: rows of {size_k} elements; at most 43680 are possible");
    let shape = (grid, shared_bytes as u32);
    multiply(*kernel, (input.cast(), weights, output), &tasks, (size_n, size_k), shape, stream);
}

/// Quantized matrices, which become f16 (`input_dtype` 0) or bf16 (1) as the activations are; results are f32.
///
/// # Safety
/// Pointers are to memory of the stream's device, for as much as the numbers say.
pub unsafe extern "C" fn moe_gemm_gguf_prefill(
    input: *const c_void,
    weights: *const u8,
    sorted_token_ids: *const i32,
    expert_ids: *const i32,
    topk_weights: *const f32,
    output: *mut c_void,
    num_experts: i32,
    topk: i32,
    size_m: i32,
    size_n: i32,
    size_k: i32,
    input_dtype: i32,
    gguf_dtype: i32,
    stream: i64,
) {
    const TILES: [[usize; 6]; 2] = [by_format!("moe_tiles_", "_f16"), by_format!("moe_tiles_", "_bf16")];
    let kernels = TILES.get(input_dtype as usize);
    let Some(kernel) = kernels.and_then(|all| all.get(gguf_dtype as usize)) else { return };
    let tasks = Tasks {
        tokens: sorted_token_ids,
        experts: expert_ids,
        weights: topk_weights,
        matrices: num_experts,
        chosen: topk,
        count: size_m,
    };
    multiply_tiles(*kernel, (input, weights.cast(), output), &tasks, (size_n, size_k), stream);
}

/// Groups tasks by expert, each group padded to a multiple of `block_size`. Returns 0, as CUDA's runtime for success.
///
/// # Safety
/// Pointers are to memory of the stream's device, for as much as the numbers say.
pub unsafe extern "C" fn candle_launch_moe_align(
    topk_ids: *const i32,
    sorted_token_ids: *mut i32,
    expert_ids: *mut i32,
    num_tokens_post_pad: *mut i32,
    cumsum: *mut i32,
    num_experts: i32,
    block_size: i32,
    numel: i32,
    max_num_tokens_padded: i32,
    stream: *mut c_void,
) -> i32 {
    const KERNEL: usize = kernel("moe_align");
    let number = |n: i32| count(n) as u32;
    let (experts, block, all, padded) =
        (number(num_experts), number(block_size).max(1), number(numel), number(max_num_tokens_padded));
    let shape = Shape { grid: [1, 1], block: [1024, 1], shared_bytes: 0 };
    launch!(
        KERNEL,
        stream,
        shape,
        topk_ids,
        sorted_token_ids,
        expert_ids,
        num_tokens_post_pad,
        cumsum,
        experts,
        block,
        all,
        padded
    );
    0
}
