"""Index notation on bad input: one clear error each, or the right answer.

What is wrong in the text alone is in test_notation.py.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
from dataclasses import dataclass, field

import numpy as np
import pytest
from ember.compiler import find_tool
from ember.errors import KernelError
from ember.kernel import Entry
from notation_kernels import compile_all
from numpy.typing import NDArray

SPMV = "y[i] = sum[j](A[i,j] * x[j])"
PRODUCT = "y[i] = sum[j](A[i,j] * B[i,j])"


@dataclass
class Run:
    """A statement on arrays: what the error says, or what the last array is."""

    text: str
    arrays: dict[str, NDArray | int]
    outcome: str | list[float]
    options: list[str] = field(default_factory=list)


def floats(*shape: int) -> NDArray:
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def csr(name: str, **changed: NDArray) -> dict[str, NDArray | int]:
    """Two rows of four columns, which store three numbers."""
    parts: dict[str, NDArray | int] = {
        f"{name}_size0": 2,
        f"{name}_size1": 4,
        f"{name}_positions1": np.array([0, 2, 3]),
        f"{name}_coordinates1": np.array([1, 3, 0]),
        f"{name}_values": floats(3),
    }
    return parts | {f"{name}_{part}": array for part, array in changed.items()}


CSR_A, CSR_B = ["--format=A:csr"], ["--format=A:csr", "--format=B:csr"]
RUNS = {
    "disagreeing extents": Run(
        SPMV,
        {"A": floats(3, 5), "x": floats(7), "y": floats(3)},
        "index j: dimension 1 of A and dimension 0 of x have different sizes",
    ),
    "index out of bounds": Run(
        "y[i] = x[I[i]]",
        {"x": floats(24), "I": np.array([1, 99]), "y": floats(2)},
        "index 99 ...is out of range for dimension 0 of 'x' of size 24",
    ),
    "negative index": Run(
        "y[I[p]] += x[p]",
        {"x": floats(2), "I": np.array([1, -1]), "y": floats(2)},
        "index -1 ...is out of range for dimension 0 of 'y' of size 2",
    ),
    "segment out of bounds": Run(
        "y[i] = sum[p in q[i]:q[i+1]](x[p])",
        {"x": floats(4), "q": np.array([0, 2, 6]), "y": floats(2)},
        "out of range for dimension 0 of 'x' of size 4",
    ),
    "negative length": Run(
        "y[b] = sum[p in segment(L[b])](x[p])",
        {"x": floats(4), "L": np.array([2, -1]), "y": floats(2)},
        "a length of L is negative",
    ),
    "lengths overrun": Run(
        "y[b] = sum[p in segment(L[b])](x[p])",
        {"x": floats(4), "L": np.array([2, 3]), "y": floats(2)},
        "out of range for dimension 0 of 'x' of size 4",
    ),
    "no such length": Run(
        "y[i] = sum[p in segment(L[I[i]])](x[p])",
        {"x": floats(4), "L": np.array([2, 1]), "I": np.array([1, 9]), "y": floats(2)},
        "index 9 ...is out of range for dimension 0 of 'the offsets of L' of size 3",
    ),
    "lengths past 64 bits": Run(
        "y[b] = sum[p in segment(L[b])](x[p])",
        {"x": floats(4), "L": np.array([2**62, 2**62]), "y": floats(2)},
        "the lengths of L add up to more than 64 bits hold",
    ),
    "unsorted coordinates": Run(
        PRODUCT,
        csr("A", coordinates1=np.array([2, 1, 0])) | csr("B") | {"y": floats(2)},
        "do not increase",
        CSR_B,
    ),
    "duplicate coordinates": Run(
        PRODUCT,
        csr("A", coordinates1=np.array([1, 1, 0])) | csr("B") | {"y": floats(2)},
        "do not increase",
        CSR_B,
    ),
    "coordinate out of bounds": Run(
        SPMV,
        csr("A", coordinates1=np.array([1, 4, 0])) | {"x": floats(4), "y": floats(2)},
        "index 4 ...is out of range for dimension 0 of 'x' of size 4",
        CSR_A,
    ),
    "coordinate past int32": Run(
        SPMV,
        csr("A", coordinates1=np.array([1, 2**40, 0])) | {"x": floats(4), "y": floats(2)},
        "index 1099511627776 ...is out of range for dimension 0 of 'x' of size 4",
        CSR_A,
    ),
    "decreasing positions": Run(
        SPMV,
        csr("A", positions1=np.array([0, 3, 2])) | {"x": floats(4), "y": floats(2)},
        "positions of level 1 of 'A'[1] is 3 but positions of level 1 of 'A'[2] is 2",
        CSR_A,
    ),
    "too few positions": Run(
        SPMV,
        csr("A", positions1=np.array([0, 3])) | {"x": floats(4), "y": floats(2)},
        "the length of positions of level 1 of 'A' is not 1 + dimension 0 of A",
        CSR_A,
    ),
    "no columns": Run(
        "y[i] = max[j](A[i,j])",
        {"A": floats(2, 0), "y": floats(2)},
        [-np.inf, -np.inf],
    ),
    "no rows": Run(SPMV, {"A": floats(0, 4), "x": floats(4), "y": floats(0)}, []),
    "no lengths": Run(
        "y[b] = sum[p in segment(L[b])](x[p])",
        {"x": floats(4), "L": np.zeros(0, np.int64), "y": floats(0)},
        [],
    ),
    "none is first": Run(
        "y[i] first= j for j if A[i,j] > 9",
        {"A": floats(2, 3), "y": np.array([-1, -2])},
        [-1, -2],
        ["--type=y:i64"],
    ),
    "division by zero": Run(
        "y[i] = a[i] // b[i]",
        {"a": np.array([1, 2]), "b": np.array([1, 0]), "y": np.array([0, 0])},
        "division by zero",
        ["--type=a:i64", "--type=b:i64", "--type=y:i64"],
    ),
}


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    compiled = compile_all([(run.text, run.options) for run in RUNS.values()])
    return dict(zip(RUNS, compiled, strict=True))


@pytest.mark.parametrize("name", RUNS)
def test_run(name: str, entries: dict[str, Entry]) -> None:
    run, entry = RUNS[name], entries[name]
    arrays = {key: np.copy(a) if isinstance(a, np.ndarray) else a for key, a in run.arrays.items()}
    arguments = [arrays[parameter.name] for parameter in entry.parameters]
    if isinstance(run.outcome, list):
        entry(*arguments)
        np.testing.assert_array_equal(arrays["y"], run.outcome)
        return
    with pytest.raises((KernelError, IndexError, ValueError)) as caught:
        entry(*arguments)
    # Where the index was loaded is said where that is known.
    for part in run.outcome.split("..."):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        ("y[i] = gcd2(x[i])", [], "notation:1:8: error: there is no function 'gcd2'"),
        ("y[i] = sqrt(x[i], 2)", [], "notation:1:8: error: 'sqrt' takes 1 operand, not 2"),
        ("y[I[p]] = x[p]", [], "notation:1:1: error: several values of p may assign"),
        ("y[i] = sub[j](A[i,j])", [], "notation:1:8: error: 'sub' does not reduce"),
        ("y[i] = x[i] & z[i]", ["--type=q:i1"], "'q' is given, and no statement names"),
        ("y[i] = x[I[i]]", ["--type=I:f32"], "'I' is the index of something"),
        ("y[i] = x[i]", ["--format=x:csr"], "is no format of that many"),
        ("y[i] = convert(x[i])", [], "'convert' does not say to which type"),
        ("y[b] = sum[p in segment(L[b])](x[p])", ["--format=L:bitmap"], "in a dense array"),
        ("y[I[p]] first= x[p]", ["--format=y:bitmap"], "only a dense array can keep one"),
    ],
)
def test_text(text: str, options: list[str], error: str) -> None:
    command = [str(find_tool("emberc")), f"--notation={text}", *options, "--emit=loops"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert error in done.stderr
    assert done.stderr.count("error:") == 1
