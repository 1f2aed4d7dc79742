"""Every built-in function, fill, format and pattern of what is stored, on small arrays.

Loops leave out what the fills decide; nothing may be left out that NumPy computes.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from drawn_cases import SEED, drawn
from numpy.typing import NDArray
from sparse_uses import Use, compile_many

INF = np.inf
ERF = np.vectorize(math.erf, otypes=[np.float32])

FLOATS: dict[str, Callable[..., NDArray]] = {
    "a + b": np.add,
    "a - b": np.subtract,
    "a * b": np.multiply,
    "a / b": np.divide,
    "a % b": np.mod,
    "a // b": np.floor_divide,
    "fmod(a, b)": np.fmod,
    "a ** b": np.power,
    "min(a, b)": np.minimum,
    "max(a, b)": np.maximum,
    "larger(a, b)": lambda a, b: np.where(b > a, b, a),
    "abs(a) + b": lambda a, b: abs(a) + b,
    "neg(a) + b": lambda a, b: b - a,
    "a * relu(b)": lambda a, b: a * np.maximum(b, 0),
    "sqrt(abs(a)) * b": lambda a, b: np.sqrt(abs(a)) * b,
    "exp(a) - b": lambda a, b: np.exp(a) - b,
    "-a * b": lambda a, b: -a * b,
    "cos(a) * b": lambda a, b: np.cos(a) * b,
    "tanh(a) + sin(b)": lambda a, b: np.tanh(a) + np.sin(b),
    "sigmoid(a) * b": lambda a, b: b / (1 + np.exp(-a)),
    "floor(a) + ceil(b)": lambda a, b: np.floor(a) + np.ceil(b),
    "trunc(a) * round(b)": lambda a, b: np.trunc(a) * np.rint(b),
    "expm1(a) * b": lambda a, b: np.expm1(a) * b,
    "log1p(abs(a)) + erf(b)": lambda a, b: np.log1p(abs(a)) + ERF(b),
    "copysign(a, b)": np.copysign,
    "log(abs(a) + 1) * b": lambda a, b: np.log(abs(a) + 1) * b,
    "a * (a < b)": lambda a, b: a * (a < b),
    "a * (a <= b)": lambda a, b: a * (a <= b),
    "a * (a > b)": lambda a, b: a * (a > b),
    "b * (a >= b)": lambda a, b: b * (a >= b),
    "b * (a == b)": lambda a, b: b * (a == b),
    "(a != b) + 0.0": lambda a, b: (a != b) + 0.0,
    "a if b > 0 else 2 * a": lambda a, b: np.where(b > 0, a, 2 * a),
    "a * b + a": lambda a, b: a * b + a,
    "max(a, 0) * min(b, 0)": lambda a, b: np.maximum(a, 0) * np.minimum(b, 0),
}
BITS: dict[str, Callable[..., NDArray]] = {
    "a & b": np.bitwise_and,
    "a | b": np.bitwise_or,
    "a ^ b": np.bitwise_xor,
    "~a & b": lambda a, b: ~a & b,
    "~(a | b)": lambda a, b: ~(a | b),
    "~(a ^ b)": lambda a, b: ~(a ^ b),
    "(not a) & b": lambda a, b: (a == 0) & b,
    "a & (a | b)": lambda a, b: a & (a | b),
}
INTEGERS: dict[str, Callable[..., NDArray]] = {
    **BITS,
    "a + b": np.add,
    "a - b": np.subtract,
    "a * b": np.multiply,
    "min(a, b)": np.minimum,
    "max(a, b)": np.maximum,
    "larger(a, b)": lambda a, b: np.where(b > a, b, a),
    "(a << 2) + b": lambda a, b: (a << 2) + b,
    "a << (b & 3)": lambda a, b: a << (b & 3),
    "a >> (b & 3)": lambda a, b: a >> (b & 3),
    "a // (b | 1)": lambda a, b: a // (b | 1),
    "a % (b | 1)": lambda a, b: a % (b | 1),
    "fmod(a, b | 1)": lambda a, b: np.fmod(a, b | 1),
    "relu(a) - b": lambda a, b: np.maximum(a, 0) - b,
    "neg(a) * (a != b)": lambda a, b: -a * (a != b),
    "coalesce(a, b)": lambda a, b: a,
    "abs(a) * b": lambda a, b: abs(a) * b,
    "detach(a) - b": np.subtract,
}
KINDS = {
    "f32": (FLOATS, np.float32, (0, 1, INF, -INF, 2), (3.0, -2.0, 0.5)),
    "i32": (INTEGERS, np.int32, (0, 1, -1, 5), (3, -2, 7)),
    "i1": (BITS, np.bool_, (0, 1), (True, False)),
}
ONE_DIMENSION = ("csf", "bitmap", "dense", "csf:i32")


#: Of patterns of so many elements, every which one an operand has.
STEPS = (1, 1, 2, 5, 17) if SEED else (1, 1, 1, 3, 9)
BUILTINS = Path(__file__).parents[2] / "lib/Dialect/CIN/IR/Builtins.cpp"
#: Functions of the table that the notation has no name for.
TYPING = {"fma", "convert", "convert_unsigned", "bitcast"}
#: How operators are called that have names, too.
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "~": "not", "<<": "shl", ">>": "shr", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge", "==": "eq", "!=": "ne", "if": "select",
}  # fmt: skip


def patterns(
    kind: str, fill: float, length: int, first: int, step: int
) -> Iterator[tuple[NDArray, NDArray]]:
    """Ways to store some of a few elements: what the array is, and what is stored as fill."""
    _, dtype, _, values = KINDS[kind]
    every = itertools.product(range(3), repeat=length)
    for states in itertools.islice(every, first, None, step):
        array = np.array([values[k % len(values)] for k in range(length)], dtype)
        array = np.where(np.array(states) == 2, array, np.array(fill, dtype)).astype(dtype)
        yield array, np.array(states, int) == 1


def pairs(kind: str, fills: tuple[float, float], number: int) -> Iterator[tuple[NDArray, ...]]:
    """Both operands of up to four elements: of few in all patterns, of more in some."""
    for length in range(5):
        step = STEPS[length]
        first = number % step
        for (a, a_also), (b, b_also) in itertools.product(
            patterns(kind, fills[0], length, first, step),
            patterns(kind, fills[1], length, (first + 1) % step, step),
        ):
            yield a, a_also, b, b_also


def elementwise(
    text: str,
    function: Callable[..., NDArray],
    kind: str,
    choice: tuple[float, float, str, str, str],
) -> Use:
    """A statement of two arrays; the result is dense or compressed."""
    dtype = KINDS[kind][1]
    *fills, a, b, y = choice
    given = dict(zip("ab", fills, strict=True))
    formats = {"a": a, "b": b}
    if y:
        with np.errstate(all="ignore"):
            result = function(*(np.array([fill], dtype) for fill in fills))
        formats["y"], given["y"] = y, float(result[0])
    written = re.sub(r"\b([ab])\b", r"\1[i]", text)
    types = dict.fromkeys("aby", kind)
    return Use(f"y[i] = {written}", {}, formats, np.zeros(3, dtype), "y", given, types=types)


def test_every_function_is_there() -> None:
    texts = " ".join(FLOATS | INTEGERS)
    tested = {OPERATORS.get(word, word) for word in re.findall(r"[a-z]\w*|[^\w\s(),.]+", texts)}
    builtins = set(re.findall(r'(?:\(|name = )"(\w+)"', BUILTINS.read_text()))
    assert len(builtins) > 30
    assert builtins - tested == TYPING


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
def test_functions(kind: str) -> None:
    """Into dense results and compressed ones; nothing is skipped that NumPy computes."""
    functions, dtype, fills, _ = KINDS[kind]
    cases = []
    for text, function in functions.items():
        cross = itertools.product(fills, fills, ONE_DIMENSION, ONE_DIMENSION, ("", "csf"))
        for choice in drawn(list(cross), f"{kind} {text}"):
            cases.append((function, choice[:2], elementwise(text, function, kind, choice)))
    for begin in range(0, len(cases), 200):
        some = cases[begin : begin + 200]
        entries = compile_many([use for *_, use in some])
        for number, ((function, both, use), entry) in enumerate(zip(some, entries, strict=True)):
            for a, a_also, b, b_also in pairs(kind, both, number):
                use.arrays, use.also = {"a": a, "b": b}, {"a": a_also, "b": b_also}
                with np.errstate(all="ignore"):
                    use.expected = function(a, b).astype(dtype)
                use.check(entry, but_nan=True)


REDUCTIONS: dict[str, tuple[str, Callable[[NDArray], NDArray]]] = {
    "sum": ("f32", np.sum),
    "prod": ("f32", np.prod),
    "min": ("f32", lambda a: a.min(initial=INF)),
    "max": ("f32", lambda a: a.max(initial=-INF)),
    "all": ("i1", np.all),
    "any": ("i1", np.any),
    "xor": ("i32", np.bitwise_xor.reduce),
    "min ": ("i32", lambda a: a.min(initial=2**31 - 1)),
    "max ": ("i32", lambda a: a.max(initial=-(2**31))),
}


@pytest.mark.parametrize("size", [0, 4])
def test_reductions(size: int) -> None:
    """Whatever the fill is, and however many elements are stored: none, some, all."""
    cases = []
    for name, (kind, function) in REDUCTIONS.items():
        _, dtype, fills, _ = KINDS[kind]
        for fill, text in drawn(list(itertools.product(fills, ONE_DIMENSION)), name):
            use = Use(f"y = {name.strip()}[i](a[i])", {}, {"a": text}, np.zeros((), dtype), "y")
            use.fills, use.types = {"a": fill}, dict.fromkeys("ay", kind)
            cases.append((function, kind, use))
    entries = compile_many([use for _, _, use in cases])
    for (function, kind, use), entry in zip(cases, entries, strict=True):
        for array, also in patterns(kind, use.fills["a"], size, 0, 1):
            use.arrays, use.also = {"a": array}, {"a": also}
            with np.errstate(all="ignore"):
                use.expected = np.asarray(function(array), use.expected.dtype)
            use.check(entry)
