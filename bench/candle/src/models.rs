//! Models of candle-transformers with random weights.

use crate::{weights, Call, Row};
use candle_core::quantized::{gguf_file, GgmlDType, QTensor};
use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_transformers::models::llama::{Cache, Llama, LlamaConfig};
use candle_transformers::models::stable_diffusion::unet_2d::{UNet2DConditionModel, UNet2DConditionModelConfig};
use candle_transformers::models::{bert, quantized_llama};
use std::io::Cursor;

/// Extents of a llama, and whether the other models are timed as well.
pub struct Set {
    name: &'static str,
    dtype: DType,
    hidden: usize,
    intermediate: usize,
    layers: usize,
    heads: usize,
    key_heads: usize,
    others: bool,
}

/// 110 million weights in f32, for CPUs.
pub const SMALL: Set = Set {
    name: "llama 110M",
    dtype: DType::F32,
    hidden: 768,
    intermediate: 2048,
    layers: 12,
    heads: 12,
    key_heads: 12,
    others: false,
};

/// 1.1 billion weights in bf16.
pub const WHOLE: Set = Set {
    name: "llama 1.1B",
    dtype: DType::BF16,
    hidden: 2048,
    intermediate: 5632,
    layers: 22,
    heads: 32,
    key_heads: 4,
    others: true,
};

const VOCABULARY: usize = 32000;
const PROMPT: usize = 128;

fn tokens(shape: impl Into<Shape>, device: &Device) -> Result<Tensor> {
    Tensor::rand(0f32, VOCABULARY as f32 - 2000., shape, device)?.to_dtype(DType::U32)
}

/// `length` tokens: a prompt into an empty cache, or one token after a prompt.
fn llama(set: &Set, device: &Device, length: usize) -> Result<Call> {
    let config = LlamaConfig {
        hidden_size: set.hidden,
        intermediate_size: set.intermediate,
        vocab_size: VOCABULARY,
        num_hidden_layers: set.layers,
        num_attention_heads: set.heads,
        num_key_value_heads: Some(set.key_heads),
        rms_norm_eps: 1e-5,
        rope_theta: 10000.,
        bos_token_id: None,
        eos_token_id: None,
        rope_scaling: None,
        max_position_embeddings: 1024,
        tie_word_embeddings: Some(true),
    }
    .into_config(false);
    let model = Llama::load(weights::plain(set.dtype, device), &config)?;
    let empty = Cache::new(true, set.dtype, &config, device)?;
    let mut filled = empty.clone();
    model.forward(&tokens((1, PROMPT), device)?, 0, &mut filled)?;
    let ids = tokens((1, length), device)?;
    Ok(Box::new(move || {
        let (mut cache, position) = if length == 1 { (filled.clone(), PROMPT) } else { (empty.clone(), 0) };
        model.forward(&ids, position, &mut cache).map(drop)
    }))
}

