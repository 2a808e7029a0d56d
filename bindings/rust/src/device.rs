//! Devices, streams, events, and kernels launched by hand.

use crate::c;
use crate::error::{check, text, Result};
use crate::tensor::raw_or_null;
use crate::Package;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_int;
use std::ptr::{null, null_mut, NonNull};

/// A type that owns a handle of C, which any thread may use and release.
macro_rules! handle {
    ($(#[$about:meta])* $name:ident, $release:ident) => {
        $(#[$about])*
        pub struct $name(NonNull<c::$name>);

        // Handles never change once they are made; a release comes after the last use, as Drop does.
        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}

        impl $name {
            /// What `make` writes to the address it is given.
            pub(crate) fn made(make: impl FnOnce(*mut *mut c::$name) -> std::os::raw::c_int) -> $crate::Result<Self> {
                let mut handle = std::ptr::null_mut();
                $crate::error::check(make(&mut handle))?;
                Ok(Self(NonNull::new(handle).expect("a call that succeeded gave a handle")))
            }

            /// The handle as the C interface takes it; it stays this object's.
            pub fn raw(&self) -> *mut c::$name {
                self.0.as_ptr()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { c::$release(self.0.as_ptr()) }
            }
        }
    };
}
pub(crate) use handle;

/// Bytes of a device's memory, as this process uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Allocated, and not freed.
    pub in_use: usize,
    /// Most that were in use since the device was opened, or `Device::reset_peak_memory`.
    pub peak: usize,
    /// Freed, and kept for allocations to come.
    pub cached: usize,
    /// That could be allocated now, cached ones among them.
    pub free: usize,
    /// That the device has.
    pub total: usize,
    /// On what is in use; `usize::MAX` where none is set.
    pub limit: usize,
}

/// What drives a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// The host's processor.
    Cpu,
    /// AMD's GPUs.
    Hip,
    /// NVIDIA's GPUs.
    Cuda,
}

handle! {
    /// An opened device, running the kernels of one package. It closes with the last handle, tensor, stream, event or module
    /// of it.
    Device, kernelgen_device_release
}

impl Device {
    /// Opens "cpu", "cpu:N" (N worker threads), "hip:N", "cuda:N", "simulated:gfx942" (an AMD GPU in software) or "auto" (the
    /// first GPU that has kernels, else the CPU) with the package that is embedded in the library. The same name gives the same device. Errors: `NotFound` for a name it
    /// does not know; `Unsupported` where no driver, no such ordinal or no code for the architecture is found; `DeviceError`.
    pub fn open(name: &str) -> Result<Self> {
        Self::open_raw(name, null())
    }

    /// Adds a package, whose operations can then be called by name with tensors of this device; gives its number. Of several
    /// added packages that have an operation, its name means that of the last one, and "NAME@NUMBER" that of one. A package
    /// of the same bytes is added once. Errors: `Unsupported` if it has no code for the device; `InvalidArgument` if a package
    /// that the device was opened with has an operation of one of its names.
    pub fn add(&self, package: &Package) -> Result<u32> {
        let mut number = 0;
        check(unsafe { c::kernelgen_device_add_package(self.raw(), package.raw(), &mut number) })?;
        Ok(number)
    }

    /// Compiles the operations of a manifest (JSON) for the device by `kernel-gen build` and adds them; gives the package
    /// and its number. `name` is what messages call the manifest, `headers` are names and texts of headers of your own. The
    /// result is cached on disk. Errors: `InvalidArgument` with what is wrong at the manifest's or a header's lines;
    /// `Unsupported` without kernel-gen, which KERNELGEN_TOOL may name; `Io`; those of `add`.
    pub fn compile_manifest(&self, manifest: &str, name: &str, headers: &[(&str, &str)]) -> Result<(Package, u32)> {
        let (manifest, name) = (text(manifest, "manifest")?, text(name, "name")?);
        let names = headers.iter().map(|each| text(each.0, "headers")).collect::<Result<Vec<_>>>()?;
        let texts = headers.iter().map(|each| text(each.1, "headers")).collect::<Result<Vec<_>>>()?;
        let raw_names: Vec<_> = names.iter().map(|each| each.as_ptr()).collect();
        let raw_texts: Vec<_> = texts.iter().map(|each| each.as_ptr()).collect();
        let mut number = 0;
        let package = Package::made(|package| unsafe {
            c::kernelgen_device_compile_manifest(
                self.raw(),
                manifest.as_ptr(),
                name.as_ptr(),
                raw_names.as_ptr(),
                raw_texts.as_ptr(),
                headers.len(),
                1,
                package,
                &mut number,
            )
        })?;
        Ok((package, number))
    }

    /// The same with another package.
    pub fn open_with(name: &str, package: &Package) -> Result<Self> {
        Self::open_raw(name, package.raw())
    }

