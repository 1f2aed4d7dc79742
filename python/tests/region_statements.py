"""What the PyTorch backend knows, and the operations of embed, as statements.

Each entry is drawn for several sizes: a usual one with indices that occur twice and segments that
are empty, and ones where something is of size 0. What it computes is PyTorch's.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from region_draws import Draw, Region, Tensors
from row_region_statements import QUANTIZED, ROWS
from torch import Tensor


def bag(mode: str, t: Tensors, **options: Any) -> Tensor:
    """PyTorch's bag; a maximum of nothing is 0."""
    return functional.embedding_bag(
        t["I"], t["W"], t["offsets"], mode=mode, include_last_offset=True, **options
    )


def present(t: Tensors) -> Tensors:
    """Bags without the lookups of -1, which are padding."""
    kept = t["I"] != -1
    counts = torch.cat([torch.zeros(1, dtype=torch.int64), kept.long().cumsum(0)])
    return {**t, "I": t["I"][kept], "offsets": counts[t["offsets"].long()]}


def table(draw: Draw) -> dict[str, NDArray]:
    return {
        "W": draw.floats("rows", "length"),
        "I": draw.indices("rows", "lookups"),
        "offsets": draw.offsets(),
    }


def padded(draw: Draw) -> dict[str, NDArray]:
    counts = draw.output("bags", dtype=np.int64)
    arrays = table(draw) | {"out": draw.output("bags", "length"), "n": counts}
    arrays["I"][draw.generator.random(len(arrays["I"])) < 0.3] = -1
    return arrays


def edges(draw: Draw) -> dict[str, NDArray]:
    """Edges from rows to bags, with weights."""
    return {
        "X": draw.floats("rows", "length"),
        "s": draw.indices("rows", "lookups"),
        "t": draw.indices("bags", "lookups"),
        "w": draw.floats("lookups"),
    }


def grouped(arrays: dict[str, NDArray], bags: int) -> dict[str, NDArray]:
    """Edges with what a kernel of edges that are grouped by `t` takes."""
    order = np.argsort(arrays["t"], kind="stable")
    offsets = np.searchsorted(arrays["t"][order], np.arange(bags + 1))
    made = {"t_offsets": offsets, "t_order": order}
    if "s" in arrays:
        made["s_by_t"] = arrays["s"][order]
    return arrays | {name: array.astype(np.int32) for name, array in made.items()}


def edge_index(draw: Draw) -> dict[str, NDArray]:
    """Edges as a matrix of their ends, grouped by its second row."""
    made = grouped(edges(draw) | {"out": draw.output("bags", "length")}, *draw.shape("bags"))
    matrix = np.stack([made.pop("s"), made.pop("t")])
    names = {"t_offsets": "ends_1_offsets", "t_order": "ends_1_order", "s_by_t": "ends_0_by_ends_1"}
    return {names.get(name, name): array for name, array in made.items()} | {"ends": matrix}


def aggregated(t: Tensors, reduce: str, weighted: bool = False) -> Tensor:
    messages = t["X"][t["s"]] * (t["w"][:, None] if weighted else 1)
    index = t["t"][:, None].expand_as(messages)
    zeros = torch.zeros(len(t["out"]), t["X"].shape[1])
    return zeros.scatter_reduce(0, index, messages, reduce, include_self=False)


def softmax_of_edges(t: Tensors) -> Tensor:
    index = t["t"][:, None].expand_as(t["x"])
    zeros = torch.zeros(len(t["z"]), t["x"].shape[1])
    most = zeros.scatter_reduce(0, index, t["x"], "amax", include_self=False)
    powers = (t["x"] - most[t["t"]]).exp()
    return powers / (zeros.scatter_add(0, index, powers) + 1e-16)[t["t"]]


def table_gradient(t: Tensors) -> Tensor:
    weight = torch.zeros_like(t["G"]).requires_grad_()
    bags = bag("sum", {**t, "W": weight}, per_sample_weights=t["w"])
    (gradient,) = torch.autograd.grad(bags, weight, t["g"])
    return gradient


