//! candle's permissions to add products in less than f32, which are not used.

macro_rules! permission {
    ($allowed:ident, $allow:ident, $dtype:literal) => {
        #[doc = concat!("Whether sums of products may be in less than f32 for ", $dtype, "; they never are.")]
        pub fn $allowed() -> bool {
            false
        }

        #[doc = concat!("A permission that is not used: sums of products for ", $dtype, " are in f32.")]
        pub fn $allow(_: bool) {}
    };
}
permission!(gemm_reduced_precision_f16, set_gemm_reduced_precision_f16, "f16");
permission!(gemm_reduced_precision_bf16, set_gemm_reduced_precision_bf16, "bf16");
permission!(gemm_reduced_precision_f32, set_gemm_reduced_precision_f32, "f32");
