#!/usr/bin/env python3
"""Trains the model of tiny.gguf on this repository's own manual, and writes its weights and vocabulary as plain files:

  examples/llama/train.py OUT [SECONDS]     # 900 seconds on one thread made those in tiny.gguf
  make_model --weights OUT --type q8_0 examples/llama/tiny.gguf

A Llama: rms_norm, rotary positions in neighbouring pairs, grouped heads, silu MLP, the embedding as output matrix too.
Needs PyTorch. OUT gets NAME.npy a tensor, tokens.txt, merges.txt and shape.txt.
"""
import collections
import math
import pathlib
import re
import sys
import time

import numpy
import torch

LAYERS, WIDTH, HEADS, KV_HEADS, HIDDEN, CONTEXT, VOCABULARY = 2, 128, 4, 2, 224, 256, 512
EPSILON, BASE = 1e-5, 10000.0
BATCH, LENGTH, RATE, SEED = 16, 128, 4e-3, 17
END = "<|endoftext|>"
HEAD = WIDTH // HEADS

# As tokenizer.hpp says: a piece is a contraction, letters, digits or signs with one space before, or blanks.
PIECES = re.compile(rb"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z\x80-\xff]+| ?[0-9]+| ?[^\sA-Za-z0-9\x80-\xff]+|\s+(?!\S)|\s+")


def manual():
    """The pages, in the order of their names."""
    root = pathlib.Path(__file__).resolve().parents[2]
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return [page.read_bytes() for page in pages]


def byte_letters():
    """GPT-2's letter for each byte: itself where it is printable, else one from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {**{byte: chr(byte) for byte in plain}, **{byte: chr(0x100 + i) for i, byte in enumerate(others)}}


def join(word, pair):
    """The word with each occurrence of the pair made one token."""
    joined, i = [], 0
    while i < len(word):
        both = i + 1 < len(word) and (word[i], word[i + 1]) == pair
        joined.append(word[i] + word[i + 1] if both else word[i])
        i += 2 if both else 1
    return tuple(joined)


def train_vocabulary(pages):
    """Tokens and merges of byte pair encoding; equally frequent pairs by their bytes, so that a run can be repeated."""
    words = collections.Counter(tuple(bytes([b]) for b in piece) for page in pages for piece in PIECES.findall(page))
    tokens, merges = [bytes([b]) for b in range(256)], []
    while len(tokens) < VOCABULARY - 1:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        tokens.append(best[0] + best[1])
        words = collections.Counter({join(word, best): count for word, count in words.items()})
    return tokens, merges


def encode(page, tokens, merges):
    ids, ranks, known = {token: i for i, token in enumerate(tokens)}, {pair: i for i, pair in enumerate(merges)}, {}
    result = []
    for piece in PIECES.findall(page):
        if piece not in known:
            word = tuple(bytes([b]) for b in piece)
            while True:
                pairs = [pair for pair in zip(word, word[1:]) if pair in ranks]
                if not pairs:
                    break
                word = join(word, min(pairs, key=ranks.get))
            known[piece] = [ids[part] for part in word]
        result += known[piece]
    return result


def product(x, weight):
    """Rows of the weight by the width of x, [batch, width, length]: a convolution, as PyTorch without a tuned BLAS is
    ten times faster there."""
    return torch.nn.functional.conv1d(x, weight[:, :, None])


def batched(a, b):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return torch.bmm(a, b).float()


def norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + EPSILON) * weight[:, None]


def rotate(x, cos, sin):
    """Pairs of neighbours of each head's part of the width; gives [batch * heads, HEAD, length]."""
    pairs = x.view(-1, HEAD // 2, 2, x.shape[2])
    a, b = pairs[:, :, 0], pairs[:, :, 1]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), 2).flatten(1, 2)


