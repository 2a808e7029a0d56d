//! What is not arithmetic: random numbers, memory, threads, the order of drops.

mod common;

use candle_core::{DType, Device, Result, Tensor};
use common::device;

fn moments(x: &Tensor) -> Result<(f32, f32)> {
    let x = x.to_dtype(DType::F32)?;
    Ok((x.mean_all()?.to_scalar()?, x.flatten_all()?.var(0)?.to_scalar()?))
}

#[test]
fn random_numbers() -> Result<()> {
    let device = device()?;
    device.set_seed(7)?;
    let first = Tensor::rand(0f32, 1., 100_000, &device)?;
    let second = Tensor::rand(0f32, 1., 100_000, &device)?;
    device.set_seed(7)?;
    let again = Tensor::rand(0f32, 1., 100_000, &device)?;
    assert_eq!(first.to_vec1::<f32>()?, again.to_vec1::<f32>()?, "a seed gives the same numbers");
    assert_ne!(first.to_vec1::<f32>()?, second.to_vec1::<f32>()?, "the next call gives others");
    assert!(first.to_vec1::<f32>()?.iter().all(|x| (0. ..1.).contains(x)));
    let (mean, variance) = moments(&first)?;
    assert!((mean - 0.5).abs() < 0.01 && (variance - 1. / 12.).abs() < 0.01, "{mean} {variance}");
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let normal = Tensor::zeros(99_999, dtype, &device)?.randn_like(3., 2.)?;
        assert_eq!(normal.dtype(), dtype);
        let (mean, variance) = moments(&normal)?;
        assert!((mean - 3.).abs() < 0.05 && (variance - 4.).abs() < 0.1, "{dtype:?}: {mean} {variance}");
    }
    Ok(())
}

#[test]
fn out_of_memory_leaves_the_device_usable() -> Result<()> {
    let device = device()?;
    let x = Tensor::ones(10, DType::F32, &device)?;
    assert!(Tensor::zeros((1 << 20, 1 << 26), DType::F64, &device).is_err());
    assert_eq!(x.sum_all()?.to_scalar::<f32>()?, 10.);
    Ok(())
}

/// A clone shares the storage of its tensor.
#[test]
fn clones_share_memory() -> Result<()> {
    let x = Tensor::zeros((4, 4), DType::F32, &device()?)?;
    let view = x.clone().t()?;
    x.slice_set(&Tensor::ones((1, 4), DType::F32, x.device())?, 0, 0)?;
    assert_eq!(view.narrow(1, 0, 1)?.sum_all()?.to_scalar::<f32>()?, 4.);
    Ok(())
}

#[test]
fn threads_and_any_order_of_drops() -> Result<()> {
    let device = device()?;
    let x = Tensor::arange(0f32, 1000., &device)?;
    let sums: Vec<f32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|factor| {
                let x = x.clone();
                scope.spawn(move || -> Result<f32> {
                    let mut last = x.clone();
                    for _ in 0..50 {
                        last = (x.affine(factor as f64, 0.)? + 0.)?;
                    }
                    drop(x);
                    last.sum_all()?.to_scalar()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
    });
    let expected: Vec<f32> = (0..8).map(|factor| 499_500. * factor as f32).collect();
    assert_eq!(sums, expected);

    let y = (&x + 1.)?;
    drop(device);
    drop(x);
    assert_eq!(y.to_device(&Device::Cpu)?.to_vec1::<f32>()?[999], 1000.);
    Ok(())
}

#[test]
fn devices_and_transfers() -> Result<()> {
    let device = device()?;
    assert!(device.is_cuda() && !device.is_cpu());
    assert!(candle_core::utils::cuda_is_available());
    assert!(Device::cuda_if_available(0)?.is_cuda());
    let data: Vec<i64> = (0..1000).map(|n| n * n).collect();
    let x = Tensor::from_vec(data.clone(), (10, 100), &Device::Cpu)?;
    let there = x.to_device(&device)?;
    assert_eq!(there.t()?.to_device(&Device::Cpu)?.t()?.flatten_all()?.to_vec1::<i64>()?, data);
    let second = Device::new_cuda(0)?;
    assert_eq!(there.to_device(&second)?.flatten_all()?.to_vec1::<i64>()?, data);
    device.synchronize()
}

/// Ordinals where there are several devices, else one that is opened again: each computes in a thread, and operands of two are
/// candle's error.
#[test]
fn many_devices() -> Result<()> {
    let devices = (0..3).map(|n| Device::new_cuda(n).or_else(|_| device())).collect::<Result<Vec<_>>>()?;
    let tensors: Vec<Tensor> = std::thread::scope(|scope| {
        let threads: Vec<_> = devices
            .iter()
            .map(|device| scope.spawn(|| Tensor::arange(0f32, 100., device).and_then(|x| x.sqr()?.reshape((4, 25)))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<_>>()
    })?;
    let [x, y, z] = &tensors[..] else { unreachable!("three devices") };
    let there = x.to_device(&devices[1])?;
    assert_eq!((&there - y)?.abs()?.sum_all()?.to_scalar::<f32>()?, 0.);
    let error = (x + z).unwrap_err().to_string();
    assert!(error.contains("device mismatch in add"), "{error}");
    drop(devices);
    assert_eq!(z.to_device(&Device::Cpu)?.sum_all()?.to_scalar::<f32>()?, 328350.);
    Ok(())
}
