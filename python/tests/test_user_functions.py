"""Functions that users define: the statements of Hsu's dissertation, chapter 3, and its rules.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from ember.compiler import Notation, Options, find_tool, load_program
from ember.errors import KernelError
from numpy.typing import NDArray
from program_runs import WAYS, Way, call
from sparse_uses import Use
from statement_cases import entries_in

FILE = Path(__file__).with_name("user_functions.mlir")
RNG = np.random.default_rng(35)
INF = np.inf


@dataclass
class FunctionUse(Use):
    """A statement that calls functions of the file. iteration: of its innermost loop."""

    iteration: str | None = None

    def options(self) -> list[str]:
        """What emberc is told of the arrays, and the file."""
        return [*super().options(), f"--functions={FILE}"]


def drawn(fill: float, *shape: int, dtype: type = np.float32, most: int = 9) -> NDArray:
    """An array of which half is `fill`, and other elements are small integers."""
    values = RNG.integers(-most, most + 1, shape)
    return np.where(RNG.random(shape) < 0.5, values, fill).astype(dtype)


def bits(*shape: int) -> NDArray:
    """An array of booleans."""
    return RNG.random(shape) < 0.5


def of_type(element: str, names: str) -> dict[str, str]:
    """The same type for several arrays."""
    return dict.fromkeys(names, element)


B, C, D = (drawn(0, 40, dtype=np.int64, most=60) for _ in range(3))
P, Q, R = (bits(40) for _ in range(3))
ABOVE, ALSO_ABOVE, THIRD = drawn(INF, 40), drawn(INF, 40), drawn(0, 40)
GAME = drawn(0, 4, 5, 6)
LONG = of_type("i64", "abcd")
LOGIC = of_type("i1", "apqr")

USES = {
    # Figures 3.7 to 3.9, with the bodies for x, 0 and 0, y.
    "gcd": FunctionUse(
        "a[i] = gcd(b[i], c[i])",
        {"b": B, "c": C},
        {"b": "csf", "c": "csf"},
        np.gcd(B, C),
        "a",
        types=LONG,
        also={"b": np.arange(40) % 7 == 0, "c": np.arange(40) % 5 == 0},
        iteration="0 | 1",
    ),
    "gcd_as_an_operator": FunctionUse(
        "a[i] = b[i] `gcd` c[i] + `nonnegative` (b[i] + 0.5)",
        {"b": B, "c": C},
        {"b": "csf", "c": "bitmap"},
        np.gcd(B, C) + (B >= 0),
        "a",
        types=LONG,
    ),
    # A fill that is not the declared one: everything is visited.
    "gcd_of_other_fills": FunctionUse(
        "a[i] = gcd(b[i], c[i])",
        {"b": np.where(B == 0, 6, B), "c": C},
        {"b": "csf", "c": "csf", "a": "csf"},
        np.gcd(np.where(B == 0, 6, B), C),
        "a",
        fills={"b": 6},
        types=LONG,
        iteration="all",
    ),
    "gcd_in_three_parts": FunctionUse(
        "a[i] = gcd(b[i], gcd(c[i], d[i]))",
        {"b": B, "c": C, "d": D},
        {"b": "csf", "c": "csf", "d": "csf", "a": "csf"},
        np.gcd(B, np.gcd(C, D)),
        "a",
        types=LONG,
        iteration="0 | 1 | 2",
    ),
    # Section 3.6.2's bitwise_and(gcd(b, c), d).
    "and_of_gcd": FunctionUse(
        "a[i] = bitwise_and(gcd(b[i], c[i]), d[i])",
        {"b": B, "c": C, "d": D},
        {"b": "csf", "c": "csf", "d": "csf"},
        np.gcd(B, C) & D,
        "a",
        types=LONG,
        iteration="2 & (0 | 1)",
    ),
    "gcd_of_matrices": FunctionUse(
        "A[i,j] = gcd(B[i,j], C[i,j])",
        {"B": B.reshape(8, 5), "C": C.reshape(8, 5)},
        {"B": "dcsr", "C": "csr", "A": "csr"},
        np.gcd(B, C).reshape(8, 5),
        "A",
        types=of_type("i64", "ABC"),
    ),
    "gcd_of_rows": FunctionUse(
        "a[i] = gcd[j](B[i,j])",
        {"B": B.reshape(8, 5)},
        {"B": "csr"},
        np.gcd.reduce(B.reshape(8, 5), axis=1),
        "a",
        types=of_type("i64", "aB"),
    ),
    # Figure 3.20: xor, and of xor, or of xor.
    "xor": FunctionUse(
        "a[i] = exclusive(p[i], q[i])",
        {"p": P, "q": Q},
        {"p": "csf", "q": "csf", "a": "csf"},
        P ^ Q,
        "a",
        types=LOGIC,
        also={"p": np.arange(40) % 3 == 0},
    ),
    "and_of_xor": FunctionUse(
        "a[i] = both(exclusive(p[i], q[i]), r[i])",
        {"p": P, "q": Q, "r": R},
        {"p": "csf", "q": "csf", "r": "csf"},
        (P ^ Q) & R,
        "a",
        types=LOGIC,
        iteration="2 & (0 | 1)",
    ),
    "or_of_xor": FunctionUse(
        "a[i] = either(exclusive(p[i], q[i]), r[i])",
        {"p": P, "q": Q, "r": R},
        {"p": "csf", "q": "csf", "r": "csf"},
        (P ^ Q) | R,
        "a",
        types=LOGIC,
        iteration="0 | 1 | 2",
    ),
    "complement": FunctionUse(
        "a[i] = implies(p[i], q[i])",
        {"p": P, "q": Q},
        {"p": "csf", "q": "csf", "a": "csf"},
        ~P | Q,
        "a",
        fills={"a": 1},
        types=LOGIC,
        # A stored q may be false, where p is true or not.
        iteration="0",
    ),
    "minimax": FunctionUse(
        "a[i] = largest[j](least[k](A[i,j,k]))",
        {"A": GAME},
        {},
        GAME.min(2).max(1),
        "a",
    ),
    "minimax_of_stored": FunctionUse(
        "a[i] = largest[j](least[k](A[i,j,k]))",
        {"A": np.where(GAME == 0, INF, GAME)},
        {"A": "csf"},
        np.where(GAME == 0, INF, GAME).min(2).max(1),
        "a",
        fills={"A": INF},
    ),
    "tropical_product": FunctionUse(
        "C[i,j] = least[k](A[i,k] + B[k,j])",
        {"A": drawn(INF, 6, 7), "B": drawn(INF, 7, 5)},
        {"A": "csr", "B": "csr", "C": "csr"},
        np.zeros((6, 5), np.float32),
        "C",
        fills={"A": INF, "B": INF, "C": INF},
    ),
    # Section 3.6.2, one by one.
    "case_1_annihilator": FunctionUse(
        "a[i] = largest_of_three(p[i], q[i], r[i])",
        {"p": ABOVE, "q": ALSO_ABOVE, "r": THIRD},
        {"p": "csf", "q": "csf", "r": "csf"},
        np.maximum(np.maximum(ABOVE, ALSO_ABOVE), THIRD),
        "a",
        fills={"p": INF, "q": INF},
        iteration="0 & 1",
    ),
    "case_1_of_another_result": FunctionUse(
        "a[i] = largest_of_three(p[i], q[i], r[i])",
        {"p": ABOVE, "q": ALSO_ABOVE, "r": THIRD},
        {"p": "csf", "q": "csf", "r": "csf", "a": "csf"},
        np.maximum(np.maximum(ABOVE, ALSO_ABOVE), THIRD),
        "a",
        fills={"p": INF, "q": INF, "a": 3},
        iteration="all",
    ),
    "case_2_idempotent": FunctionUse(
        "a[i] = least(p[i], q[i])",
        {"p": drawn(5, 40), "q": drawn(5, 40)},
        {"p": "csf", "q": "csf", "a": "csf"},
        np.zeros(40, np.float32),
        "a",
        fills={"p": 5, "q": 5, "a": 5},
        iteration="0 | 1",
    ),
    "case_3_identity": FunctionUse(
        "a[i] = largest(p[i], q[i])",
        {"p": drawn(-INF, 40), "q": drawn(42, 40)},
        {"p": "csf", "q": "csf", "a": "csf"},
        np.zeros(40, np.float32),
        "a",
        fills={"p": -INF, "q": 42, "a": 42},
        iteration="0 | 1",
    ),
    "case_4_at_a_position": FunctionUse(
        "a[i] = quotient(p[i], q[i])",
        {"p": drawn(0, 40), "q": np.where(drawn(1, 40) == 0, 1, drawn(1, 40) + 20)},
        {"p": "csf", "q": "csf"},
        np.zeros(40, np.float32),
        "a",
        fills={"q": 1},
        iteration="0",
    ),
    # 0 / 0 is not 0.
    "case_4_of_zeros": FunctionUse(
        "a[i] = quotient(p[i], q[i])",
        {"p": drawn(0, 40), "q": drawn(0, 40)},
        {"p": "csf", "q": "csf", "a": "csf"},
        np.zeros(40, np.float32),
        "a",
    ),
    "loops_in_a_body": FunctionUse(
        "a[i] = integer_power(p[i], n[i]) for i",
        {"p": drawn(0, 20), "n": RNG.integers(0, 6, 20)},
        {"p": "csf"},
        np.zeros(20, np.float32),
        "a",
        types={"n": "i64"},
    ),
    "without_an_identity": FunctionUse(
        "a[i] = nearest_to_zero[j](A[i,j])",
        {"A": GAME.reshape(20, 6)},
        {"A": "csr"},
        np.abs(GAME.reshape(20, 6)).min(1),
        "a",
    ),
}


def finish(use: FunctionUse) -> None:
    """Computes what is expected of arrays that are drawn in the table."""
    a = use.arrays
    functions = {
        "tropical_product": lambda: (a["A"][:, :, None] + a["B"][None]).min(1),
        "case_2_idempotent": lambda: np.minimum(a["p"], a["q"]),
        "case_3_identity": lambda: np.maximum(a["p"], a["q"]),
        "case_4_at_a_position": lambda: a["p"] / a["q"],
        "case_4_of_zeros": lambda: a["p"] / a["q"],
        "loops_in_a_body": lambda: a["p"] ** a["n"],
    }
    for name, compute in functions.items():
        if USES[name] is use:
            with np.errstate(all="ignore"):
                use.expected = compute().astype(np.float32)


for each in USES.values():
    finish(each)
    each.types = {k: v for k, v in each.types.items() if k in {*each.arrays, each.result}}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_statements(way: Way) -> None:
    for name, entry in entries_in(
        {name: use.statement() for name, use in USES.items()}, way, levels=2
    ):
        USES[name].check(entry, but_nan=True, way=way.name)


@pytest.mark.parametrize("name", [name for name, use in USES.items() if use.iteration])
def test_iteration_is_derived(name: str, tmp_path: Path) -> None:
    use = USES[name]
    file = tmp_path / "statement.mlir"
    call("emberc", f"--notation={use.text}", *use.options(), "--emit=cin", "-o", file)
    stages = ("schedule", "insert-workspaces", "concretize", "derive-iteration")
    command = [str(find_tool("ember-opt")), *(f"--cin-{stage}" for stage in stages), str(file)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    loops = [line for line in text.splitlines() if "cin.forall" in line and "iteration" in line]
    assert f'#cin.iteration<"{use.iteration}">' in loops[-1], loops


def test_nothing_to_combine_is_an_error() -> None:
    use = USES["without_an_identity"]
    text = "a[i] = nearest_to_zero[j in n[i]:n[i+1]](x[j])"
    entry = load_program(Notation(text, (f"--functions={FILE}",)), Options()).entry("kernel")
    arguments = {
        "n": np.array([0, 2, 3]),
        "x": np.array([3, -1, 2], np.float32),
        "a": np.zeros(2, np.float32),
    }
    entry(*[arguments[parameter.name] for parameter in entry.parameters])
    assert arguments["a"].tolist() == [1, 2]
    arguments["n"] = np.array([0, 3, 3])
    with pytest.raises(KernelError, match="reduces nothing by 'nearest_to_zero', which has no"):
        entry(*[arguments[parameter.name] for parameter in entry.parameters])
    assert use.result == "a"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("y[i] = twice(x[i])", 8, "there is no function 'twice'"),
        ("y[i] = x[i] `twice` x[i]", 14, "there is no function 'twice'"),
        ("y[i] = twice[j](x[j])", 8, "there is no function 'twice'"),
        ("y[i] = gcd(x[i])", 8, "'gcd' takes 2 operands or more, not 1"),
        ("y[i] = x[i] `integer_power` 0.5", 29, "takes a value of type 'i64' here, not a fraction"),
        ("y[i] = gcd(x[i], 2)", 12, "'gcd' takes a value of type 'i64' here, not one of 'f32'"),
        ("y[i] = quotient[j](A[i,j])", 8, "'quotient' does not reduce: it is not associative"),
        ("y[i] quotient= x[i]", 6, "'quotient' does not reduce: it is not associative"),
        ("y[i] gcd= n[i] for i in 0:z[n[0]]", 1, "'y' is of 'f32', and 'gcd' combines values of"),
        ("y[i] = `least x[i]", 15, "expected '`', not 'x'"),
        ("y[i] = `3` x[i]", 9, "expected the name of a function, not '3'"),
    ],
)
def test_errors_have_a_place(text: str, column: int, message: str) -> None:
    command = [str(find_tool("emberc")), f"--notation={text}", f"--functions={FILE}", "--emit=cin"]
    types = ["--type=y:f32"]
    done = subprocess.run([*command, *types], capture_output=True, text=True)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("error:") == 1
    assert done.stderr.startswith(f"notation:1:{column}: error: ")
