//! The launchers of the module ffi for quantized products, on the CPU.

mod on_cpu;

use candle_kernels::ffi;
use on_cpu::{activation, begin, half, launched, matrix, near, product, stub, K, STREAM};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};

const PADDED: usize = 512;

#[test]
fn few_columns() {
    let _turn = begin();
    const ROWS: usize = 5;
    let w = matrix(0, ROWS);
    for columns in [1usize, 2, 3, 8] {
        let x: Vec<f32> = (0..columns * K).map(|i| activation(i / K, i % K)).collect();
        let mut bytes = vec![0u32; columns * PADDED / 32 * 9];
        let mut y = vec![0f32; columns * (ROWS + 1)];
        let (b, n) = (columns as i32, K as i32);
        unsafe {
            let at = bytes.as_mut_ptr().cast();
            ffi::launch_mmvq_gguf_quantize_q8_1_f32(x.as_ptr().cast(), at, n, PADDED as i32, b, STREAM as _);
            let (w, y) = (w.as_ptr().cast(), y.as_mut_ptr().cast());
            ffi::launch_mmvq_gguf_q8_0_f32_plain(w, at, y, n, 5, PADDED as i32 / 32, 6, b, STREAM as _);
        }
        for (i, got) in y.iter().enumerate() {
            let (column, row) = (i / (ROWS + 1), i % (ROWS + 1));
            let wanted = if row < ROWS { product(row, column) } else { 0.0 };
            assert!(near(*got, wanted), "row {row}, column {column} of {columns}: {got}, not {wanted}");
        }
        let last = format!("mul_mat_few_q8_0_cuda{}", columns.next_power_of_two());
        assert_eq!(launched(), ["quantize_rows_f32".into(), last]);
    }
}

#[test]
fn activations_of_16_bits() {
    let _turn = begin();
    let x: Vec<f32> = (0..K).map(|k| activation(0, k)).collect();
    let w = matrix(0, 1);
    let bf16: Vec<u16> = x.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
    let f16: Vec<u16> = x.iter().map(|x| half(*x)).collect();
    let (mut bytes, mut y) = (vec![0u32; PADDED / 32 * 9], [0u16; 2]);
    let (at, w, n, padded) = (bytes.as_mut_ptr().cast(), w.as_ptr().cast(), K as i32, PADDED as i32);
    unsafe {
        ffi::launch_mmvq_gguf_quantize_q8_1_bf16(bf16.as_ptr().cast(), at, n, padded, 1, STREAM as _);
        ffi::launch_mmvq_gguf_q8_0_bf16_plain(w, at, y.as_mut_ptr().cast(), n, 1, padded / 32, 1, 1, STREAM as _);
        ffi::launch_mmvq_gguf_quantize_q8_1_f16(f16.as_ptr().cast(), at, n, padded, 1, STREAM as _);
        ffi::launch_mmvq_gguf_q8_0_f16_plain(w, at, y[1..].as_mut_ptr().cast(), n, 1, padded / 32, 1, 1, STREAM as _);
    }
    let wanted = product(0, 0);
    assert!(near(f32::from_bits(u32::from(y[0]) << 16), wanted));
    let (low, high) = (half(wanted - 4.0 - 0.01 * wanted.abs()), half(wanted + 4.0 + 0.01 * wanted.abs()));
    assert!((low.min(high)..=low.max(high)).contains(&y[1]), "{:x} is not near {wanted}", y[1]);
    assert_eq!(launched()[2..], ["quantize_rows_f16", "mul_mat_few_q8_0_cuda1"]);
}

#[test]
fn many_columns() {
    let _turn = begin();
    const ROWS: usize = 70;
    const COLUMNS: usize = 33;
    let w = matrix(0, ROWS);
    let x: Vec<f32> = (0..COLUMNS * K).map(|i| activation(i / K, i % K)).collect();
    for (nsm, kernel) in [(1, "mul_mat_slices_q8_0"), (132, "mul_mat_slices_32_q8_0")] {
        let mut bytes = vec![0u32; COLUMNS * PADDED / 32 * 9];
        let mut y = vec![0f32; COLUMNS * ROWS];
        let at: *mut c_void = bytes.as_mut_ptr().cast();
        let (n, padded, columns, rows) = (K as i64, PADDED as i64, COLUMNS as i64, ROWS as i64);
        unsafe {
            let x = x.as_ptr().cast();
            ffi::launch_mmq_quantize_q8_1_D4(x, null(), at, 0, n, n, 0, 0, padded, columns, 1, 1, STREAM as _);
            let (w, y) = (w.as_ptr().cast(), y.as_mut_ptr().cast());
            let blocks = n / 32;
            let stream = STREAM as _;
            ffi::launch_mmq_gguf_q8_0(null_mut(), w, at, y, n, rows, columns, blocks, rows, 900, nsm, 0, 32, stream);
        }
        for (i, got) in y.iter().enumerate() {
            let wanted = product(i % ROWS, i / ROWS);
            assert!(near(*got, wanted), "row {}, column {}: {got}, not {wanted}", i % ROWS, i / ROWS);
        }
        assert_eq!(launched(), ["quantize_rows_f32", kernel]);
    }
}

