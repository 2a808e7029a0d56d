//! candle-nn's fused operations on the device beside the CPU's, or beside their definition.

mod common;

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Result, Tensor, D};
use candle_nn::{moe, ops, rotary_emb};
use common::{assert_close, assert_within, device, numbers, rounding, Random};

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
const SHAPES: [(usize, usize); 5] = [(1, 1), (3, 7), (5, 64), (2, 1000), (300, 33)];

/// The same call on both devices. The CPU computes in f32 and rounds once, as candle's f16 kernels round each step.
fn compare(what: &str, inputs: &[Tensor], call: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<()> {
    let device = device()?;
    let on = |f: &dyn Fn(&Tensor) -> Result<Tensor>| inputs.iter().map(f).collect::<Result<Vec<_>>>();
    let dtype = inputs[0].dtype();
    let theirs = call(&on(&|x| x.to_dtype(DType::F32))?)?.to_dtype(dtype)?;
    let ours = call(&on(&|x| x.to_device(&device))?)?;
    assert_close(&format!("{what} {dtype:?} {:?}", inputs[0].dims()), &ours, &theirs)
}

#[test]
fn sigmoid_and_silu() -> Result<()> {
    let mut random = Random::new(20);
    for dtype in FLOATS {
        for shape in SHAPES {
            let x = [(random.tensor(shape, DType::F32)? * 8.0)?.to_dtype(dtype)?];
            compare("sigmoid", &x, |x| ops::sigmoid(&x[0]))?;
            compare("silu", &x, |x| ops::silu(&x[0]))?;
        }
    }
    Ok(())
}

#[test]
fn softmax() -> Result<()> {
    let mut random = Random::new(21);
    for dtype in FLOATS {
        for shape in SHAPES {
            let x = [(random.tensor(shape, DType::F32)? * 8.0)?.to_dtype(dtype)?];
            compare("softmax_last_dim", &x, |x| ops::softmax_last_dim(&x[0]))?;
        }
    }
    Ok(())
}

#[test]
fn norms() -> Result<()> {
    let mut random = Random::new(22);
    for dtype in FLOATS {
        for (rows, columns) in SHAPES {
            let x = random.tensor((2, rows, columns), dtype)?;
            let [alpha, beta] = [random.tensor(columns, dtype)?, random.tensor(columns, dtype)?];
            compare("rms_norm", &[x.clone(), alpha.clone()], |x| ops::rms_norm_slow(&x[0], &x[1], 1e-5))?;
            compare("rms_norm", &[x.clone(), alpha.clone()], |x| ops::rms_norm(&x[0], &x[1], 1e-5))?;
            if columns > 1 {
                compare("layer_norm", &[x, alpha, beta], |x| ops::layer_norm(&x[0], &x[1], &x[2], 1e-5))?;
            }
        }
    }
    Ok(())
}

/// The kernels take strides; candle's need a copy.
#[test]
fn strided_inputs() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(23));
    let whole = random.tensor((6, 40, 5), DType::F32)?;
    let part = |x: &Tensor| x.transpose(1, 2)?.narrow(2, 3, 32);
    let (ours, theirs) = (part(&whole.to_device(&device)?)?, part(&whole)?.contiguous()?);
    let [alpha, beta] = [random.tensor(32, DType::F32)?, random.tensor(32, DType::F32)?];
    let (ours_alpha, ours_beta) = (alpha.to_device(&device)?, beta.to_device(&device)?);
    assert_close("softmax", &ops::softmax_last_dim(&ours)?, &ops::softmax_last_dim(&theirs)?)?;
    assert_close("rms", &ops::rms_norm(&ours, &ours_alpha, 1e-5)?, &ops::rms_norm(&theirs, &alpha, 1e-5)?)?;
    let expected = ops::layer_norm(&theirs, &alpha, &beta, 1e-5)?;
    assert_close("layer", &ops::layer_norm(&ours, &ours_alpha, &ours_beta, 1e-5)?, &expected)
}