    /// The same with several packages, such as one's own before the embedded one: of operations and kernels of one name, those
    /// of the first package that has one are used, and kernels' ids count on from package to package. Errors: also
    /// `InvalidArgument` without a package.
    pub fn open_packages(name: &str, packages: &[&Package]) -> Result<Self> {
        let name = text(name, "name")?;
        let raw: Vec<*const c::Package> = packages.iter().map(|package| package.raw() as *const _).collect();
        Self::made(|device| unsafe {
            c::kernelgen_device_open_packages(name.as_ptr(), raw.as_ptr(), raw.len(), device)
        })
    }

    /// Id of the kernel of that name, of the first package that has one. Errors: `NotFound`.
    pub fn find_kernel(&self, name: &str) -> Result<u32> {
        let name = text(name, "name")?;
        let mut kernel = 0;
        check(unsafe { c::kernelgen_device_find_kernel(self.raw(), name.as_ptr(), &mut kernel) })?;
        Ok(kernel)
    }

    fn open_raw(name: &str, package: *const c::Package) -> Result<Self> {
        let name = text(name, "name")?;
        Self::made(|device| unsafe { c::kernelgen_device_open(name.as_ptr(), package, device) })
    }

    /// How many devices of a kind the driver sees; 0 without a driver.
    pub fn count(kind: DeviceKind) -> usize {
        let mut count = 0;
        let status = unsafe { c::kernelgen_device_count(kind as i32, &mut count) };
        if status == c::OK { count as usize } else { 0 }
    }

    fn info(&self) -> c::DeviceInfo {
        let mut info = std::mem::MaybeUninit::uninit();
        let status = unsafe { c::kernelgen_device_describe(self.raw(), info.as_mut_ptr()) };
        assert_eq!(status, c::OK, "a device describes itself");
        unsafe { info.assume_init() }
    }

    /// What drives it.
    pub fn kind(&self) -> DeviceKind {
        [DeviceKind::Cpu, DeviceKind::Hip, DeviceKind::Cuda][self.info().kind as usize]
    }

    /// Unique in this process, never used again: equal ids are the same device.
    pub fn id(&self) -> u64 {
        self.info().id
    }

    /// "cpu", "hip:0".
    pub fn location(&self) -> String {
        unsafe { CStr::from_ptr(self.info().location) }.to_string_lossy().into_owned()
    }

    /// What it is sold as.
    pub fn name(&self) -> String {
        unsafe { CStr::from_ptr(self.info().name) }.to_string_lossy().into_owned()
    }

    /// "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3".
    pub fn architecture(&self) -> String {
        unsafe { CStr::from_ptr(self.info().architecture) }.to_string_lossy().into_owned()
    }

    /// The package's target chosen for it, "gfx11-generic".
    pub fn target(&self) -> String {
        unsafe { CStr::from_ptr(self.info().target) }.to_string_lossy().into_owned()
    }

    /// Bytes of memory.
    pub fn total_memory(&self) -> usize {
        self.info().total_memory
    }

    /// Bytes that could be allocated now. Errors: `DeviceError`.
    pub fn free_memory(&self) -> Result<usize> {
        let mut bytes = 0;
        check(unsafe { c::kernelgen_device_free_memory(self.raw(), &mut bytes) })?;
        Ok(bytes)
    }

    /// Bytes of its memory, as this process uses it. Errors: `DeviceError`.
    pub fn memory_use(&self) -> Result<MemoryUse> {
        let mut memory = std::mem::MaybeUninit::<c::MemoryUse>::uninit();
        check(unsafe { c::kernelgen_device_memory_use(self.raw(), memory.as_mut_ptr()) })?;
        let c::MemoryUse { in_use, peak, cached, free, total, limit } = unsafe { memory.assume_init() };
        Ok(MemoryUse { in_use, peak, cached, free, total, limit })
    }

    /// An allocation with which more bytes would be in use is `OutOfMemory`; the device is usable as before.
    pub fn set_memory_limit(&self, bytes: usize) -> Result<()> {
        check(unsafe { c::kernelgen_device_set_memory_limit(self.raw(), bytes) })
    }

    /// The peak is what is in use now.
    pub fn reset_peak_memory(&self) -> Result<()> {
        check(unsafe { c::kernelgen_device_reset_peak_memory(self.raw()) })
    }

    /// Gives what is cached back to the system, but for what work that is not done yet may use. Errors: `DeviceError`.
    pub fn trim_memory(&self) -> Result<()> {
        check(unsafe { c::kernelgen_device_trim_memory(self.raw()) })
    }

    /// Threads that run in step; 1 on the CPU.
    pub fn wave_size(&self) -> usize {
        self.info().wave_size as usize
    }

