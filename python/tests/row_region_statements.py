"""Regions of rows, scores, blocks, selections and quantised tables, as statements.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as functional
from numpy.typing import NDArray
from region_draws import Draw, Region, Tensors
from torch import Tensor


def triples(draw: Draw, width: int = 1) -> dict[str, NDArray]:
    """Heads, relations and tails; of complex rows, real parts first."""
    return {
        "E": draw.floats("rows", 12 * width),
        "R": draw.floats("rows", 12 * width),
        "h": draw.indices("rows", "lookups"),
        "r": draw.indices("rows", "lookups"),
        "t": draw.indices("rows", "lookups"),
        "out": draw.output("lookups"),
    }


def complex_rows(t: Tensors, name: str, index: str) -> Tensor:
    return torch.complex(*t[name][t[index]].split(12, 1))


def blocks(draw: Draw) -> dict[str, NDArray]:
    """Rows of blocks of 4, and which blocks each bag has."""
    return {
        "K": draw.floats(24, "length"),
        "B": draw.generator.integers(0, 6, draw.shape("bags", "blocks")),
    }


def gathered(t: Tensors) -> Tensor:
    return t["K"].unflatten(0, (6, 4))[t["B"]].flatten(1, 2)


def selected(draw: Draw, *rows: str | int, dtype: type = np.float32) -> dict[str, NDArray]:
    """Room for what is selected of lookups, and for how many they are."""
    counts = np.full(1, 77, np.int64)
    return {"out": draw.output(*rows, "lookups", dtype=dtype), "out_count": counts}


def padded_lookups(draw: Draw) -> dict[str, NDArray]:
    """Lookups in a table, some of them of -1, which is nowhere."""
    places = draw.indices("rows", "lookups")
    places[draw.generator.random(len(places)) < 0.3] = -1
    return {"W": draw.floats("rows", "length"), "I": places}


def score(name: str, text: str, expected: Callable[[Tensors], Tensor], width: int = 1) -> Region:
    """Scores of triples."""
    return Region(f"out[q] = {text}", lambda d: triples(d, width), ("out",), expected)


ROWS = {
    "rows": Region(
        "out[q,e] = A[i[q],e] + 2 * B[j[q],e] - C[k[q],e]",
        lambda d: (
            {name: d.floats("rows", "length") for name in "ABC"}
            | {name: d.indices("rows", "lookups") for name in "ijk"}
            | {"out": d.output("lookups", "length")}
        ),
        ("out",),
        lambda t: t["A"][t["i"]] + 2 * t["B"][t["j"]] - t["C"][t["k"]],
    ),
    "pair_products": Region(
        "out[b,k] = D[b,k] for k in 0:4\nout[b,4+q] = sum[d](X[b,row[q],d] * X[b,col[q],d])",
        lambda d: {
            "X": d.floats("bags", 4, "length"),
            "D": d.floats("bags", 4),
            "row": np.array([1, 2, 2, 3, 3, 3]),
            "col": np.array([0, 0, 1, 0, 1, 2]),
            "out": d.output("bags", 10),
        },
        ("out",),
        lambda t: torch.cat(
            [t["D"], torch.bmm(t["X"], t["X"].transpose(1, 2))[:, t["row"], t["col"]]], 1
        ),
    ),
    "row_products": Region(
        "out[b,k] = sum[d](Q[u[b],d] * W[N[b,k],d])",
        lambda d: {
            "Q": d.floats("rows", "length"),
            "W": d.floats("rows", "length"),
            "u": d.indices("rows", "bags"),
            "N": d.indices("rows", "bags", "heads"),
            "out": d.output("bags", "heads"),
        },
        ("out",),
        lambda t: torch.einsum("bd,bkd->bk", t["Q"][t["u"]], t["W"][t["N"]]),
    ),
    "row_score": Region(
        "out[q] = sum[d](U[u[q],d] * V[v[q],d]) + a[u[q]] + c[v[q]] + m",
        lambda d: {
            "U": d.floats("rows", "length"),
            "V": d.floats("rows", "length"),
            "u": d.indices("rows", "lookups"),
            "v": d.indices("rows", "lookups"),
            "a": d.floats("rows"),
            "c": d.floats("rows"),
            "m": np.array(0.25, np.float32),
            "out": d.output("lookups"),
        },
        ("out",),
        lambda t: (t["U"][t["u"]] * t["V"][t["v"]]).sum(1) + t["a"][t["u"]] + t["c"][t["v"]] + 0.25,
    ),
    "row_score_of_normalized_rows": Region(
        "out[q] = sum[d](U[u[q],d] * V[v[q],d]) / (max(sqrt(sum[d](U[u[q],d] ** 2)), 1e-12)"
        " * max(sqrt(sum[d](V[v[q],d] ** 2)), 1e-12))",
        lambda d: {
            "U": d.floats("rows", "length"),
            "V": d.floats("rows", "length"),
            "u": d.indices("rows", "lookups"),
            "v": d.indices("rows", "lookups"),
            "out": d.output("lookups"),
        },
        ("out",),
        lambda t: (functional.normalize(t["U"][t["u"]]) * functional.normalize(t["V"][t["v"]])).sum(
            1
        ),
    ),
    "score_transe_1": score(
        "transe_1",
        "-sum[d](abs(E[h[q],d] + R[r[q],d] - E[t[q],d]))",
        lambda t: -(t["E"][t["h"]] + t["R"][t["r"]] - t["E"][t["t"]]).norm(1, 1),
    ),
    "score_transe_2": score(
        "transe_2",
        "-sqrt(sum[d]((E[h[q],d] + R[r[q],d] - E[t[q],d]) ** 2))",
        lambda t: -(t["E"][t["h"]] + t["R"][t["r"]] - t["E"][t["t"]]).norm(2, 1),
    ),
    "score_distmult": score(
        "distmult",
        "sum[d](E[h[q],d] * R[r[q],d] * E[t[q],d])",
        lambda t: (t["E"][t["h"]] * t["R"][t["r"]] * t["E"][t["t"]]).sum(1),
    ),
    "score_complex": score(
        "complex",
        "sum[d in 0:12]("
        "(E[h[q],d] * R[r[q],d] - E[h[q],12+d] * R[r[q],12+d]) * E[t[q],d] + "
        "(E[h[q],d] * R[r[q],12+d] + E[h[q],12+d] * R[r[q],d]) * E[t[q],12+d])",
        lambda t: (
            (complex_rows(t, "E", "h") * complex_rows(t, "R", "r"))
            * complex_rows(t, "E", "t").conj()
        ).real.sum(1),
        2,
    ),
    "score_rotate": score(
        "rotate",
        "-sum[d in 0:12](sqrt("
        "(E[h[q],d] * cos(R[r[q],d]) - E[h[q],12+d] * sin(R[r[q],d]) - E[t[q],d]) ** 2 + "
        "(E[h[q],d] * sin(R[r[q],d]) + E[h[q],12+d] * cos(R[r[q],d]) - E[t[q],12+d]) ** 2))",
        lambda t: (
            -(
                complex_rows(t, "E", "h") * torch.polar(torch.ones(1), t["R"][t["r"]][:, :12])
                - complex_rows(t, "E", "t")
            )
            .abs()
            .sum(1)
        ),
        2,
    ),
    "score_of_all_tails": Region(
        "out[q,v] = -sqrt(sum[d]((E[h[q],d] + R[r[q],d] - E[v,d]) ** 2))",
        lambda d: (
            {key: value for key, value in triples(d).items() if key != "t"}
            | {"out": d.output("lookups", "rows")}
        ),
        ("out",),
        lambda t: -(t["E"][t["h"]][:, None] + t["R"][t["r"]][:, None] - t["E"][None]).norm(2, 2),
    ),
    "block_gather": Region(
        "out[i,j*4+t,e] = K[B[i,j]*4+t,e] for t in 0:4",
        lambda d: blocks(d) | {"out": d.output("bags", 4 * d.sizes["blocks"], "length")},
        ("out",),
        gathered,
    ),
    "block_scores": Region(
        "out[i,j*4+t] = c * sum[d](Q[i,d] * K[B[i,j]*4+t,d]) for t in 0:4",
        lambda d: (
            blocks(d)
            | {
                "Q": d.floats("bags", "length"),
                "c": np.array(0.5, np.float32),
                "out": d.output("bags", 4 * d.sizes["blocks"]),
            }
        ),
        ("out",),
        lambda t: 0.5 * torch.einsum("id,ikd->ik", t["Q"], gathered(t)),
    ),
    "block_values": Region(
        "out[i,e] = sum[j, t in 0:4](P[i,j*4+t] * K[B[i,j]*4+t,e])",
        lambda d: (
            blocks(d)
            | {"P": d.floats("bags", 4 * d.sizes["blocks"]), "out": d.output("bags", "length")}
        ),
        ("out",),
        lambda t: torch.einsum("ik,ike->ie", t["P"], gathered(t)),
    ),
    "selection": Region(
        "out[r,i] = edges[r,i] if edges[0,i] != edges[1,i]",
        lambda d: {"edges": d.indices("bags", 2, "lookups")} | selected(d, 2, dtype=np.int64),
        ("out_count", "out"),
        lambda t: t["edges"][:, t["edges"][0] != t["edges"][1]],
        ("--type=edges:2x?xi64", "--compact=out"),
        count="out_count",
    ),
    "selection_by_a_mask": Region(
        "out[i] = w[i] if M[i] != 0",
        lambda d: {"w": d.floats("lookups"), "M": d.bools("lookups").astype(np.int8)} | selected(d),
        ("out_count", "out"),
        lambda t: t["w"][t["M"] != 0],
        ("--type=M:i8", "--compact=out"),
        count="out_count",
    ),
    "selection_of_lookups": Region(
        "out[e,i] = W[I[i],e] for i if I[i] >= 0",
        lambda d: padded_lookups(d) | selected(d, "length"),
        ("out_count", "out"),
        lambda t: t["W"][t["I"][t["I"] >= 0]].T,
        ("--compact=out",),
        count="out_count",
    ),
}


def encoded(draw: Draw, operator: str) -> dict[str, NDArray]:
    """A table of bytes of an even number of elements a row, and lookups in it."""
    values = torch.from_numpy(draw.floats("rows", 20))
    packed = getattr(torch.ops.quantized, f"embedding_bag_{operator}_prepack")(values)
    return {
        "T_size0": np.array(len(values)),
        "T_size1": np.array(20),
        "T_values": packed.numpy(),
        "I": draw.indices("rows", "lookups"),
    }


def quantized_bag(operator: str, t: Tensors) -> Tensor:
    function = getattr(torch.ops.quantized, f"embedding_bag_{operator}_rowwise_offsets")
    result: Tensor = function(
        t["T_values"],
        t["I"],
        t["offsets"],
        include_last_offset=True,
        per_sample_weights=t["w"],
    )
    return result


def quantized_rows(operator: str, t: Tensors) -> Tensor:
    unpacked: Tensor = getattr(torch.ops.quantized, f"embedding_bag_{operator}_unpack")(
        t["T_values"]
    )
    return unpacked[t["I"]]


QUANTIZED = {
    f"quantized_bag_{operator}": Region(
        "out[b,e] = sum[p in offsets[b]:offsets[b+1]](T[I[p],e] * w[p])",
        lambda d, operator=operator: (
            encoded(d, operator)
            | {"offsets": d.offsets(), "w": d.floats("lookups"), "out": d.output("bags", 20)}
        ),
        ("out",),
        lambda t, operator=operator: quantized_bag(operator, t),
        (f"--format=T:{spelled}",),
        but=("nothing to look up",),
        tolerance=tolerance,
    )
    for operator, spelled, tolerance in (("byte", "int8", 1e-4), ("4bit", "int4", 1e-2))
} | {
    f"quantized_rows_{operator}": Region(
        "out[q,e] = T[I[q],e]",
        lambda d, operator=operator: encoded(d, operator) | {"out": d.output("lookups", 20)},
        ("out",),
        lambda t, operator=operator: quantized_rows(operator, t),
        (f"--format=T:{spelled}",),
        but=("nothing to look up",),
    )
    for operator, spelled in (("byte", "int8"), ("4bit", "int4"))
}
