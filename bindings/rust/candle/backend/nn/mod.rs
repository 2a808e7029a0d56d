//! The device's side of candle-nn's custom operations.

pub(crate) mod attention;
pub(crate) mod moe;
pub(crate) mod ops;
pub(crate) mod rotary_emb;
