#!/usr/bin/env python3
"""Writes tests/kernels/known_rows.cc: a row of every weight format as a file stores it, and its
values as the PyPI package gguf (0.19.0) gives them. Run from the tree's root, then tools/format.sh;
it needs numpy and gguf, which the build does not. The rows come from a fixed seed."""

import re

import numpy as np
from gguf import quants
from gguf.constants import GGMLQuantizationType as T

OUTPUT = "tests/kernels/known_rows.cc"
# Format, columns, where in a group its f16 scales lie, bytes of a group.
FORMATS = [
    (T.F32, 24, None, 4),
    (T.F16, 24, None, 2),
    (T.BF16, 24, None, 2),
    (T.Q4_0, 64, [0], 18),
    (T.Q4_1, 64, [0, 2], 20),
    (T.Q5_0, 64, [0], 22),
    (T.Q5_1, 64, [0, 2], 24),
    (T.Q8_0, 64, [0], 34),
    (T.Q4_K, 256, [0, 2], 144),
    (T.Q5_K, 256, [0, 2], 176),
    (T.Q6_K, 256, [208], 210),
    (T.MXFP4, 64, [], 17),
]


def row_of(rng, kind, columns, scales, group_bytes):
    if kind == T.F32:
        return rng.standard_normal(columns).astype(np.float32).view(np.uint8)
    if kind == T.F16:
        return rng.standard_normal(columns).astype(np.float16).view(np.uint8)
    if kind == T.BF16:
        bits = rng.standard_normal(columns).astype(np.float32).view(np.uint32)
        return (bits >> 16).astype(np.uint16).view(np.uint8)
    group_columns = 256 if kind in (T.Q4_K, T.Q5_K, T.Q6_K) else 32
    groups = rng.integers(0, 256, (columns // group_columns, group_bytes), dtype=np.uint8)
    for group in groups:
        for at in scales:
            value = np.float16(rng.uniform(0.002, 0.02) * rng.choice([-1, 1]))
            group[at : at + 2] = np.frombuffer(value.tobytes(), np.uint8)
        if kind == T.MXFP4:
            group[0] = rng.integers(118, 126)  # 2^-9 to 2^-2
        if kind == T.Q8_0:
            group[2] = 0x80  # -128
    return groups.reshape(-1)


def hexadecimal(value):
    return re.sub(r"\.?0*p", "p", float(value).hex()) + "f"


def lines(items, per_line):
    return "\n".join(
        "    " + ", ".join(items[i : i + per_line]) + "," for i in range(0, len(items), per_line)
    )


def main():
    rng = np.random.default_rng(20240601)
    parts = []
    table = []
    for kind, columns, scales, group_bytes in FORMATS:
        data = row_of(rng, kind, columns, scales, group_bytes)
        values = quants.dequantize(data.reshape(1, -1), kind).reshape(-1).astype(np.float32)
        name = kind.name
        stored = lines([str(b) for b in data], 20)
        floats = lines([hexadecimal(v) for v in values], 5)
        parts.append(f"constexpr uint8_t k{name}Bytes[] = {{\n{stored}\n}};")
        parts.append(f"constexpr float k{name}Values[] = {{\n{floats}\n}};")
        table.append(
            f"    {{WeightFormat::k{name}, k{name}Bytes, k{name}Values}},"
        )
    text = f"""// Rows of every weight format and their values, written by tools/make_known_rows.py.
#include "kernels/known_rows.h"

namespace invar {{
namespace {{

{chr(10).join(parts)}

constexpr KnownRow kKnownRows[] = {{
{chr(10).join(table)}
}};

}}  // namespace

std::span<const KnownRow> known_rows() {{ return kKnownRows; }}

}}  // namespace invar
"""
    with open(OUTPUT, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