/// Each format's launchers run its kernels.
#[test]
fn every_format() {
    let _turn = begin();
    type Few = unsafe extern "C" fn(*const c_void, *const c_void, *mut c_void, i32, i32, i32, i32, i32, *mut c_void);
    macro_rules! check {
        ($($format:literal $few:ident $few_bf16:ident $few_f16:ident $many:ident;)*) => {$(
            for few in [ffi::$few as Few, ffi::$few_bf16 as Few, ffi::$few_f16 as Few] {
                unsafe { few(null(), null(), null_mut(), 256, 3, 16, 3, 6, STREAM as _) };
            }
            unsafe {
                let none = null_mut();
                ffi::$many(none, null(), null(), none, 256, 3, 9, 1, 3, 900, 1, 0, 32, STREAM as _);
            }
            let few = concat!("mul_mat_few_", $format, "_cuda8");
            assert_eq!(launched(), [few, few, few, concat!("mul_mat_slices_", $format)]);
        )*};
    }
    check! {
        "q4_0" launch_mmvq_gguf_q4_0_f32_plain launch_mmvq_gguf_q4_0_bf16_plain launch_mmvq_gguf_q4_0_f16_plain launch_mmq_gguf_q4_0;
        "q4_1" launch_mmvq_gguf_q4_1_f32_plain launch_mmvq_gguf_q4_1_bf16_plain launch_mmvq_gguf_q4_1_f16_plain launch_mmq_gguf_q4_1;
        "q5_0" launch_mmvq_gguf_q5_0_f32_plain launch_mmvq_gguf_q5_0_bf16_plain launch_mmvq_gguf_q5_0_f16_plain launch_mmq_gguf_q5_0;
        "q5_1" launch_mmvq_gguf_q5_1_f32_plain launch_mmvq_gguf_q5_1_bf16_plain launch_mmvq_gguf_q5_1_f16_plain launch_mmq_gguf_q5_1;
        "q8_0" launch_mmvq_gguf_q8_0_f32_plain launch_mmvq_gguf_q8_0_bf16_plain launch_mmvq_gguf_q8_0_f16_plain launch_mmq_gguf_q8_0;
        "q2_K" launch_mmvq_gguf_q2_k_f32_plain launch_mmvq_gguf_q2_k_bf16_plain launch_mmvq_gguf_q2_k_f16_plain launch_mmq_gguf_q2_k;
        "q3_K" launch_mmvq_gguf_q3_k_f32_plain launch_mmvq_gguf_q3_k_bf16_plain launch_mmvq_gguf_q3_k_f16_plain launch_mmq_gguf_q3_k;
        "q4_K" launch_mmvq_gguf_q4_k_f32_plain launch_mmvq_gguf_q4_k_bf16_plain launch_mmvq_gguf_q4_k_f16_plain launch_mmq_gguf_q4_k;
        "q5_K" launch_mmvq_gguf_q5_k_f32_plain launch_mmvq_gguf_q5_k_bf16_plain launch_mmvq_gguf_q5_k_f16_plain launch_mmq_gguf_q5_k;
        "q6_K" launch_mmvq_gguf_q6_k_f32_plain launch_mmvq_gguf_q6_k_bf16_plain launch_mmvq_gguf_q6_k_f16_plain launch_mmq_gguf_q6_k;
    }
}

#[test]
fn nothing_is_launched_for_nothing() {
    let _turn = begin();
    unsafe {
        ffi::launch_mmvq_gguf_quantize_q8_1_f32(null(), null_mut(), 32, 512, 0, STREAM as _);
        ffi::launch_mmvq_gguf_q4_0_f32_plain(null(), null(), null_mut(), 32, 0, 16, 0, 1, STREAM as _);
        ffi::launch_mmvq_gguf_q4_0_f32_plain(null(), null(), null_mut(), 32, 4, 16, 4, 0, STREAM as _);
        let none = null_mut();
        ffi::launch_mmq_gguf_q4_0(none, null(), null(), none, 32, 4, 0, 1, 4, 900, 132, 0, 32, STREAM as _);
    }
    assert!(launched().is_empty());
}

/// One module for all launches in a context.
#[test]
fn one_module() {
    let _turn = begin();
    let launch = || unsafe {
        ffi::launch_mmvq_gguf_q4_0_f32_plain(null(), null(), null_mut(), 32, 4, 16, 4, 1, STREAM as _);
    };
    launch();
    launch();
    let loaded: unsafe extern "C" fn() -> c_int = unsafe { std::mem::transmute(stub(c"stub_modules_loaded")) };
    assert_eq!(unsafe { loaded() }, 1);
}

/// Run by the next test, in a process without a driver.
#[test]
#[ignore]
fn launch_without_a_driver() {
    unsafe { ffi::launch_mmvq_gguf_q4_0_f32_plain(null(), null(), null_mut(), 32, 4, 16, 4, 1, STREAM as _) };
}

#[test]
fn a_driver_that_is_not_there() {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let only_kernelgen = std::env::var("KERNELGEN_LIB_DIR").unwrap();
    child
        .args(["--ignored", "--exact", "--nocapture", "launch_without_a_driver"])
        .env("LD_LIBRARY_PATH", only_kernelgen);
    let output = child.output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("candle-kernels: NVIDIA's driver: libcuda.so.1 cannot be opened"), "{text}");
}
