"""Element types. Written by bindings/generate.py from the C headers; do not edit."""

from ._element import Element

__all__ = ["DType", "u8", "u32", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "f8e4m3", "q4_0", "q4_1",
           "q5_0", "q5_1", "q8_0", "q8_1", "q2_K", "q3_K", "q4_K", "q5_K", "q6_K", "q8_K", "iq4_nl", "mxfp4",
           "iq4_xs", "nvfp4", "q1_0", "q2_0", "tq1_0", "tq2_0", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs",
           "iq3_s", "iq1_s", "iq1_m"]


class DType(Element):
    """Element type of a tensor: kernelgen.f32 and the others of the C header. DType.of takes the names of other libraries."""

    u8 = 0
    u32 = 1
    i16 = 2
    i32 = 3
    i64 = 4
    bf16 = 5
    f16 = 6
    f32 = 7
    f64 = 8
    f8e4m3 = 9
    q4_0 = 10
    q4_1 = 11
    q5_0 = 12
    q5_1 = 13
    q8_0 = 14
    q8_1 = 15
    q2_K = 16
    q3_K = 17
    q4_K = 18
    q5_K = 19
    q6_K = 20
    q8_K = 21
    iq4_nl = 22
    mxfp4 = 23
    iq4_xs = 24
    nvfp4 = 25
    q1_0 = 26
    q2_0 = 27
    tq1_0 = 28
    tq2_0 = 29
    iq2_xxs = 30
    iq2_xs = 31
    iq2_s = 32
    iq3_xxs = 33
    iq3_s = 34
    iq1_s = 35
    iq1_m = 36


u8 = DType.u8
u32 = DType.u32
i16 = DType.i16
i32 = DType.i32
i64 = DType.i64
bf16 = DType.bf16
f16 = DType.f16
f32 = DType.f32
f64 = DType.f64
f8e4m3 = DType.f8e4m3
q4_0 = DType.q4_0
q4_1 = DType.q4_1
q5_0 = DType.q5_0
q5_1 = DType.q5_1
q8_0 = DType.q8_0
q8_1 = DType.q8_1
q2_K = DType.q2_K
q3_K = DType.q3_K
q4_K = DType.q4_K
q5_K = DType.q5_K
q6_K = DType.q6_K
q8_K = DType.q8_K
iq4_nl = DType.iq4_nl
mxfp4 = DType.mxfp4
iq4_xs = DType.iq4_xs
nvfp4 = DType.nvfp4
q1_0 = DType.q1_0
q2_0 = DType.q2_0
tq1_0 = DType.tq1_0
tq2_0 = DType.tq2_0
iq2_xxs = DType.iq2_xxs
iq2_xs = DType.iq2_xs
iq2_s = DType.iq2_s
iq3_xxs = DType.iq3_xxs
iq3_s = DType.iq3_s
iq1_s = DType.iq1_s
iq1_m = DType.iq1_m
