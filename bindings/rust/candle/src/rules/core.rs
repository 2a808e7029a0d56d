//! candle-core.

use super::{Edit, Rule, Tree};
use crate::arguments::Version;

pub const TREES: &[Tree] = &[
    Tree { from: "core", to: "src/cuda_backend", instead_of: &["src/cuda_backend"] },
    Tree {
        from: "quantized",
        to: "src/quantized/cuda",
        instead_of: &["src/quantized/cuda.rs", "src/quantized/fast_mmq.rs", "src/quantized/fast_mmvq.rs"],
    },
];

/// All groups of a convolution at once.
macro_rules! grouped {
    ($output_padding:literal) => {
        concat!(
            "let grouped = crate::cuda_backend::GroupedConv { padding, stride, dilation, groups, output_padding: ",
            $output_padding,
            " };
        if let Some(result) = grouped.forward(self, kernel)? {
            return Ok(result);
        }"
        )
    };
}

/// Storage of dtypes that candle only stores.
const STORED: &str = "{ Storage::Cuda(crate::CudaStorage::from_stored_bytes(device, data, dtype)?) }";

/// The first versions with dtypes that are only stored, and with fast quantized products.
const V0_9_2: Version = (0, 9, 2);
const V0_11_0: Version = (0, 11, 0);

const fn rule(file: &'static str, item: &'static str, edit: Edit) -> Rule {
    Rule { file, item, edit, since: None, until: None }
}

const fn since(version: Version, file: &'static str, item: &'static str, edit: Edit) -> Rule {
    Rule { file, item, edit, since: Some(version), until: None }
}

pub const RULES: &[Rule] = &[
    rule("src/utils.rs", "cuda_is_available", Edit::Body("crate::cuda_backend::is_available()")),
    rule("src/sort.rs", "mod cuda", Edit::Remove),
    rule("src/sort.rs", "ArgSort::cuda_fwd", Edit::Body("crate::cuda_backend::arg_sort(storage, layout, self.asc)")),
    rule(
        "src/tensor.rs",
        "Tensor::cumsum",
        Edit::Prepend(
            "if self.device().is_cuda() && self.rank() > 0 {
            return crate::cuda_backend::cumsum(self, dim);
        }",
        ),
    ),
    rule("src/conv.rs", "Tensor::conv1d_with_algo", Edit::Prepend(grouped!("None"))),
    rule("src/conv.rs", "Tensor::conv2d_with_algo", Edit::Prepend(grouped!("None"))),
    rule("src/conv.rs", "Tensor::conv_transpose1d", Edit::Prepend(grouped!("Some(output_padding)"))),
    since(V0_9_2, "src/safetensors.rs", "Tensor::from_raw_buffer", Edit::Arm("Device::Cuda", STORED)),
    since(V0_9_2, "src/safetensors.rs", "convert_dummy", Edit::Arm("Device::Cuda", STORED)),
    // Operations that candle-ug generates are CUDA code: what stays is candle's "no cuda implementation".
    rule("src/custom_op.rs", "", Edit::WithoutFeature),
    since(V0_11_0, "src/quantized/mod.rs", "mod fast_mmq", Edit::Remove),
    since(V0_11_0, "src/quantized/mod.rs", "mod fast_mmvq", Edit::Remove),
    since(V0_11_0, "src/quantized/mod.rs", "QStorage::device_ptr_with_guard", Edit::Remove),
    since(V0_11_0, "src/quantized/mod.rs", "QTensor::device_ptr_with_guard", Edit::Remove),
    Rule {
        file: "src/quantized/cuda/mod.rs",
        item: "mod importance",
        edit: Edit::Remove,
        since: None,
        until: Some(V0_9_2),
    },
    // The two tests that read handles of cudarc.
    since(
        V0_9_2,
        "tests/tensor_tests.rs",
        "transfers_cuda_to_device",
        Edit::Body(
            "let Ok(second) = Device::new_cuda(1) else {
        return Ok(());
    };
    let first = Tensor::arange(0u32, 262144, &Device::new_cuda(0)?)?.reshape((512, 512))?;
    let moved = first.to_device(&second)?;
    assert_ne!(first.device().as_cuda_device()?.id(), moved.device().as_cuda_device()?.id());
    assert_eq!(first.to_vec2::<u32>()?, moved.to_vec2::<u32>()?);
    Ok(())",
        ),
    ),
    since(
        V0_9_2,
        "tests/tensor_tests.rs",
        "allocates_twice_when_transferring_to_same_device",
        Edit::Body(
            "let first = Tensor::arange(0u32, 262144, &Device::new_cuda(0)?)?;
    let copy = first.to_device(&Device::new_cuda(0)?)?;
    let address = |tensor: &Tensor| match &*tensor.storage_and_layout().0 {
        candle_core::Storage::Cuda(storage) => storage.tensor().data(),
        _ => unreachable!(),
    };
    assert_ne!(address(&first), address(&copy));
    assert_eq!(first.to_vec1::<u32>()?, copy.to_vec1::<u32>()?);
    Ok(())",
        ),
    ),
];
