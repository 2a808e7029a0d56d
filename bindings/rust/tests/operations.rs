//! Operations through the safe wrappers.

use kernelgen::ops::{self, AttentionOptions};
use kernelgen::{call_all, Code, DType, Device, LaunchShape, Package, Result, Stream, Tensor, Window2};

fn cpu() -> Device {
    Device::open("cpu").unwrap()
}

fn tensor(values: &[f32], shape: &[i64]) -> Tensor {
    Tensor::from_slice(&cpu(), values, shape).unwrap()
}

#[test]
fn two_arrays_are_added() -> Result<()> {
    let (a, b) = (tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]), tensor(&[10.0, 20.0], &[2]));
    assert_eq!((&a + &b)?.to_vec::<f32>()?, [11.0, 22.0, 13.0, 24.0]);
    assert_eq!((&(-&a)? * &b)?.to_vec::<f32>()?, [-10.0, -40.0, -30.0, -80.0]);
    assert_eq!((&(&a - &a)? / &b)?.to_vec::<f32>()?, [0.0; 4]);
    Ok(())
}

#[test]
fn views_share_memory() -> Result<()> {
    let x = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    assert_eq!((x.shape(), x.strides(), x.dtype(), x.elements()), (&[2, 3][..], &[3, 1][..], DType::F32, 6));
    let turned = x.transpose(0, 1)?;
    assert_eq!((turned.shape(), turned.is_contiguous(), turned.data()), (&[3, 2][..], false, x.data()));
    assert_eq!(turned.to_vec::<f32>()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(x.narrow(1, 1, 2)?.permute(&[1, 0])?.to_vec::<f32>()?, [2.0, 5.0, 3.0, 6.0]);
    assert_eq!(x.unsqueeze(0)?.squeeze(0)?.reshape(&[6])?.as_strided(&[2], &[4], 1)?.to_vec::<f32>()?, [2.0, 6.0]);
    assert_eq!(x.narrow(0, 0, 1)?.broadcast_to(&[2, 3])?.to_vec::<f32>()?, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let rankless = tensor(&[7.0], &[]);
    assert_eq!((rankless.shape().len(), rankless.to_vec::<f32>()?), (0, vec![7.0]));
    ops::const_set(&x.narrow(0, 1, 1)?, 9)?;
    assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0, 9.0, 9.0, 9.0]);
    Ok(())
}

#[test]
fn results_go_where_they_are_told() -> Result<()> {
    let (x, stream) = (tensor(&[3.0, 1.0, 2.0], &[3]), Stream::new(&cpu())?);
    let out = Tensor::zeros(&cpu(), DType::F32, &[3])?;
    let given = ops::affine_with(&x, 2, 0.5, Some(&out), Some(&stream))?;
    stream.synchronize()?;
    assert_eq!((given.data(), out.to_vec::<f32>()?), (out.data(), vec![6.5, 2.5, 4.5]));
    let (values, indices) = ops::sort_with(&x, true, Some(&out), None, None)?;
    assert_eq!((values.to_vec::<f32>()?, indices.to_vec::<u32>()?), (vec![1.0, 2.0, 3.0], vec![1, 2, 0]));
    let event = cpu().record(Some(&stream))?;
    cpu().wait(&event, None)?;
    event.synchronize()?;
    assert!(event.elapsed(&cpu().record(None)?)? >= 0.0);
    Ok(())
}

#[test]
fn work_is_captured_once_and_launched_many_times() -> Result<()> {
    let (x, other) = (tensor(&[1.0, 2.0], &[2]), tensor(&[5.0, 6.0], &[2]));
    let (graph, y) = cpu().capture(None, || ops::mul(&x, &ops::neg(&x)?))?;
    assert_eq!((graph.nodes(), graph.memory()), (2, 1024));
    graph.launch(None)?;
    assert_eq!(y.to_vec::<f32>()?, [-1.0, -4.0]);
    ops::const_set(&x, 3)?;
    graph.launch(Some(&Stream::new(&cpu())?))?;
    assert_eq!(y.to_vec::<f32>()?, [-9.0, -9.0]);
    let (in_place, y) = graph.update(|| ops::mul(&other, &ops::neg(&other)?))?;
    assert!(in_place);
    graph.launch(None)?;
    assert_eq!(y.to_vec::<f32>()?, [-25.0, -36.0]);
    let refused = cpu().capture(None, || x.to_vec::<f32>()).err().unwrap();
    assert_eq!(refused.code, Code::InvalidArgument);
    assert!(graph.update(|| cpu().synchronize()).is_err());
    graph.launch(None)
}

#[test]
fn memory_is_counted_and_limited() -> Result<()> {
    let device = Device::open("cpu:2")?;
    let before = device.memory_use()?;
    let x = Tensor::zeros(&device, DType::U8, &[1 << 20])?;
    let now = device.memory_use()?;
    assert_eq!(now.in_use - before.in_use, 1 << 20);
    assert!(now.peak >= now.in_use && now.total >= now.free && now.limit == usize::MAX);
    device.set_memory_limit(now.in_use)?;
    let refused = Tensor::zeros(&device, DType::U8, &[1 << 20]).err().unwrap();
    assert_eq!(refused.code, Code::OutOfMemory);
    device.set_memory_limit(usize::MAX)?;
    drop(x);
    device.trim_memory()?;
    device.reset_peak_memory()?;
    let after = device.memory_use()?;
    assert_eq!((after.cached, after.peak), (0, after.in_use));
    Ok(())
}

