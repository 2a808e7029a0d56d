//! candle's methods that compute, each by the call of a program, at three sizes.

use crate::{weights, Row};
use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor, D};
use candle_nn::{ops, rotary_emb};
use std::cell::OnceCell;
use std::rc::Rc;

/// Operands of about `n` * `n` elements.
struct Inputs {
    n: usize,
    device: Device,
    host: Vec<f32>,
    x: Tensor,
    y: Tensor,
    f16: Tensor,
    bf16: Tensor,
    row: Tensor,
    mask: Tensor,
    ids: Tensor,
    matrix_ids: Tensor,
    line: Tensor,
    line_kernel: Tensor,
    image: Tensor,
    image_kernel: Tensor,
    heads: Tensor,
    cos: Tensor,
    sin: Tensor,
    q4_k: QTensor,
    q4_k_product: QMatMul,
    q8_0_product: QMatMul,
}

impl Inputs {
    fn new(device: &Device, n: usize) -> Result<Self> {
        let normal = |shape: &[usize]| Tensor::randn(0f32, 1., shape, device);
        let ids = |shape: &[usize]| Tensor::rand(0f32, n as f32 - 1., shape, device)?.to_dtype(DType::U32);
        let quantized = |dtype| weights::quantized(dtype, (n, n))?.to(device);
        let x = normal(&[n, n])?;
        Ok(Self {
            n,
            device: device.clone(),
            host: x.flatten_all()?.to_vec1()?,
            y: normal(&[n, n])?,
            f16: x.to_dtype(DType::F16)?,
            bf16: x.to_dtype(DType::BF16)?,
            row: normal(&[n])?,
            mask: x.gt(0f32)?,
            ids: ids(&[n])?,
            matrix_ids: ids(&[n, n])?,
            line: normal(&[1, 64, n * n / 64])?,
            line_kernel: normal(&[64, 64, 3])?,
            image: normal(&[1, 16, n / 4, n / 4])?,
            image_kernel: normal(&[16, 16, 3, 3])?,
            heads: normal(&[1, n / 16, n / 8, 128])?,
            cos: normal(&[n / 8, 64])?,
            sin: normal(&[n / 8, 64])?,
            q4_k: quantized(GgmlDType::Q4K)?,
            q4_k_product: QMatMul::from_qtensor(quantized(GgmlDType::Q4K)?)?,
            q8_0_product: QMatMul::from_qtensor(quantized(GgmlDType::Q8_0)?)?,
            x,
        })
    }
}

type Kernel = fn(&Inputs) -> Result<Tensor>;

