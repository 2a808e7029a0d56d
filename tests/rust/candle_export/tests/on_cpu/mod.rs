//! NVIDIA's driver is stub_driver.c, which gives launches to `launch_on_cpu`: the same kernel, compiled for the CPU, with the
//! arguments that the launcher passed. Device memory is the host's.

use kernelgen::{Device, LaunchShape, Module};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
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
pub static LAUNCHED: Mutex<Vec<(String, [u32; 2], u32)>> = Mutex::new(Vec::new());

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

pub const STREAM: usize = 0x5eed;

pub fn stub(symbol: &CStr) -> *mut c_void {
    let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), 2) };
    assert!(!library.is_null(), "the stub is not in LD_LIBRARY_PATH");
    unsafe { dlsym(library, symbol.as_ptr()) }
}

/// Tests take turns: launches are noted in one list.
pub fn begin() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let set: unsafe extern "C" fn(Launch) = unsafe { std::mem::transmute(stub(c"stub_set_launch")) };
    unsafe { set(launch_on_cpu) };
    LAUNCHED.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    turn
}

pub fn launched() -> Vec<String> {
    LAUNCHED.lock().unwrap().drain(..).map(|(name, ..)| name).collect()
}

pub const K: usize = 96;

pub fn weight(row: usize, k: usize) -> f32 {
    ((row * 31 + k * 17) % 255) as f32 - 127.0
}
pub fn activation(column: usize, k: usize) -> f32 {
    ((column * 13 + k * 7) % 41) as f32 - 20.0
}

/// Rows of q8_0 with steps of 1/64.
pub fn matrix(first: usize, rows: usize) -> Vec<u8> {
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
pub fn product(row: usize, column: usize) -> f32 {
    (0..K).map(|k| weight(row, k) / 64.0 * activation(column, k)).sum()
}
pub fn near(got: f32, wanted: f32) -> bool {
    (got - wanted).abs() <= 4.0 + 0.01 * wanted.abs()
}
/// As f16, which holds these small integers and halves exactly.
pub fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 127 + 15;
    let magnitude = if x == 0.0 { 0 } else { (exponent as u32) << 10 | (bits >> 13 & 0x3ff) };
    (bits >> 16 & 0x8000 | magnitude) as u16
}
