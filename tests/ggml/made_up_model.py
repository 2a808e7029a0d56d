#!/usr/bin/env python3
"""Writes a GGUF model with random weights, which llama.cpp loads as one of the architecture:

    made_up_model.py llama|qwen3|gemma3|qwen3moe|mamba|mamba2|rwkv7 FILE [--type f16] [--layers 2] [--width 256]

The vocabulary has the 256 bytes and as many words as --words says. Needs NumPy."""

import argparse
import math
import struct
import sys

import numpy

RANDOM = numpy.random.default_rng(33)
BYTE, NORMAL, CONTROL, UNKNOWN = 6, 1, 3, 2  # tokens' types in GGUF

# The number of each type in GGUF, elements and bytes of a block, and the offsets of its scales with the factor by which random
# bytes elsewhere in the block exceed a standard deviation of 1. q4_K's minima are 7.5 scales, so that the mean is 0.
TYPES = {
    "f32": (0, 1, 4, ()),
    "f16": (1, 1, 2, ()),
    "q4_0": (2, 32, 18, ((0, 1 / 4.6),)),
    "q8_0": (8, 32, 34, ((0, 1 / 74),)),
    "q4_K": (12, 256, 144, ((0, 1 / 258), (2, 7.5 / 258))),
    "q6_K": (14, 256, 210, ((208, 1 / 1367),)),
    "iq4_nl": (20, 32, 18, ((0, 1 / 69),)),
    "iq4_xs": (23, 256, 136, ((0, 1 / 1276),)),
    "mxfp4": (39, 32, 17, ((0, 1 / 2.93),)),
}


def scale_bytes(kind, scale):
    """A block's scale: f16, or a power of two by its exponent."""
    data = bytes([127 + round(math.log2(scale))]) if kind == "mxfp4" else numpy.float16(scale).tobytes()
    return numpy.frombuffer(data, numpy.uint8)


def weights(kind, count, deviation):
    """`count` elements of that type, in chunks: one chunk of random blocks, repeated."""
    _, block, size, scales = TYPES[kind]
    chunk = min(count, 1 << 22)
    if not scales:
        numbers = RANDOM.standard_normal(chunk, dtype=numpy.float32) * deviation
        data = numbers.astype(numpy.float16 if kind == "f16" else numpy.float32).tobytes()
    else:
        blocks = RANDOM.integers(0, 256, (chunk // block, size), dtype=numpy.uint8)
        for offset, factor in scales:
            scale = scale_bytes(kind, deviation * factor)
            blocks[:, offset : offset + len(scale)] = scale
        data = blocks.tobytes()
    total = count // block * size
    while total > 0:
        yield data[:total]
        total -= len(data)


class Model:
    """Metadata and tensors in the order in which they were added."""

    def __init__(self, architecture, kind):
        self.architecture, self.kind = architecture, kind
        self.metadata, self.tensors = [], []
        self.put("general.architecture", architecture)

    def put(self, key, value):
        self.metadata.append((key, value))

    def set(self, **settings):
        """Settings of the architecture; double underscores are dots."""
        for key, value in settings.items():
            self.put(f"{self.architecture}.{key.replace('__', '.')}", value)

    def matrix(self, name, *extents, kind=None, scale=1.0):
        self.tensors.append((name, extents, kind or self.kind, scale / extents[0] ** 0.5))

    def vector(self, name, *extents, values=None, scale=0.0, mean=0.0):
        """f32 values, or normal ones."""
        if values is None:
            values = mean + scale * RANDOM.standard_normal(extents[::-1])
        self.tensors.append((name, extents, "f32", numpy.asarray(values, numpy.float32).tobytes()))

    def norm(self, name, *extents, bias=False):
        self.vector(name + ".weight", *extents, scale=0.1, mean=1)
        if bias:
            self.vector(name + ".bias", *extents, scale=0.1)

    def write(self, file):
        file.write(b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.metadata)))
        for key, value in self.metadata:
            file.write(text(key) + typed(value))
        offset = 0
        for name, extents, kind, _ in self.tensors:
            number, block, size, _ = TYPES[kind]
            file.write(text(name) + struct.pack(f"<I{len(extents)}QIQ", len(extents), *extents, number, offset))
            offset += aligned(int(numpy.prod(extents)) // block * size)
        file.write(bytes(aligned(file.tell()) - file.tell()))
        for _, extents, kind, source in self.tensors:
            for data in [source] if isinstance(source, bytes) else weights(kind, int(numpy.prod(extents)), source):
                file.write(data)
            file.write(bytes(aligned(file.tell()) - file.tell()))


def aligned(offset):
    return (offset + 31) // 32 * 32


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value):
    """A value of metadata after the number of its type. Integers are u32 alone and i32 in arrays, as llama.cpp has them."""
    if isinstance(value, list):
        number, pack = {str: (8, text), int: (5, struct.Struct("<i").pack), float: (6, struct.Struct("<f").pack)}[type(value[0])]
        return struct.pack("<IIQ", 9, number, len(value)) + b"".join(map(pack, value))
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    return struct.pack("<II" if isinstance(value, int) else "<If", 4 if isinstance(value, int) else 6, value)


