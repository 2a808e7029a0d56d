//! Launches of this crate's own kernels by NVIDIA's driver, which is opened at run time. A context's module is loaded at
//! its first launch and stays loaded.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

pub type Handle = *mut c_void;

/// Declares the functions of the driver that are called, as cuda.h has them.
macro_rules! driver {
    ($($field:ident = $name:literal: fn($($argument:ty),*);)*) => {
        struct Driver {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Driver {
            fn open() -> Result<Driver, String> {
                let library = Library::open()?;
                // SAFETY: the types are those of cuda.h.
                Ok(Driver { $($field: unsafe { std::mem::transmute::<*mut c_void, _>(library.symbol($name)?) },)* })
            }
        }
    };
}

driver! {
    context_of_stream = c"cuStreamGetCtx": fn(Handle, *mut Handle);
    push_context = c"cuCtxPushCurrent_v2": fn(Handle);
    pop_context = c"cuCtxPopCurrent_v2": fn(*mut Handle);
    current_device = c"cuCtxGetDevice": fn(*mut c_int);
    device_attribute = c"cuDeviceGetAttribute": fn(*mut c_int, c_int, c_int);
    load_module = c"cuModuleLoadData": fn(*mut Handle, *const c_void);
    function = c"cuModuleGetFunction": fn(*mut Handle, Handle, *const c_char);
    launch = c"cuLaunchKernel":
        fn(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut Handle, *mut Handle);
    error_name = c"cuGetErrorName": fn(c_int, *mut *const c_char);
}

#[cfg(unix)]
struct Library(Handle);

#[cfg(unix)]
impl Library {
    fn open() -> Result<Library, String> {
        extern "C" {
            fn dlopen(name: *const c_char, flags: c_int) -> Handle;
        }
        const NOW: c_int = 2;
        // SAFETY: a name that ends with a zero; candle has loaded this library before.
        let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), NOW) };
        (!library.is_null()).then_some(Library(library)).ok_or("libcuda.so.1 cannot be opened".into())
    }

    fn symbol(&self, name: &CStr) -> Result<Handle, String> {
        extern "C" {
            fn dlsym(library: Handle, name: *const c_char) -> Handle;
        }
        // SAFETY: `self` is open, and stays open as long as the process.
        let symbol = unsafe { dlsym(self.0, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol).ok_or(format!("libcuda.so.1 has no {}", name.to_string_lossy()))
    }
}

#[cfg(windows)]
struct Library(Handle);

#[cfg(windows)]
impl Library {
    fn open() -> Result<Library, String> {
        extern "system" {
            fn LoadLibraryA(name: *const c_char) -> Handle;
        }
        // SAFETY: a name that ends with a zero; candle has loaded this library before.
        let library = unsafe { LoadLibraryA(c"nvcuda.dll".as_ptr()) };
        (!library.is_null()).then_some(Library(library)).ok_or("nvcuda.dll cannot be opened".into())
    }

    fn symbol(&self, name: &CStr) -> Result<Handle, String> {
        extern "system" {
            fn GetProcAddress(library: Handle, name: *const c_char) -> Handle;
        }
        // SAFETY: `self` is open, and stays open as long as the process.
        let symbol = unsafe { GetProcAddress(self.0, name.as_ptr()) };
        (!symbol.is_null()).then_some(symbol).ok_or(format!("nvcuda.dll has no {}", name.to_string_lossy()))
    }
}

/// The module of one context; a function is looked up at its first launch.
struct Loaded {
    context: usize,
    module: AtomicPtr<c_void>,
    functions: Vec<AtomicPtr<c_void>>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
static LOADED: RwLock<Vec<Arc<Loaded>>> = RwLock::new(Vec::new());

/// Ends the process: the launchers of candle-kernels return nothing, so that an error could only be ignored, and the
/// results would be wrong.
fn fail(what: &str, why: &str) -> ! {
    eprintln!("candle-kernels: {what}: {why}");
    std::process::abort()
}

fn driver() -> &'static Driver {
    DRIVER.get_or_init(|| Driver::open().unwrap_or_else(|why| fail("NVIDIA's driver", &why)))
}

fn check(status: c_int, what: &str) {
    if status == 0 {
        return;
    }
    let mut name = std::ptr::null();
    // SAFETY: the driver writes a static string, or leaves null for a status that it does not know.
    let name = unsafe {
        (driver().error_name)(status, &mut name);
        if name.is_null() {
            c"an unknown error"
        } else {
            CStr::from_ptr(name)
        }
    };
    fail(what, &format!("{} (status {status})", name.to_string_lossy()))
}