/// A GGUF file with q4_K matrices, in memory.
fn gguf(set: &Set) -> Result<Cursor<Vec<u8>>> {
    let mut tensors = vec![];
    let mut matrix = |name: String, shape: (usize, usize)| -> Result<()> {
        tensors.push((name, weights::quantized(GgmlDType::Q4K, shape)?.to(&Device::Cpu)?));
        Ok(())
    };
    let (hidden, keys) = (set.hidden, set.hidden / set.heads * set.key_heads);
    matrix("token_embd".into(), (VOCABULARY, hidden))?;
    for layer in 0..set.layers {
        for (name, shape) in [
            ("attn_q", (hidden, hidden)),
            ("attn_k", (keys, hidden)),
            ("attn_v", (keys, hidden)),
            ("attn_output", (hidden, hidden)),
            ("ffn_gate", (set.intermediate, hidden)),
            ("ffn_up", (set.intermediate, hidden)),
            ("ffn_down", (hidden, set.intermediate)),
        ] {
            matrix(format!("blk.{layer}.{name}"), shape)?;
        }
    }
    let ones = Tensor::ones(hidden, DType::F32, &Device::Cpu)?;
    let norms = (0..set.layers).flat_map(|layer| ["attn_norm", "ffn_norm"].map(|name| format!("blk.{layer}.{name}")));
    for name in norms.chain(["output_norm".to_string()]) {
        tensors.push((name, QTensor::quantize(&ones, GgmlDType::F32)?));
    }
    let number = |value: usize| gguf_file::Value::U32(value as u32);
    let metadata = [
        ("llama.attention.head_count", number(set.heads)),
        ("llama.attention.head_count_kv", number(set.key_heads)),
        ("llama.attention.layer_norm_rms_epsilon", gguf_file::Value::F32(1e-5)),
        ("llama.block_count", number(set.layers)),
        ("llama.embedding_length", number(hidden)),
        ("llama.rope.dimension_count", number(hidden / set.heads)),
    ];
    let names: Vec<String> = tensors.iter().map(|(name, _)| format!("{name}.weight")).collect();
    let named: Vec<(&str, &QTensor)> =
        names.iter().map(String::as_str).zip(tensors.iter().map(|(_, each)| each)).collect();
    let mut file = Cursor::new(vec![]);
    gguf_file::write(&mut file, &metadata.each_ref().map(|(name, value)| (*name, value)), &named)?;
    file.set_position(0);
    Ok(file)
}

fn quantized_llama(set: &Set, device: &Device, length: usize) -> Result<Call> {
    let mut file = gguf(set)?;
    let content = gguf_file::Content::read(&mut file)?;
    let empty = quantized_llama::ModelWeights::from_gguf(content, &mut file, device)?;
    let mut filled = empty.clone();
    filled.forward(&tokens((1, PROMPT), device)?, 0)?;
    let ids = tokens((1, length), device)?;
    Ok(Box::new(move || {
        let (mut model, position) = if length == 1 { (filled.clone(), PROMPT) } else { (empty.clone(), 0) };
        model.forward(&ids, position).map(drop)
    }))
}

/// BERT base on 32 texts.
fn bert(device: &Device) -> Result<Call> {
    let model = bert::BertModel::load(weights::plain(DType::F32, device), &bert::Config::default())?;
    let ids = tokens((32, 128), device)?;
    let types = ids.zeros_like()?;
    Ok(Box::new(move || model.forward(&ids, &types, None).map(drop)))
}

/// A step of Stable Diffusion 1.5 for one image of 512 x 512, with guidance.
fn unet(device: &Device) -> Result<Call> {
    let config = UNet2DConditionModelConfig { cross_attention_dim: 768, ..Default::default() };
    let model = UNet2DConditionModel::new(weights::plain(DType::F16, device), 4, 4, false, config)?;
    let input = |shape: &[usize]| Tensor::randn(0f32, 1., shape, device)?.to_dtype(DType::F16);
    let (latents, text) = (input(&[2, 4, 64, 64])?, input(&[2, 77, 768])?);
    Ok(Box::new(move || model.forward(&latents, 500., &text).map(drop)))
}

pub fn rows(set: &'static Set) -> Vec<Row> {
    let mut rows = vec![];
    let mut add =
        |name: String, size: String, make: Box<dyn Fn(&Device) -> Result<Call>>| rows.push(Row { name, size, make });
    for length in [PROMPT, 1] {
        let size = if length == 1 { format!("1 token after {PROMPT}") } else { format!("prompt of {length}") };
        let plain = format!("{} {}", set.name, set.dtype.as_str());
        add(plain, size.clone(), Box::new(move |device| llama(set, device, length)));
        add(format!("{} q4_K", set.name), size, Box::new(move |device| quantized_llama(set, device, length)));
    }
    if set.others {
        add("BERT base f32".into(), "32 x 128".into(), Box::new(bert));
        add("Stable Diffusion 1.5 unet f16".into(), "2 x 64 x 64".into(), Box::new(unet));
    }
    rows
}
