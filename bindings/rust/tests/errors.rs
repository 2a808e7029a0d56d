//! What goes wrong is an Err with the library's text.

use kernelgen::{ops, Code, DType, Device, Error, Package, Tensor};

fn zeros(shape: &[i64]) -> Tensor {
    Tensor::zeros(&Device::open("cpu").unwrap(), DType::F32, shape).unwrap()
}

fn expect<T>(result: kernelgen::Result<T>, code: Code, text: &str) {
    let error: Error = result.err().expect("this is an error");
    assert_eq!(error.code, code, "{error}");
    assert!(error.to_string().contains(text), "{error}");
}

#[test]
fn each_has_its_code_and_text() {
    expect(&zeros(&[3]) + &zeros(&[4]), Code::InvalidArgument, "shapes [3] and [4] do not broadcast");
    expect(Device::open("gpu"), Code::NotFound, "no device is called \"gpu\"");
    expect(DType::parse("f31"), Code::NotFound, "there are u8");
    expect(Package::open("/no/such.kgpkg"), Code::Io, "/no/such.kgpkg");
    expect(Package::open(file!()), Code::BadPackage, "errors.rs");
    expect(Package::from_static(b"no package"), Code::BadPackage, "");
    expect(Package::embedded().unwrap().find_kernel("nope"), Code::NotFound, "nope");
    expect(zeros(&[2]).reshape(&[3]), Code::InvalidArgument, "[3]");
    expect(ops::call("ad", &[&zeros(&[2])], &[]), Code::NotFound, "add");
    expect(Tensor::empty(&Device::open("cpu").unwrap(), DType::F32, &[1 << 50]), Code::OutOfMemory, "");
    expect(Tensor::from_slice(&Device::open("cpu").unwrap(), &[1.0f32], &[2]), Code::InvalidArgument, "");
    if Device::count(kernelgen::DeviceKind::Hip) == 0 {
        expect(Device::open("hip:0"), Code::Unsupported, "hip");
    }
}

#[test]
fn what_c_is_never_given() {
    expect(Device::open("cpu\0"), Code::InvalidArgument, "name has a NUL character");
    expect(zeros(&[2]).to_vec::<i32>(), Code::InvalidArgument, "the tensor is f32, asked for as i32");
    expect(zeros(&[2]).as_strided(&[1, 2], &[1], 0), Code::InvalidArgument, "2 extents, 1 strides");
}

#[test]
fn a_bad_index_comes_at_the_next_wait() {
    let device = Device::open("cpu:1").unwrap();
    let x = Tensor::zeros(&device, DType::F32, &[2]).unwrap();
    let ids = Tensor::from_slice(&device, &[0i64, 7], &[2]).unwrap();
    ops::index_select(&x, 0, &ids).unwrap();
    expect(device.synchronize(), Code::IndexOutOfRange, "index 7");
    device.synchronize().unwrap();
}

#[test]
fn it_is_an_error_of_the_standard_library() {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(Device::open("gpu").unwrap_err());
    assert!(error.to_string().starts_with("kernelgen_device_open: "));
}
