//! Language models with random weights.

mod common;

use candle_core::{DType, Result};
use candle_transformers::models::{bert, llama, mamba, mixtral, qwen2_moe, t5};
use common::{compare, config, tokens};
use serde_json::json;

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

/// A prompt, then two tokens over the cache of keys and values.
#[test]
fn llama() -> Result<()> {
    let config: llama::LlamaConfig = config(json!({
        "hidden_size": 64, "intermediate_size": 96, "vocab_size": 100, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "max_position_embeddings": 64
    }));
    let config = config.into_config(false);
    compare("llama", &FLOATS, |weights, device| {
        let mut cache = llama::Cache::new(true, weights.dtype(), &config, device)?;
        let model = llama::Llama::load(weights, &config)?;
        let ids = tokens((1, 9), 100, device)?;
        [(0, 7), (7, 1), (8, 1)]
            .map(|(at, length)| model.forward(&ids.narrow(1, at, length)?, at, &mut cache))
            .into_iter()
            .collect()
    })
}

#[test]
fn mixtral() -> Result<()> {
    let config: mixtral::Config = config(json!({
        "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "hidden_act": "silu", "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0, "sliding_window": 32, "num_experts_per_tok": 2, "num_local_experts": 4, "use_flash_attn": false
    }));
    compare("mixtral", &[DType::F32], |weights, device| {
        let mut model = mixtral::Model::new(&config, weights)?;
        let ids = tokens((1, 9), 100, device)?;
        [(0, 8), (8, 1)].map(|(at, length)| model.forward(&ids.narrow(1, at, length)?, at)).into_iter().collect()
    })
}

#[test]
fn qwen_moe() -> Result<()> {
    let config: qwen2_moe::Config = config(json!({
        "vocab_size": 100, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 64, "sliding_window": 32, "max_window_layers": 2,
        "tie_word_embeddings": false, "rope_theta": 10000.0, "rms_norm_eps": 1e-5, "use_sliding_window": false,
        "hidden_act": "silu", "decoder_sparse_step": 1, "moe_intermediate_size": 48, "shared_expert_intermediate_size": 64,
        "num_experts_per_tok": 2, "num_experts": 4, "norm_topk_prob": true
    }));
    compare("qwen2_moe", &[DType::F32], |weights, device| {
        let mut model = qwen2_moe::Model::new(&config, weights)?;
        let ids = tokens((1, 9), 100, device)?;
        [(0, 8), (8, 1)].map(|(at, length)| model.forward(&ids.narrow(1, at, length)?, at)).into_iter().collect()
    })
}

#[test]
fn bert() -> Result<()> {
    let config = bert::Config {
        vocab_size: 100,
        hidden_size: 64,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        intermediate_size: 96,
        max_position_embeddings: 32,
        ..Default::default()
    };
    // candle's mask multiplies zeros by f32::MIN, which f16 and bf16 do not have: NaN on every device.
    compare("bert", &[DType::F32], |weights, device| {
        let ids = tokens((3, 11), 100, device)?;
        let model = bert::BertModel::load(weights, &config)?;
        Ok(vec![model.forward(&ids, &ids.zeros_like()?, Some(&ids.gt(20u32)?))?])
    })
}

#[test]
fn mamba() -> Result<()> {
    let config = mamba::Config { d_model: 64, n_layer: 2, vocab_size: 100, pad_vocab_size_multiple: 8 };
    compare("mamba", &[DType::F32], |weights, device| {
        let mut state = mamba::State::new(1, &config, weights.dtype(), device)?;
        let model = mamba::Model::new(&config, weights.pp("backbone"))?;
        let ids = tokens(6, 100, device)?;
        (0..6).map(|at| model.forward(&ids.narrow(0, at, 1)?, &mut state)).collect()
    })
}

#[test]
fn t5() -> Result<()> {
    let config: t5::Config = config(json!({
        "vocab_size": 100, "d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_heads": 4,
        "relative_attention_num_buckets": 8, "dropout_rate": 0.0, "layer_norm_epsilon": 1e-6, "initializer_factor": 1.0,
        "is_encoder_decoder": true, "pad_token_id": 0, "eos_token_id": 1, "use_cache": true
    }));
    compare("t5", &[DType::F32, DType::BF16], |weights, device| {
        let mut model = t5::T5ForConditionalGeneration::load(weights, &config)?;
        let ids = tokens((1, 12), 100, device)?;
        let encoded = model.encode(&ids)?;
        let first = model.decode(&ids.narrow(1, 0, 1)?, &encoded)?;
        let second = model.decode(&ids.narrow(1, 1, 1)?, &encoded)?;
        Ok(vec![encoded, first, second])
    })
}