const KERNELS: &[(&str, Kernel)] = &[
    ("affine", |i| i.x.affine(2., 1.)),
    ("powf", |i| i.x.powf(2.5)),
    ("elu", |i| i.x.elu(1.)),
    ("sum of rows", |i| i.x.sum(1)),
    ("sum of columns", |i| i.x.sum(0)),
    ("sum of all", |i| i.x.sum_all()),
    ("max of rows", |i| i.x.max(1)),
    ("argmax of rows", |i| i.x.argmax(1)),
    ("lt", |i| i.x.lt(&i.y)),
    ("f32 to f16", |i| i.x.to_dtype(DType::F16)),
    ("bf16 to f32", |i| i.bf16.to_dtype(DType::F32)),
    ("exp", |i| i.x.exp()),
    ("sqrt", |i| i.x.sqrt()),
    ("tanh", |i| i.x.tanh()),
    ("gelu", |i| i.x.gelu()),
    ("silu", |i| i.x.silu()),
    ("silu f16", |i| i.f16.silu()),
    ("add", |i| &i.x + &i.y),
    ("add bf16", |i| &i.bf16 + &i.bf16),
    ("add of a transposed matrix", |i| &i.x + i.y.t()?),
    ("add of a row", |i| i.x.broadcast_add(&i.row)),
    ("where_cond", |i| i.mask.where_cond(&i.x, &i.y)),
    ("conv1d", |i| i.line.conv1d(&i.line_kernel, 1, 1, 1, 1)),
    ("conv_transpose1d", |i| i.line.conv_transpose1d(&i.line_kernel, 1, 0, 1, 1, 1)),
    ("conv2d", |i| i.image.conv2d(&i.image_kernel, 1, 1, 1, 1)),
    ("conv_transpose2d", |i| i.image.conv_transpose2d(&i.image_kernel, 1, 0, 1, 1)),
    ("avg_pool2d", |i| i.image.avg_pool2d(2)),
    ("max_pool2d", |i| i.image.max_pool2d(2)),
    ("upsample_nearest1d", |i| i.line.upsample_nearest1d(i.n * i.n / 32)),
    ("upsample_nearest2d", |i| i.image.upsample_nearest2d(i.n / 2, i.n / 2)),
    ("upsample_bilinear2d", |i| i.image.upsample_bilinear2d(i.n / 2, i.n / 2, false)),
    ("gather", |i| i.x.gather(&i.matrix_ids, 1)),
    ("scatter_set", |i| i.y.scatter_set(&i.matrix_ids, &i.x, 1).map(|()| i.y.clone())),
    ("scatter_add_set", |i| i.y.scatter_add_set(&i.matrix_ids, &i.x, 1).map(|()| i.y.clone())),
    ("index_select", |i| i.x.index_select(&i.ids, 0)),
    ("index_add", |i| i.x.index_add(&i.ids, &i.y, 0)),
    ("matmul", |i| i.x.matmul(&i.y)),
    ("matmul f16", |i| i.f16.matmul(&i.f16)),
    ("matmul bf16", |i| i.bf16.matmul(&i.bf16.t()?)),
    ("matmul of one row", |i| i.x.narrow(0, 0, 1)?.matmul(&i.y.t()?)),
    ("matmul of heads", |i| i.heads.matmul(&i.heads.t()?)),
    ("copy of a transposed matrix", |i| i.x.t()?.contiguous()),
    ("cat", |i| Tensor::cat(&[&i.x, &i.y], 1)),
    ("copy", |i| i.x.copy()),
    ("const_set", |i| Tensor::full(2f32, (i.n, i.n), &i.device)),
    ("zeros", |i| Tensor::zeros((i.n, i.n), DType::F32, &i.device)),
    ("from_slice", |i| Tensor::from_slice(&i.host, (i.n, i.n), &i.device)),
    ("from_vec", |i| Tensor::from_vec(i.host.clone(), (i.n, i.n), &i.device)),
    ("to_vec", |i| Tensor::from_vec(i.x.flatten_all()?.to_vec1::<f32>()?, (i.n, i.n), &Device::Cpu)),
    ("rand_uniform", |i| Tensor::rand(0f32, 1., (i.n, i.n), &i.device)),
    ("rand_normal", |i| Tensor::randn(0f32, 1., (i.n, i.n), &i.device)),
    ("sigmoid", |i| ops::sigmoid(&i.x)),
    ("softmax", |i| ops::softmax_last_dim(&i.x)),
    ("rms_norm", |i| ops::rms_norm(&i.x, &i.row, 1e-5)),
    ("layer_norm", |i| ops::layer_norm(&i.x, &i.row, &i.row, 1e-5)),
    ("rope", |i| rotary_emb::rope(&i.heads, &i.cos, &i.sin)),
    ("sort", |i| Ok(i.x.sort_last_dim(true)?.0)),
    ("cumsum", |i| i.x.cumsum(D::Minus1)),
    ("q4_K dequantize", |i| i.q4_k.dequantize(&i.device)),
    ("q4_K matmul of n / 8 rows", |i| i.q4_k_product.forward(&i.x.narrow(0, 0, i.n / 8)?)),
    ("q4_K matmul of one row", |i| i.q4_k_product.forward(&i.x.narrow(0, 0, 1)?)),
    ("q8_0 matmul of one row", |i| i.q8_0_product.forward(&i.x.narrow(0, 0, 1)?)),
];

/// The inputs of a size on each device, made at its first row.
struct Shared {
    n: usize,
    made: [OnceCell<Rc<Inputs>>; 2],
}

impl Shared {
    fn on(&self, device: &Device) -> Result<Rc<Inputs>> {
        let made = &self.made[usize::from(device.is_cpu())];
        if made.get().is_none() {
            let _ = made.set(Rc::new(Inputs::new(device, self.n)?));
        }
        Ok(made.get().expect("made above").clone())
    }
}

pub fn rows() -> Vec<Row> {
    let mut rows = vec![];
    for n in [256, 512, 2048] {
        let shared = Rc::new(Shared { n, made: Default::default() });
        for &(name, kernel) in KERNELS {
            let shared = shared.clone();
            rows.push(Row {
                name: name.to_string(),
                size: n.to_string(),
                make: Box::new(move |device| {
                    let inputs = shared.on(device)?;
                    Ok(Box::new(move || kernel(&inputs).map(drop)))
                }),
            });
        }
    }
    rows
}