BAGS = {
    "bag_sum": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e])",
        lambda d: table(d) | {"out": d.output("bags", "length")},
        ("out",),
        lambda t: bag("sum", t),
    ),
    "bag_of_weighted_lookups": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e] * w[p])",
        lambda d: table(d) | {"w": d.floats("lookups"), "out": d.output("bags", "length")},
        ("out",),
        lambda t: bag("sum", t, per_sample_weights=t["w"]),
    ),
    "bag_mean": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e])"
        " / max(offsets[b+1] - offsets[b], 1)",
        lambda d: table(d) | {"out": d.output("bags", "length")},
        ("out",),
        lambda t: bag("mean", t),
    ),
    "bag_max": Region(
        "out[b,e] = max[p in offsets[b]:offsets[b+1]](W[I[p],e])"
        " if offsets[b] < offsets[b+1] else 0",
        lambda d: table(d) | {"out": d.output("bags", "length")},
        ("out",),
        lambda t: bag("max", t),
    ),
    "bag_with_padding": Region(
        "n[b] = sum[p in offsets[b]:offsets[b+1]](I[p] != -1)\n"
        "out[b,e] = sum[p in offsets[b]:offsets[b+1] if I[p] != -1](W[I[p],e]) / max(n[b], 1)",
        padded,
        ("n", "out"),
        lambda t: bag("mean", present(t)),
    ),
    "bag_of_lengths_in_halves": Region(
        "out[b,e] = sum[p in segment(lengths[b])](W[I[p],e])",
        lambda d: {
            "W": d.floats("rows", "length", dtype=np.float16),
            "I": d.indices("rows", "lookups", dtype=np.int32),
            "lengths": d.lengths(),
            "out": d.output("bags", "length", dtype=np.float16),
        },
        ("out",),
        lambda t: bag(
            "sum",
            {
                "W": t["W"].float(),
                "I": t["I"].long(),
                "offsets": torch.cat([t["lengths"].new_zeros(1), t["lengths"].cumsum(0)]),
            },
        ).half(),
        ("--type=W:f16", "--type=out:f16", "--type=I:i32"),
        tolerance=2e-3,
    ),
    "bags_that_are_concatenated": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](W[I[p],e]) for e in 0:20\n"
        "out[b,20+e] = sum[p in offsets[b]:offsets[b+1]](V[I[p],e]) for e in 0:7\n"
        "out[b,27+e] = D[b,e]",
        lambda d: (
            table(d)
            | {
                "W": d.floats("rows", 20),
                "V": d.floats("rows", 7),
                "D": d.floats("bags", 3),
                "out": d.output("bags", 30),
            }
        ),
        ("out",),
        lambda t: torch.cat([bag("sum", t), bag("sum", {**t, "W": t["V"]}), t["D"]], 1),
    ),
    "rows_side_by_side": Region(
        "out[b,e] = W[I[b],e] for e in 0:20\n"
        "out[b,20+e] = V[J[b],e] for e in 0:7\n"
        "out[b,27+e] = D[b,e]",
        lambda d: {
            "W": d.floats("rows", 20),
            "V": d.floats("rows", 7),
            "I": d.indices("rows", "bags"),
            "J": d.indices("rows", "bags"),
            "D": d.floats("bags", 3),
            "out": d.output("bags", 30),
        },
        ("out",),
        lambda t: torch.cat([t["W"][t["I"]], t["V"][t["J"]], t["D"]], 1),
    ),
    "gradient_of_a_table": Region(
        "G[I[p],e] += g[b,e] * w[p] for b, p in offsets[b]:offsets[b+1], e",
        lambda d: {
            "I": d.indices("rows", "lookups"),
            "offsets": d.offsets(),
            "w": d.floats("lookups"),
            "g": d.floats("bags", "length"),
            "G": np.zeros(d.shape("rows", "length"), np.float32),
        },
        ("G",),
        table_gradient,
    ),
    "jagged_rows_to_padded_ones": Region(
        "out[b,k,e] = X[offsets[b]+k,e] if k < offsets[b+1] - offsets[b]",
        lambda d: {
            "X": d.floats("lookups", "length"),
            "offsets": d.offsets(),
            "out": np.zeros(d.shape("bags", 7, "length"), np.float32),
        },
        ("out",),
        lambda t: torch.stack(
            [
                functional.pad(rows[:7], (0, 0, 0, 7 - len(rows[:7])))
                for rows in t["X"].split(t["offsets"].diff().tolist())
            ]
            or [torch.zeros(0, 7, t["X"].shape[1])]
        )[: len(t["out"])],
        but=("no bags", "nothing to look up"),
    ),
    "jagged_means": Region(
        "out[b,e] = sum[p in segment(lengths[b])](W[I[p],e]) / max(lengths[b], 1)",
        lambda d: {
            "W": d.floats("rows", "length"),
            "I": d.indices("rows", "lookups"),
            "lengths": d.lengths(),
            "out": d.output("bags", "length"),
        },
        ("out",),
        lambda t: bag(
            "mean", {**t, "offsets": torch.cat([t["I"].new_zeros(1), t["lengths"].cumsum(0)])}
        ),
    ),
    "segments": Region(
        "out[b,e] = max[p in segment(lengths[b])](W[I[p],e])",
        lambda d: {
            "W": d.floats("rows", "length"),
            "I": d.indices("rows", "lookups"),
            "lengths": d.lengths(),
            "out": d.output("bags", "length"),
        },
        ("out",),
        lambda t: torch.segment_reduce(t["W"][t["I"]], "max", lengths=t["lengths"]),
        but=("no lookups", "nothing to look up", "no bags", "no length"),
    ),
}

