//! Training on the device converges as on candle's CPU back end.

mod common;

use candle_core::{DType, Device, Result, Var};
use candle_nn::{loss, AdamW, Optimizer, ParamsAdamW};
use common::{device, Random};

/// The losses of the steps of a net with a convolution and two linear layers.
fn train(device: &Device) -> Result<Vec<f32>> {
    let mut random = Random::new(60);
    let mut parameter =
        |shape: &[usize]| Var::from_tensor(&(random.tensor(shape, DType::F32)? * 0.3)?.to_device(device)?);
    let [kernel, hidden, output] = [parameter(&[4, 1, 3, 3])?, parameter(&[36, 16])?, parameter(&[16, 3])?];
    let images = random.tensor((60, 1, 8, 8), DType::F32)?.to_device(device)?;
    // The class is the largest of three pixels' means.
    let classes = images.flatten_from(1)?.narrow(1, 0, 63)?.reshape((60, 3, 21))?.mean(2)?.argmax(1)?;
    let parameters = vec![kernel.clone(), hidden.clone(), output.clone()];
    let mut optimizer = AdamW::new(parameters, ParamsAdamW { lr: 0.01, ..Default::default() })?;
    let mut losses = vec![];
    for _ in 0..120 {
        let features = images.conv2d(&kernel, 0, 1, 1, 1)?.relu()?.max_pool2d(2)?.flatten_from(1)?;
        let logits = features.matmul(&hidden)?.gelu()?.matmul(&output)?;
        let loss = loss::cross_entropy(&logits, &classes)?;
        optimizer.backward_step(&loss)?;
        losses.push(loss.to_scalar()?);
    }
    Ok(losses)
}

#[test]
fn adamw_converges_alike() -> Result<()> {
    let ours = train(&device()?)?;
    let theirs = train(&Device::Cpu)?;
    assert!(ours[119] < 0.25 * ours[0], "from {} to {}", ours[0], ours[119]);
    for step in 0..20 {
        assert!(
            (ours[step] - theirs[step]).abs() < 1e-3 * theirs[step].max(0.1),
            "step {step}: {} {}",
            ours[step],
            theirs[step]
        );
    }
    assert!((ours[119] - theirs[119]).abs() < 0.1 * theirs[0], "{} {}", ours[119], theirs[119]);
    Ok(())
}