#[test]
fn ropes() -> Result<()> {
    let mut random = Random::new(24);
    for dtype in FLOATS {
        for (batch, heads, positions, width) in [(1, 1, 1, 2), (2, 3, 5, 8), (3, 2, 17, 64)] {
            let x = random.tensor((batch, heads, positions, width), dtype)?;
            let thd = random.tensor((batch, positions, heads, width), dtype)?;
            for per_batch in [false, true] {
                let mut angles = || match per_batch {
                    true => random.tensor((batch, positions, width / 2), dtype),
                    false => random.tensor((positions + 3, width / 2), dtype),
                };
                let (cos, sin) = (angles()?, angles()?);
                let with = |x: &Tensor| [x.clone(), cos.clone(), sin.clone()];
                compare("rope", &with(&x), |x| rotary_emb::rope(&x[0], &x[1], &x[2]))?;
                compare("rope_i", &with(&x), |x| rotary_emb::rope_i(&x[0], &x[1], &x[2]))?;
                compare("rope_thd", &with(&thd), |x| rotary_emb::rope_thd(&x[0], &x[1], &x[2]))?;
            }
        }
    }
    Ok(())
}

#[test]
fn dtypes_that_do_not_match_are_refused() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(25));
    let x = random.tensor((2, 8), DType::F32)?.to_device(&device)?;
    let alpha = random.tensor(8, DType::F16)?.to_device(&device)?;
    let error = ops::rms_norm(&x, &alpha, 1e-5).expect_err("f32 with f16").to_string();
    assert!(error.contains("F32") && error.contains("F16"), "{error}");
    let integers = x.to_dtype(DType::I64)?;
    assert!(ops::softmax_last_dim(&integers).expect_err("i64").to_string().contains("I64"));
    Ok(())
}

/// A mixture's rows in the order that candle passes them: by expert.
struct Routing {
    ids: Tensor,
    sorted_token_ids: Tensor,
    experts_ids: Tensor,
}

impl Routing {
    fn new(random: &mut Random, tokens: usize, topk: usize, experts: usize) -> Result<Self> {
        let ids = random.ids(tokens * topk, experts)?;
        let mut rows: Vec<(u32, u32)> = ids.to_vec1::<u32>()?.into_iter().zip(0..).collect();
        rows.sort();
        let (experts_ids, sorted): (Vec<u32>, Vec<u32>) = rows.into_iter().unzip();
        let device = device()?;
        Ok(Self {
            ids,
            sorted_token_ids: Tensor::new(sorted, &device)?,
            experts_ids: Tensor::new(experts_ids, &device)?,
        })
    }

    /// Each row times its expert's matrix, [experts, n, k], and its weight.
    fn expected(&self, x: &Tensor, weights: &Tensor, topk_weights: Option<&Tensor>) -> Result<Tensor> {
        let mut rows = Vec::new();
        for (row, expert) in self.ids.to_vec1::<u32>()?.into_iter().enumerate() {
            let source = row * x.dim(0)? / self.ids.elem_count();
            let y = x.narrow(0, source, 1)?.matmul(&weights.get(expert as usize)?.t()?)?;
            rows.push(match topk_weights {
                Some(of_rows) => y.broadcast_mul(&of_rows.flatten_all()?.narrow(0, row, 1)?)?,
                None => y,
            });
        }
        Tensor::cat(&rows, 0)
    }
}

#[test]
fn mixtures_of_plain_experts() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(26));
    for dtype in [DType::F16, DType::BF16] {
        for (tokens, topk, experts) in [(1, 2, 4), (9, 3, 4), (40, 2, 7)] {
            let (n, k) = (24, 32);
            let routing = Routing::new(&mut random, tokens, topk, experts)?;
            let weights = random.tensor((experts, n, k), dtype)?;
            for weighted in [false, true] {
                let x = random.tensor((if weighted { tokens * topk } else { tokens }, k), dtype)?;
                let of_rows = random.tensor((tokens, topk), DType::F32)?;
                let of_rows = weighted.then_some(&of_rows);
                let y = moe::moe_gemm(
                    &x.to_device(&device)?,
                    &weights.to_device(&device)?,
                    &of_rows.map(|each| each.to_device(&device)).transpose()?,
                    &routing.sorted_token_ids,
                    &routing.experts_ids,
                    topk,
                    tokens > 1,
                )?;
                let (x, weights) = (x.to_dtype(DType::F32)?, weights.to_dtype(DType::F32)?);
                let expected = routing.expected(&x, &weights, of_rows)?.to_dtype(dtype)?;
                assert_within("moe_gemm", &y, &expected, |_| 8.0 * rounding(dtype))?;
            }
        }
    }
    Ok(())
}