EDGES = {
    "aggregation": Region(
        "out[t[p],e] += w[p] * X[s[p],e]",
        lambda d: edges(d) | {"out": np.zeros(d.shape("bags", "length"), np.float32)},
        ("out",),
        lambda t: aggregated(t, "sum", weighted=True),
    ),
    "aggregation_mean": Region(
        "n[t[p]] += 1\nsums[t[p],e] += X[s[p],e]\nout[i,e] = sums[i,e] / max(n[i], 1)",
        lambda d: (
            {key: value for key, value in edges(d).items() if key != "w"}
            | {
                "n": np.zeros(d.shape("bags"), np.int64),
                "sums": np.zeros(d.shape("bags", "length"), np.float32),
                "out": d.output("bags", "length"),
            }
        ),
        ("n", "sums", "out"),
        lambda t: aggregated(t, "mean"),
        ("--type=n:i64",),
    ),
    "aggregation_of_heads": Region(
        "out[t[p],h,d] += w[p,h] * X[s[p],h,d]",
        lambda d: {
            "X": d.floats("rows", "heads", "length"),
            "s": d.indices("rows", "lookups"),
            "t": d.indices("bags", "lookups"),
            "w": d.floats("lookups", "heads"),
            "out": np.zeros(d.shape("bags", "heads", "length"), np.float32),
        },
        ("out",),
        lambda t: torch.zeros_like(t["out"]).index_add(
            0, t["t"], t["w"][:, :, None] * t["X"][t["s"]]
        ),
    ),
    "aggregation_onto": Region(
        "base[t[p],e] += 2 * X[s[p],e]",
        lambda d: (
            {key: value for key, value in edges(d).items() if key != "w"}
            | {"base": d.floats("bags", "length")}
        ),
        ("base",),
        lambda t: t["base"].index_add(0, t["t"], t["X"][t["s"]], alpha=2),
    ),
    "aggregation_onto_by_maximum": Region(
        "base[t[p],e] max= X[s[p],e]",
        lambda d: (
            {key: value for key, value in edges(d).items() if key != "w"}
            | {"base": d.floats("bags", "length")}
        ),
        ("base",),
        lambda t: t["base"].scatter_reduce(
            0, t["t"][:, None].expand(-1, t["X"].shape[1]), t["X"][t["s"]], "amax"
        ),
    ),
    "edge_softmax": Region(
        "m[t[p],h] max= x[p,h]\n"
        "e[p,h] = exp(x[p,h] - m[t[p],h])\n"
        "z[t[p],h] += e[p,h]\n"
        "out[p,h] = e[p,h] / z[t[p],h]",
        lambda d: {
            "x": d.floats("lookups", "heads"),
            "t": d.indices("bags", "lookups"),
            "m": np.full(d.shape("bags", "heads"), -np.inf, np.float32),
            "e": d.output("lookups", "heads"),
            "z": np.zeros(d.shape("bags", "heads"), np.float32),
            "out": d.output("lookups", "heads"),
        },
        ("m", "e", "z", "out"),
        softmax_of_edges,
    ),
    "grouped_aggregation": Region(
        "out[n,e] = 0.0\nout[t[p],e] += w[p] * X[s[p],e]",
        lambda d: grouped(edges(d) | {"out": d.output("bags", "length")}, *d.shape("bags")),
        ("out",),
        lambda t: aggregated(t, "sum", weighted=True),
        ("--group=t",),
    ),
    "grouped_rows_of_edges": Region(
        "out[n,e] = 0.0\nout[ends[1,p],e] += w[p] * X[ends[0,p],e]",
        edge_index,
        ("out",),
        lambda t: aggregated({**t, "s": t["ends"][0], "t": t["ends"][1]}, "sum", weighted=True),
        ("--type=ends:2x?xi64", "--group=ends[1]"),
    ),
    "grouped_edge_softmax": Region(
        "m[n,h] = (-inf)\nm[t[p],h] max= x[p,h]\n"
        "z[n,h] = 0.0\nz[t[p],h] += exp(x[p,h] - m[t[p],h])\n"
        "out[p,h] = exp(x[p,h] - m[t[p],h]) / z[t[p],h]",
        lambda d: grouped(
            {
                "x": d.floats("lookups", "heads"),
                "t": d.indices("bags", "lookups"),
                "m": d.output("bags", "heads"),
                "z": d.output("bags", "heads"),
                "out": d.output("lookups", "heads"),
            },
            *d.shape("bags"),
        ),
        ("m", "z", "out"),
        softmax_of_edges,
        ("--group=t",),
    ),
    "head_products": Region(
        "out[n,h] = sum[d](x[n,h,d] * a[h,d])",
        lambda d: {
            "x": d.floats("rows", "heads", "length"),
            "a": d.floats("heads", "length"),
            "out": d.output("rows", "heads"),
        },
        ("out",),
        lambda t: (t["x"] * t["a"]).sum(-1),
    ),
    "linear_before_sum": Region(
        "Y[v,f] = sum[d](X[v,d] * L[f,d])\nout[t[p],f] += w[p] * Y[s[p],f]",
        lambda d: (
            edges(d)
            | {
                "L": d.floats(4, "length"),
                "Y": d.output("rows", 4),
                "out": np.zeros(d.shape("bags", 4), np.float32),
            }
        ),
        ("Y", "out"),
        lambda t: (
            aggregated(t, "sum", weighted=True) @ t["L"].T
            if t["X"].shape[1]
            else torch.zeros_like(t["out"])
        ),
    ),
    "linear_layers_together": Region(
        "A[v,f] = sum[d](X[v,d] * K[f,d])\nB[v,f] = A[v,f] + sum[d](X[v,d] * L[f,d])",
        lambda d: {
            "X": d.floats("rows", "length"),
            "K": d.floats(4, "length"),
            "L": d.floats(4, "length"),
            "A": d.output("rows", 4),
            "B": d.output("rows", 4),
        },
        ("A", "B"),
        lambda t: functional.linear(t["X"], t["K"]) + functional.linear(t["X"], t["L"]),
    ),
    "sums_in_place": Region(
        "out[v,f] = sum[d](X[v,d] * L[f,d])\nout[v,f] += bias[f]\nout[v,f] += 2 * R[v,f]",
        lambda d: {
            "X": d.floats("rows", "length"),
            "L": d.floats(4, "length"),
            "bias": d.floats(4),
            "R": d.floats("rows", 4),
            "out": d.output("rows", 4),
        },
        ("out",),
        lambda t: functional.linear(t["X"], t["L"], t["bias"]) + 2 * t["R"],
    ),
    "sparse_product": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](w[p] * W[I[p],e])",
        lambda d: table(d) | {"w": d.floats("lookups"), "out": d.output("bags", "length")},
        ("out",),
        lambda t: (
            torch.sparse_coo_tensor(
                torch.stack([rows_of(t), t["I"]]),
                t["w"],
                (len(t["out"]), len(t["W"])),
                check_invariants=True,
            )
            @ t["W"]
        ),
    ),
    "sampled_product": Region(
        "out[p] = w[p] * sum[d](Y[t[p],d] * X[s[p],d])",
        lambda d: edges(d) | {"Y": d.floats("bags", "length"), "out": d.output("lookups")},
        ("out",),
        lambda t: t["w"] * (t["Y"][t["t"]] * t["X"][t["s"]]).sum(1),
    ),
    "messages": Region(
        "out[b,e] = max[p in offsets[b]:offsets[b+1]]"
        "(sigmoid(sum[d](Y[b,d] * W[I[p],d])) * W[I[p],e]) if offsets[b] < offsets[b+1] else 0",
        lambda d: table(d) | {"Y": d.floats("bags", "length"), "out": d.output("bags", "length")},
        ("out",),
        lambda t: maximum_of_messages(t),
    ),
}


def rows_of(t: Tensors) -> Tensor:
    """The bag of each lookup."""
    counts = t["offsets"].diff()
    return torch.arange(len(counts)).repeat_interleave(counts)


def maximum_of_messages(t: Tensors) -> Tensor:
    rows, others = rows_of(t), t["W"][t["I"]]
    messages = torch.sigmoid((t["Y"][rows] * others).sum(1))[:, None] * others
    return torch.zeros_like(t["Y"]).scatter_reduce(
        0, rows[:, None].expand_as(messages), messages, "amax", include_self=False
    )


REGIONS = BAGS | EDGES | ROWS | QUANTIZED
