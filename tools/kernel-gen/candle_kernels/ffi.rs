//! The host launchers of candle-kernels. candle sees a buffer between two of them, the activations quantized by the first
//! for the second, only by its size; here it holds blocks of q8_1.

#![allow(clippy::too_many_arguments, non_snake_case)]

use crate::driver::{kernel, launch, Handle, Shape};
use std::ffi::c_void;

/// Elements and bytes of a block of q8_1, and threads that quantize one.
pub(crate) const SLICE: u64 = 32;
pub(crate) const SLICE_BYTES: u64 = 36;
/// Threads of a kernel whose block is not fixed.
const THREADS: u32 = 256;

/// launch!(kernel, stream, shape, arguments...): each argument has to have the type of the kernel's.
macro_rules! launch {
    ($kernel:expr, $stream:expr, $shape:expr, $($argument:expr),* $(,)?) => {
        launch($kernel, $stream as Handle, $shape, &mut [$(&$argument as *const _ as Handle),*])
    };
}

mod experts;
pub use experts::*;

/// A size; what is negative counts as empty.
pub(crate) fn count(n: impl TryInto<u64>) -> u64 {
    n.try_into().unwrap_or(0)
}

pub(crate) fn blocks_for(items: u64, each: u64) -> u32 {
    items.div_ceil(each).try_into().unwrap_or(u32::MAX >> 1)
}

/// Rows of `n` elements to `slices` blocks each, of which block k of row r is y[r * row_step + k * slice_step].
unsafe fn quantize(
    kernel: usize,
    (x, ids, step): (*const c_void, *const i32, i64),
    (y, row_step, slice_step): (*mut c_void, u64, u64),
    (rows, n, slices): (u64, u64, u64),
    stream: *mut c_void,
) {
    let grid = [blocks_for(rows * slices, u64::from(THREADS) / SLICE), 1];
    let shape = Shape { grid, block: [THREADS, 1], shared_bytes: 0 };
    launch!(kernel, stream, shape, x, ids, y, rows, n, step, slices, row_step, slice_step);
}

macro_rules! quantize_rows {
    ($($name:ident: $kernel:literal;)*) => {$(
        /// Rows of `kx` elements to rows of `kx_padded / 32` blocks of q8_1.
        ///
        /// # Safety
        /// Pointers are to memory of the stream's device, for as much as the numbers say.
        pub unsafe extern "C" fn $name(
            x: *const c_void,
            vy: *mut c_void,
            kx: i32,
            kx_padded: i32,
            num_rows: i32,
            stream: *mut c_void,
        ) {
            const KERNEL: usize = kernel($kernel);
            let (rows, n, slices) = (count(num_rows), count(kx), count(kx_padded) / SLICE);
            quantize(KERNEL, (x, std::ptr::null(), i64::from(kx)), (vy, slices, 1), (rows, n, slices), stream);
        }
    )*};
}

quantize_rows! {
    launch_mmvq_gguf_quantize_q8_1_bf16: "quantize_rows_bf16";
    launch_mmvq_gguf_quantize_q8_1_f16: "quantize_rows_f16";
    launch_mmvq_gguf_quantize_q8_1_f32: "quantize_rows_f32";
}

/// Rows s01 elements apart, or rows ids[i], of ne2 * ne3 matrices s02 and s03 apart; slice after slice.
macro_rules! quantize_slices {
    ($($name:ident)*) => {$(
        /// Rows of `ne00` elements to `ne0 / 32` blocks of q8_1 each, slice after slice.
        ///
        /// # Safety
        /// Pointers are to memory of the stream's device, for as much as the numbers say.
        pub unsafe extern "C" fn $name(
            x: *const c_void,
            ids: *const i32,
            vy: *mut c_void,
            _type_x: i32,
            ne00: i64,
            s01: i64,
            s02: i64,
            s03: i64,
            ne0: i64,
            ne1: i64,
            ne2: i64,
            ne3: i64,
            stream: *mut c_void,
        ) {
            const KERNEL: usize = kernel("quantize_rows_f32");
            let (rows, n, slices) = (count(ne1), count(ne00), count(ne0) / SLICE);
            for matrix in 0..count(ne2) * count(ne3) {
                let (i2, i3) = ((matrix % count(ne2)) as isize, (matrix / count(ne2)) as isize);
                let from = x.cast::<f32>().offset(i2 * s02 as isize + i3 * s03 as isize);
                let to = vy.byte_add((matrix * rows * slices * SLICE_BYTES) as usize);
                quantize(KERNEL, (from.cast(), ids, s01), (to, 1, rows), (rows, n, slices), stream);
            }
        }
    )*};
}

