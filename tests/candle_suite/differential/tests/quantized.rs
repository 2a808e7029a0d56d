//! Quantized tensors of the device beside candle's on the CPU.

mod common;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};
use common::{assert_close, assert_within, device, numbers, Random};

const FORMATS: &[GgmlDType] = &[
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q8_1,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];

const PLAIN: &[GgmlDType] = &[GgmlDType::F32, GgmlDType::F16, GgmlDType::BF16];

/// The same blocks on the device.
fn moved(weights: &QTensor, device: &Device) -> Result<QTensor> {
    QTensor::new(QStorage::from_data(weights.data()?, device, weights.dtype())?, weights.shape())
}

/// x Wᵀ of the dequantized weights, and the bound of the device's product: x has 8 bits.
fn product(x: &Tensor, weights: &Tensor) -> Result<(Tensor, Vec<f64>)> {
    let (x, weights) = (x.to_dtype(DType::F32)?, weights.to_dtype(DType::F32)?);
    let exact = x.matmul(&weights.t()?)?;
    let sums = weights.abs()?.sum(1)?;
    let largest = x.abs()?.max(1)?;
    let bound = largest.unsqueeze(1)?.broadcast_mul(&sums.unsqueeze(0)?)?;
    Ok((exact, numbers(&bound)?.iter().map(|sum| sum / 254.0 + sum * 1e-5).collect()))
}

#[test]
fn blocks_survive_the_device() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(1));
    for &format in FORMATS.iter().chain(PLAIN) {
        let weights = QTensor::quantize(&random.tensor((3, 512), DType::F32)?, format)?;
        let ours = moved(&weights, &device)?;
        assert_eq!(ours.data()?, weights.data()?, "{format:?}");
        assert_eq!(ours.storage_size_in_bytes(), weights.storage_size_in_bytes(), "{format:?}");
    }
    Ok(())
}

#[test]
fn dequantizes_to_the_same_numbers() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(2));
    for &format in FORMATS.iter().chain(PLAIN) {
        let weights = QTensor::quantize(&random.tensor((3, 512), DType::F32)?, format)?;
        let ours = moved(&weights, &device)?;
        let theirs = weights.dequantize(&Device::Cpu)?;
        assert_within(&format!("{format:?}"), &ours.dequantize(&device)?, &theirs, |_| 1e-6)?;
        let f16 = theirs.to_dtype(DType::F16)?;
        assert_close(&format!("{format:?} as f16"), &ours.dequantize_f16(&device)?, &f16)?;
    }
    Ok(())
}

#[test]
fn quantizes_to_the_same_blocks() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(3));
    for &format in FORMATS.iter().chain(PLAIN) {
        let x = random.tensor((4, 512), DType::F32)?;
        let theirs = QTensor::quantize(&x, format)?;
        let ours = QTensor::quantize(&x.to_device(&device)?, format)?;
        assert_eq!(ours.data()?, theirs.data()?, "{format:?}");
        assert_eq!(QTensor::quantize_onto(&x, format, &device)?.data()?, theirs.data()?, "{format:?}");
    }
    Ok(())
}

#[test]
fn importance_gives_the_same_blocks() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(4));
    for format in [GgmlDType::Q2K, GgmlDType::Q3K, GgmlDType::Q4K, GgmlDType::Q5K, GgmlDType::Q6K] {
        let x = random.tensor((2, 512), DType::F32)?;
        let importance: Vec<f32> = numbers(&random.tensor(512, DType::F32)?)?.iter().map(|w| w.abs() as f32).collect();
        let theirs = QTensor::quantize_imatrix(&x, &importance, format)?;
        let ours = QTensor::quantize_imatrix(&x.to_device(&device)?, &importance, format)?;
        let onto = QTensor::quantize_imatrix_onto(&x, &importance, format, &device)?;
        assert_eq!(ours.data()?, theirs.data()?, "{format:?}");
        assert_eq!(onto.data()?, theirs.data()?, "{format:?}");
    }
    Ok(())
}

#[test]
fn products() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(5));
    for &format in FORMATS {
        for (m, n, k) in [(1, 33, 512), (4, 8, 256), (9, 65, 512), (70, 40, 768)] {
            let weights = QTensor::quantize(&random.tensor((n, k), DType::F32)?, format)?;
            let ours = QMatMul::from_qtensor(moved(&weights, &device)?)?;
            for dtype in [DType::F32, DType::F16, DType::BF16] {
                let x = random.tensor((m, k), dtype)?;
                let (exact, bounds) = product(&x, &weights.dequantize(&Device::Cpu)?)?;
                let y = ours.forward(&x.to_device(&device)?)?;
                let rounding = if dtype == DType::F32 { 0.0 } else { common::rounding(dtype) };
                let expected = numbers(&exact)?;
                let what = format!("{format:?} {m} x {n} x {k} {dtype:?}");
                assert_eq!(y.dtype(), dtype, "{what}");
                let bound = |index: usize| bounds[index] + rounding * (expected[index].abs() + bounds[index]);
                assert_within(&what, &y.to_dtype(DType::F32)?, &exact, bound)?;
            }
        }
    }
    Ok(())
}

/// Views: a batch of three dims, a transposed and a narrowed input.
#[test]
fn products_of_views() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(6));
    let weights = QTensor::quantize(&random.tensor((24, 256), DType::F32)?, GgmlDType::Q8_0)?;
    let ours = QMatMul::from_qtensor(moved(&weights, &device)?)?;
    let whole = random.tensor((3, 300, 4), DType::F32)?;
    let x = whole.transpose(1, 2)?.narrow(2, 20, 256)?;
    let y = ours.forward(&whole.to_device(&device)?.transpose(1, 2)?.narrow(2, 20, 256)?)?;
    assert_eq!(y.dims(), [3, 4, 24]);
    let (exact, bounds) = product(&x.reshape((12, 256))?, &weights.dequantize(&Device::Cpu)?)?;
    assert_within("view", &y.reshape((12, 24))?, &exact, |index| bounds[index])
}