#[test]
fn every_kind_of_parameter() -> Result<()> {
    let x = tensor(&[1.0; 16], &[1, 1, 4, 4]);
    let weight = tensor(&[1.0; 9], &[1, 1, 3, 3]);
    let window = Window2 { padding: 1.into(), stride: (2, 1).into(), ..Window2::default() };
    assert_eq!(ops::conv2d(&x, &weight, window)?.shape(), [1, 1, 2, 4]);
    assert_eq!(ops::max_pool2d(&x, 2, (2, 1))?.shape(), [1, 1, 2, 3]);
    assert_eq!(ops::upsample_bilinear2d(&x, 8, false, Some(2.0), None)?.shape(), [1, 1, 8, 8]);
    assert_eq!(ops::sum(&x, &[0, -1], true)?.to_vec::<f32>()?, [4.0; 4]);
    assert_eq!(ops::argmax(&x, None, false)?.to_vec::<u32>()?, [0]);
    assert_eq!(ops::argmax(&x, Some(3), false)?.shape(), [1, 1, 4]);
    assert_eq!(ops::to_dtype(&x, DType::F16)?.dtype(), DType::F16);
    assert_eq!(ops::reduce("sum", &x, &[0], false)?.to_vec::<f32>()?, ops::sum(&x, &[0], false)?.to_vec::<f32>()?);
    let sums = ops::reduce_inputs("sum", &[&x], &[0], false, &[])?;
    assert_eq!(sums.to_vec::<f32>()?, ops::sum(&x, &[0], false)?.to_vec::<f32>()?);
    assert_eq!(ops::call("elu", &[&x], &[0.5.into()])?.to_vec::<f32>()?, [1.0; 16]);
    assert_eq!(call_all("elu", &[&x], &[0.5.into()], None)?[0].to_vec::<f32>()?, [1.0; 16]);
    let lse = Tensor::empty(&cpu(), DType::F32, &[1, 1, 4])?;
    let options = AttentionOptions { causal: true, log_sum_exp: Some(&lse), ..Default::default() };
    assert_eq!(ops::attention(&x, &x, &x, &options)?.to_vec::<f32>()?, [1.0; 16]);
    assert!((lse.to_vec::<f32>()?[0] - 2.0).abs() < 1e-6);
    let device = Device::open("cpu:1")?;
    device.set_seed(u64::MAX)?;
    let first = ops::rand_uniform(&device, &[4], DType::F32, 0, 1)?.to_vec::<f32>()?;
    device.set_seed(u64::MAX)?;
    assert_eq!(ops::rand_uniform(&device, &[4], DType::F32, 0.0, 1.0)?.to_vec::<f32>()?, first);
    Ok(())
}

#[test]
fn quantized_tensors() -> Result<()> {
    let weights = ops::quantize(&tensor(&[0.5; 64], &[2, 32]), DType::Q8_0)?;
    assert_eq!((weights.dtype().block(), weights.bytes()?), (32, 2 * 34));
    let again = Tensor::from_bytes(&cpu(), &weights.to_bytes(None)?, DType::Q8_0, &[2, 32])?;
    let product = ops::quantized_matmul(&tensor(&[1.0; 32], &[1, 32]), &again)?.to_vec::<f32>()?;
    assert!(product.iter().all(|value| (value - 16.0).abs() < 0.2), "{product:?}");
    Ok(())
}

#[test]
fn a_kernel_launched_by_hand() -> Result<()> {
    let (device, package) = (cpu(), Package::embedded()?);
    let kernels = package.kernels()?;
    let id = package.find_kernel("kg_sqr_f32")?;
    let kernel = &kernels[id as usize];
    assert_eq!((kernel.name.as_str(), kernel.arguments[0].kind.as_str()), ("kg_sqr_f32", "const f32*"));
    assert!(package.targets()?.iter().any(|target| *target == device.target()));
    package.verify()?;
    let (x, y) = (tensor(&[1.0, 2.0, 3.0], &[3]), Tensor::zeros(&device, DType::F32, &[3])?);
    let block: Vec<u8> =
        [x.data() as u64, y.data() as u64, 3].iter().flat_map(|each| each.to_ne_bytes()).collect();
    assert_eq!(block.len(), kernel.kernarg_bytes as usize);
    let shape = LaunchShape { grid: [1; 3], block: [256, 1, 1], shared_bytes: 0 };
    unsafe { device.launch(device.kernel(id)?, shape, &block, None)? };
    device.synchronize()?;
    assert_eq!(y.to_vec::<f32>()?, [1.0, 4.0, 9.0]);
    Ok(())
}

#[test]
fn a_product_of_a_manifest_is_called() -> Result<()> {
    if std::env::var_os("KERNELGEN_TOOL").is_none() {
        return Ok(());
    }
    let manifest = r#"{"module": "rust_product", "operations": [{"op": "rust_linear", "types": {"T": ["f32"]},
        "inputs": ["x: T", "w: T", "bias: T"], "output": "T", "scalars": ["scale: f32"],
        "matmul": {"epilogue": "relu(total * scale + bias)"}}]}"#;
    let device = cpu();
    device.compile_manifest(manifest, "rust_product.json", &[])?;
    let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, -4.0], &[2, 2])?;
    let bias = Tensor::from_slice(&device, &[1.0f32, -1.0], &[2])?;
    let result = ops::call("rust_linear", &[&x, &x, &bias], &[0.5.into()])?;
    assert_eq!(result.to_vec::<f32>()?, [4.5, 0.0, 0.0, 10.0]);
    Ok(())
}
