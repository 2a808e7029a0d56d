//! The launchers of the module ffi. NVIDIA's driver is stub_driver.c, which gives launches to `launch_on_cpu`: the same
//! kernel, compiled for the CPU, with the arguments that the launcher passed. Device memory is the host's.

use candle_kernels::ffi;
use kernelgen::{Device, LaunchShape, Module};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, OnceLock};

extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Launch = unsafe extern "C" fn(
    *const c_char,
    *const c_uint,
    *const c_uint,
    c_uint,
    *mut c_void,
    *const *const c_void,
) -> c_int;

struct Cpu {
    device: Device,
    module: Module,
}
// The device is used by one launch at a time.
unsafe impl Send for Cpu {}
unsafe impl Sync for Cpu {}

fn cpu() -> &'static Cpu {
    static CPU: OnceLock<Cpu> = OnceLock::new();
    CPU.get_or_init(|| {
        let device = Device::open("cpu").unwrap();
        let file = format!("{}/../candle-kernels/{}/candle_ffi.so", env!("CARGO_MANIFEST_DIR"), device.target());
        let code = std::fs::read(&file).expect(&file);
        let module = unsafe { device.load(&code, "candle_ffi") }.unwrap();
        Cpu { device, module }
    })
}

/// What was launched, in order.
static LAUNCHED: Mutex<Vec<(String, [u32; 2], u32)>> = Mutex::new(Vec::new());

/// Bytes of each argument, as manifests/candle/ffi.json has them.
fn arguments_of(kernel: &str) -> &'static [usize] {
    match kernel {
        name if name.starts_with("quantize_rows_") => &[8; 9],
        name if name.starts_with("mul_mat_few_") => &[8, 8, 8, 4, 4, 4, 4, 8, 4],
        name if name.starts_with("mul_mat_slices_") => &[8, 8, 8, 4, 4, 4, 8, 8],
        "moe_align" => &[8, 8, 8, 8, 8, 4, 4, 4, 4],
        name if name.starts_with("moe_") => &[8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4],
        name => panic!("{name} is not known"),
    }
}

unsafe extern "C" fn launch_on_cpu(
    kernel: *const c_char,
    grid: *const c_uint,
    block: *const c_uint,
    shared_bytes: c_uint,
    stream: *mut c_void,
    arguments: *const *const c_void,
) -> c_int {
    let name = CStr::from_ptr(kernel).to_str().unwrap();
    let grid = std::slice::from_raw_parts(grid, 3);
    let block = std::slice::from_raw_parts(block, 3);
    assert!(block.iter().product::<u32>() <= 1024 && grid[2] == 1);
    let mut bytes = Vec::new();
    let mut is_empty = false;
    for (i, size) in arguments_of(name).iter().enumerate() {
        bytes.resize(bytes.len().div_ceil(*size) * size, 0);
        let value = std::slice::from_raw_parts((*arguments.add(i)).cast::<u8>(), *size);
        // Launches that are only noted have no result.
        is_empty |= *size == 8 && i == 2 && value.iter().all(|byte| *byte == 0);
        bytes.extend_from_slice(value);
    }
    LAUNCHED.lock().unwrap().push((name.into(), [grid[0], grid[1]], shared_bytes));
    assert_eq!(stream, STREAM as *mut c_void);
    if is_empty {
        return 0;
    }
    let shape = LaunchShape { grid: [grid[0], grid[1], 1], block: [1, 1, 1], shared_bytes: 0 };
    let cpu = cpu();
    cpu.device.launch(cpu.module.function(name).unwrap(), shape, &bytes, None).unwrap();
    cpu.device.synchronize().unwrap();
    0
}

const STREAM: usize = 0x5eed;

fn stub(symbol: &CStr) -> *mut c_void {
    let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), 2) };
    assert!(!library.is_null(), "the stub is not in LD_LIBRARY_PATH");
    unsafe { dlsym(library, symbol.as_ptr()) }
}

/// Tests take turns: launches are noted in one list.
fn begin() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let set: unsafe extern "C" fn(Launch) = unsafe { std::mem::transmute(stub(c"stub_set_launch")) };
    unsafe { set(launch_on_cpu) };
    LAUNCHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    turn
}

fn launched() -> Vec<String> {
    LAUNCHED.lock().unwrap().drain(..).map(|(name, ..)| name).collect()
}

const K: usize = 96;
const PADDED: usize = 512;

fn weight(row: usize, k: usize) -> f32 {
    ((row * 31 + k * 17) % 255) as f32 - 127.0
}
fn activation(column: usize, k: usize) -> f32 {
    ((column * 13 + k * 7) % 41) as f32 - 20.0
}

/// Rows of q8_0 with steps of 1/64.
fn matrix(first: usize, rows: usize) -> Vec<u8> {
    let mut blocks = Vec::new();
    for row in first..first + rows {
        for k in 0..K {
            if k % 32 == 0 {
                blocks.extend_from_slice(&0x2400u16.to_ne_bytes());
            }
            blocks.push(weight(row, k) as i8 as u8);
        }
    }
    blocks
}
fn product(row: usize, column: usize) -> f32 {
    (0..K).map(|k| weight(row, k) / 64.0 * activation(column, k)).sum()
}
fn near(got: f32, wanted: f32) -> bool {
    (got - wanted).abs() <= 4.0 + 0.01 * wanted.abs()
}
/// As f16, which holds these small integers and halves exactly.
fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 15;
    let magnitude = if x == 0.0 { 0 } else { (exponent as u32) << 10 | (bits >> 13 & 0x3ff) };
    (bits >> 16 & 0x8000 | magnitude) as u16
}

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
