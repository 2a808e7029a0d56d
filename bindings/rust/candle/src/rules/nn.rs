//! Where candle-nn calls `backend/nn`.

use super::{Edit, Rule, Tree};

pub const TREES: &[Tree] = &[Tree { from: "nn", to: "src/kernelgen", instead_of: &[] }];

/// The first version with mixtures of experts, and with masks in `sdpa`.
const MIXTURES: Option<(u32, u32, u32)> = Some((0, 9, 2));

const fn body(file: &'static str, item: &'static str, text: &'static str) -> Rule {
    Rule { file, item, edit: Edit::Body(text), since: None, until: None }
}

const fn since_mixtures(file: &'static str, item: &'static str, edit: Edit) -> Rule {
    Rule { file, item, edit, since: MIXTURES, until: None }
}

const fn without_mixtures(item: &'static str) -> Rule {
    Rule { file: "src/kernelgen/mod.rs", item, edit: Edit::Remove, since: None, until: MIXTURES }
}

pub const RULES: &[Rule] = &[
    Rule { file: "src/lib.rs", item: "", edit: Edit::Add("\nmod kernelgen;\n"), since: None, until: None },
    without_mixtures("mod attention"),
    without_mixtures("mod moe"),
    body("src/ops.rs", "Sigmoid::cuda_fwd", "crate::kernelgen::ops::sigmoid((storage, layout))"),
    body("src/ops.rs", "SoftmaxLastDim::cuda_fwd", "crate::kernelgen::ops::softmax_last_dim((storage, layout))"),
    body("src/ops.rs", "RmsNorm::cuda_fwd", "crate::kernelgen::ops::rms_norm((s1, l1), (s2, l2), self.eps)"),
    body(
        "src/ops.rs",
        "LayerNorm::cuda_fwd",
        "crate::kernelgen::ops::layer_norm((s1, l1), (s2, l2), (s3, l3), self.eps)",
    ),
    // candle has this under its feature `metal` only.
    since_mixtures(
        "src/ops.rs",
        "Sdpa::cpu_fwd",
        Edit::After(
            "fn cuda_fwd(
        &self,
        q: &candle::CudaStorage,
        q_l: &Layout,
        k: &candle::CudaStorage,
        k_l: &Layout,
        v: &candle::CudaStorage,
        v_l: &Layout,
    ) -> Result<(candle::CudaStorage, Shape)> {
        let options = crate::kernelgen::attention::SdpaOptions {
            scale: self.scale,
            softcapping: self.softcapping,
            mask: self.mask.as_ref(),
            do_causal: self.do_causal,
        };
        crate::kernelgen::attention::sdpa((q, q_l), (k, k_l), (v, v_l), options)
    }",
        ),
    ),
    body(
        "src/rotary_emb.rs",
        "RotaryEmb::cuda_fwd",
        "crate::kernelgen::rotary_emb::rope((s1, l1), (s2, l2), (s3, l3))",
    ),
    body(
        "src/rotary_emb.rs",
        "RotaryEmbI::cuda_fwd",
        "crate::kernelgen::rotary_emb::rope_i((s1, l1), (s2, l2), (s3, l3))",
    ),
    body(
        "src/rotary_emb.rs",
        "RotaryEmbThd::cuda_fwd",
        "crate::kernelgen::rotary_emb::rope_thd((s1, l1), (s2, l2), (s3, l3))",
    ),
    since_mixtures("src/moe.rs", "use candle::cuda_backend::kernels::ffi", Edit::Remove),
    since_mixtures(
        "src/moe.rs",
        "moe_gemm",
        Edit::Body(
            "let _ = is_prefill;
    crate::kernelgen::moe::moe_gemm(input, weights, topk_weights, sorted_token_ids, experts_ids, topk)",
        ),
    ),
    since_mixtures(
        "src/moe.rs",
        "moe_gemm_gguf",
        Edit::Body(
            "let _ = (is_prefill, dtype);
    crate::kernelgen::moe::moe_gemm_gguf(input, weights, topk_weights, sorted_token_ids, experts_ids, topk)",
        ),
    ),
];