quantize_slices! { launch_mmq_quantize_q8_1_D4 launch_mmq_quantize_q8_1_DS4 launch_mmq_quantize_q8_1_D2S6 }

/// The numbers of activation types in kernel arguments.
const BF16: u32 = 5;
const F16: u32 = 6;
const F32: u32 = 7;

/// Kernels of a format for up to 1, 2, 4 and 8 columns.
type Few = [(u64, usize); 4];

/// The products of few columns with the rows of a matrix.
unsafe fn multiply_few(
    kernels: &Few,
    (vx, vy, dst, dtype): (*const c_void, *const c_void, *mut c_void, u32),
    (n, block_elements, rows): (i32, u64, i32),
    (row_step, pitch, columns): (i32, i32, i32),
    stream: *mut c_void,
) {
    let columns = count(columns);
    let Some((_, kernel)) = kernels.iter().find(|(most, _)| columns <= *most && columns > 0) else { return };
    let (blocks, rows) = ((count(n) / block_elements) as u32, count(rows) as u32);
    let shape = Shape {
        grid: [rows.div_ceil(if columns == 1 { 1 } else { 2 }), 1],
        block: [32, if columns <= 4 { 4 } else { 2 }],
        shared_bytes: 0,
    };
    launch!(
        *kernel,
        stream,
        shape,
        vx,
        vy,
        dst,
        dtype,
        rows,
        blocks,
        count(row_step) as u32,
        count(pitch),
        columns as u32
    );
}

macro_rules! multiply_few {
    ($($name:ident: $format:literal, $block:literal, $dtype:expr;)*) => {$(
        /// The products of up to eight rows of q8_1 with the rows of a matrix.
        ///
        /// # Safety
        /// Pointers are to memory of the stream's device, for as much as the numbers say.
        pub unsafe extern "C" fn $name(
            vx: *const c_void,
            vy: *const c_void,
            dst: *mut c_void,
            ncols_x: i32,
            nrows_x: i32,
            stride_col_y: i32,
            stride_col_dst: i32,
            b_size: i32,
            stream: *mut c_void,
        ) {
            const KERNELS: Few = [
                (1, kernel(concat!("mul_mat_few_", $format, "_cuda1"))),
                (2, kernel(concat!("mul_mat_few_", $format, "_cuda2"))),
                (4, kernel(concat!("mul_mat_few_", $format, "_cuda4"))),
                (8, kernel(concat!("mul_mat_few_", $format, "_cuda8"))),
            ];
            multiply_few(
                &KERNELS,
                (vx, vy, dst, $dtype),
                (ncols_x, $block, nrows_x),
                (stride_col_y, stride_col_dst, b_size),
                stream,
            );
        }
    )*};
}

