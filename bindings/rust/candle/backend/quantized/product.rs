//! Products with quantized matrices, whose blocks the kernels read as they are.

use super::format::is_plain;
use super::QCudaStorage;
use crate::backend::BackendStorage;
use crate::cuda_backend::kernelgen::{ops, Tensor};
use crate::{CudaStorage, DType, Layout, Result, Shape};

fn activation(op: &'static str, x: &CudaStorage, layout: &Layout) -> Result<Tensor> {
    match x.dtype() {
        DType::F32 | DType::F16 | DType::BF16 => x.view(layout),
        dtype => Err(crate::Error::UnsupportedDTypeForOp(dtype, op).bt()),
    }
}

impl QCudaStorage {
    /// x Wᵀ, in x's dtype, for x of rank 2 or more.
    pub fn fwd(&self, self_shape: &Shape, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (n, k) = self_shape.dims2()?;
        let mut shape = layout.dims().to_vec();
        if shape.len() < 2 {
            crate::bail!("unexpected shape for input {:?}", layout.shape())
        }
        if shape.pop() != Some(k) {
            crate::bail!("mismatch on matmul dim {self_shape:?} {:?}", layout.shape())
        }
        shape.push(n);
        let x = activation("quantized-matmul", storage, layout)?;
        let weights = self.shaped(&[n, k])?;
        let product = match is_plain(self.dtype) {
            true => {
                let transposed = self.converted(weights, x.dtype())?.transpose(0, 1)?;
                ops::matmul_with(&x, &transposed, None, self.stream())?
            }
            false => ops::quantized_matmul_with(&x, &weights, None, self.stream())?,
        };
        Ok((self.wrap(product)?, shape.into()))
    }

    /// The product of each row with the matrix of its expert: [tokens, topk, n].
    pub fn indexed_moe_forward(
        &self,
        self_shape: &Shape, // [experts, n, k]
        input: &CudaStorage,
        input_l: &Layout, // [tokens, topk or 1, k]
        ids: &CudaStorage,
        ids_l: &Layout, // [tokens, topk]
    ) -> Result<(CudaStorage, Shape)> {
        if is_plain(self.dtype) {
            crate::bail!("The given quantized dtype {:?} is not supported for indexed_moe_forward!", self.dtype)
        }
        let (experts, n, k) = self_shape.dims3()?;
        let (tokens, topk) = ids_l.shape().dims2()?;
        let x = activation("indexed_moe_forward", input, input_l)?;
        let weights = self.shaped(&[experts, n, k])?;
        let product = ops::indexed_matmul_with(&x, &weights, &ids.view(ids_l)?, None, self.stream())?;
        Ok((self.wrap(product)?, (tokens, topk, n).into()))
    }
}
