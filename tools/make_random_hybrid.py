#!/usr/bin/env python3
"""Writes a GGUF file of architecture qwen35 with random weights of standard deviation 0.02, in the
shape of a published 0.8B hybrid (three Gated DeltaNet layers to one of gated attention), for
benchmarks: the same file runs here and in the peer. Needs nothing but Python.

    tools/make_random_hybrid.py OUT.gguf [--type q4_k|q8_0] [--layers 24] [--vocabulary 32000]

Equal arguments give equal bytes. The tokenizer has the 256 bytes and pairs of them."""

import argparse
import math
import random
import statistics
import struct

HIDDEN, FEED_FORWARD, CONTEXT = 1024, 3584, 32768
HEADS, KV_HEADS, HEAD_DIM, ROTARY = 8, 2, 256, 64
KEY_HEADS, VALUE_HEADS, KEY_DIM, VALUE_DIM, TAPS = 16, 16, 128, 128, 4
STD = 0.02
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]

# Ids of the format.
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
TENSOR_TYPES = {"f32": (0, 1, 4), "q8_0": (8, 32, 34), "q4_k": (12, 256, 144)}
ALIGNMENT = 32


def half(value):
    return struct.pack("<e", value)


def repeated(buffer, first, stride, data, count):
    """The bytes of `data` at `first` of each of `count` groups of `stride` bytes."""
    for i, byte in enumerate(data):
        buffer[first + i :: stride] = bytes([byte]) * count


def q8_0(rng, count):
    groups = count // 32
    normal = statistics.NormalDist()
    table = bytes(round(42 * normal.inv_cdf((i + 0.5) / 256)) & 0xFF for i in range(256))
    out = bytearray(groups * 34)
    repeated(out, 0, 34, half(STD / 42), groups)
    for i in range(32):
        out[2 + i :: 34] = rng.randbytes(groups).translate(table)
    return out


def q4_k(rng, count):
    """(d sc) q - (dmin mn) with q uniform in 0..15, mn = sc and dmin = 7.5 d: of mean 0."""
    groups = count // 256
    # Scales 0..3 are 32..63, and their high bits make scales 4..7 32..47.
    scales = [*range(32, 64), *range(32, 48), *range(32, 48)]
    mean_square = sum(scale * scale for scale in scales) / len(scales)
    d = STD / math.sqrt(mean_square * (16 * 16 - 1) / 12)
    first = bytes(0x80 | (32 + i % 32) for i in range(256))
    last = bytes(i % 16 * 17 for i in range(256))
    out = bytearray(groups * 144)
    repeated(out, 0, 144, half(d) + half(7.5 * d), groups)
    for i in range(4):
        out[4 + i :: 144] = out[8 + i :: 144] = rng.randbytes(groups).translate(first)
        out[12 + i :: 144] = rng.randbytes(groups).translate(last)
    for i in range(128):
        out[16 + i :: 144] = rng.randbytes(groups)
    return out


def f32(values):
    return struct.pack(f"<{len(values)}f", *values)


def matrix(rng, kind, rows, columns):
    return kind, [rows, columns], {"q8_0": q8_0, "q4_k": q4_k}[kind](rng, rows * columns)


def vector(rng, length, mean, std):
    return "f32", [length], f32([rng.gauss(mean, std) for _ in range(length)])


def tensors(rng, args):
    """(name, type, shape, data), data made when it is asked for."""

    def norm(name, length):
        yield name, *vector(rng, length, 1.0, 0.1)

    def weights(name, rows, columns):
        yield name, *matrix(rng, args.type, rows, columns)

    channels = 2 * KEY_HEADS * KEY_DIM + VALUE_HEADS * VALUE_DIM
    yield from weights("token_embd.weight", args.vocabulary, HIDDEN)
    yield from norm("output_norm.weight", HIDDEN)
    for layer in range(args.layers):
        blk = f"blk.{layer}."
        yield from norm(blk + "attn_norm.weight", HIDDEN)
        yield from norm(blk + "post_attention_norm.weight", HIDDEN)
        if layer % 4 == 3:
            yield from weights(blk + "attn_q.weight", 2 * HEADS * HEAD_DIM, HIDDEN)
            yield from weights(blk + "attn_k.weight", KV_HEADS * HEAD_DIM, HIDDEN)
            yield from weights(blk + "attn_v.weight", KV_HEADS * HEAD_DIM, HIDDEN)
            yield from weights(blk + "attn_output.weight", HIDDEN, HEADS * HEAD_DIM)
            yield from norm(blk + "attn_q_norm.weight", HEAD_DIM)
            yield from norm(blk + "attn_k_norm.weight", HEAD_DIM)
        else:
            yield from weights(blk + "attn_qkv.weight", channels, HIDDEN)
            yield from weights(blk + "attn_gate.weight", VALUE_HEADS * VALUE_DIM, HIDDEN)
            yield from weights(blk + "ssm_beta.weight", VALUE_HEADS, HIDDEN)
            yield from weights(blk + "ssm_alpha.weight", VALUE_HEADS, HIDDEN)
            yield from weights(blk + "ssm_out.weight", HIDDEN, VALUE_HEADS * VALUE_DIM)
            taps = [rng.gauss(0.0, 0.3) for _ in range(channels * TAPS)]
            yield blk + "ssm_conv1d.weight", "f32", [channels, TAPS], f32(taps)
            rates = [-rng.uniform(1.0, 16.0) for _ in range(VALUE_HEADS)]
            yield blk + "ssm_a", "f32", [VALUE_HEADS], f32(rates)
            yield blk + "ssm_dt.bias", *vector(rng, VALUE_HEADS, -4.0, 1.0)
            yield from norm(blk + "ssm_norm.weight", VALUE_DIM)
        yield from weights(blk + "ffn_gate.weight", FEED_FORWARD, HIDDEN)
        yield from weights(blk + "ffn_up.weight", FEED_FORWARD, HIDDEN)
        yield from weights(blk + "ffn_down.weight", HIDDEN, FEED_FORWARD)


