//! Attention over sequences of one length.

use crate::operand::{custom_op3, Operand};
use crate::problem::{Logits, Problem, Sequences};
use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen;
use candle::{CudaStorage, DType, Result, Shape, Tensor};

/// `softmax(Q @ K^T . softmax_scale) @ V` of tensors (batch, seq_len, num_heads, head_size).
pub struct FlashAttn {
    pub softmax_scale: f32,
    pub alibi_slopes: Option<Tensor>,
    pub window_size_left: Option<usize>,
    pub window_size_right: Option<usize>,
    pub softcap: Option<f32>,
}

/// Refuses what candle's kernels do not take.
pub(crate) fn check(q: &CudaStorage, heads: usize, kv_heads: usize, width: usize) -> Result<()> {
    if !matches!(q.dtype(), DType::F16 | DType::BF16) {
        candle::bail!("flash-attn is only supported for f16/bf16 ({:?})", q.dtype())
    }
    if width > 512 {
        candle::bail!("only supports head dimension at most 512 (got {width})")
    }
    if width % 8 != 0 {
        candle::bail!("only supports head sizes that are a multiple of 8 (got {width})")
    }
    if kv_heads == 0 || heads % kv_heads != 0 {
        candle::bail!("number of k/v heads {kv_heads} must divide number of heads in query {heads}")
    }
    Ok(())
}

impl FlashAttn {
    fn run(&self, [q, k, v]: [Operand; 3]) -> Result<(CudaStorage, Shape)> {
        let (batch, queries, heads, width) = q.1.shape().dims4()?;
        let (_, keys, kv_heads, _) = k.1.shape().dims4()?;
        for (name, other) in [("k", k.1), ("v", v.1)] {
            if other.shape().dims4()? != (batch, keys, kv_heads, width) {
                candle::bail!("shape mismatch q {:?} and {name} {:?}", q.1.shape(), other.shape())
            }
        }
        check(q.0, heads, kv_heads, width)?;
        let device = q.0.device();
        let problem = Problem {
            device,
            logits: Logits {
                scale: self.softmax_scale,
                soft_cap: self.softcap,
                window_left: self.window_size_left,
                window_right: self.window_size_right,
                alibi_slopes: self.alibi_slopes.as_ref(),
            },
            sequences: Sequences { queries, keys, ..Sequences::default() },
        };
        let [q_view, k_view, v_view] = [q.0.view(q.1)?, k.0.view(k.1)?, v.0.view(v.1)?];
        let out = kernelgen::Tensor::empty_with(device.kernelgen(), q_view.dtype(), q_view.shape(), device.stream())?;
        let heads_first = |x: &kernelgen::Tensor| x.transpose(1, 2);
        problem.run(&heads_first(&q_view)?, &heads_first(&k_view)?, &heads_first(&v_view)?, &heads_first(&out)?)?;
        Ok((CudaStorage::wrap(out, device)?, q.1.shape().clone()))
    }
}

custom_op3!(FlashAttn, "flash-attn");
