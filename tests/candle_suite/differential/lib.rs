//! The tests of this crate compare operations on kernel-gen's device with candle's CPU back end, on random tensors.
