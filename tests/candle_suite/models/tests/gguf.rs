//! Quantized models from GGUF files that the tests write.

mod common;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Result, Shape, Tensor};
use candle_transformers::models::{quantized_llama, quantized_qwen3};
use common::{distance, tokens, weight};
use std::fs::File;
use std::path::PathBuf;

const LAYERS: usize = 2;
const HIDDEN: usize = 256;
const VOCABULARY: usize = 96;

/// A model of two layers with four heads, two of them for keys and values; the matrices are quantized to `dtype`, and stored in
/// that or, with the same values, in `stored`.
fn write(architecture: &str, dtype: GgmlDType, stored: GgmlDType) -> Result<PathBuf> {
    let mut tensors = vec![];
    let mut add = |name: String, shape: &[usize]| -> Result<()> {
        let values = weight(&name, &Shape::from(shape))?;
        let tensor = if shape.len() == 1 {
            QTensor::quantize(&values, GgmlDType::F32)?
        } else if stored == dtype {
            QTensor::quantize(&values, dtype)?
        } else {
            QTensor::quantize(&QTensor::quantize(&values, dtype)?.dequantize(&Device::Cpu)?, stored)?
        };
        tensors.push((name, tensor));
        Ok(())
    };
    add("token_embd.weight".into(), &[VOCABULARY, HIDDEN])?;
    add("output_norm.weight".into(), &[HIDDEN])?;
    add("output.weight".into(), &[VOCABULARY, HIDDEN])?;
    let head = HIDDEN / 4;
    for layer in 0..LAYERS {
        for (name, shape) in [
            ("attn_q", &[HIDDEN, HIDDEN][..]),
            ("attn_k", &[HIDDEN / 2, HIDDEN]),
            ("attn_v", &[HIDDEN / 2, HIDDEN]),
            ("attn_output", &[HIDDEN, HIDDEN]),
            ("ffn_gate", &[2 * HIDDEN, HIDDEN]),
            ("ffn_up", &[2 * HIDDEN, HIDDEN]),
            ("ffn_down", &[HIDDEN, 2 * HIDDEN]),
            ("attn_norm", &[HIDDEN]),
            ("ffn_norm", &[HIDDEN]),
            ("attn_q_norm", &[head]),
            ("attn_k_norm", &[head]),
        ] {
            add(format!("blk.{layer}.{name}.weight"), shape)?;
        }
    }
    let metadata = [
        ("attention.head_count", Value::U32(4)),
        ("attention.head_count_kv", Value::U32(2)),
        ("attention.key_length", Value::U32(head as u32)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("block_count", Value::U32(LAYERS as u32)),
        ("context_length", Value::U32(64)),
        ("embedding_length", Value::U32(HIDDEN as u32)),
        ("rope.dimension_count", Value::U32(head as u32)),
        ("rope.freq_base", Value::F32(10000.)),
    ]
    .map(|(name, value)| (format!("{architecture}.{name}"), value));
    let architecture_name = Value::String(architecture.into());
    let mut all: Vec<(&str, &Value)> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    all.push(("general.architecture", &architecture_name));
    let dtype_name = Value::U32(0);
    all.push(("general.dtype", &dtype_name));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{architecture}-{dtype:?}-{stored:?}.gguf"));
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    gguf_file::write(&mut File::create(&path)?, &all, &tensors)?;
    Ok(path)
}

/// A prompt, then two tokens over the cache of keys and values.
fn steps(device: &Device, mut forward: impl FnMut(&Tensor, usize) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let ids = tokens((1, 12), VOCABULARY as u32, device)?;
    [(0, 10), (10, 1), (11, 1)].into_iter().map(|(at, length)| forward(&ids.narrow(1, at, length)?, at)).collect()
}

fn llama(path: &PathBuf, device: &Device) -> Result<Vec<Tensor>> {
    let mut file = File::open(path)?;
    let content = gguf_file::Content::read(&mut file)?;
    let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut file, device)?;
    steps(device, |ids, at| model.forward(ids, at))
}

fn qwen3(path: &PathBuf, device: &Device) -> Result<Vec<Tensor>> {
    let mut file = File::open(path)?;
    let content = gguf_file::Content::read(&mut file)?;
    let mut model = quantized_qwen3::ModelWeights::from_gguf(content, &mut file, device)?;
    steps(device, |ids, at| model.forward(ids, at))
}

/// Products of quantized weights quantize activations to eight bits, each back end in different blocks, so both are compared
/// with the same weights in f32: ours must be as near as candle's CPU back end.
fn compare(architecture: &str, run: fn(&PathBuf, &Device) -> Result<Vec<Tensor>>) -> Result<()> {
    let device = Device::new_cuda(0)?;
    for dtype in [GgmlDType::Q4_0, GgmlDType::Q5_1, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K, GgmlDType::F16] {
        let exact = run(&write(architecture, dtype, GgmlDType::F32)?, &Device::Cpu)?;
        let path = write(architecture, dtype, dtype)?;
        let (ours, theirs) = (run(&path, &device)?, run(&path, &Device::Cpu)?);
        for step in 0..exact.len() {
            assert!(ours[step].device().is_cuda());
            let (our, their) = (distance(&ours[step], &exact[step])?, distance(&theirs[step], &exact[step])?);
            println!(
                "{architecture} {dtype:?}: output {step} differs by {our:.2e}, on candle's CPU back end by {their:.2e}"
            );
            assert!(
                our <= 1.5 * their.max(1e-3),
                "{architecture} {dtype:?}: output {step}: {our:.2e}, candle's {their:.2e}"
            );
        }
    }
    Ok(())
}

#[test]
fn quantized_llama() -> Result<()> {
    compare("llama", llama)
}

#[test]
fn quantized_qwen3() -> Result<()> {
    compare("qwen3", qwen3)
}
