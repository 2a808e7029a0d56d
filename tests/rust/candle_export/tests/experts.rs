//! The launchers of the module ffi for mixtures of experts, on the CPU.

mod on_cpu;

use candle_kernels::ffi;
use on_cpu::{activation, begin, half, launched, matrix, near, product, weight, K, LAUNCHED, STREAM};
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Two tokens, two experts each.
#[test]
fn experts() {
    let _turn = begin();
    const ROWS: usize = 3;
    let stream = STREAM as i64;
    let w: Vec<u8> = matrix(0, 3 * ROWS);
    let (tokens, experts) = ([1i32, 0, 3, 2], [0i32, 1, 1, 2]);
    let x: Vec<f32> = (0..2 * K).map(|i| activation(i / K, i % K)).collect();
    let x16: Vec<u16> = x.iter().map(|x| half(*x)).collect();
    let plain: Vec<u16> = (0..3 * ROWS * K).map(|i| half(weight(i / K, i % K) / 64.0)).collect();
    let (mut y, mut y16) = (vec![0f32; 4 * ROWS], vec![0u16; 4 * ROWS]);
    let (k, rows) = (K as i32, ROWS as i32);
    let (ids, of) = (tokens.as_ptr(), experts.as_ptr());
    let expect = |y: &[f32], what: &str| {
        for (task, expert) in tokens.iter().zip(experts) {
            for row in 0..ROWS {
                let wanted = product(expert as usize * ROWS + row, *task as usize / 2);
                let got = y[*task as usize * ROWS + row];
                assert!(near(got, wanted), "{what}, task {task}, row {row}: {got}, not {wanted}");
            }
        }
    };
    unsafe {
        let to = y.as_mut_ptr().cast();
        ffi::moe_gemm_gguf(x.as_ptr(), w.as_ptr().cast(), ids, of, null(), to, 3, 2, 4, rows, k, 0, stream);
    }
    expect(&y, "vectors");
    assert_eq!(LAUNCHED.lock().unwrap()[0], ("moe_vectors_q8_0".into(), [4, 1], 3 * 36));
    y.fill(0.0);
    unsafe {
        let to = y.as_mut_ptr().cast();
        let from = x16.as_ptr().cast();
        ffi::moe_gemm_gguf_prefill(from, w.as_ptr(), ids, of, null(), to, 3, 2, 4, rows, k, 0, 0, stream);
        let (to, none) = (y16.as_mut_ptr().cast(), null_mut());
        let w = plain.as_ptr().cast();
        ffi::moe_gemm_wmma(from, w, ids, of, null(), to, none, none, 3, 2, 4, rows, k, 0, true, stream);
    }
    expect(&y, "tiles");
    for (wide, narrow) in y.iter().zip(&y16) {
        assert!(half(*wide).abs_diff(*narrow) <= 2, "{wide} is not {narrow:x}");
    }
    assert_eq!(launched()[1..], ["moe_tiles_q8_0_f16", "moe_tiles_f16"]);

    let formats = ["q8_0", "q4_K", "q2_K", "q3_K", "q5_K", "q6_K"];
    for (number, format) in formats.iter().enumerate() {
        let number = number as i32;
        for dtype in [0, 1] {
            let (w, none) = (null(), null_mut());
            let from: *const c_void = null();
            unsafe {
                ffi::moe_gemm_gguf_prefill(from, w, null(), of, null(), none, 3, 2, 4, rows, 512, dtype, number, stream)
            };
            assert_eq!(launched(), [format!("moe_tiles_{format}_{}", ["f16", "bf16"][dtype as usize])]);
        }
        unsafe {
            ffi::moe_gemm_gguf(null(), null(), null(), of, null(), null_mut(), 3, 2, 4, rows, 512, number, stream)
        };
        assert_eq!(launched(), [format!("moe_vectors_{format}")]);
    }
}

/// Matrices of f16 and bf16, with and without a weight of each task: 1 becomes 1, not the number of its bits.
#[test]
fn plain_experts() {
    let _turn = begin();
    const ROWS: usize = 5;
    let (tokens, experts) = ([1i32, 0, 3, 2], [0i32, 1, 1, 2]);
    let weights = [0.5f32, -1.0, 2.0, 0.25];
    // Exact in both types, and so are the sums in f32.
    let x = |row: usize, k: usize| ((row * 13 + k * 7) % 9) as f32 - 4.0;
    let w = |row: usize, k: usize| (((row * 31 + k * 17) % 15) as f32 - 7.0) / 8.0;
    let bf16 = |x: f32| (x.to_bits() >> 16) as u16;
    for (dtype, narrow) in [(0, half as fn(f32) -> u16), (1, bf16)] {
        let of_rows: Vec<u16> = (0..3 * ROWS * K).map(|i| narrow(w(i / K, i % K))).collect();
        for weighted in [false, true] {
            let all: Vec<u16> = (0..4 * K).map(|i| narrow(x(i / K, i % K))).collect();
            let mut y = [0u16; 4 * ROWS];
            let (at, of) = (all.as_ptr().cast(), of_rows.as_ptr().cast());
            let (ids, experts_at) = (tokens.as_ptr(), experts.as_ptr());
            let by = if weighted { weights.as_ptr() } else { null() };
            let (to, none) = (y.as_mut_ptr().cast(), null_mut());
            let (rows, k, stream) = (ROWS as i32, K as i32, STREAM as i64);
            unsafe {
                ffi::moe_gemm_wmma(at, of, ids, experts_at, by, to, none, none, 3, 2, 4, rows, k, dtype, false, stream)
            };
            for (task, expert) in tokens.iter().map(|t| *t as usize).zip(experts) {
                let (source, scale) = if weighted { (task, weights[task]) } else { (task / 2, 1.0) };
                for row in 0..ROWS {
                    let sum: f32 = (0..K).map(|k| w(expert as usize * ROWS + row, k) * x(source, k)).sum();
                    let (got, wanted) = (y[task * ROWS + row], narrow(sum * scale));
                    // `narrow` truncates.
                    assert!(
                        got.abs_diff(wanted) <= 1,
                        "dtype {dtype}, task {task}, row {row}: {got:x}, not {wanted:x}"
                    );
                }
            }
        }
        assert_eq!(launched(), [["moe_tiles_f16", "moe_tiles_bf16"][dtype as usize]; 2]);
    }
}

#[test]
fn groups_of_tasks() {
    let _turn = begin();
    let ids = [2i32, 0, 2, 2];
    let (mut sorted, mut experts, mut total, mut first) = ([0i32; 10], [0i32; 5], 0, [0i32; 4]);
    let status = unsafe {
        ffi::candle_launch_moe_align(
            ids.as_ptr(),
            sorted.as_mut_ptr(),
            experts.as_mut_ptr(),
            &mut total,
            first.as_mut_ptr(),
            3,
            2,
            4,
            10,
            STREAM as _,
        )
    };
    assert_eq!((status, total), (0, 6));
    assert_eq!(sorted, [1, 4, 0, 2, 3, 4, 4, 4, 4, 4]);
    assert_eq!(experts, [0, 2, 2, -1, -1]);
}
