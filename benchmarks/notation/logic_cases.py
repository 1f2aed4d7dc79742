"""Exclusive or of sparse arrays, alone and fused, beside PyData/Sparse.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np

from benchmarks.notation.case import EMBER, FUSED, LOGIC, PYDATA, Case, Prepared, bytes_of
from benchmarks.notation.limits import Phase

_TEXTS = {
    "xor": "A[{0}] ^ B[{0}]",
    "and(xor)": "(A[{0}] ^ B[{0}]) & D[{0}]",
    "or(xor)": "(A[{0}] ^ B[{0}]) | D[{0}]",
}


def _functions() -> dict[str, Callable[..., Any]]:
    return {
        "xor": lambda a, b, d: np.logical_xor(a, b),
        "and(xor)": lambda a, b, d: np.logical_and(np.logical_xor(a, b), d),
        "or(xor)": lambda a, b, d: np.logical_or(np.logical_xor(a, b), d),
    }


def _drawn(shape: tuple[int, ...], count: int, seed: int) -> list[np.ndarray]:
    """Coordinates, each once, in order."""
    rng = np.random.default_rng(seed)
    places = np.unique(rng.integers(0, np.prod(shape), count))
    return list(np.unravel_index(places, shape))


def _prepared(name: str, shape: tuple[int, ...], count: int, format: str) -> Prepared:
    import sparse

    arrays = {}
    peers = []
    for seed, letter in enumerate("ABD"):
        at = _drawn(shape, count, seed)
        values = np.ones(len(at[0]), np.bool_)
        arrays[letter] = es.Array.from_coordinates(at, values, shape, format)
        peer = sparse.COO(np.stack(at), values, shape=shape, sorted=True, has_duplicates=False)
        peers.append(sparse.GCXS.from_coo(peer, [0]) if format == "csr" else peer)
    if name == "xor":
        del arrays["D"]
    indices = ",".join("ijk"[: len(shape)])
    statement = f"C[{indices}] = {_TEXTS[name].format(indices)}"
    result = es.Format(format, dtype=np.bool_)
    function = _functions()[name]

    def as_dense(found: Any) -> np.ndarray:
        whole = found.to_numpy() if isinstance(found, es.Array) else found.todense()
        return np.asarray(whole)

    calls = {
        PYDATA: lambda: function(*peers),
        EMBER: lambda: es.evaluate(statement, **arrays, C=result),
    }
    least = bytes_of(*arrays.values())
    return Prepared(calls, [Phase(least + bytes_of(calls[EMBER]()))], as_dense)


def logic_cases() -> list[Case]:
    """Of matrices by rows, and of arrays of three dimensions."""
    cases = []
    for name in _TEXTS:
        group = LOGIC if name == "xor" else FUSED
        for format, shape in (("csr", (4_000, 4_000)), ("csf", (200, 200, 200))):
            cases.append(
                Case(
                    group,
                    f"{name}, {format}",
                    lambda name=name, shape=shape, format=format: _prepared(  # type: ignore[misc]
                        name, shape, 160_000, format
                    ),
                    needs="sparse",
                )
            )
    return cases
