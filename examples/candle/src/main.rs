//! Continues a prompt with a quantized llama from a GGUF file: `candle-gguf MODEL.gguf PROMPT [TOKENS]`.

use candle_core::quantized::gguf_file::Content;
use candle_core::quantized::tokenizer::TokenizerFromGguf;
use candle_core::{Device, Error, Result, Tensor};
use candle_transformers::models::quantized_llama::ModelWeights;
use std::fs::File;
use std::io::Write;
use std::time::Instant;
use tokenizers::Tokenizer;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, prompt, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: candle-gguf MODEL.gguf PROMPT [TOKENS]");
        std::process::exit(2);
    };
    let count = rest.first().map_or(Ok(64u32), |text| text.parse()).map_err(Error::wrap)?;

    // The first GPU, or what KERNELGEN_DEVICE names.
    let device = Device::cuda_if_available(0)?;
    let mut file = File::open(model)?;
    let content = Content::read(&mut file)?;
    let tokenizer = Tokenizer::from_gguf(&content)?;
    let mut weights = ModelWeights::from_gguf(content, &mut file, &device)?;

    let encoded = tokenizer.encode(prompt.as_str(), false).map_err(Error::wrap)?;
    let mut tokens = encoded.get_ids().to_vec();
    let (mut position, mut printed) = (0, 0);
    let start = Instant::now();
    for _ in 0..count {
        let input = Tensor::new(&tokens[position..], &device)?.unsqueeze(0)?;
        let logits = weights.forward(&input, position)?.squeeze(0)?;
        position = tokens.len();
        tokens.push(logits.argmax(0)?.to_scalar()?);

        let text = tokenizer.decode(&tokens, false).map_err(Error::wrap)?;
        // The bytes of a letter may come with several tokens.
        if !text.ends_with('\u{fffd}') {
            print!("{}", &text[printed..]);
            std::io::stdout().flush()?;
            printed = text.len();
        }
    }
    let rate = f64::from(count) / start.elapsed().as_secs_f64();
    println!("\n[{count} tokens on {device:?}, {rate:.1} a second]");
    Ok(())
}
