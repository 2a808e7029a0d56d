//! candle-core.

use super::{Edit, Rule, Tree};

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

pub const RULES: &[Rule] = &[
    Rule {
        file: "src/utils.rs",
        item: "cuda_is_available",
        edit: Edit::Body("crate::cuda_backend::is_available()"),
        since: None, until: None,
    },
    Rule { file: "src/sort.rs", item: "mod cuda", edit: Edit::Remove, since: None, until: None },
    Rule {
        file: "src/sort.rs",
        item: "ArgSort::cuda_fwd",
        edit: Edit::Body("crate::cuda_backend::arg_sort(storage, layout, self.asc)"),
        since: None, until: None,
    },
    Rule {
        file: "src/tensor.rs",
        item: "Tensor::cumsum",
        edit: Edit::Prepend(
            "if self.device().is_cuda() && self.rank() > 0 {
            let dim = dim.to_index(self.shape(), \"cumsum\")?;
            return crate::cuda_backend::cumsum(self, dim);
        }",
        ),
        since: None, until: None,
    },
    Rule {
        file: "src/conv.rs",
        item: "Tensor::conv1d_with_algo",
        edit: Edit::Prepend(grouped!("None")),
        since: None,
        until: None,
    },
    Rule {
        file: "src/conv.rs",
        item: "Tensor::conv2d_with_algo",
        edit: Edit::Prepend(grouped!("None")),
        since: None,
        until: None,
    },
    Rule {
        file: "src/conv.rs",
        item: "Tensor::conv_transpose1d",
        edit: Edit::Prepend(grouped!("Some(output_padding)")),
        since: None,
        until: None,
    },
    Rule {
        file: "src/safetensors.rs",
        item: "Tensor::from_raw_buffer",
        edit: Edit::Arm("Device::Cuda", STORED),
        since: Some((0, 9, 2)), until: None,
    },
    Rule {
        file: "src/safetensors.rs",
        item: "convert_dummy",
        edit: Edit::Arm("Device::Cuda", STORED),
        since: Some((0, 9, 2)), until: None,
    },
    // Operations that candle-ug generates are CUDA code: what stays is candle's "no cuda implementation".
    Rule { file: "src/custom_op.rs", item: "", edit: Edit::WithoutFeature, since: None, until: None },
    Rule { file: "src/quantized/mod.rs", item: "mod fast_mmq", edit: Edit::Remove, since: Some((0, 11, 0)), until: None },
    Rule { file: "src/quantized/mod.rs", item: "mod fast_mmvq", edit: Edit::Remove, since: Some((0, 11, 0)), until: None },
    Rule {
        file: "src/quantized/mod.rs",
        item: "QStorage::device_ptr_with_guard",
        edit: Edit::Remove,
        since: Some((0, 11, 0)), until: None,
    },
    Rule {
        file: "src/quantized/mod.rs",
        item: "QTensor::device_ptr_with_guard",
        edit: Edit::Remove,
        since: Some((0, 11, 0)), until: None,
    },
    Rule {
        file: "src/quantized/cuda/mod.rs",
        item: "mod importance",
        edit: Edit::Remove,
        since: None,
        until: Some((0, 9, 2)),
    },
    // The two tests that read handles of cudarc.
    Rule {
        file: "tests/tensor_tests.rs",
        item: "transfers_cuda_to_device",
        edit: Edit::Body(
            "let Ok(second) = Device::new_cuda(1) else {
        return Ok(());
    };
    let first = Tensor::arange(0u32, 262144, &Device::new_cuda(0)?)?.reshape((512, 512))?;
    let moved = first.to_device(&second)?;
    assert_ne!(first.device().as_cuda_device()?.id(), moved.device().as_cuda_device()?.id());
    assert_eq!(first.to_vec2::<u32>()?, moved.to_vec2::<u32>()?);
    Ok(())",
        ),
        since: Some((0, 9, 2)),
        until: None,
    },
    Rule {
        file: "tests/tensor_tests.rs",
        item: "allocates_twice_when_transferring_to_same_device",
        edit: Edit::Body(
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
        since: Some((0, 9, 2)),
        until: None,
    },
];