def add_vocabulary(model, words):
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + [f"\u2581w{i}" for i in range(words)]
    model.put("tokenizer.ggml.model", "llama")
    model.put("tokenizer.ggml.tokens", tokens)
    model.put("tokenizer.ggml.scores", [0.0] * len(tokens))
    model.put("tokenizer.ggml.token_type", [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * words)
    model.put("tokenizer.ggml.bos_token_id", 1)
    model.put("tokenizer.ggml.eos_token_id", 2)
    return len(tokens)


def add_transformer(model, width, layers):
    """Grouped heads, norms of queries and keys where the architecture has them, and gated or mixed feed-forward layers."""
    name, head, hidden, experts = model.architecture, 64, 4 * width, 8
    heads, groups = width // head, max(1, width // head // 4)
    is_gemma, is_mixture, has_head_norms = name == "gemma3", name == "qwen3moe", name != "llama"
    model.set(attention__head_count=heads, attention__head_count_kv=groups, attention__key_length=head,
              attention__value_length=head, feed_forward_length=hidden, rope__freq_base=10000.0)
    if is_gemma:
        model.set(attention__sliding_window=64)
    if is_mixture:
        model.set(expert_count=experts, expert_used_count=2, expert_feed_forward_length=hidden // 4)
    for i in range(layers):
        block = f"blk.{i}."
        model.norm(block + "attn_norm", width)
        model.matrix(block + "attn_q.weight", width, heads * head)
        model.matrix(block + "attn_k.weight", width, groups * head)
        model.matrix(block + "attn_v.weight", width, groups * head)
        model.matrix(block + "attn_output.weight", heads * head, width)
        if has_head_norms:
            model.norm(block + "attn_q_norm", head)
            model.norm(block + "attn_k_norm", head)
        if is_gemma:
            model.norm(block + "post_attention_norm", width)
            model.norm(block + "post_ffw_norm", width)
        model.norm(block + "ffn_norm", width)
        suffix, extents, inner = "", (), hidden
        if is_mixture:
            model.matrix(block + "ffn_gate_inp.weight", width, experts, kind="f32")
            suffix, extents, inner = "_exps", (experts,), hidden // 4
        model.matrix(f"{block}ffn_gate{suffix}.weight", width, inner, *extents)
        model.matrix(f"{block}ffn_up{suffix}.weight", width, inner, *extents)
        model.matrix(f"{block}ffn_down{suffix}.weight", inner, width, *extents)


def add_mamba(model, width, layers):
    inner, state, kernel, is_second = 2 * width, 16, 4, model.architecture == "mamba2"
    heads, groups = inner // 64, 2
    rank = heads if is_second else 16
    model.set(attention__head_count=0, feed_forward_length=0, ssm__conv_kernel=kernel, ssm__inner_size=inner,
              ssm__state_size=state, ssm__time_step_rank=rank)
    if is_second:
        model.set(ssm__group_count=groups)
    channels = inner + 2 * groups * state if is_second else inner
    rates = -(1.0 + numpy.arange(heads if is_second else state))
    for i in range(layers):
        block = f"blk.{i}."
        model.norm(block + "attn_norm", width)
        model.vector(block + "ssm_conv1d.weight", kernel, channels, scale=0.5)
        model.vector(block + "ssm_conv1d.bias", channels, scale=0.1)
        model.vector(block + "ssm_dt.bias", rank if is_second else inner, scale=0.5, mean=-3)
        model.matrix(block + "ssm_out.weight", inner, width)
        if is_second:
            model.matrix(block + "ssm_in.weight", width, inner + channels + rank)
            model.vector(block + "ssm_a", 1, rank, values=rates)
            model.vector(block + "ssm_d", 1, rank, scale=1)
            model.vector(block + "ssm_norm.weight", inner // groups, groups, scale=0.1, mean=1)
        else:
            model.matrix(block + "ssm_in.weight", width, 2 * inner)
            model.matrix(block + "ssm_x.weight", inner, rank + 2 * state, kind="f32")
            model.matrix(block + "ssm_dt.weight", rank, inner, kind="f32")
            model.vector(block + "ssm_a", state, inner, values=numpy.tile(rates, inner))
            model.vector(block + "ssm_d", inner, scale=1)


def add_rwkv7(model, width, layers):
    rank, hidden, head = 32, 4 * width, 64
    model.set(attention__head_count=0, feed_forward_length=hidden, wkv__head_size=head, token_shift_count=2,
              attention__layer_norm_epsilon=1e-5, attention__decay_lora_rank=rank, attention__iclr_lora_rank=rank,
              attention__value_residual_mix_lora_rank=rank, attention__gate_lora_rank=rank)
    model.norm("token_embd_norm", width, bias=True)
    for i in range(layers):
        block, mix = f"blk.{i}.", f"blk.{i}.time_mix_"
        for name in ("attn_norm", "attn_norm_2", "time_mix_ln"):
            model.norm(block + name, width, bias=True)
        for letter in "wav":
            model.vector(f"{mix}{letter}0.weight", width, scale=0.5)
        for letter in "wavg":
            model.matrix(f"{mix}{letter}1.weight", width, rank, kind="f32")
            model.matrix(f"{mix}{letter}2.weight", rank, width, kind="f32", scale=0.5)
        model.vector(mix + "lerp_fused.weight", width, 1, 1, 6, scale=0.2, mean=0.5)
        for name in ("k_k", "k_a", "r_k"):
            model.vector(f"{mix}{name}.weight", width, scale=0.1, mean=0.5)
        for name in ("key", "value", "receptance", "output"):
            model.matrix(f"{mix}{name}.weight", width, width)
        model.vector(block + "channel_mix_lerp_k.weight", width, 1, 1, scale=0.2, mean=0.5)
        model.matrix(block + "channel_mix_key.weight", width, hidden)
        model.matrix(block + "channel_mix_value.weight", hidden, width)


ARCHITECTURES = dict.fromkeys(("llama", "qwen3", "gemma3", "qwen3moe"), add_transformer)
ARCHITECTURES |= {"mamba": add_mamba, "mamba2": add_mamba, "rwkv7": add_rwkv7}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architecture", choices=ARCHITECTURES)
    parser.add_argument("file")
    parser.add_argument("--type", default="f16", choices=TYPES)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--words", type=int, default=253)
    arguments = parser.parse_args()
    model = Model(arguments.architecture, arguments.type)
    vocabulary = add_vocabulary(model, arguments.words)
    model.set(block_count=arguments.layers, context_length=4096, embedding_length=arguments.width,
              vocab_size=vocabulary, attention__layer_norm_rms_epsilon=1e-5)
    model.matrix("token_embd.weight", arguments.width, vocabulary, scale=arguments.width**0.5)
    model.norm("output_norm", arguments.width, bias=arguments.architecture == "rwkv7")
    model.matrix("output.weight", arguments.width, vocabulary)
    ARCHITECTURES[arguments.architecture](model, arguments.width, arguments.layers)
    with open(arguments.file, "wb") as file:
        model.write(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
