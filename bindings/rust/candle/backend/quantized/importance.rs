//! Quantization under importance weights. The search for scales runs on the host, as for candle's other devices.

use super::QCudaStorage;
use crate::backend::BackendStorage;
use crate::{CpuStorage, CudaStorage, DType, Result};

impl QCudaStorage {
    pub fn quantize_imatrix(
        &mut self,
        src: &CudaStorage,
        imatrix_weights: &[f32],
        n_per_row: usize,
    ) -> Result<()> {
        if src.dtype() != DType::F32 {
            crate::bail!("only f32 can be quantized")
        }
        self.quantize_imatrix_onto(&src.to_cpu_storage()?, imatrix_weights, n_per_row)
    }

    pub fn quantize_imatrix_onto(
        &mut self,
        src: &CpuStorage,
        imatrix_weights: &[f32],
        n_per_row: usize,
    ) -> Result<()> {
        let src = src.as_slice::<f32>()?;
        let mut on_host = self.dtype.cpu_zeros(src.len());
        on_host.from_float_imatrix(src, imatrix_weights, n_per_row);
        // The memory of `on_host`'s vector of blocks, which outlives the copy.
        let bytes = unsafe { std::slice::from_raw_parts(on_host.as_ptr(), on_host.storage_size_in_bytes()) };
        *self = Self::from_bytes(&self.device, bytes, self.dtype)?;
        Ok(())
    }
}
