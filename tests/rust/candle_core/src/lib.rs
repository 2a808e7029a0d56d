//! As much of candle-core's interface as kernelgen-candle calls, with its signatures, in candle's place where that is not
//! vendored.

use std::fmt;

#[derive(Debug)]
pub enum Error {
    Msg(String),
    Wrapped(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub fn wrap(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Wrapped(Box::new(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Msg(text) => out.write_str(text),
            Self::Wrapped(error) => error.fmt(out),
        }
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

pub struct Layout {
    shape: Shape,
    stride: Vec<usize>,
    start_offset: usize,
}

impl Layout {
    pub fn new(shape: Shape, stride: Vec<usize>, start_offset: usize) -> Self {
        Self { shape, stride, start_offset }
    }
    pub fn dims(&self) -> &[usize] {
        &self.shape.0
    }
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    pub fn stride(&self) -> &[usize] {
        &self.stride
    }
    pub fn start_offset(&self) -> usize {
        self.start_offset
    }
}

#[derive(Debug, PartialEq)]
pub enum CpuStorage {
    U8(Vec<u8>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    BF16(Vec<u16>),
    F16(Vec<u16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

pub trait CustomOp1 {
    fn name(&self) -> &'static str;
    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)>;
}
