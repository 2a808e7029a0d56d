//! The device: which one an ordinal is, its queue, and storage made on it.

use super::{host, random, CudaStorage};
use crate::backend::BackendDevice;
use crate::{CpuStorage, DType, DeviceLocation, Error, Result, Shape};
use kernelgen::{Device, DeviceKind, Stream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Selects the device in place of the ordinal: "hip:0", "cuda:1", "cpu"; without a number, the ordinal is the number.
const VARIABLE: &str = "KERNELGEN_DEVICE";

/// Differs between any two devices that were made, also between two of the same GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(usize);

impl DeviceId {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

struct Shared {
    id: DeviceId,
    ordinal: usize,
    device: Device,
    stream: Option<Stream>,
}

/// A GPU, or the CPU, that the library drives. Clones are the same device.
#[derive(Clone)]
pub struct CudaDevice(Arc<Shared>);

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CudaDevice({:?}, {:?})", self.0.id, self.0.device)
    }
}

fn requested() -> Option<String> {
    std::env::var(VARIABLE).ok().filter(|value| !value.is_empty())
}

/// Whether `Device::new_cuda(0)` has a device to open: a GPU, or what `KERNELGEN_DEVICE` names.
pub fn is_available() -> bool {
    requested().is_some() || Device::count(DeviceKind::Hip) + Device::count(DeviceKind::Cuda) > 0
}

/// The library's name of the device that `KERNELGEN_DEVICE` selects.
fn selected(value: &str, ordinal: usize) -> String {
    match (value, ordinal) {
        ("hip" | "cuda", _) => format!("{value}:{ordinal}"),
        ("cpu", 1..) => format!("cpu.{ordinal}"),
        _ => value.to_string(),
    }
}

/// The device of an ordinal. AMD's GPUs are counted before NVIDIA's.
fn open(ordinal: usize) -> Result<Device> {
    if let Some(value) = requested() {
        return Ok(Device::open(&selected(&value, ordinal))?);
    }
    let amd = Device::count(DeviceKind::Hip);
    let nvidia = Device::count(DeviceKind::Cuda);
    let name = if ordinal < amd {
        format!("hip:{ordinal}")
    } else if ordinal < amd + nvidia {
        format!("cuda:{}", ordinal - amd)
    } else if amd + nvidia > 0 {
        let last = amd + nvidia - 1;
        crate::bail!("new_cuda({ordinal}): the GPUs are 0 to {last} ({amd} of AMD, then {nvidia} of NVIDIA)")
    } else {
        let reasons: Vec<String> =
            ["hip:0", "cuda:0"].iter().filter_map(|name| Device::open(name).err()).map(|error| error.message).collect();
        crate::bail!(
            "new_cuda({ordinal}): no GPU was found; {VARIABLE}=cpu runs the same kernels on the CPU\n{}",
            reasons.join("\n")
        )
    };
    Ok(Device::open(&name)?)
}

impl CudaDevice {
    fn made(ordinal: usize, device: Device, stream: Option<Stream>) -> Self {
        Self(Arc::new(Shared { id: DeviceId::new(), ordinal, device, stream }))
    }

    /// A device with a separate stream. The library orders streams that use the same memory.
    pub fn new_with_stream(ordinal: usize) -> Result<Self> {
        let device = open(ordinal)?;
        let stream = Stream::new(&device)?;
        Ok(Self::made(ordinal, device, Some(stream)))
    }

    pub fn id(&self) -> DeviceId {
        self.0.id
    }

    /// The library's device.
    pub fn kernelgen(&self) -> &Device {
        &self.0.device
    }

    /// Where work is put; None is the default stream.
    pub fn stream(&self) -> Option<&Stream> {
        self.0.stream.as_ref()
    }

    /// Turns off the ordering of streams by the memory that they use.
    ///
    /// # Safety
    /// Work of several streams on the same memory must be ordered by the caller.
    pub unsafe fn disable_event_tracking(&self) {
        self.0.device.follow_streams(false)
    }

    pub fn is_event_tracking(&self) -> bool {
        self.0.device.follows_streams()
    }
}

impl BackendDevice for CudaDevice {
    type Storage = CudaStorage;

    fn new(ordinal: usize) -> Result<Self> {
        Ok(Self::made(ordinal, open(ordinal)?, None))
    }

    fn location(&self) -> DeviceLocation {
        DeviceLocation::Cuda { gpu_id: self.0.ordinal }
    }

    fn same_device(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }

    fn zeros_impl(&self, shape: &Shape, dtype: DType) -> Result<CudaStorage> {
        let elements = [shape.elem_count() as i64];
        let tensor =
            kernelgen::Tensor::zeros_with(self.kernelgen(), computed(dtype, "zeros")?, &elements, self.stream())?;
        Ok(CudaStorage::new(tensor, dtype, self))
    }

    unsafe fn alloc_uninit(&self, shape: &Shape, dtype: DType) -> Result<CudaStorage> {
        let elements = [shape.elem_count() as i64];
        let tensor =
            kernelgen::Tensor::empty_with(self.kernelgen(), computed(dtype, "alloc")?, &elements, self.stream())?;
        Ok(CudaStorage::new(tensor, dtype, self))
    }

    fn storage_from_slice<T: crate::WithDType>(&self, elements: &[T]) -> Result<CudaStorage> {
        let dtype = computed(T::DTYPE, "storage_from_slice")?;
        host::upload(self, host::bytes_of(elements), dtype, T::DTYPE)
    }

    fn storage_from_cpu_storage(&self, storage: &CpuStorage) -> Result<CudaStorage> {
        host::from_cpu(self, storage)
    }

    fn storage_from_cpu_storage_owned(&self, storage: CpuStorage) -> Result<CudaStorage> {
        host::from_cpu_owned(self, storage)
    }

    fn rand_uniform(&self, shape: &Shape, dtype: DType, low: f64, high: f64) -> Result<CudaStorage> {
        random::uniform(self, shape, computed(dtype, "rand_uniform")?, low, high)
    }

    fn rand_normal(&self, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Result<CudaStorage> {
        random::normal(self, shape, computed(dtype, "rand_normal")?, mean, std)
    }

    fn set_seed(&self, seed: u64) -> Result<()> {
        Ok(self.kernelgen().set_seed(seed)?)
    }

    fn get_current_seed(&self) -> Result<u64> {
        Ok(self.kernelgen().seed()?)
    }

    fn synchronize(&self) -> Result<()> {
        match self.stream() {
            Some(stream) => Ok(stream.synchronize()?),
            None => Ok(self.kernelgen().synchronize()?),
        }
    }
}

/// The library's dtype, or candle's error for one whose elements are only stored.
fn computed(dtype: DType, operation: &'static str) -> Result<kernelgen::DType> {
    host::kernel_dtype(dtype).ok_or_else(|| Error::UnsupportedDTypeForOp(dtype, operation).bt())
}
