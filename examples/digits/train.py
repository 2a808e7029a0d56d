#!/usr/bin/env python3
"""Trains the network of digits.cpp on digits.npy and writes weights.npy. NumPy only; well under a minute.

    python3 train.py

digits.npy: 1797 rows of 64 pixels (0 to 16, 8 x 8 row by row) and the digit, u8. Every fourth row is held out.
weights.npy: one flat f32 array of the parameters in the order of `shapes`.
"""
import pathlib

import numpy as np

here = pathlib.Path(__file__).parent
shapes = [(16, 1, 3, 3), (16,), (32, 16, 3, 3), (32,), (10, 512), (10,)]


def columns(x):
    """The 3 x 3 neighbourhoods of [b, c, h, w], padded by one zero: [b, h, w, c * 9]."""
    b, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    parts = [padded[:, :, i : i + h, j : j + w] for i in range(3) for j in range(3)]
    return np.stack(parts, 2).reshape(b, c * 9, h, w).transpose(0, 2, 3, 1)


def spread(gradient, channels):
    """The reverse of columns."""
    b, h, w, _ = gradient.shape
    parts = gradient.transpose(0, 3, 1, 2).reshape(b, channels, 9, h, w)
    padded = np.zeros((b, channels, h + 2, w + 2), np.float32)
    for k in range(9):
        padded[:, :, k // 3 : k // 3 + h, k % 3 : k % 3 + w] += parts[:, :, k]
    return padded[:, :, 1:-1, 1:-1]


def forward(x, p):
    c1 = columns(x)
    a1 = np.maximum(c1 @ p[0].reshape(16, 9).T + p[1], 0).transpose(0, 3, 1, 2)
    c2 = columns(a1)
    a2 = np.maximum(c2 @ p[2].reshape(32, 144).T + p[3], 0).transpose(0, 3, 1, 2)
    windows = a2.reshape(len(x), 32, 4, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(len(x), 32, 4, 4, 4)
    pooled = windows.max(-1).reshape(len(x), 512)
    return pooled @ p[4].T + p[5], (c1, a1, c2, a2, windows, pooled)


def gradients(x, labels, p):
    logits, (c1, a1, c2, a2, windows, pooled) = forward(x, p)
    power = np.exp(logits - logits.max(1, keepdims=True))
    delta = power / power.sum(1, keepdims=True)
    delta[np.arange(len(x)), labels] -= 1
    delta /= len(x)
    g4, g5 = delta.T @ pooled, delta.sum(0)
    back = (delta @ p[4]).reshape(windows.shape[:-1])[..., None] * (windows == windows.max(-1, keepdims=True))
    back = back.reshape(len(x), 32, 4, 4, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(a2.shape) * (a2 > 0)
    back = back.transpose(0, 2, 3, 1)
    g2 = np.einsum("bhwo,bhwk->ok", back, c2).reshape(shapes[2])
    g3 = back.sum((0, 1, 2))
    back = spread(back @ p[2].reshape(32, 144), 16) * (a1 > 0)
    back = back.transpose(0, 2, 3, 1)
    g0 = np.einsum("bhwo,bhwk->ok", back, c1).reshape(shapes[0])
    return [g0, back.sum((0, 1, 2)), g2, g3, g4, g5]


def main():
    rows = np.load(here / "digits.npy")
    held_out = np.arange(len(rows)) % 4 == 3
    x = (rows[:, :64].reshape(-1, 1, 8, 8) / 16).astype(np.float32)
    labels = rows[:, 64].astype(int)
    random = np.random.default_rng(1)
    p = [(random.standard_normal(s) * np.sqrt(2 / np.prod(s[1:])) if len(s) > 1 else np.zeros(s)).astype(np.float32)
         for s in shapes]
    mean, square = [np.zeros_like(q) for q in p], [np.zeros_like(q) for q in p]
    train, step = np.flatnonzero(~held_out), 0
    for epoch in range(25):
        random.shuffle(train)
        for batch in np.array_split(train, len(train) // 32):
            step += 1
            for q, g, m, s in zip(p, gradients(x[batch], labels[batch], p), mean, square):  # Adam
                m += 0.1 * (g - m)
                s += 0.001 * (g * g - s)
                q -= 0.002 * 0.9**epoch * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.999**step)) + 1e-8)
        right = forward(x[held_out], p)[0].argmax(1) == labels[held_out]
        print(f"epoch {epoch + 1}: {100 * right.mean():.2f} % of {len(right)} held-out digits")
    np.save(here / "weights.npy", np.concatenate([q.ravel() for q in p]).astype(np.float32))


if __name__ == "__main__":
    main()
