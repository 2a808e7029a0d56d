//! The library's errors as candle's.

/// What the library reports; candle's `Error::Cuda` carries it.
pub use kernelgen::Error as CudaError;

impl From<CudaError> for crate::Error {
    fn from(error: CudaError) -> Self {
        crate::Error::Cuda(Box::new(error)).bt()
    }
}

/// `.w()`: a result of the library as candle's.
pub trait WrapErr<O> {
    fn w(self) -> crate::Result<O>;
}

impl<O> WrapErr<O> for kernelgen::Result<O> {
    fn w(self) -> crate::Result<O> {
        self.map_err(crate::Error::from)
    }
}