def repeated(x):
    """Each head of keys or values for its group of queries."""
    return x.view(-1, KV_HEADS, 1, HEAD, x.shape[-1]).expand(-1, -1, HEADS // KV_HEADS, -1, -1).flatten(0, 2)


def logits(p, tokens, cos, sin, mask):
    x = p["token_embd.weight"][tokens].transpose(1, 2)
    for layer in range(LAYERS):
        weight = lambda name: p[f"blk.{layer}.{name}.weight"]
        y = norm(x, weight("attn_norm"))
        q = rotate(product(y, weight("attn_q")), cos, sin)
        k = repeated(rotate(product(y, weight("attn_k")), cos, sin))
        v = repeated(product(y, weight("attn_v")))
        weights = torch.softmax(batched(q.transpose(1, 2), k) / math.sqrt(HEAD) + mask, -1)
        x = x + product(batched(v, weights.transpose(1, 2)).view(x.shape), weight("attn_output"))
        y = norm(x, weight("ffn_norm"))
        x = x + product(torch.nn.functional.silu(product(y, weight("ffn_gate"))) * product(y, weight("ffn_up")),
                        weight("ffn_down"))
    return product(norm(x, p["output_norm.weight"]), p["token_embd.weight"])


def make_parameters():
    shapes = {"token_embd": (VOCABULARY, WIDTH), "output_norm": (WIDTH,)}
    for layer in range(LAYERS):
        shapes |= {f"blk.{layer}.{name}": shape for name, shape in {
            "attn_norm": (WIDTH,), "attn_q": (WIDTH, WIDTH), "attn_k": (KV_HEADS * HEAD, WIDTH),
            "attn_v": (KV_HEADS * HEAD, WIDTH), "attn_output": (WIDTH, WIDTH), "ffn_norm": (WIDTH,),
            "ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}.items()}
    return {name + ".weight": torch.nn.Parameter(torch.randn(shape) * (0.5 / math.sqrt(shape[-1])) if len(shape) > 1
                                                 else torch.ones(shape)) for name, shape in shapes.items()}


def train(text, seconds):
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    p = make_parameters()
    angles = torch.outer(BASE ** (-torch.arange(0, HEAD, 2) / HEAD), torch.arange(LENGTH))
    cos, sin, mask = angles.cos(), angles.sin(), torch.full((LENGTH, LENGTH), -math.inf).triu(1)
    optimizer = torch.optim.AdamW(p.values(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    start, steps, done = time.time(), 0, 0.0
    while done < 1:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1, steps / 50) * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)
        at = torch.randint(len(text) - LENGTH, (BATCH, 1)) + torch.arange(LENGTH + 1)
        batch = text[at]
        given = logits(p, batch[:, :-1], cos, sin, mask)
        loss = torch.nn.functional.cross_entropy(given, batch[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
        optimizer.step()
        steps, done = steps + 1, (time.time() - start) / seconds
        if steps % 100 == 0:
            print(f"step {steps}: {loss.item():.3f} nats a token, {done:.0%}", flush=True)
    return p


def main():
    out, seconds = pathlib.Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 900.0
    out.mkdir(parents=True, exist_ok=True)
    pages = manual()
    tokens, merges = train_vocabulary(pages)
    ids = [token for page in pages for token in [*encode(page, tokens, merges), VOCABULARY - 1]]
    print(f"{sum(map(len, pages))} bytes are {len(ids)} tokens", flush=True)
    for name, weight in train(torch.tensor(ids), seconds).items():
        numpy.save(out / f"{name}.npy", weight.detach().numpy())
    letters = byte_letters()
    spell = lambda token: "".join(letters[b] for b in token)
    (out / "tokens.txt").write_text("".join(spell(token) + "\n" for token in tokens) + END + "\n")
    (out / "merges.txt").write_text("".join(f"{spell(a)} {spell(b)}\n" for a, b in merges))
    (out / "shape.txt").write_text(f"layers {LAYERS}\nwidth {WIDTH}\nheads {HEADS}\nkv-heads {KV_HEADS}\nhidden {HIDDEN}\n"
                                   f"context {CONTEXT}\nvocabulary {VOCABULARY}\n")


if __name__ == "__main__":
    main()
