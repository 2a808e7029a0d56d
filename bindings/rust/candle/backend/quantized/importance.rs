//! Quantization under importance weights.

use super::QCudaStorage;
use crate::backend::BackendStorage;
use crate::{CpuStorage, CudaStorage, Result};

impl QCudaStorage {
    pub fn quantize_imatrix(&mut self, src: &CudaStorage, imatrix_weights: &[f32], n_per_row: usize) -> Result<()> {
        self.quantize_imatrix_onto(&src.to_cpu_storage()?, imatrix_weights, n_per_row)
    }

    pub fn quantize_imatrix_onto(&mut self, src: &CpuStorage, imatrix_weights: &[f32], n_per_row: usize) -> Result<()> {
        let (mut on_host, src) = self.on_host(src.clone())?;
        on_host.quantize_imatrix(&src, imatrix_weights, n_per_row)?;
        self.take(on_host)
    }
}
