"""Index notation: statements at every level and target compute what NumPy does.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import re
import subprocess
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from ember.compiler import find_tool
from numpy.typing import NDArray
from program_runs import WAYS, Way
from statement_cases import Arrays, Case, entries_in

RNG = np.random.default_rng(20)
SEGMENTS = np.array([0, 3, 3, 10, 12, 24])
ROWS = np.repeat(np.arange(5), np.diff(SEGMENTS))
# No index where a mask does not hold.
MASKED = np.where(np.arange(24) % 3 > 0, np.arange(24) % 9, -1)


def floats(*shape: int) -> NDArray:
    return RNG.standard_normal(shape).astype(np.float32)


def indices(bound: int, *shape: int) -> NDArray:
    return RNG.integers(0, bound, shape)


def segments(combine: Callable[[NDArray], NDArray], terms: NDArray) -> NDArray:
    """What `combine` makes of the terms of each segment."""
    return np.stack([combine(part) for part in np.split(terms, SEGMENTS[1:-1])])


def keep(
    before: NDArray, rows: NDArray, terms: NDArray, order: Iterable[int], all: bool = False
) -> NDArray:
    """For each row the first term, in `order`, that begins with a positive number."""
    after, seen = before.copy(), set()
    for p in order:
        if (all or terms[p, 0] > 0) and rows[p] not in seen:
            seen.add(rows[p])
            after[rows[p]] = terms[p]
    return after


def graph(**more: NDArray) -> Arrays:
    """24 edges from 5 vertices to 9, and arrays of them."""
    return {"pos": SEGMENTS, "crd": indices(9, 24), **more}


def edges(**more: NDArray) -> Arrays:
    return {"row": ROWS, "col": indices(9, 24), **more}


def softmax(scores: NDArray) -> NDArray:
    powers = np.exp(scores - scores.max(initial=-np.inf))
    return powers / powers.sum()


CASES = {
    "bag": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](W[crd[p],e] * w[p])",
        graph(W=floats(9, 20), w=floats(24)),
        {"out": floats(5, 20)},
        lambda a: segments(lambda t: t.sum(0), a["W"][a["crd"]] * a["w"][:, None]),
    ),
    "mean_of_a_bag": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](W[crd[p],e]) / (pos[b+1] - pos[b])",
        graph(W=floats(9, 20)),
        {"out": floats(5, 20)},
        lambda a: (
            segments(lambda t: t.sum(0), a["W"][a["crd"]])
            / np.where(np.diff(SEGMENTS), np.diff(SEGMENTS), np.nan)[:, None]
        ),
    ),
    "segments_of_what_is_reduced": Case(
        "s[e] = sum[b, p in pos[b]:pos[b+1]](w[p] * U[b,e])",
        {"pos": SEGMENTS, "w": floats(24), "U": floats(5, 20)},
        {"s": floats(20)},
        lambda a: a["w"] @ a["U"][ROWS],
    ),
    "max_of_a_bag": Case(
        "out[b,e] = max[p in pos[b]:pos[b+1]](W[crd[p],e])",
        graph(W=floats(9, 20)),
        {"out": floats(5, 20)},
        lambda a: segments(lambda t: t.max(0, initial=-np.inf), a["W"][a["crd"]]),
    ),
    "bag_with_padding": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1] if I[p] != -1](W[I[p],e])",
        {"pos": SEGMENTS, "I": indices(9, 24) * (ROWS != 2) - (ROWS == 2), "W": floats(9, 20)},
        {"out": floats(5, 20)},
        lambda a: segments(lambda t: t.sum(0), np.where(a["I"][:, None] < 0, 0, a["W"][a["I"]])),
    ),
    "halves_are_summed_in_single": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](W[crd[p],e])",
        graph(W=floats(9, 20).astype(np.float16)),
        {"out": floats(5, 20).astype(np.float16)},
        lambda a: segments(lambda t: t.sum(0), a["W"][a["crd"]].astype(np.float32)).astype(
            np.float16
        ),
        {"W": "f16", "out": "f16"},
    ),
    "product_with_coordinates": Case(
        "C[row[p],n] += val[p] * B[col[p],n]",
        edges(val=floats(24), B=floats(9, 17)),
        {"C": floats(5, 17)},
        lambda a: a["C"] + segments(lambda t: t.sum(0), a["val"][:, None] * a["B"][a["col"]]),
    ),
    "sampled_product": Case(
        "out[p] = val[p] * sum[d](X[row[p],d] * Y[col[p],d])",
        edges(val=floats(24), X=floats(5, 30), Y=floats(9, 30)),
        {"out": floats(24)},
        lambda a: a["val"] * (a["X"][ROWS] * a["Y"][a["col"]]).sum(1),
    ),
    "messages": Case(
        "out[i,e] = sum[p in pos[i]:pos[i+1]](sigmoid(sum[d](X[i,d] * Y[crd[p],d])) * Y[crd[p],e])",
        graph(X=floats(5, 12), Y=floats(9, 12)),
        {"out": floats(5, 12)},
        lambda a: segments(
            lambda t: t.sum(0),
            (1 / (1 + np.exp(-(a["X"][ROWS] * a["Y"][a["crd"]]).sum(1))))[:, None]
            * a["Y"][a["crd"]],
        ),
    ),
    "score": Case(
        "s[q] = -sqrt(sum[d]((E[h[q],d] + R[r[q],d] - E[t[q],d]) ** 2))",
        {
            "E": floats(9, 15),
            "R": floats(4, 15),
            "h": indices(9, 7),
            "r": indices(4, 7),
            "t": indices(9, 7),
        },
        {"s": floats(7)},
        lambda a: -np.linalg.norm(a["E"][a["h"]] + a["R"][a["r"]] - a["E"][a["t"]], axis=1),
    ),
    "gather_of_blocks": Case(
        "out[i,j*4+t,e] = K[B[i,j]*4+t,e] for t in 0:4",
        {"K": floats(24, 10), "B": indices(6, 5, 3)},
        {"out": floats(5, 12, 10)},
        lambda a: a["K"].reshape(6, 4, 10)[a["B"]].reshape(5, 12, 10),
    ),
    "block_product": Case(
        "out[i,d] = sum[j, t in 0:4](P[i,j*4+t] * V[B[i,j]*4+t,d])",
        {"P": floats(5, 12), "V": floats(24, 10), "B": indices(6, 5, 3)},
        {"out": floats(5, 10)},
        lambda a: np.einsum(
            "ijt,ijtd->id", a["P"].reshape(5, 3, 4), a["V"].reshape(6, 4, 10)[a["B"]]
        ),
    ),
    "pair_products": Case(
        "out[b,i,j] = sum[d](X[b,i,d] * X[b,j,d])",
        {"X": floats(3, 5, 11)},
        {"out": floats(3, 5, 5)},
        lambda a: np.einsum("bid,bjd->bij", a["X"], a["X"]),
    ),
    "edge_softmax": Case(
        "m[i] = max[p in pos[i]:pos[i+1]](s[p])\n"
        "e[p] = exp(s[p] - m[row[p]])\n"
        "z[i] = sum[p in pos[i]:pos[i+1]](e[p])\n"
        "out[p] = e[p] / z[row[p]]",
        {"pos": SEGMENTS, "s": floats(24), "row": ROWS},
        {"m": floats(5), "e": floats(24), "z": floats(5), "out": floats(24)},
        lambda a: np.concatenate(
            [softmax(part) for part in np.split(a["s"], SEGMENTS[1:-1]) if len(part)]
        ),
    ),
    "scattered_maximum": Case(
        "out[I[p],e] max= X[p,e]",
        {"I": indices(6, 24), "X": floats(24, 9)},
        {"out": floats(6, 9)},
        lambda a: np.stack(
            [np.vstack([a["out"][k], a["X"][a["I"] == k]]).max(0) for k in range(6)]
        ),
    ),
    "attention_over_a_history": Case(
        "s[b,p] = sum[d](Q[b,d] * E[H[b,p],d])\n"
        "out[b,d] = sum[p](exp(s[b,p]) * E[H[b,p],d]) / sum[p](exp(s[b,p]))",
        {"Q": floats(4, 8) / 8, "E": floats(20, 8), "H": indices(20, 4, 6)},
        {"s": floats(4, 6), "out": floats(4, 8)},
        lambda a: np.einsum(
            "bp,bpd->bd",
            np.stack([softmax(x) for x in np.einsum("bd,bpd->bp", a["Q"], a["E"][a["H"]])]),
            a["E"][a["H"]],
        ),
    ),
    "einstein_sums_each_term": Case(
        "y[i] = A[i,j] * x[j] - 2 * b[i]",
        {"A": floats(6, 7), "x": floats(7), "b": floats(6)},
        {"y": floats(6)},
        lambda a: a["A"] @ a["x"] - 2 * a["b"],
    ),
    "matrix_product": Case(
        "C[i,j] = A[i,k] * B[k,j]",
        {"A": floats(6, 7), "B": floats(7, 18)},
        {"C": floats(6, 18)},
        lambda a: a["A"] @ a["B"],
    ),
    "transposed_product": Case(
        "y[j] = A[i,j] * x[i]",
        {"A": floats(6, 17), "x": floats(6)},
        {"y": floats(17)},
        lambda a: a["A"].T @ a["x"],
    ),
    "in_place": Case(
        "y[2*i+1] = y[2*i+1] * x[i]",
        {"x": floats(4)},
        {"y": floats(8)},
        lambda a: np.where(np.arange(8) % 2, a["y"] * np.repeat(a["x"], 2), a["y"]),
    ),
    "tropical_product": Case(
        "y[i] = min[j](A[i,j] + x[j])",
        {"A": floats(6, 7), "x": floats(7)},
        {"y": floats(6)},
        lambda a: (a["A"] + a["x"]).min(1),
    ),
    "minimax": Case(
        "opt[i] = min[j](max[k](A[i,j,k]))",
        {"A": floats(4, 5, 6)},
        {"opt": floats(4)},
        lambda a: a["A"].max(2).min(1),
    ),
    "sum_to_a_scalar": Case(
        "total = sum[i,j](A[i,j])",
        {"A": floats(4, 5)},
        {"total": floats()},
        lambda a: a["A"].sum(),
    ),
    "slices": Case(
        "A[i,j] = B[i(0:2),j(0:2)] + C[i(1:3),j(2:4)]",
        {"B": floats(4, 4), "C": floats(4, 4)},
        {"A": floats(2, 2)},
        lambda a: a["B"][0:2, 0:2] + a["C"][1:3, 2:4],
    ),
    "strided_slices_to_a_slice": Case(
        "a[i(1:5)] = b[i(0:8:2)] * c[i(1:8:2)]",
        {"b": floats(8), "c": floats(8)},
        {"a": floats(6)},
        lambda a: np.concatenate([a["a"][:1], a["b"][0:8:2] * a["c"][1:8:2], a["a"][5:]]),
    ),
    "slices_of_two_reductions": Case(
        "y = sum[i](x[i(0:2)]) + max[i](x[i(1:9:2)]) - sum[i](z[i]) * sum[i in 2:4](x[i])",
        {"x": floats(9), "z": floats(3)},
        {"y": floats()},
        lambda a: a["x"][:2].sum() + a["x"][1:9:2].max() - a["z"].sum() * a["x"][2:4].sum(),
    ),
    "slices_inside_and_outside": Case(
        "y[i] = x[i(0:2)] * max[j](sum[i](A[j,i(1:4)]) * x[j(0:3)])",
        {"x": floats(9), "A": floats(3, 5)},
        {"y": floats(2)},
        lambda a: a["x"][:2] * (a["A"][:, 1:4].sum(1) * a["x"][:3]).max(),
    ),
    "convolution": Case(
        "y[i] = sum[r](x[i+r] * w[r])",
        {"x": floats(13), "w": floats(4)},
        {"y": floats(10)},
        lambda a: np.correlate(a["x"], a["w"], "valid"),
    ),
    "logic": Case(
        "C[i] = (A[i] ^ B[i]) and not D[i]",
        {name: indices(2, 30).astype(bool) for name in "ABD"},
        {"C": indices(2, 30).astype(bool)},
        lambda a: (a["A"] ^ a["B"]) & ~a["D"],
        dict.fromkeys("ABCD", "i1"),
    ),
    "choice_and_condition": Case(
        "y[i] = x[i] if x[i] > c else c * x[i] for i if m[i] < 2",
        {"x": floats(30), "m": indices(4, 30), "c": np.float32(0.25)},
        {"y": floats(30)},
        lambda a: np.where(a["m"] < 2, np.where(a["x"] > a["c"], a["x"], a["c"] * a["x"]), a["y"]),
        {"m": "i64"},
    ),
    "integers": Case(
        "y[i] = -a[i] * 3 % 7 + (a[i] << 2) - abs(b[i])",
        {"a": indices(50, 20).astype(np.int32), "b": indices(50, 20).astype(np.int32)},
        {"y": indices(5, 20).astype(np.int32)},
        lambda a: np.mod(-a["a"] * 3, 7) + (a["a"] << 2) - np.abs(a["b"]),
        dict.fromkeys("yab", "i32"),
    ),
    "count": Case(
        "n[i] = sum[j](A[i,j] > 0)",
        {"A": floats(6, 30)},
        {"n": indices(3, 6)},
        lambda a: (a["A"] > 0).sum(1),
        {"n": "i64"},
    ),
    "quotients_and_remainders_round_down": Case(
        "y[i] = a[i] // b[i] * 1000 + a[i] % b[i] * 10 + fmod(a[i], b[i])",
        {"a": indices(50, 30) - 25, "b": np.where(np.arange(30) % 2, 7, -4)},
        {"y": indices(5, 30)},
        lambda a: a["a"] // a["b"] * 1000 + a["a"] % a["b"] * 10 + np.fmod(a["a"], a["b"]),
        dict.fromkeys("yab", "i64"),
    ),
    "quotients_of_floats_round_down": Case(
        "y[i] = x[i] // z[i] + x[i] % z[i] / 0x10",
        {"x": floats(30) * 9, "z": floats(30)},
        {"y": floats(30)},
        lambda a: a["x"] // a["z"] + a["x"] % a["z"] / 16,
    ),
    "indices_are_divided": Case(
        "y[i] = x[i // 3] + x[(i - 4) % 5] for i in 0:15",
        {"x": floats(5)},
        {"y": floats(15)},
        lambda a: a["x"][np.arange(15) // 3] + a["x"][(np.arange(15) - 4) % 5],
    ),
    "comparisons_in_a_chain": Case(
        "y[i] = x[i] if -1_0e-1 < x[i] <= z[i] != +.5 else 0b11",
        {"x": floats(30), "z": floats(30)},
        {"y": floats(30)},
        lambda a: np.where((a["x"] > -1) & (a["x"] <= a["z"]) & (a["z"] != 0.5), a["x"], 3),
    ),
    "functions_of_many": Case(
        "y[i] = xor(a[i], b[i], 0o17, 1_000) + max(a[i], b[i], 0x1f)",
        {"a": indices(50, 20), "b": indices(50, 20)},
        {"y": indices(5, 20)},
        lambda a: (a["a"] ^ a["b"] ^ 15 ^ 1000) + np.maximum(np.maximum(a["a"], a["b"]), 31),
        dict.fromkeys("yab", "i64"),
    ),
    "what_is_taken_away": Case(
        "y[I[p]] -= x[p]",
        {"I": indices(6, 24), "x": floats(24)},
        {"y": floats(6)},
        lambda a: a["y"] - np.bincount(a["I"], a["x"], 6),
    ),
    "segments_by_lengths": Case(
        "out[b,e] = sum[p in segment(L[b])](W[crd[p],e] * w[p])",
        {"L": np.diff(SEGMENTS), "W": floats(9, 20), "crd": indices(9, 24), "w": floats(24)},
        {"out": floats(5, 20)},
        lambda a: segments(lambda t: t.sum(0), a["W"][a["crd"]] * a["w"][:, None]),
    ),
    "lengths_are_a_result": Case(
        "n[b] = pos[b+1] - pos[b]\nout[b] = max[p in segment(n[b]) if x[p] > 0](x[p])",
        {"pos": SEGMENTS, "x": floats(24)},
        {"n": indices(5, 5), "out": floats(5)},
        lambda a: segments(lambda t: t[t > 0].max(initial=-np.inf), a["x"]),
        {"n": "i64", "pos": "i64"},
    ),
    "segments_by_lengths_on_the_left": Case(
        "out[p] = x[b] for b, p in segment(L[b])",
        {"L": np.diff(SEGMENTS).astype(np.int32), "x": floats(5)},
        {"out": floats(24)},
        lambda a: a["x"][ROWS],
        {"L": "i32"},
    ),
    "range_by_a_mask": Case(
        "y[i] = x[I[i]] * z[i] for i in M if x[I[i]] > 0",
        {"M": np.arange(24) % 3 > 0, "I": MASKED, "x": floats(9), "z": floats(24)},
        {"y": floats(24)},
        lambda a: np.where(
            a["M"] & (a["x"][a["I"]] > 0) & (a["I"] >= 0), a["x"][a["I"]] * a["z"], a["y"]
        ),
    ),
    "reduction_by_a_mask": Case(
        "y[i] = sum[j in M[i]](A[i,j] * x[j])",
        {"M": indices(2, 6, 17).astype(bool), "A": floats(6, 17), "x": floats(17)},
        {"y": floats(6)},
        lambda a: (a["M"] * a["A"]) @ a["x"],
    ),
    "range_over_what_another_statement_found": Case(
        "m[i] = sum[j](A[i,j]) > 0\ny[j] = sum[i in m](A[i,j])",
        {"A": floats(6, 17)},
        {"m": indices(2, 6).astype(bool), "y": floats(17)},
        lambda a: a["A"][a["A"].sum(1) > 0].sum(0),
    ),
    "first": Case(
        "y[I[p],e] first= X[p,e] for p if X[p,0] > 0",
        {"I": indices(6, 24), "X": floats(24, 9)},
        {"y": floats(6, 9)},
        lambda a: keep(a["y"], a["I"], a["X"], range(24)),
    ),
    "last": Case(
        "y[I[p],e] last= X[p,e] for p if X[p,0] > 0",
        {"I": indices(6, 24), "X": floats(24, 9)},
        {"y": floats(6, 9)},
        lambda a: keep(a["y"], a["I"], a["X"], range(23, -1, -1)),
    ),
    "first_of_two_variables": Case(
        "y[G[i,j]] first= 10 * i + j",
        {"G": indices(6, 3, 4)},
        {"y": np.full(6, -1)},
        lambda a: np.array(
            [
                next((10 * i + j for i in range(3) for j in range(4) if a["G"][i, j] == k), -1)
                for k in range(6)
            ]
        ),
        {"y": "i64", "G": "i64"},
    ),
    "first_place_that": Case(
        "y[i] first= j for j if A[i,j] > 0.5",
        {"A": floats(6, 9)},
        {"y": np.full(6, -1)},
        lambda a: np.where((a["A"] > 0.5).any(1), (a["A"] > 0.5).argmax(1), -1),
        {"y": "i64"},
    ),
    "place_of_the_largest": Case(
        "m[i] = max[j](A[i,j])\nat[i] first= j for j if A[i,j] == m[i]",
        {"A": floats(6, 9)},
        {"m": floats(6), "at": indices(9, 6)},
        lambda a: a["A"].argmax(1),
    ),
    "noted_by_hand": Case(
        "w[I[p]] min= p\ny[I[p]] = x[p] if w[I[p]] == p",
        {"I": indices(6, 24), "x": floats(24)},
        {"w": np.full(6, 99), "y": floats(6)},
        lambda a: keep(a["y"][:, None], a["I"], a["x"][:, None], range(24), all=True)[:, 0],
    ),
    "strided_slice_on_the_left": Case(
        "y[i(1:9:3)] += x[i]",
        {"x": floats(3)},
        {"y": floats(9)},
        lambda a: a["y"] + np.array([[0], [1], [0]]).T.repeat(3, 0).ravel() * a["x"].repeat(3),
    ),
    "as_many_as_a_statement_counts": Case(
        "n = sum[i](x[i] > 0)\ny[i] = z[i] for i in 0:n",
        {"x": floats(24), "z": floats(24)},
        {"n": np.array(0), "y": floats(24)},
        lambda a: np.where(np.arange(24) < (a["x"] > 0).sum(), a["z"], a["y"]),
        {"n": "i64"},
    ),
    "double": Case(
        "y[i] = exp(x[i]) ** 0.5 / (1 + i)",
        {"x": floats(9).astype(np.float64)},
        {"y": floats(9).astype(np.float64)},
        lambda a: np.exp(a["x"]) ** 0.5 / (1 + np.arange(9)),
        {"x": "f64", "y": "f64"},
    ),
    "condition_on_elements_of_rows": Case(
        "y[i] = x[e] * z[i] for i if m[i] < 2",
        {"x": floats(5), "z": floats(9), "m": indices(4, 9)},
        {"y": floats(9)},
        lambda a: np.where(a["m"] < 2, a["x"].sum() * a["z"], a["y"]),
        {"m": "i64"},
    ),
    "halves_in_a_sum_of_sums": Case(
        "out[b] = sum[e](sum[p in pos[b]:pos[b+1]](W[crd[p],e]))",
        graph(W=floats(9, 20).astype(np.float16)),
        {"out": floats(5).astype(np.float16)},
        lambda a: segments(lambda t: t.sum(), a["W"][a["crd"]].astype(np.float32)).astype(
            np.float16
        ),
        {"W": "f16", "out": "f16"},
    ),
    "segments_on_the_left": Case(
        "out[p] = x[b] for b, p in pos[b]:pos[b+1]",
        {"pos": SEGMENTS, "x": floats(5)},
        {"out": floats(24)},
        lambda a: a["x"][ROWS],
    ),
}

TOKEN = re.compile(r"\w+|\*\*|<<|[^\s\w]|\s+")
WORDS = ["**", "if", "else", "for", "in", "not", "inf", "1e400", "-", "0", "i", "max", "convert"]
WORDS += ["9223372036854775807", "99999999999999999999", "#", ";", "\n", "%", "True", ")", "]"]
DAMAGED = 120


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_statements(way: Way) -> None:
    statements = {name: case.statement() for name, case in CASES.items()}
    for name, entry in entries_in(statements, way):
        CASES[name].check(entry, way.name)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("y[i] = x[i", 11, "expected ',' or ']', not the end of the notation"),
        ("y[i] = gcd2(x[i])", 8, "there is no function 'gcd2'"),
        ("y[i] = max(x[i])", 8, "'max' takes 2 operands or more, not 1"),
        ("y[i] = sub[j](x[j])", 8, "'sub' does not reduce"),
        ("y[i] = x[i] + x[i,i]", 15, "'x' has 2 indices here, and 1 before"),
        ("y[i] = x[i] ? 2", 13, "expected an operator or the end of the statement, not '?'"),
        ("y[i] == x[i]", 6, "expected an assignment"),
        ("y[i] = i[j] + x[i]", 8, "'i' is a variable and an array"),
        ("y[i,p] = x[i] for p in q[p]:3", 1, "depends on a variable whose range depends on it"),
        ("", 1, "expected a statement, not the end of the notation"),
        ("y[I[p]] = x[p]", 1, "several values of p may assign to one element"),
        (
            "y[i] = y[i+1] + x[i]",
            8,
            "reads another element of y than the one that the statement assigns",
        ),
        ("y[I[p]] += y[I[p]] * x[p]", 12, "that several values of p add to"),
        ("y[i] += y[j]", 9, "reads another element of y"),
        ("y[i+j] = x[i] * z[j]", 1, "several values of"),
        ("y[0] = sum[i](x[2*i])", 8, "has no range"),
        ("y[i] = x[i(0:4:0)]", 16, "the step of a slice is a positive number"),
        ("y[i] = x[i(0:3)] + z[i(2:9:2)]", 22, "'i' has 4 positions in this slice, and 3 in"),
        ("y[j] = sum[i](x[i(0:3)] + z[i(1:2)])", 29, "'i' has 1 position in this slice, and 3"),
        ("y[i] = sum[i]", 14, "expected '(' and what 'sum' reduces, as it is a function; an array"),
        ("y[i] = \u00e9[i]", 8, "not '\u00e9': names are made of a to z, A to Z, digits and _"),
        ("y[i] = x[z[i] / 2.5]", 15, "an index is an integer"),
        ("y[i] = x[i] * x[1.5]", 17, "an index is an integer, and this is 1.5"),
        ("y[i] = x[i] * x[nan]", 17, "an index is an integer, and this is nan"),
        ("y[i] = x[i] * x[True]", 17, "an index is an integer, and this is True"),
        ("y = sum[i in 0:2.5](x[i])", 16, "an index is an integer, and this is 2.5"),
        ("y[i] = x[i] for i in 0:2, i in 0:4", 27, "variable 'i' is bound twice"),
        ("y = sum[i,i](x[i])", 11, "variable 'i' is bound twice"),
        ("y[b] = sum[p in segment(L)](x[p])", 25, "as long as an element of an array of one"),
        ("y[b] = sum[p in segment(L[b,b])](x[p])", 25, "as long as an element of an array of one"),
        ("y[i] = sum[j in 2*x[i]](z[j])", 23, "expected ':' between the bounds of a variable"),
        ("y[i] = z[x[i]] for i in x", 10, "and it is dense: give it a format, or have it hold"),
        ("y[I[p]] last= x[q] for q in I[p]:I[q]", 1, "depends on a variable whose range depends"),
        ("y[I[p]] second= x[p]", 9, "expected an assignment"),
        ("y[I[p]] = x[p] if w[p] == p", 1, "several values of p may assign to one element"),
        (
            "y[i] = x[i] * x[-1]",
            17,
            "indices count from the beginning, and -1 is before it: the last of n is n - 1, such "
            "as size(x, 0) - 1",
        ),
        ("y[2-3,i] = x[i]", 4, "indices count from the beginning, and -1 is before it"),
        ("y[i] = x[i] << 1", 13, "'shl' does not take values of type 'f32'"),
        ("y[i] = x[i] * and", 15, "expected an array, a number, a function or '(', not 'and'"),
        ("y[i] = 99999999999999999999", 8, "does not fit in 64 bits"),
        ("y[i] = 0xffffffffffffffff", 8, "does not fit in 64 bits"),
        ("y[i] = x[i] + 1__0", 15, "'1__0' is no number"),
        ("y[i] = x[i] + 012", 15, "'012' is no number"),
        ("y[i] = x[i] + 1.5.2", 15, "'1.5.2' is no number"),
        ("y[i] = " + "(" * 500, None, "nested more than 200 deep"),
        ("y[i] = " + "+".join(["x[i]"] * 3000), None, "operators depend on each other"),
    ],
)
def test_errors_have_a_place(text: str, column: int | None, message: str) -> None:
    command = [str(find_tool("emberc")), f"--notation={text}", "--emit=cin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("error:") == 1
    if column:
        assert done.stderr.startswith(f"notation:1:{column}: error: ")


@pytest.mark.parametrize("seed", range(DAMAGED // 20))
def test_damaged_statements_are_compiled_or_one_error(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(20):
        case = draw.choice(list(CASES.values()))
        tokens = TOKEN.findall(case.text)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(len(tokens))
            tokens[place : place + draw.choice([0, 1])] = draw.choice(
                [[], [draw.choice(WORDS)], [draw.choice(tokens)]]
            )
            tokens = tokens or ["i"]
        text = "".join(tokens)
        types = [f"--type={name}:{type}" for name, type in case.types.items()]
        command = [str(find_tool("emberc")), f"--notation={text}", *types, "--emit=loops"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"{text}\n{done.stderr}"
        assert done.stderr.count("error:") == done.returncode, f"{text}\n{done.stderr}"
