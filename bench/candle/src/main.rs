//! The same calls on `Device::new_cuda(0)`, which is kernel-gen's device, and on candle's CPU back end: a table in Markdown.

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{ops, VarBuilder};
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig, LlamaEosToks};
use std::time::{Duration, Instant};

/// The median of at least five calls that take half a second together, in microseconds, after one that is not counted.
fn time(device: &Device, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    call()?;
    device.synchronize()?;
    let mut times = vec![];
    let start = Instant::now();
    while times.len() < 5 || start.elapsed() < Duration::from_millis(500) {
        let start = Instant::now();
        call()?;
        device.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

type Call = Box<dyn FnMut() -> Result<()>>;

/// The name and the call of each row, for a square of `size`.
fn kernels(device: &Device, size: usize) -> Result<Vec<(&'static str, Call)>> {
    let x = Tensor::randn(0f32, 1., (size, size), device)?;
    let half = x.to_dtype(DType::F16)?;
    let image = Tensor::randn(0f32, 1., (1, 16, size / 2, size / 2), device)?;
    let kernel = Tensor::randn(0f32, 1., (16, 16, 3, 3), device)?;
    let alpha = Tensor::ones(size, DType::F32, device)?;
    let ids = Tensor::arange(0u32, size as u32, device)?;
    let weights = QTensor::quantize(&x.to_device(&Device::Cpu)?, GgmlDType::Q4K)?;
    let weights = QTensor::new(QStorage::from_data(weights.data()?, device, GgmlDType::Q4K)?, (size, size))?;
    let weights = QMatMul::from_qtensor(weights)?;
    let one = |call: fn(&Tensor) -> Result<Tensor>| -> Call {
        let x = x.clone();
        Box::new(move || call(&x).map(drop))
    };
    let mut calls = vec![
        ("exp", one(|x| x.exp())),
        ("add", one(|x| x + x)),
        ("add of a transposed matrix", one(|x| x + x.t()?)),
        ("sum of rows", one(|x| x.sum(1))),
        ("argmax of rows", one(|x| x.argmax(1))),
        ("softmax", one(ops::softmax_last_dim)),
        ("matmul f32", one(|x| x.matmul(x))),
        ("sort", one(|x| Ok(x.sort_last_dim(true)?.0))),
    ];
    calls.push(("matmul f16", Box::new(move || half.matmul(&half).map(drop))));
    let rows = x.clone();
    calls.push(("rms_norm", Box::new(move || ops::rms_norm(&rows, &alpha, 1e-5).map(drop))));
    let rows = x.clone();
    calls.push(("index_select", Box::new(move || rows.index_select(&ids, 0).map(drop))));
    calls.push(("conv2d", Box::new(move || image.conv2d(&kernel, 1, 1, 1, 1).map(drop))));
    calls.push(("matmul q4_K", Box::new(move || weights.forward(&x).map(drop))));
    Ok(calls)
}

/// A llama of 110 million weights: the prompt at once, then one token.
fn llama(device: &Device, prompt: usize) -> Result<Call> {
    let config = LlamaConfig {
        hidden_size: 768,
        intermediate_size: 2048,
        vocab_size: 32000,
        num_hidden_layers: 12,
        num_attention_heads: 12,
        num_key_value_heads: Some(12),
        rms_norm_eps: 1e-5,
        rope_theta: 10000.,
        bos_token_id: None,
        eos_token_id: None::<LlamaEosToks>,
        rope_scaling: None,
        max_position_embeddings: 1024,
        tie_word_embeddings: Some(true),
    }
    .into_config(false);
    let model = Llama::load(VarBuilder::zeros(DType::F32, device), &config)?;
    let filled = {
        let mut cache = Cache::new(true, DType::F32, &config, device)?;
        model.forward(&Tensor::zeros((1, 128), DType::U32, device)?, 0, &mut cache)?;
        cache
    };
    let empty = Cache::new(true, DType::F32, &config, device)?;
    let ids = Tensor::zeros((1, prompt), DType::U32, device)?;
    Ok(Box::new(move || {
        let (mut cache, position) = if prompt == 1 { (filled.clone(), 128) } else { (empty.clone(), 0) };
        model.forward(&ids, position, &mut cache).map(drop)
    }))
}

fn row(name: &str, size: &str, make: &dyn Fn(&Device) -> Result<Call>) -> Result<f64> {
    let [ours, theirs] = [Device::new_cuda(0)?, Device::Cpu].map(|device| time(&device, &mut make(&device)?));
    let (ours, theirs) = (ours?, theirs?);
    println!("| {name} | {size} | {ours:.1} | {theirs:.1} | {:.2} |", theirs / ours);
    Ok(theirs / ours)
}

fn main() -> Result<()> {
    println!("| call | size | ours, µs | candle's CPU back end, µs | ratio |\n|---|---|---|---|---|");
    let mut ratios = vec![];
    let names: Vec<_> = kernels(&Device::Cpu, 256)?.into_iter().map(|(name, _)| name).collect();
    for size in [256, 512, 2048] {
        for (index, name) in names.iter().enumerate() {
            ratios.push(row(name, &size.to_string(), &|device| Ok(kernels(device, size)?.swap_remove(index).1))?);
        }
    }
    for prompt in [128, 1] {
        let name = if prompt == 1 { "llama, one token after 128" } else { "llama, prompt" };
        ratios.push(row(name, &prompt.to_string(), &|device| llama(device, prompt))?);
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("\nGeometric mean of the ratios: {mean:.2}. Above 1 is faster than candle's CPU back end.");
    Ok(())
}