def byte_characters():
    """The printable character that stands for each byte in byte-level vocabularies."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(b) if b in printable else chr(next(others)) for b in range(256)]


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    def scalar(kind, value):
        formats = {U32: "<I", I32: "<i", F32: "<f"}
        return string(value) if kind == STRING else struct.pack(formats[kind], value)

    if not isinstance(value, list):
        return string(key) + struct.pack("<I", kind) + scalar(kind, value)
    items = b"".join(scalar(kind, item) for item in value)
    return string(key) + struct.pack("<IIQ", ARRAY, kind, len(value)) + items


def metadata(args):
    yield "general.architecture", STRING, "qwen35"
    yield "general.name", STRING, "random hybrid"
    for key, value in {
        "block_count": args.layers,
        "context_length": CONTEXT,
        "embedding_length": HIDDEN,
        "feed_forward_length": FEED_FORWARD,
        "attention.head_count": HEADS,
        "attention.head_count_kv": KV_HEADS,
        "attention.key_length": HEAD_DIM,
        "attention.value_length": HEAD_DIM,
        "full_attention_interval": 4,
        "rope.dimension_count": ROTARY,
        "ssm.conv_kernel": TAPS,
        "ssm.state_size": KEY_DIM,
        "ssm.group_count": KEY_HEADS,
        "ssm.time_step_rank": VALUE_HEADS,
        "ssm.inner_size": VALUE_HEADS * VALUE_DIM,
    }.items():
        yield "qwen35." + key, U32, value
    yield "qwen35.rope.freq_base", F32, 1e7
    yield "qwen35.attention.layer_norm_rms_epsilon", F32, 1e-6
    yield "qwen35.rope.dimension_sections", I32, [11, 11, 10, 0]
    characters = byte_characters()
    pairs = [(a, b) for a in characters for b in characters]
    pairs = pairs[: args.vocabulary - len(characters) - len(CONTROL)]
    tokens = characters + [a + b for a, b in pairs] + CONTROL
    kinds = [1] * (len(tokens) - len(CONTROL)) + [3] * len(CONTROL)
    yield "tokenizer.ggml.model", STRING, "gpt2"
    yield "tokenizer.ggml.pre", STRING, "qwen35"
    yield "tokenizer.ggml.tokens", STRING, tokens
    yield "tokenizer.ggml.token_type", I32, kinds
    yield "tokenizer.ggml.merges", STRING, [f"{a} {b}" for a, b in pairs]
    yield "tokenizer.ggml.eos_token_id", U32, len(tokens) - 1
    yield "tokenizer.ggml.padding_token_id", U32, len(tokens) - 3


def write(args):
    entries = b"".join(entry(*each) for each in metadata(args))
    rng = random.Random(args.seed)
    table, blobs, offset = b"", [], 0
    for name, kind, shape, data in tensors(rng, args):
        type_id, group, group_bytes = TENSOR_TYPES[kind]
        assert len(data) == math.prod(shape) // group * group_bytes, name
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        table += string(name) + sizes + struct.pack("<IQ", type_id, offset)
        blobs.append(bytes(data) + bytes(-len(data) % ALIGNMENT))
        offset += len(blobs[-1])
    count = sum(1 for _ in metadata(args))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(blobs), count) + entries + table
    with open(args.out, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        file.writelines(blobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out")
    parser.add_argument("--type", choices=["q4_k", "q8_0"], default="q4_k")
    parser.add_argument("--layers", type=int, default=24)
    parser.add_argument("--vocabulary", type=int, default=32000)
    parser.add_argument("--seed", type=int, default=1)
    write(parser.parse_args())


if __name__ == "__main__":
    main()
