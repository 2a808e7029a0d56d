//! `ops::sdpa`, which candle has for Metal only.

use super::{check_same_dtype, Operand};
use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen::ops::{self, AttentionOptions};
use candle::{CudaStorage, DType, Error, Result, Shape, Storage, Tensor};

/// Members of candle's `Sdpa`; a `softcapping` of 1 means none.
pub(crate) struct SdpaOptions<'a> {
    pub scale: f32,
    pub softcapping: f32,
    pub mask: Option<&'a Tensor>,
    pub do_causal: bool,
}

pub(crate) fn sdpa(q: Operand, k: Operand, v: Operand, options: SdpaOptions) -> Result<(CudaStorage, Shape)> {
    match q.0.dtype() {
        DType::BF16 | DType::F16 | DType::F32 => {}
        dtype => return Err(Error::UnsupportedDTypeForOp(dtype, "sdpa").bt()),
    }
    check_same_dtype("sdpa", q, &[k, v])?;
    let storage = options.mask.map(|mask| mask.storage_and_layout());
    let mask = match &storage {
        None => None,
        Some((storage, layout)) => match &**storage {
            Storage::Cuda(mask) => Some(mask.view(layout)?),
            _ => candle::bail!("sdpa: the mask is not on the device of q"),
        },
    };
    let attention = AttentionOptions {
        scale: options.scale.into(),
        soft_cap: if options.softcapping == 1.0 { 0.0 } else { options.softcapping.into() },
        causal: options.do_causal,
        mask: mask.as_ref(),
        ..AttentionOptions::default()
    };
    let (device, shape) = (q.0.device(), q.1.shape().clone());
    let (q, k, v) = (q.0.view(q.1)?, k.0.view(k.1)?, v.0.view(v.1)?);
    let y = ops::attention_with(&q, &k, &v, &attention, None, device.stream())?;
    Ok((CudaStorage::wrap(y, device)?, shape))
}
