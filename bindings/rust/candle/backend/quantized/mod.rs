//! Quantized storage of the device: blocks in GGML's layout, as files have them, and the operations on them.

mod format;
mod importance;
mod product;

use super::{GgmlDType, QStorage};
use crate::backend::BackendStorage;
use crate::cuda_backend::kernelgen::{ops, DType as Format, Stream, Tensor};
use crate::{CpuStorage, CudaDevice, CudaStorage, Layout, Result, Storage};
use format::{dtype_of, is_plain};

/// Accepted for programs that choose between candle's two CUDA products; here is one.
pub fn set_force_dmmv(_: bool) {}

/// Blocks of one format; their shape is the QTensor's.
#[derive(Clone, Debug)]
pub struct QCudaStorage {
    blocks: Tensor,
    dtype: GgmlDType,
    device: CudaDevice,
}

impl QCudaStorage {
    pub fn zeros(device: &CudaDevice, el_count: usize, dtype: GgmlDType) -> Result<Self> {
        let elements = el_count.next_multiple_of(dtype.block_size());
        let shape = [elements as i64];
        let blocks = Tensor::zeros_with(device.kernelgen(), dtype_of(dtype)?, &shape, device.stream())?;
        Ok(Self { blocks, dtype, device: device.clone() })
    }

    fn from_bytes(device: &CudaDevice, bytes: &[u8], dtype: GgmlDType) -> Result<Self> {
        let elements = bytes.len() / dtype.type_size() * dtype.block_size();
        let (format, shape) = (dtype_of(dtype)?, [elements as i64]);
        let blocks = Tensor::from_bytes_with(device.kernelgen(), bytes, format, &shape, device.stream())?;
        Ok(Self { blocks, dtype, device: device.clone() })
    }

    pub fn dtype(&self) -> GgmlDType {
        self.dtype
    }

    pub fn device(&self) -> &CudaDevice {
        &self.device
    }

    pub fn storage_size_in_bytes(&self) -> usize {
        self.blocks.elements() / self.dtype.block_size() * self.dtype.type_size()
    }

    pub fn data(&self) -> Result<Vec<u8>> {
        Ok(self.blocks.to_bytes(self.stream())?)
    }

    /// Address of the first block on the device, valid as long as this storage.
    pub fn device_ptr(&self) -> Result<*const u8> {
        Ok(self.blocks.data() as *const u8)
    }

    fn stream(&self) -> Option<&Stream> {
        self.device.stream()
    }

    /// The blocks as a vector, a matrix or a stack of matrices.
    fn shaped(&self, shape: &[usize]) -> Result<Tensor> {
        let elements: usize = shape.iter().product();
        if elements != self.blocks.elements() {
            crate::bail!(
                "quantized storage of {:?} has {} elements, the shape {shape:?} has {elements}",
                self.dtype,
                self.blocks.elements()
            )
        }
        let shape: Vec<i64> = shape.iter().map(|&dim| dim as i64).collect();
        Ok(self.blocks.reshape(&shape)?)
    }

    fn wrap(&self, result: Tensor) -> Result<CudaStorage> {
        CudaStorage::wrap(result, &self.device)
    }

    /// Plain elements in another dtype: `x` itself if it has that dtype.
    fn converted(&self, x: Tensor, dtype: Format) -> Result<Tensor> {
        if x.dtype() == dtype {
            return Ok(x);
        }
        Ok(ops::to_dtype_with(&x, dtype, None, self.stream())?)
    }

    fn dequantize_to(&self, elem_count: usize, dtype: Format) -> Result<CudaStorage> {
        let blocks = self.shaped(&[elem_count])?;
        self.wrap(match is_plain(self.dtype) {
            // Never the blocks' own memory: candle may write to the result in place.
            true if blocks.dtype() == dtype => ops::copy_with(&blocks, None, self.stream())?,
            true => ops::to_dtype_with(&blocks, dtype, None, self.stream())?,
            false => ops::dequantize_with(&blocks, dtype, None, self.stream())?,
        })
    }

    pub fn dequantize(&self, elem_count: usize) -> Result<CudaStorage> {
        self.dequantize_to(elem_count, Format::F32)
    }

    pub fn dequantize_f16(&self, elem_count: usize) -> Result<CudaStorage> {
        self.dequantize_to(elem_count, Format::F16)
    }

    /// Takes blocks that candle's own quantizers made on the host, so that every device has the same ones.
    fn take(&mut self, on_host: QStorage) -> Result<()> {
        *self = Self::from_bytes(&self.device, &on_host.data()?, self.dtype)?;
        Ok(())
    }

    /// Blocks on the host for as many elements as the source has.
    fn on_host(&self, src: CpuStorage) -> Result<(QStorage, Storage)> {
        let elements = src.as_slice::<f32>()?.len();
        Ok((crate::Device::Cpu.qzeros(elements, self.dtype)?, Storage::Cpu(src)))
    }

    pub fn quantize(&mut self, src: &CudaStorage) -> Result<()> {
        self.quantize_onto(&src.to_cpu_storage()?)
    }

    pub fn quantize_onto(&mut self, src: &CpuStorage) -> Result<()> {
        let (mut on_host, src) = self.on_host(src.clone())?;
        on_host.quantize(&src)?;
        self.take(on_host)
    }

    /// The rows of the table that `ids` name, as f32.
    pub fn embedding(&self, rows: usize, hidden: usize, ids: &CudaStorage, ids_l: &Layout) -> Result<CudaStorage> {
        if hidden % self.dtype.block_size() != 0 {
            crate::bail!(
                "quantized embedding hidden size {hidden} is not divisible by block size {}",
                self.dtype.block_size()
            )
        }
        let (table, ids) = (self.shaped(&[rows, hidden])?, ids.view(ids_l)?);
        self.wrap(match is_plain(self.dtype) {
            true => {
                let selected = ops::index_select_with(&table, 0, &ids, None, self.stream())?;
                self.converted(selected, Format::F32)?
            }
            false => ops::get_rows_with(&table, &ids, Format::F32, None, self.stream())?,
        })
    }
}

/// Copies blocks to the device.
pub fn load_quantized<T: super::GgmlType + Send + Sync + 'static>(device: &CudaDevice, data: &[T]) -> Result<QStorage> {
    // Blocks are plain data without padding: what GGML's files store.
    let bytes = unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), std::mem::size_of_val(data)) };
    Ok(QStorage::Cuda(QCudaStorage::from_bytes(device, bytes, T::DTYPE)?))
}
