//! Tests of what `kernel-gen export --candle` writes.
