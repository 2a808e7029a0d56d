//! An operation called as candle calls it.
#![cfg(feature = "candle")]

use candle_core::{CpuStorage, CustomOp1, Layout, Shape};
use kernelgen_candle::Elementwise;

#[test]
fn called_with_a_layout() {
    let square = Elementwise::new("sqr").unwrap();
    let storage = CpuStorage::F32((0..8).map(|n| n as f32).collect());
    // A transposed view of [2, 3] that begins at the second element.
    let layout = Layout::new(Shape(vec![3, 2]), vec![1, 3], 1);
    let (squared, shape) = square.cpu_fwd(&storage, &layout).unwrap();
    assert_eq!((square.name(), shape), ("sqr", Shape(vec![3, 2])));
    assert_eq!(squared, CpuStorage::F32(vec![1.0, 16.0, 4.0, 25.0, 9.0, 36.0]));
    let elu = Elementwise::with("elu", &[2.0.into()]).unwrap();
    assert_eq!(elu.cpu_fwd(&CpuStorage::F64(vec![1.0]), &Layout::new(Shape(vec![1]), vec![1], 0)).unwrap().0, CpuStorage::F64(vec![1.0]));
}

#[test]
fn errors_are_candles() {
    let layout = Layout::new(Shape(vec![2]), vec![1], 0);
    let error = Elementwise::new("sqrr").unwrap().cpu_fwd(&CpuStorage::F32(vec![0.0; 2]), &layout).unwrap_err();
    assert!(error.to_string().contains("sqr"), "{error}");
    let error = Elementwise::new("sqr").unwrap().cpu_fwd(&CpuStorage::F32(vec![0.0; 1]), &layout).unwrap_err();
    assert!(error.to_string().contains("as_strided"), "{error}");
    assert!(Elementwise::new("sqr").unwrap().cpu_fwd(&CpuStorage::F16(vec![0; 2]), &layout).is_err());
}
