//! GGML's formats as the library's dtypes.

use crate::cuda_backend::kernelgen::DType;
use crate::quantized::GgmlDType;
use crate::Result;

/// The dtype of the same blocks. Formats are told by GGML's numbers, because candle's versions name different sets.
pub(super) fn dtype_of(format: GgmlDType) -> Result<DType> {
    Ok(match format.to_u32() {
        0 => DType::F32,
        1 => DType::F16,
        2 => DType::Q4_0,
        3 => DType::Q4_1,
        6 => DType::Q5_0,
        7 => DType::Q5_1,
        8 => DType::Q8_0,
        9 => DType::Q8_1,
        10 => DType::Q2_K,
        11 => DType::Q3_K,
        12 => DType::Q4_K,
        13 => DType::Q5_K,
        14 => DType::Q6_K,
        15 => DType::Q8_K,
        30 => DType::BF16,
        _ => crate::bail!("the kernelgen device has no kernels for {format:?}"),
    })
}

/// Whether elements are stored one by one (F32, F16, BF16), so that operations on plain tensors take them.
pub(super) fn is_plain(format: GgmlDType) -> bool {
    format.block_size() == 1
}
