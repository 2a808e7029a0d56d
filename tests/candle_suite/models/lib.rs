//! The tests of this crate compare models of candle-transformers on kernel-gen's device with candle's CPU back end.
