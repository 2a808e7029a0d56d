//! The crate in the place of candle-kernels, as candle uses it: modules by their constants, kernels by their names, launched
//! through the driver. The driver here is the CPU's, which loads modules as GPUs' do.

use candle_kernels as kernels;
use kernelgen::{DType, Device, LaunchShape, Module, Result, Tensor};

const MODULES: [&kernels::Module; 11] = [
    &kernels::AFFINE,
    &kernels::BINARY,
    &kernels::CAST,
    &kernels::CONV,
    &kernels::FILL,
    &kernels::INDEXING,
    &kernels::QUANTIZED,
    &kernels::REDUCE,
    &kernels::SORT,
    &kernels::TERNARY,
    &kernels::UNARY,
];

fn load(device: &Device, module: &kernels::Module) -> Result<Module> {
    let code = module.code(&device.target()).expect("there is code for this CPU");
    // Code of kernel-gen's own, which has nothing to run while it is loaded.
    unsafe { device.load(code, "candle-kernels") }
}

/// The names of candle's kernels: the keys of the list.
fn names() -> Vec<&'static str> {
    let list = include_str!("../kernels.json");
    list.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once('"')).map(|(name, _)| name).collect()
}

#[test]
fn modules_are_candles() {
    let ids = [
        kernels::Id::Affine,
        kernels::Id::Binary,
        kernels::Id::Cast,
        kernels::Id::Conv,
        kernels::Id::Fill,
        kernels::Id::Indexing,
        kernels::Id::Quantized,
        kernels::Id::Reduce,
        kernels::Id::Sort,
        kernels::Id::Ternary,
        kernels::Id::Unary,
    ];
    assert_eq!(kernels::ALL_IDS, ids);
    for (index, module) in MODULES.iter().enumerate() {
        assert_eq!(module.index(), index);
        assert!(module.targets().count() > 0);
        assert!(module.code("gfx000").is_none());
    }
}

#[test]
fn every_name_is_found_in_its_module() {
    let device = Device::open("cpu").unwrap();
    let names = names();
    assert_eq!(names.len(), 755);
    let mut found = 0;
    for module in MODULES {
        let loaded = load(&device, module).unwrap();
        for name in module.kernels() {
            loaded.function(name).unwrap();
            assert!(names.contains(name), "{name}");
            found += 1;
        }
        assert!(loaded.function("no_such_kernel").is_err());
    }
    assert_eq!(found, names.len());
}

fn block(arguments: &[u64], scalars: &[f32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = arguments.iter().flat_map(|each| each.to_ne_bytes()).collect();
    bytes.extend(scalars.iter().flat_map(|each| each.to_ne_bytes()));
    bytes
}

#[test]
fn a_few_are_launched() -> Result<()> {
    let device = Device::open("cpu")?;
    let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 3.0, 4.0], &[4])?;
    let y = Tensor::zeros(&device, DType::F32, &[4])?;
    let (from, to, count, contiguous) = (x.data() as u64, y.data() as u64, 4, 0);
    let shape = LaunchShape { grid: [4, 1, 1], block: [1, 1, 1], shared_bytes: 0 };
    let launch = |module: &kernels::Module, name: &str, arguments: Vec<u8>| {
        let loaded = load(&device, module)?;
        unsafe { device.launch(loaded.function(name)?, shape, &arguments, None)? };
        device.synchronize()?;
        y.to_vec::<f32>()
    };
    // elements, dims, their layout (none: contiguous), input, output, and the operation's other arguments
    let affine = block(&[count, 1, contiguous, from, to], &[2.0, 0.5]);
    assert_eq!(launch(&kernels::AFFINE, "affine_f32", affine)?, [2.5, -3.5, 6.5, 8.5]);
    let unary = block(&[count, 1, contiguous, from, to], &[]);
    assert_eq!(launch(&kernels::UNARY, "usqr_f32", unary)?, [1.0, 4.0, 9.0, 16.0]);
    let binary = block(&[count, 1, contiguous, from, from, to], &[]);
    assert_eq!(launch(&kernels::BINARY, "badd_f32", binary)?, [2.0, -4.0, 6.0, 8.0]);
    Ok(())
}