    /// The package whose kernels the device runs.
    pub fn package(&self) -> Result<Package> {
        Package::made(|package| unsafe { c::kernelgen_device_package(self.raw(), package) })
    }

    /// Waits for everything on the device. Errors: what it reported since the last call, `DeviceError` or `IndexOutOfRange`.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { c::kernelgen_device_synchronize(self.raw()) })
    }

    /// Starts the device's random numbers anew: the same calls after the same seed give the same numbers, on every device.
    pub fn set_seed(&self, seed: u64) -> Result<()> {
        check(unsafe { c::kernelgen_device_set_seed(self.raw(), seed) })
    }

    /// 299792458 until it is set.
    pub fn seed(&self) -> Result<u64> {
        let mut seed = 0;
        check(unsafe { c::kernelgen_device_get_seed(self.raw(), &mut seed) })?;
        Ok(seed)
    }

    /// Whether work in one stream waits, on the device, for work of other streams on the same memory. True at first; without
    /// it, who uses a tensor in several streams orders them.
    pub fn follow_streams(&self, follow: bool) {
        let status = unsafe { c::kernelgen_device_follow_streams(self.raw(), c_int::from(follow)) };
        assert_eq!(status, c::OK, "a device can follow streams");
    }

    /// As set by `follow_streams`.
    pub fn follows_streams(&self) -> bool {
        let mut follows = 0;
        unsafe { c::kernelgen_device_follows_streams(self.raw(), &mut follows) == c::OK && follows != 0 }
    }

    /// Loads every module of the package now, so that no later launch does. Errors: `DeviceError`, `OutOfMemory`.
    pub fn preload(&self) -> Result<()> {
        check(unsafe { c::kernelgen_device_preload(self.raw()) })
    }

    /// Captures what `work` puts into the stream, else into the device's default queue, none of which is done before
    /// `Graph::launch`. Gives what `work` gives too, whose tensors are the graph's, written anew by each launch. Errors: those
    /// of `work`; `InvalidArgument`, also in `work`, for what cannot be part of a graph (waiting for the device, events, other
    /// streams of the device, copies from and to the host, random numbers); `Unsupported` where the driver has no graphs;
    /// `DeviceError`, `OutOfMemory`.
    pub fn capture<T>(&self, stream: Option<&Stream>, work: impl FnOnce() -> Result<T>) -> Result<(Graph, T)> {
        check(unsafe { c::kernelgen_graph_begin(self.raw(), raw_or_null(stream)) })?;
        let _capture = Capture;
        let made = work()?;
        Ok((Graph::made(|graph| unsafe { c::kernelgen_graph_end(self.raw(), graph) })?, made))
    }

    /// An event behind everything now in the stream, else in the default queue. Errors: `DeviceError`.
    pub fn record(&self, stream: Option<&Stream>) -> Result<Event> {
        Event::made(|event| unsafe { c::kernelgen_event_record(self.raw(), raw_or_null(stream), event) })
    }

    /// Work put into the stream from now on waits for the event. Errors: `DeviceError`.
    pub fn wait(&self, event: &Event, stream: Option<&Stream>) -> Result<()> {
        check(unsafe { c::kernelgen_stream_wait(self.raw(), raw_or_null(stream), event.raw()) })
    }

    /// The package's kernel of that id, loaded at first use. Errors: `InvalidArgument`, `Unsupported`, `DeviceError`.
    pub fn kernel(&self, kernel: u32) -> Result<Function> {
        let mut function = c::Function { handle: null_mut() };
        check(unsafe { c::kernelgen_device_kernel(self.raw(), kernel, &mut function) })?;
        Ok(Function(function))
    }

    /// Loads a code object of your own: HSACO, cubin, PTX, or a CPU target's shared object. Errors: `DeviceError`.
    ///
    /// # Safety
    /// Loading a shared object runs what it has the loader run.
    pub unsafe fn load(&self, code: &[u8], name: &str) -> Result<Module> {
        let name = text(name, "name")?;
        Module::made(|module| c::kernelgen_module_load(self.raw(), code.as_ptr().cast(), code.len(), name.as_ptr(), module))
    }

    /// Puts a launch into the stream. `arguments` is the kernel's argument block: its arguments in order, each at its natural
    /// alignment. Errors: `InvalidArgument`, also for a block of more threads than a package's kernel is compiled for and for
    /// arguments of another size than the kernel's; `DeviceError`.
    ///
    /// # Safety
    /// The kernel does with its arguments what it does: addresses among them must be of memory it may use, and the function
    /// must be of this device, and loaded still.
    pub unsafe fn launch(&self, function: Function, shape: LaunchShape, arguments: &[u8], stream: Option<&Stream>) -> Result<()> {
        let shape = c::LaunchShape { grid: shape.grid, block: shape.block, shared_bytes: shape.shared_bytes };
        check(c::kernelgen_launch(
            self.raw(),
            function.0,
            &shape,
            arguments.as_ptr().cast(),
            arguments.len(),
            raw_or_null(stream),
        ))
    }
}

