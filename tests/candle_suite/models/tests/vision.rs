//! Models of images and of sound with random weights.

mod common;

use candle_core::{DType, Result};
use candle_transformers::models::stable_diffusion::unet_2d::{
    BlockConfig, UNet2DConditionModel, UNet2DConditionModelConfig,
};
use candle_transformers::models::stable_diffusion::vae::{AutoEncoderKL, AutoEncoderKLConfig};
use candle_transformers::models::{vit, whisper};
use common::{compare, config, input, tokens};
use serde_json::json;

const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

#[test]
fn vit() -> Result<()> {
    let config: vit::Config = config(json!({
        "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96, "hidden_act": "gelu",
        "layer_norm_eps": 1e-12, "image_size": 32, "patch_size": 8, "num_channels": 3, "qkv_bias": true
    }));
    compare("vit", &FLOATS, |weights, device| {
        let image = input("image", (2, 3, 32, 32), weights.dtype(), device)?;
        Ok(vec![vit::Model::new(&config, 10, weights)?.forward(&image)?])
    })
}

#[test]
fn whisper() -> Result<()> {
    let config: whisper::Config = config(json!({
        "num_mel_bins": 20, "max_source_positions": 50, "d_model": 64, "encoder_attention_heads": 4, "encoder_layers": 2,
        "vocab_size": 100, "max_target_positions": 32, "decoder_attention_heads": 4, "decoder_layers": 2
    }));
    // candle's whisper has positions in f32 only.
    compare("whisper", &[DType::F32], |weights, device| {
        let sound = input("sound", (1, 20, 100), weights.dtype(), device)?;
        let mut model = whisper::model::Whisper::load(&weights, config.clone())?;
        let heard = model.encoder.forward(&sound, true)?;
        let decoded = model.decoder.forward(&tokens((1, 5), 100, device)?, &heard, true)?;
        let logits = model.decoder.final_linear(&decoded)?;
        Ok(vec![heard, logits])
    })
}

#[test]
fn stable_diffusion_unet() -> Result<()> {
    let block = |out_channels, use_cross_attn| BlockConfig { out_channels, use_cross_attn, attention_head_dim: 4 };
    let config = UNet2DConditionModelConfig {
        blocks: vec![block(32, Some(1)), block(64, None)],
        layers_per_block: 1,
        norm_num_groups: 8,
        cross_attention_dim: 24,
        ..Default::default()
    };
    compare("unet", &FLOATS, |weights, device| {
        let dtype = weights.dtype();
        let model = UNet2DConditionModel::new(weights, 4, 4, false, config.clone())?;
        let latents = input("latents", (2, 4, 16, 16), dtype, device)?;
        let prompt = input("prompt", (2, 7, 24), dtype, device)?;
        Ok(vec![model.forward(&latents, 500., &prompt)?])
    })
}

#[test]
fn stable_diffusion_vae() -> Result<()> {
    let config = AutoEncoderKLConfig { block_out_channels: vec![32, 64], norm_num_groups: 8, ..Default::default() };
    compare("vae", &FLOATS, |weights, device| {
        let latents = input("latents", (1, 4, 8, 8), weights.dtype(), device)?;
        Ok(vec![AutoEncoderKL::new(weights, 3, 3, config.clone())?.decode(&latents)?])
    })
}
