//! Adds two arrays: `cargo run --example add [DEVICE]`.

use kernelgen::{Device, Tensor};

fn main() -> kernelgen::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cpu".to_string());
    let device = Device::open(&name)?;
    let a = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3])?;
    let b = Tensor::from_slice(&device, &[10.0f32, 20.0, 30.0], &[3])?;
    let sum = (&a + &b)?;
    println!("{:?} on {:?}", sum.to_vec::<f32>()?, device);
    Ok(())
}