impl Clone for Device {
    /// Another handle of the same device.
    fn clone(&self) -> Self {
        Self::made(|shared| unsafe { c::kernelgen_device_retain(self.raw(), shared) }).expect("a device has another handle")
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Device({}: {}, {}, kernels for {})", self.location(), self.name(), self.architecture(), self.target())
    }
}

handle! {
    /// A queue of work on a device. It goes after its work is done and nothing uses it any more.
    Stream, kernelgen_stream_release
}

impl Stream {
    /// Errors: `DeviceError`.
    pub fn new(device: &Device) -> Result<Self> {
        Self::made(|stream| unsafe { c::kernelgen_stream_new(device.raw(), stream) })
    }

    /// Waits until everything in the stream is done. Errors: `DeviceError`, and `IndexOutOfRange` for the first bad index of
    /// the earliest call in this stream that met one since it was last waited for.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { c::kernelgen_stream_synchronize(self.raw()) })
    }
}

/// Gives up what the thread captures, if that has not ended.
struct Capture;

impl Drop for Capture {
    fn drop(&mut self) {
        unsafe { c::kernelgen_graph_cancel() }
    }
}

handle! {
    /// Work of a device, of `Device::capture`, that is launched any number of times for the price of one launch: the same
    /// kernels with the same arguments, on what the same memory holds then. Tensors from before that it reads or writes have to
    /// stay as long as it is launched; one that is dropped while it is captured goes with the graph.
    Graph, kernelgen_graph_release
}

impl Graph {
    /// Puts all of the work into the stream, else into the default queue, and does not wait for it. Errors: `InvalidArgument`
    /// for a stream of another device and while the thread captures a graph; `DeviceError`.
    pub fn launch(&self, stream: Option<&Stream>) -> Result<()> {
        check(unsafe { c::kernelgen_graph_launch(self.raw(), raw_or_null(stream)) })
    }

    /// Captures `work`, such as the same operations on other tensors, in place of the earlier work. Gives what `work` gives, and
    /// whether the driver could change the graph, which else was made anew. Errors: as `Device::capture`; the graph is as it
    /// was then.
    pub fn update<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(bool, T)> {
        check(unsafe { c::kernelgen_graph_begin_update(self.raw()) })?;
        let _capture = Capture;
        let made = work()?;
        let mut in_place = 0;
        check(unsafe { c::kernelgen_graph_end_update(self.raw(), &mut in_place) })?;
        Ok((in_place != 0, made))
    }

    fn info(&self) -> c::GraphInfo {
        let mut info = c::GraphInfo { nodes: 0, memory: 0 };
        let status = unsafe { c::kernelgen_graph_describe(self.raw(), &mut info) };
        assert_eq!(status, c::OK, "a graph describes itself");
        info
    }

    /// Launches of kernels, copies and fills in it.
    pub fn nodes(&self) -> usize {
        self.info().nodes
    }

    /// Bytes that it keeps for what its work allocated.
    pub fn memory(&self) -> usize {
        self.info().memory
    }
}

handle! {
    /// A point in a stream.
    Event, kernelgen_event_release
}

impl Event {
    /// Waits until the point is reached. Errors: as `Stream::synchronize`, for what was put there before it.
    pub fn synchronize(&self) -> Result<()> {
        check(unsafe { c::kernelgen_event_synchronize(self.raw()) })
    }

    /// Milliseconds from this to `end`, both reached. Errors: `DeviceError`.
    pub fn elapsed(&self, end: &Event) -> Result<f64> {
        let mut milliseconds = 0.0;
        check(unsafe { c::kernelgen_event_elapsed(self.raw(), end.raw(), &mut milliseconds) })?;
        Ok(milliseconds)
    }
}

handle! {
    /// A code object of your own. It is unloaded when it is dropped; no launch of it may be pending then.
    Module, kernelgen_module_release
}

impl Module {
    /// Errors: `NotFound` naming the kernel.
    pub fn function(&self, kernel: &str) -> Result<Function> {
        let kernel = text(kernel, "kernel")?;
        let mut function = c::Function { handle: null_mut() };
        check(unsafe { c::kernelgen_module_function(self.raw(), kernel.as_ptr(), &mut function) })?;
        Ok(Function(function))
    }
}

/// A kernel loaded on one device, valid as long as the device, or the module it is of.
#[derive(Clone, Copy)]
pub struct Function(c::Function);

unsafe impl Send for Function {}
unsafe impl Sync for Function {}

/// Grid and block of a launch. On the CPU one thread runs the whole block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchShape {
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// Of memory that a block shares.
    pub shared_bytes: u32,
}