/// The code for the device of the current context: its own, else PTX, which the driver compiles.
///
/// # Safety
/// A context must be current.
unsafe fn code_of_device() -> (String, &'static [u8]) {
    const COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];
    let driver = driver();
    let (mut device, mut version) = (0, [0; 2]);
    check((driver.current_device)(&mut device), "cuCtxGetDevice");
    for (number, attribute) in version.iter_mut().zip(COMPUTE_CAPABILITY) {
        check((driver.device_attribute)(number, attribute, device), "cuDeviceGetAttribute");
    }
    let [major, minor] = version;
    let target = format!("sm_{major}{minor}");
    let module = &crate::FFI;
    let code = module.code(&target).or_else(|| {
        let version = |name: &&str| name.strip_prefix("compute_")?.parse::<c_int>().ok();
        let older = module.targets().filter(|name| version(name).is_some_and(|n| n <= major * 10 + minor));
        let name = older.max_by_key(version)?;
        module.code(name)
    });
    let code = code.unwrap_or_else(|| {
        let has: Vec<&str> = module.targets().collect();
        fail(
            &format!("there is no code for {target}, but for {}", has.join(", ")),
            &format!("build the package with kernel-gen build --target {target}, and export it again"),
        )
    });
    (target, code)
}

fn loaded_in(context: Handle) -> Option<Arc<Loaded>> {
    let all = LOADED.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    all.iter().find(|each| each.context == context as usize).cloned()
}

/// # Safety
/// `context` must be a context of the driver's.
unsafe fn load(context: Handle) -> Arc<Loaded> {
    let mut all = LOADED.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(loaded) = all.iter().find(|each| each.context == context as usize) {
        return loaded.clone();
    }
    let driver = driver();
    check((driver.push_context)(context), "cuCtxPushCurrent");
    let (target, code) = code_of_device();
    // PTX is text that has to end with a zero.
    let text: Vec<u8> = code.iter().copied().chain([0]).collect();
    let mut module = std::ptr::null_mut();
    check((driver.load_module)(&mut module, text.as_ptr().cast()), &format!("the module for {target}"));
    check((driver.pop_context)(&mut std::ptr::null_mut()), "cuCtxPopCurrent");
    let functions = crate::FFI.kernels().iter().map(|_| AtomicPtr::default()).collect();
    all.push(Arc::new(Loaded { context: context as usize, module: AtomicPtr::new(module), functions }));
    all[all.len() - 1].clone()
}

/// The index of a kernel. Panics if no kernel has that name: at compile time, when it is called for a constant.
pub const fn kernel(name: &str) -> usize {
    let (all, name) = (crate::FFI.kernels, name.as_bytes());
    let mut index = 0;
    while index < all.len() {
        let other = all[index].as_bytes();
        let mut i = 0;
        while i < name.len() && i < other.len() && name[i] == other[i] {
            i += 1;
        }
        if i == name.len() && i == other.len() {
            return index;
        }
        index += 1;
    }
    panic!("there is no kernel of this name")
}

pub struct Shape {
    pub grid: [u32; 2],
    pub block: [u32; 2],
    pub shared_bytes: u32,
}

/// Launches a kernel in the stream; nothing where the grid is empty.
///
/// # Safety
/// `arguments` must point at values of the kernel's types, and what they point at must live until the kernel has run.
pub unsafe fn launch(kernel: usize, stream: Handle, shape: Shape, arguments: &mut [Handle]) {
    if shape.grid.contains(&0) {
        return;
    }
    let driver = driver();
    let mut context = std::ptr::null_mut();
    check((driver.context_of_stream)(stream, &mut context), "cuStreamGetCtx");
    let loaded = loaded_in(context).unwrap_or_else(|| load(context));
    let name = crate::FFI.kernels[kernel];
    let mut function = loaded.functions[kernel].load(Ordering::Relaxed);
    if function.is_null() {
        let zero_ended = format!("{name}\0");
        let module = loaded.module.load(Ordering::Relaxed);
        check((driver.function)(&mut function, module, zero_ended.as_ptr().cast()), name);
        loaded.functions[kernel].store(function, Ordering::Relaxed);
    }
    let ([x, y], [across, down]) = (shape.grid, shape.block);
    let none = std::ptr::null_mut();
    let arguments = arguments.as_mut_ptr();
    let status = (driver.launch)(function, x, y, 1, across, down, 1, shape.shared_bytes, stream, arguments, none);
    check(status, name);
}
