//! What the back end adds to candle's tensors: gradients of its own operations, a device's own stream, and ranks above the
//! library's.

mod common;

use candle_core::{DType, Device, Result, Tensor, Var};
use common::{assert_close, device, Random};

/// The gradient of a weighted sum of what `function` makes of `x`.
fn gradient(x: &Tensor, weights: &Tensor, function: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    let x = Var::from_tensor(x)?;
    let loss = (function(&x)? * weights)?.sum_all()?;
    Ok(loss.backward()?.get(&x).expect("x is part of the loss").clone())
}

/// The gradient on the device is the one of candle's CPU back end.
fn compare_gradients(what: &str, x: &Tensor, function: impl Fn(&Tensor) -> Result<Tensor>) -> Result<()> {
    let weights = function(x)?.cos()?;
    let theirs = gradient(x, &weights, &function)?;
    let ours = gradient(&x.to_device(&device()?)?, &weights.to_device(&device()?)?, &function)?;
    assert_close(what, &ours, &theirs)
}

#[test]
fn cumsum_has_a_gradient() -> Result<()> {
    let x = Random::new(61).tensor((3, 4, 5), DType::F32)?;
    for dim in 0..3 {
        compare_gradients(&format!("cumsum along {dim}"), &x, |x| x.cumsum(dim))?;
    }
    Ok(())
}

#[test]
fn grouped_convolutions_have_gradients() -> Result<()> {
    let mut random = Random::new(62);
    let x = random.tensor((2, 4, 7, 6), DType::F32)?;
    let kernel = random.tensor((6, 2, 3, 3), DType::F32)?;
    compare_gradients("conv2d", &x, |x| x.conv2d(&kernel.to_device(x.device())?, 1, 1, 1, 2))?;
    compare_gradients("conv2d's kernel", &kernel, |kernel| x.to_device(kernel.device())?.conv2d(kernel, 1, 1, 1, 2))
}

#[test]
fn a_stream_of_its_own() -> Result<()> {
    let x = Random::new(63).tensor((50, 40), DType::F32)?;
    let streamed = x.to_device(&Device::new_cuda_with_stream(0)?)?;
    let other = x.to_device(&device()?)?;
    assert!(!streamed.device().same_device(other.device()));
    let expected = x.matmul(&x.t()?)?;
    for _ in 0..20 {
        assert_close("matmul", &streamed.matmul(&streamed.t()?)?, &expected)?;
        assert_close("of two streams", &streamed.matmul(&other.t()?)?, &expected)?;
    }
    Ok(())
}

#[test]
fn ranks_above_the_librarys() -> Result<()> {
    let x = Random::new(64).tensor(vec![1, 2, 1, 2, 1, 3, 1, 2, 2, 1, 3], DType::F32)?;
    let ours = x.to_device(&device()?)?;
    let swapped = |x: &Tensor| x.transpose(1, 10)?.transpose(3, 5);
    assert_close("contiguous", &swapped(&ours)?.contiguous()?, &swapped(&x)?.contiguous()?)?;
    // candle's CPU back end adds strided tensors of up to 8 dims.
    assert_close("add", &(swapped(&ours)? + swapped(&ours)?)?, &(swapped(&x)?.contiguous()? * 2.0)?)?;
    let error = ours.sum(3).unwrap_err().to_string();
    assert!(error.contains("a tensor of 11 dims"), "{error}");
    Ok(())
}