multiply_few! {
    launch_mmvq_gguf_q4_0_bf16_plain: "q4_0", 32, BF16;
    launch_mmvq_gguf_q4_1_bf16_plain: "q4_1", 32, BF16;
    launch_mmvq_gguf_q5_0_bf16_plain: "q5_0", 32, BF16;
    launch_mmvq_gguf_q5_1_bf16_plain: "q5_1", 32, BF16;
    launch_mmvq_gguf_q8_0_bf16_plain: "q8_0", 32, BF16;
    launch_mmvq_gguf_q2_k_bf16_plain: "q2_K", 256, BF16;
    launch_mmvq_gguf_q3_k_bf16_plain: "q3_K", 256, BF16;
    launch_mmvq_gguf_q4_k_bf16_plain: "q4_K", 256, BF16;
    launch_mmvq_gguf_q5_k_bf16_plain: "q5_K", 256, BF16;
    launch_mmvq_gguf_q6_k_bf16_plain: "q6_K", 256, BF16;
    launch_mmvq_gguf_q4_0_f16_plain: "q4_0", 32, F16;
    launch_mmvq_gguf_q4_1_f16_plain: "q4_1", 32, F16;
    launch_mmvq_gguf_q5_0_f16_plain: "q5_0", 32, F16;
    launch_mmvq_gguf_q5_1_f16_plain: "q5_1", 32, F16;
    launch_mmvq_gguf_q8_0_f16_plain: "q8_0", 32, F16;
    launch_mmvq_gguf_q2_k_f16_plain: "q2_K", 256, F16;
    launch_mmvq_gguf_q3_k_f16_plain: "q3_K", 256, F16;
    launch_mmvq_gguf_q4_k_f16_plain: "q4_K", 256, F16;
    launch_mmvq_gguf_q5_k_f16_plain: "q5_K", 256, F16;
    launch_mmvq_gguf_q6_k_f16_plain: "q6_K", 256, F16;
    launch_mmvq_gguf_q4_0_f32_plain: "q4_0", 32, F32;
    launch_mmvq_gguf_q4_1_f32_plain: "q4_1", 32, F32;
    launch_mmvq_gguf_q5_0_f32_plain: "q5_0", 32, F32;
    launch_mmvq_gguf_q5_1_f32_plain: "q5_1", 32, F32;
    launch_mmvq_gguf_q8_0_f32_plain: "q8_0", 32, F32;
    launch_mmvq_gguf_q2_k_f32_plain: "q2_K", 256, F32;
    launch_mmvq_gguf_q3_k_f32_plain: "q3_K", 256, F32;
    launch_mmvq_gguf_q4_k_f32_plain: "q4_K", 256, F32;
    launch_mmvq_gguf_q5_k_f32_plain: "q5_K", 256, F32;
    launch_mmvq_gguf_q6_k_f32_plain: "q6_K", 256, F32;
}

/// Rows and columns of the results that a block computes. A grid of another size computes the same.
const LARGE_TILE: [u64; 2] = [128, 64];
const SMALL_TILE: [u64; 2] = [64, 32];

macro_rules! multiply_many {
    ($($name:ident: $format:literal, $block:literal;)*) => {$(
        /// The products of rows of q8_1, slice after slice, with the rows of a matrix.
        ///
        /// # Safety
        /// Pointers are to memory of the stream's device, for as much as the numbers say.
        pub unsafe extern "C" fn $name(
            _tmp_fixup: *mut c_void,
            x: *const c_void,
            y: *const c_void,
            dst: *mut c_void,
            ncols_x: i64,
            nrows_x: i64,
            ncols_y: i64,
            stride_row_x: i64,
            stride_col_dst: i64,
            _cc: i32,
            nsm: i32,
            _smpbo: i64,
            _warp_size: i32,
            stream: *mut c_void,
        ) {
            const LARGE: usize = kernel(concat!("mul_mat_slices_", $format));
            const SMALL: usize = kernel(concat!("mul_mat_slices_32_", $format));
            let (blocks, rows, columns) = ((count(ncols_x) / $block) as u32, count(nrows_x), count(ncols_y));
            let grid = |[down, across]: [u64; 2]| [blocks_for(rows, down), blocks_for(columns, across)];
            let large = grid(LARGE_TILE);
            // Small tiles where large ones would leave multiprocessors without work.
            let is_small = u64::from(large[0]) * u64::from(large[1]) < count(nsm);
            let shape = Shape { grid: if is_small { grid(SMALL_TILE) } else { large }, block: [32, 4], shared_bytes: 0 };
            let kernel = if is_small { SMALL } else { LARGE };
            let (rows, columns, step, pitch) = (rows as u32, columns as u32, count(stride_row_x), count(stride_col_dst));
            launch!(kernel, stream, shape, x, y, dst, blocks, rows, columns, step, pitch);
        }
    )*};
}

multiply_many! {
    launch_mmq_gguf_q4_0: "q4_0", 32;
    launch_mmq_gguf_q4_1: "q4_1", 32;
    launch_mmq_gguf_q5_0: "q5_0", 32;
    launch_mmq_gguf_q5_1: "q5_1", 32;
    launch_mmq_gguf_q8_0: "q8_0", 32;
    launch_mmq_gguf_q2_k: "q2_K", 256;
    launch_mmq_gguf_q3_k: "q3_K", 256;
    launch_mmq_gguf_q4_k: "q4_K", 256;
    launch_mmq_gguf_q5_k: "q5_K", 256;
    launch_mmq_gguf_q6_k: "q6_K", 256;
}