#[test]
fn mixtures_of_quantized_experts() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(27));
    for format in [GgmlDType::Q8_0, GgmlDType::Q2K, GgmlDType::Q3K, GgmlDType::Q4K, GgmlDType::Q5K, GgmlDType::Q6K] {
        for (tokens, topk, experts) in [(1, 2, 4), (9, 3, 4), (40, 2, 7)] {
            let (n, k) = (24, 256);
            let routing = Routing::new(&mut random, tokens, topk, experts)?;
            let weights = QTensor::quantize(&random.tensor((experts, n, k), DType::F32)?, format)?;
            let plain = weights.dequantize(&Device::Cpu)?;
            let ours = QTensor::quantize_onto(&plain, format, &device)?;
            let plain = ours.dequantize(&Device::Cpu)?;
            for weighted in [false, true] {
                let x = random.tensor((if weighted { tokens * topk } else { tokens }, k), DType::F32)?;
                let of_rows = random.tensor((tokens, topk), DType::F32)?;
                let of_rows = weighted.then_some(&of_rows);
                let y = moe::moe_gemm_gguf(
                    &x.to_device(&device)?,
                    &ours,
                    &of_rows.map(|each| each.to_device(&device)).transpose()?,
                    &routing.sorted_token_ids,
                    &routing.experts_ids,
                    topk,
                    tokens > 1,
                    DType::F16,
                )?;
                let expected = routing.expected(&x, &plain, of_rows)?;
                // x has 8 bits: half a step of its largest element times the sum of a row of |w|.
                let largest = numbers(&plain.abs()?.sum(D::Minus1)?)?.into_iter().fold(0.0, f64::max);
                assert_within(&format!("{format:?}"), &y, &expected, |_| largest / 250.0)?;
            }
        }
    }
    Ok(())
}

#[test]
fn sdpa() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(28));
    for dtype in FLOATS {
        let (batch, heads, kv_heads, queries, keys, width) = (2, 4, 2, 5, 9, 32);
        let q = random.tensor((batch, heads, queries, width), dtype)?;
        let [k, v] = [0; 2].map(|_| random.tensor((batch, kv_heads, keys, width), dtype));
        let (k, v) = (k?, v?);
        let mask = random.tensor((batch, heads, queries, keys), dtype)?;
        for (causal, cap, mask) in
            [(false, 1.0, None), (true, 1.0, None), (false, 3.0, None), (false, 1.0, Some(&mask))]
        {
            let on_device = |x: &Tensor| x.to_device(&device);
            let ours = ops::sdpa(
                &on_device(&q)?,
                &on_device(&k)?,
                &on_device(&v)?,
                mask.map(on_device).transpose()?.as_ref(),
                causal,
                0.3,
                cap,
            )?;
            let wide = |x: &Tensor| x.to_dtype(DType::F32);
            let spread = |x: &Tensor| {
                let each = wide(x)?.unsqueeze(2)?.broadcast_as((batch, kv_heads, heads / kv_heads, keys, width))?;
                each.reshape((batch, heads, keys, width))
            };
            let mut logits = (wide(&q)?.matmul(&spread(&k)?.t()?.contiguous()?)? * 0.3)?;
            if cap != 1.0 {
                logits = ((logits / f64::from(cap))?.tanh()? * f64::from(cap))?;
            }
            if let Some(mask) = mask {
                logits = (logits + wide(mask)?)?;
            }
            if causal {
                let hidden: Vec<f32> = (0..queries * keys)
                    .map(|at| if at % keys > at / keys + keys - queries { f32::NEG_INFINITY } else { 0.0 })
                    .collect();
                logits = logits.broadcast_add(&Tensor::from_vec(hidden, (queries, keys), &Device::Cpu)?)?;
            }
            let expected = ops::softmax_last_dim(&logits)?.matmul(&spread(&v)?)?.to_dtype(dtype)?;
            assert_within(&format!("sdpa {dtype:?}"), &ours, &expected, |_| 2.0 * rounding(dtype))?;
        }
    }
    Ok(())
}