/// QMatMul would dequantize plain formats; the storage multiplies them too.
#[test]
fn products_with_plain_formats() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(7));
    for &format in PLAIN {
        let weights = QTensor::quantize(&random.tensor((5, 64), DType::F32)?, format)?;
        let x = random.tensor((2, 3, 64), DType::F32)?;
        let y = x.to_device(&device)?.apply_op1_no_bwd(&moved(&weights, &device)?)?;
        let theirs = x.reshape((6, 64))?.matmul(&weights.dequantize(&Device::Cpu)?.t()?)?.reshape((2, 3, 5))?;
        assert_within(&format!("{format:?}"), &y, &theirs, |_| 1e-4)?;
    }
    Ok(())
}

#[test]
fn embeddings() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(8));
    for &format in FORMATS.iter().chain(PLAIN) {
        let table = QTensor::quantize(&random.tensor((9, 256), DType::F32)?, format)?;
        let ids = random.ids((2, 5), 9)?;
        let ours = moved(&table, &device)?.embedding(&ids.to_device(&device)?)?;
        assert_within(&format!("{format:?}"), &ours, &table.embedding(&ids)?, |_| 1e-6)?;
    }
    Ok(())
}

#[test]
fn an_id_out_of_range_is_an_error_and_the_device_goes_on() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(9));
    let table = QTensor::quantize(&random.tensor((9, 256), DType::F32)?.to_device(&device)?, GgmlDType::Q4_0)?;
    let read = |id: u32| table.embedding(&Tensor::new(&[id], &device)?)?.flatten_all()?.to_vec1::<f32>();
    let error = read(9).expect_err("row 9 of 9").to_string();
    assert!(error.contains('9'), "{error}");
    assert_eq!(read(8)?.len(), 256);
    Ok(())
}

#[test]
fn experts() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(10));
    for &format in FORMATS {
        for (tokens, topk, shared) in [(1, 2, true), (7, 3, false), (40, 2, true)] {
            let (experts, n, k) = (5, 12, 256);
            let weights = QTensor::quantize(&random.tensor((experts, n, k), DType::F32)?, format)?;
            let plain = weights.dequantize(&Device::Cpu)?;
            let x = random.tensor((tokens, if shared { 1 } else { topk }, k), DType::F32)?;
            let ids = random.ids((tokens, topk), experts)?;
            let ours =
                moved(&weights, &device)?.indexed_moe_forward(&x.to_device(&device)?, &ids.to_device(&device)?)?;
            assert_eq!(ours.dims(), [tokens, topk, n]);
            for token in 0..tokens {
                for slot in 0..topk {
                    let row = x.get(token)?.get(if shared { 0 } else { slot })?.unsqueeze(0)?;
                    let expert = ids.get(token)?.get(slot)?.to_scalar::<u32>()? as usize;
                    let (exact, bounds) = product(&row, &plain.get(expert)?)?;
                    let result = ours.get(token)?.get(slot)?.unsqueeze(0)?;
                    assert_within(&format!("{format:?} {token} {slot}"), &result, &exact, |at| bounds[at])?;
                }
            }
        }
    }
    Ok(())
}

#[test]
fn refusals_name_the_shapes() -> Result<()> {
    let (device, mut random) = (device()?, Random::new(11));
    let weights = QTensor::quantize(&random.tensor((8, 64), DType::F32)?.to_device(&device)?, GgmlDType::Q4_0)?;
    let matmul = QMatMul::from_qtensor(weights)?;
    let forward = |x: Tensor| matmul.forward(&x).expect_err("refused").to_string();
    let mut on_device = |shape: &[usize], dtype| random.tensor(shape, dtype)?.to_device(&device);
    assert!(forward(on_device(&[2, 32], DType::F32)?).contains("mismatch on matmul dim"));
    assert!(forward(on_device(&[64], DType::F32)?).contains("unexpected shape"));
    assert!(forward(on_device(&[2, 64], DType::F64)?).contains("F64"));
    Ok(())
}

/// A separate stream per device and threads that share weights; everything is dropped at the end.
#[test]
fn streams_and_threads_share_weights() -> Result<()> {
    let mut random = Random::new(12);
    let device = Device::new_cuda_with_stream(0)?;
    let weights = QTensor::quantize(&random.tensor((32, 256), DType::F32)?, GgmlDType::Q4K)?;
    let matmul = QMatMul::from_qtensor(moved(&weights, &device)?)?;
    let plain = weights.dequantize(&Device::Cpu)?;
    let inputs = (0..4).map(|_| random.tensor((3, 256), DType::F32)).collect::<Result<Vec<_>>>()?;
    std::thread::scope(|scope| {
        let started: Vec<_> = inputs
            .iter()
            .map(|x| {
                let (matmul, device) = (matmul.clone(), device.clone());
                scope.spawn(move || -> Result<Tensor> {
                    matmul.forward(&x.to_device(&device)?)?.to_device(&Device::Cpu)
                })
            })
            .collect();
        drop((matmul, device));
        for (x, thread) in inputs.iter().zip(started) {
            let (exact, bounds) = product(x, &plain)?;
            assert_within("thread", &thread.join().expect("a thread ends")?, &exact, |at| bounds[at])?;
        }
        Ok(())
    })
}
