//! Imported kernels by their wrappers.

use kernelgen::{Code, DType, Device, Package, Result, Stream, Tensor};
use wrappers::shapes::Kernels;

fn device() -> Device {
    Device::open_with("cpu", &Package::open(&std::env::var("KERNELGEN_IMPORTED").unwrap()).unwrap()).unwrap()
}

fn refused(result: Result<()>, text: &str) {
    let error = result.expect_err("this is refused");
    assert_eq!(error.code, Code::InvalidArgument, "{error}");
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn a_kernel_is_a_function() -> Result<()> {
    let device = device();
    let (kernels, stream) = (Kernels::new(&device)?, Stream::new(&device)?);
    let x = Tensor::from_slice(&device, &[1.0f32, 4.0, 9.0], &[3])?;
    let y = Tensor::from_slice(&device, &[-1.0f32; 3], &[3])?;
    unsafe { kernels.scale(Some(&stream), (1, 128), &y, &x, 2, 3.0)? };
    assert_eq!(y.to_vec::<f32>()?, [3.0, 6.0, -1.0]);
    let address = y.data() as *mut f32;
    unsafe { kernels.scale(None, (1, 128), address, &x, 3, 1.0)? };
    device.synchronize()?;
    assert_eq!(y.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    Ok(())
}

#[test]
fn names_that_are_words_of_rust() -> Result<()> {
    let device = device();
    let (from, to) = (Tensor::from_slice(&device, &[-3i16, 5, 7], &[3])?, Tensor::zeros(&device, DType::F64, &[3])?);
    unsafe { Kernels::new(&device)?.loop_(None, (1, 64), &to, &from, 2)? };
    assert_eq!(to.to_vec::<f64>()?, [-3.0, 5.0, 0.0]);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let device = device();
    let kernels = Kernels::new(&device)?;
    let (x, bytes) = (Tensor::zeros(&device, DType::F32, &[4])?, Tensor::zeros(&device, DType::U8, &[4])?);
    unsafe {
        refused(kernels.scale(None, (1, 129), &x, &x, 4, 1.0), "a block of 129");
        refused(kernels.scale(None, (1, (64, 2, 2)), &x, &x, 4, 1.0), "a block of");
        refused(kernels.scale(None, (1, 128), &x, &bytes, 4, 1.0), "argument x (const f32*): the tensor is u8");
    }
    let other = Kernels::new(&Device::open("cpu")?);
    assert_eq!(other.err().unwrap().code, Code::NotFound);
    Ok(())
}
