"""Gradients of statements against PyTorch's own, and against differences.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.compiler import find_tool
from ember.errors import CompileError
from program_runs import WAYS, Way, run_program
from torch import Tensor

Arrays = dict[str, Tensor]
POSITIONS = torch.tensor([0, 3, 3, 10, 12, 24])
ROWS = torch.repeat_interleave(torch.arange(5), POSITIONS.diff())
RNG = torch.Generator().manual_seed(3)


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=RNG, dtype=torch.float64)


def indices(bound: int, *shape: int) -> Tensor:
    return torch.randint(bound, shape, generator=RNG)


COLUMNS = indices(9, 24)
GRAPH = {"pos": POSITIONS, "row": ROWS, "col": COLUMNS}


def sums(terms: Tensor) -> Tensor:
    """The sums of segments."""
    return torch.zeros(5, *terms.shape[1:], dtype=terms.dtype).index_add(0, ROWS, terms)


def softmax(scores: Tensor) -> Tensor:
    """Of the scores of each segment."""
    return torch.cat([part.softmax(0) for part in scores.tensor_split(POSITIONS[1:-1])])


EXCLUDED = torch.tensor([3, -1, 0, 8, -1])


@dataclass
class Case:
    """Statements, and the same in PyTorch. floats: what gradients are by."""

    text: str
    floats: Arrays
    expected: Callable[[Arrays], Tensor]
    others: Arrays = field(default_factory=dict)


def attention(a: Arrays) -> Tensor:
    kept = COLUMNS != 3
    scores = (a["Q"][ROWS] * a["K"][COLUMNS]).sum(1)
    masked = torch.where(kept, scores, -torch.inf)
    return sums(torch.where(kept, softmax(masked), 0)[:, None] * a["K"][COLUMNS])


CASES = {
    "bag": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](W[col[p],e] * w[p])",
        {"W": floats(9, 4), "w": floats(24)},
        lambda a: sums(a["W"][COLUMNS] * a["w"][:, None]),
        GRAPH,
    ),
    "mean_with_padding": Case(
        "out[b,e] = sum[p in pos[b]:pos[b+1] if col[p] != 3](W[col[p],e]) / (pos[b+1] "
        "- pos[b] + 1)",
        {"W": floats(9, 4)},
        lambda a: sums(a["W"][COLUMNS] * (COLUMNS != 3)[:, None]) / (POSITIONS.diff() + 1)[:, None],
        GRAPH,
    ),
    "product_with_coordinates": Case(
        "C[row[p],n] += val[p] * B[col[p],n]",
        {"val": floats(24), "B": floats(9, 3)},
        lambda a: sums(a["val"][:, None] * a["B"][COLUMNS]),
        {**GRAPH, "C": es.Format("dense", shape=(5, 3))},
    ),
    "sampled_product": Case(
        "out[p] = val[p] * sum[d](X[row[p],d] * Y[col[p],d])",
        {"val": floats(24), "X": floats(5, 4), "Y": floats(9, 4)},
        lambda a: a["val"] * (a["X"][ROWS] * a["Y"][COLUMNS]).sum(1),
        GRAPH,
    ),
    "messages": Case(
        "out[i,e] = sum[p in pos[i]:pos[i+1]](sigmoid(sum[d](X[i,d] * Y[col[p],d])) * Y[col[p],e])",
        {"X": floats(5, 4), "Y": floats(9, 4)},
        lambda a: sums(
            (a["X"][ROWS] * a["Y"][COLUMNS]).sum(1).sigmoid()[:, None] * a["Y"][COLUMNS]
        ),
        GRAPH,
    ),
    "score_of_triples": Case(
        "s[q] = -sqrt(sum[d]((E[h[q],d] + R[r[q],d] - E[t[q],d]) ** 2))",
        {"E": floats(9, 4), "R": floats(3, 4)},
        lambda a: (
            -torch.linalg.norm(
                a["E"][torch.tensor([0, 1, 2, 3, 0])]
                + a["R"][torch.tensor([0, 1, 2, 1, 0])]
                - a["E"][torch.tensor([4, 5, 6, 7, 8])],
                dim=1,
            )
        ),
        {
            "h": torch.tensor([0, 1, 2, 3, 0]),
            "r": torch.tensor([0, 1, 2, 1, 0]),
            "t": torch.tensor([4, 5, 6, 7, 8]),
        },
    ),
    "gather_of_blocks": Case(
        "out[i,j*4+t,e] = K[B[i,j]*4+t,e] * a for t in 0:4",
        {"K": floats(12, 2), "a": floats()},
        lambda a: a["K"].reshape(3, 4, 2)[torch.tensor([[0, 2], [2, 1]])].reshape(2, 8, 2) * a["a"],
        {"B": torch.tensor([[0, 2], [2, 1]])},
    ),
    "softmax_of_edges": Case(
        "let m[i] = max[p in pos[i]:pos[i+1]](s[p]); let e[p] = exp(s[p] - m[row[p]]); "
        "let z[i] = sum[p in pos[i]:pos[i+1]](e[p]); out[p] = e[p] / z[row[p]]",
        {"s": floats(24)},
        lambda a: softmax(a["s"]),
        GRAPH,
    ),
    "largest_of_what_is_scattered": Case(
        "out[row[p],e] max= X[p,e]",
        {"X": floats(24, 3)},
        lambda a: torch.full((5, 3), -torch.inf, dtype=torch.float64).scatter_reduce(
            0, ROWS[:, None].expand(24, 3), a["X"], "amax"
        ),
        {**GRAPH, "out": es.Format("dense", shape=(5, 3))},
    ),
    "attention_over_a_history": Case(
        "let s[p] = sum[d](Q[row[p],d] * K[col[p],d]) if col[p] != 3; "
        "let m[i] = max[p in pos[i]:pos[i+1] if col[p] != 3](s[p]); "
        "let z[i] = sum[p in pos[i]:pos[i+1] if col[p] != 3](exp(s[p] - m[i])); "
        "out[i,e] = sum[p in pos[i]:pos[i+1] if col[p] != 3](exp(s[p] - m[i]) / z[i] "
        "* K[col[p],e])",
        {"Q": floats(5, 3), "K": floats(9, 3)},
        attention,
        GRAPH,
    ),
    "normalised_rows": Case(
        "let mu[i] = sum[j](x[i,j]) / 4; let c[i,j] = x[i,j] - mu[i]; "
        "let v[i] = sum[j](c[i,j] ** 2) / 4; y[i,j] = c[i,j] / sqrt(v[i] + 0.1) * g[j]",
        {"x": floats(3, 4), "g": floats(4)},
        lambda a: torch.nn.functional.layer_norm(a["x"], (4,), eps=0.1) * a["g"],
    ),
    "products": Case(
        "y[i] = prod[j](x[i,j]) * sum[j](x[i,j])",
        {"x": floats(3, 4)},
        lambda a: a["x"].prod(1) * a["x"].sum(1),
    ),
    "functions": Case(
        "y[i] = exp(sin(a[i])) * cos(b[i]) + log(abs(a[i]) + 1) - sqrt(b[i] ** 2 + 1) "
        "/ (2 + tanh(a[i])) "
        "+ relu(a[i]) * sigmoid(b[i]) - (abs(b[i]) + 0.1) ** a[i] + max(a[i], b[i]) * "
        "min(a[i], 0.3) "
        "+ (a[i] if b[i] > 0 else -b[i]) + a[i] % 0.7 + floor(a[i])",
        {"a": floats(7), "b": floats(7)},
        lambda a: (
            torch.exp(torch.sin(a["a"])) * torch.cos(a["b"])
            + torch.log(a["a"].abs() + 1)
            - torch.sqrt(a["b"] ** 2 + 1) / (2 + torch.tanh(a["a"]))
            + torch.relu(a["a"]) * torch.sigmoid(a["b"])
            - (a["b"].abs() + 0.1) ** a["a"]
            + torch.maximum(a["a"], a["b"]) * torch.clamp(a["a"], max=0.3)
            + torch.where(a["b"] > 0, a["a"], -a["b"])
            + torch.remainder(a["a"], 0.7)
            + a["a"].floor()
        ),
    ),
    "more functions": Case(
        "y[i] = log1p(abs(a[i])) + expm1(a[i]) * erf(b[i]) + trunc(4 * a[i]) * b[i] "
        "+ round(3 * b[i]) * a[i] + copysign(a[i], b[i]) + fmod(a[i], b[i])",
        {"a": floats(7), "b": floats(7)},
        lambda a: (
            torch.log1p(a["a"].abs())
            + torch.expm1(a["a"]) * torch.erf(a["b"])
            + torch.trunc(4 * a["a"]) * a["b"]
            + torch.round(3 * a["b"]) * a["a"]
            + torch.copysign(a["a"], a["b"])
            + torch.fmod(a["a"], a["b"])
        ),
    ),
    "updates": Case(
        "let t[i] = a[i]; t[row[p]] += s[p] * s[p]; u[i] = t[i] * a[i]; u[i] += t[i]; "
        "w[i] = u[i] * 2",
        {"a": floats(5), "s": floats(24)},
        lambda a: 2 * (a["a"] + sums(a["s"] ** 2)) * (a["a"] + 1),
        GRAPH,
    ),
    "places that a condition excludes": Case(
        "out[j,k] = x[j] * W[I[k]] if I[k] != -1 and x[j] > 0; "
        "out[j,k] += W[I[k]] if x[j] > 1 and I[k] > -1",
        {"W": floats(9), "x": floats(6)},
        lambda a: (
            torch.where(
                (EXCLUDED != -1)[None, :] & (a["x"] > 0)[:, None],
                a["x"][:, None] * a["W"][EXCLUDED.clamp(0)],
                0,
            )
            + torch.where(
                (EXCLUDED != -1)[None, :] & (a["x"] > 1)[:, None], a["W"][EXCLUDED.clamp(0)], 0
            )
        ),
        {"I": EXCLUDED},
    ),
}


def others_of(case: Case) -> Arrays:
    """What its statements read besides."""
    return {name: one for name, one in case.others.items() if re.search(rf"\b{name}\b", case.text)}


def called(case: Case) -> Callable[..., Tensor]:
    """The statements as a function of the tensors that gradients are by."""
    names = list(case.floats)
    others = others_of(case)

    def call(*given: Tensor) -> Tensor:
        results = es.evaluate(case.text, **others, **dict(zip(names, given, strict=True)))
        return results if isinstance(results, Tensor) else results[-1]

    return call


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_pytorch(name: str) -> None:
    case = CASES[name]
    mine = {key: value.clone().requires_grad_() for key, value in case.floats.items()}
    theirs = {key: value.clone().requires_grad_() for key, value in case.floats.items()}
    found, expected = called(case)(*mine.values()), case.expected(theirs)
    torch.testing.assert_close(found, expected)
    weights = torch.randn(expected.shape, generator=RNG, dtype=torch.float64)
    kept = torch.isfinite(expected.detach())
    (torch.where(kept, found, 0) * weights).sum().backward()
    (torch.where(kept, expected, 0) * weights).sum().backward()
    for key in mine:
        torch.testing.assert_close(mine[key].grad, theirs[key].grad)


@pytest.mark.parametrize("name", ["bag", "softmax_of_edges", "functions", "products"])
def test_second_derivatives(name: str) -> None:
    case = CASES[name]
    given = [value.clone().requires_grad_() for value in case.floats.values()]
    assert torch.autograd.gradcheck(called(case), given)
    assert torch.autograd.gradgradcheck(called(case), given)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("y[i] = v[i] * max[j](A[0,j] + v[i])", [0, 0, 0]),
        ("y[i] = v[i] * max[j](A[I[j],j] + v[i])", [1, 0, 2]),
    ],
)
def test_second_derivatives_of_the_largest_of_a_shared_row(text: str, row: list[int]) -> None:
    """Sums that others need are kept row by row, each where it is needed."""
    draw = torch.Generator().manual_seed(0)
    mine = [torch.rand(size, generator=draw, dtype=torch.float64) for size in ((3, 3), (2,))]
    A, v = (one.requires_grad_() for one in mine)
    given = {"I": torch.tensor(row)} if "I" in text else {}
    rows = A[torch.tensor(row), torch.arange(3)] + v[:, None]
    found = []
    for y in (es.evaluate(text, A=A, v=v, **given), v * rows.amax(1)):
        first = torch.autograd.grad(y.sum(), [A, v], create_graph=True)
        squares = [(one * one).sum() for one in first]
        found.append(torch.autograd.grad(squares[0] + squares[1], [A, v]))
    torch.testing.assert_close(*found)


def test_only_what_is_asked_for_is_computed() -> None:
    W, w = floats(9, 4).requires_grad_(), floats(24)
    result = es.evaluate(
        "out[b,e] = sum[p in pos[b]:pos[b+1]](W[col[p],e] * w[p])",
        W=W,
        w=w,
        pos=POSITIONS,
        col=COLUMNS,
    )
    result.sum().backward()
    torch.testing.assert_close(
        W.grad,
        torch.zeros(9, 4, dtype=torch.float64).index_add(0, COLUMNS, w[:, None].expand(24, 4)),
    )


def test_results_of_which_one_is_used() -> None:
    x = floats(5).requires_grad_()
    _, square, count = es.evaluate("y[i] = sin(x[i]); z[i] = x[i] * x[i]; n[i] = x[i] > 0", x=x)
    assert not count.requires_grad
    square.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r[i] = 2 * x[i]; r[i] = 0 if c[i] > 0", [0, 2, 0]),
        ("r[i] = 2 * x[i]; r[i] = k[i] if c[i] > 0", [0, 2, 0]),
        ("r[i] = 2 * x[i]; r[0] = k[1]", [0, 2, 2]),
        ("r[i] = 2 * x[i]; r[i] += k[i]", [2, 2, 2]),
        ("r[i] = 2 * x[i]; r[i] *= k[i]", [10, 12, 14]),
        ("r[i] = 2 * x[i]; r[I[j]] *= k[j]", [60, 14, 2]),
        ("let t[i] = 2 * x[i]; t[i] *= k[i]; r[i] = t[i] + 1", [10, 12, 14]),
        ("r[i] = x[i] * x[i]; r[i] *= k[i]; r[i] += x[i]; r[i] *= c[i]", [11, -25, 43]),
        ("r[i] = k[i]; r[i] max= c[i]; r[i] += x[i]", [1, 1, 1]),
    ],
)
def test_what_is_assigned_to_again(text: str, expected: list[float]) -> None:
    """By a statement that depends on nothing that gradients are by."""
    x = torch.tensor([1.0, 2, 3], requires_grad=True)
    others = {
        "c": torch.tensor([1.0, -1, 1]),
        "k": torch.tensor([5.0, 6, 7]),
        "I": torch.tensor([0, 0, 1]),
    }
    given = {name: value for name, value in others.items() if f"{name}[" in text}
    found = es.evaluate(text, x=x, **given)
    result = found if isinstance(found, torch.Tensor) else found[-1]
    result.sum().backward()
    np.testing.assert_array_equal(x.grad, np.array(expected, np.float32))


def test_halves_have_gradients_of_their_type() -> None:
    W = torch.ones(9, 3, dtype=torch.float16).requires_grad_()
    col = torch.zeros(3000, dtype=torch.int64)
    es.evaluate("y[p,e] = W[col[p],e]", W=W, col=col).sum().backward()
    assert W.grad is not None
    assert W.grad.dtype == torch.float16
    # In f16, the sum would stop at 2048.
    assert W.grad[0, 0].item() == 3000


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_equal_values_have_equal_shares(value: float) -> None:
    """As PyTorch's amax, maximum and relu; the product of others, where some are 0."""
    mine = torch.full((2, 3), value, dtype=torch.float64).requires_grad_()
    theirs = mine.detach().clone().requires_grad_()
    text = (
        "y[i] = max[j](x[i,j]) + prod[j](x[i,j]); "
        "z[i,j] = max(x[i,j], 2) + relu(x[i,j]) + abs(x[i,j])"
    )
    y, z = es.evaluate(text, x=mine)
    (y.sum() + z.sum()).backward()
    two = torch.tensor(2.0, dtype=torch.float64)
    z = torch.maximum(theirs, two) + torch.relu(theirs) + theirs.abs()
    (theirs.amax(1).sum() + theirs.prod(1).sum() + z.sum()).backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = min[k, l in s[k]:s[k+1]](x[l])", [0, 1 / 4, 1 / 4, 0, 1 / 4, 0, 1 / 4]),
        ("y = min[k, l in s[k]:s[k+1] if l != 4](x[l])", [0, 1 / 3, 1 / 3, 0, 0, 0, 1 / 3]),
        # The segments share first, then what is in them, as amin of amin does.
        ("y = min[k](min[l in s[k]:s[k+1]](x[l]))", [0, 1 / 6, 1 / 6, 0, 1 / 3, 0, 1 / 3]),
        ("y = min[k](2 * min[l in s[k]:s[k+1]](x[l]))", [0, 1 / 3, 1 / 3, 0, 2 / 3, 0, 2 / 3]),
        ("y = sum[k](min[l in s[k]:s[k+1]](x[l]))", [0, 1 / 2, 1 / 2, 0, 1, 0, 1]),
    ],
)
def test_equal_values_of_several_loops(text: str, expected: list[float]) -> None:
    """All that one reduction chooses share, also where it takes several loops."""
    x = torch.tensor([3.0, 1, 1, 2, 1, 5, 1], dtype=torch.float64).requires_grad_()
    es.evaluate(text, x=x, s=torch.tensor([0, 3, 5, 7])).backward()
    torch.testing.assert_close(x.grad, torch.tensor(expected, dtype=torch.float64))


def test_of_two_the_larger_one_has_the_gradient() -> None:
    """By `larger`, which is the first one if they are equal."""
    a, b = (torch.tensor(one, requires_grad=True) for one in ([1.0, 2, 3], [2.0, 2, 1]))
    es.evaluate("y[i] = larger(a[i], b[i])", a=a, b=b).sum().backward()
    torch.testing.assert_close((a.grad, b.grad), (torch.tensor([0.0, 1, 1]), torch.eye(3)[0]))


@pytest.mark.parametrize("zeros", [1, 2])
def test_products_where_factors_are_zero(zeros: int) -> None:
    mine = torch.tensor([[2.0, 3.0, 5.0, 7.0]], dtype=torch.float64)
    mine[0, :zeros] = 0
    mine.requires_grad_()
    theirs = mine.detach().clone().requires_grad_()
    es.evaluate("y[i] = prod[j](x[i,j])", x=mine).sum().backward()
    theirs.prod(1).sum().backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize("zeros", [0, 1, 2, 3])
@pytest.mark.parametrize("text", ["y = prod[j](x[j])", "y = prod[j](x[j] * 2 - x[3] * x[3])"])
def test_second_derivatives_where_factors_are_zero(zeros: int, text: str) -> None:
    x = torch.tensor([2.0, 3.0, 5.0, 0.5], dtype=torch.float64)
    x[:zeros] = 0.125 if "x[3]" in text else 0
    x.requires_grad_()
    weights = torch.tensor([1.0, -2.0, 4.0, 0.25], dtype=torch.float64)

    def second(y: torch.Tensor) -> torch.Tensor:
        (first,) = torch.autograd.grad(y, x, create_graph=True)
        return torch.autograd.grad((first * weights).sum(), x)[0]

    factors = x * 2 - x[3] * x[3] if "x[3]" in text else x
    # PyTorch's own derivative of `prod` is one by division where no factor is 0.
    product = factors[0] * factors[1] * factors[2] * factors[3]
    torch.testing.assert_close(second(es.evaluate(text, x=x)), second(product))


def test_second_derivatives_by_a_number() -> None:
    """Of a type that is not Python's."""
    x = torch.tensor([1.0, 2.0, 3.0])
    c = torch.tensor(2.0, requires_grad=True)
    y = es.evaluate("y[i] = x[i] * c * c", x=x, c=c)
    (first,) = torch.autograd.grad(y.sum(), c, create_graph=True)
    (second,) = torch.autograd.grad(first * first, c)
    torch.testing.assert_close((first, second), (torch.tensor(24.0), torch.tensor(576.0)))


FORMATS = ["csr", "csc", "coo", "dcsr", "bitmap"]


@pytest.mark.parametrize("form", FORMATS)
def test_gradient_of_what_is_stored(form: str, tmp_path: Path) -> None:
    """By a sparse matrix: of its values, at their positions."""
    dense = np.where(RNG_NUMPY.random((5, 6)) < 0.4, RNG_NUMPY.standard_normal((5, 6)), 0)
    x, g = RNG_NUMPY.standard_normal(6), RNG_NUMPY.standard_normal(5)
    A = es.asarray(dense, form)
    text = "y[i] = sum[j](A[i,j] * A[i,j] * x[j])"
    options = ["--format=A:" + A.format.name, *(f"--type={one}:f64" for one in "Axy")]
    file = tmp_path / "program.mlir"
    command = [str(find_tool("emberc")), "--notation", text, "--emit=cin", "-o", str(file)]
    done = subprocess.run([*command, *options, "--gradient=y:A,x"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program = file.read_text()
    entry = program[program.index("@kernel_gradient(") :]
    names = re.findall(r'ember.name = "(\w+)"', entry[: entry.index("{\n")])
    file.write_text(
        program.replace("@kernel(", "@forward(").replace("@kernel_gradient(", "@kernel(")
    )
    known = {
        **{f"A_size{d}": size for d, size in enumerate(A.shape)},
        **{f"A_{part}{k}": array for k, one in enumerate(A.stored) for part, array in one.items()},
        "A_values": A.values,
        "x": x,
        "y_gradient": g,
        "A_values_gradient": np.zeros_like(A.values),
        "x_gradient": np.zeros_like(x),
    }
    saved = [f"save={names.index(one)}" for one in ("A_values_gradient", "x_gradient")]
    values, by_x = run_program(
        file, WAYS[1], [known[one] for one in names], tmp_path / "run", saved
    )
    coordinates, positions = A.coordinates()
    expected = (2 * dense * x * g[:, None])[tuple(coordinates)]
    np.testing.assert_allclose(values[positions], expected)
    np.testing.assert_allclose(by_x, (dense**2).T @ g)


RNG_NUMPY = np.random.default_rng(5)
LEVELS = [way for way in WAYS if way.name in ("scf-O0", "slcv-O3", "dlc-O2", "cpu-O3")]


@pytest.mark.parametrize("name", ["bag", "messages", "softmax_of_edges"])
@pytest.mark.parametrize("way", LEVELS, ids=lambda way: way.name)
def test_gradients_at_several_levels(name: str, way: Way, tmp_path: Path) -> None:
    case = CASES[name]
    by = ",".join(case.floats)
    file = tmp_path / "program.mlir"
    command = [str(find_tool("emberc")), "--notation", case.text, "--emit=cin", "-o", str(file)]
    done = subprocess.run([*command, f"--gradient=out:{by}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program = file.read_text()
    entry = program[program.index("@kernel_gradient(") :]
    names = re.findall(r'ember.name = "(\w+)"', entry[: entry.index("{\n")])
    file.write_text(
        program.replace("@kernel(", "@forward(").replace("@kernel_gradient(", "@kernel(")
    )
    theirs = {key: value.clone().requires_grad_() for key, value in case.floats.items()}
    expected = case.expected(theirs)
    weights = torch.randn(expected.shape, generator=RNG, dtype=torch.float64)
    expected.backward(weights)
    known = {
        **case.others,
        **case.floats,
        "out": expected.detach(),
        "out_gradient": weights,
        **{f"{key}_gradient": torch.zeros_like(value) for key, value in case.floats.items()},
    }
    arguments = [np.asarray(known[one].numpy()) for one in names]
    arguments = [one.astype(np.float32) if one.dtype == np.float64 else one for one in arguments]
    saved = [f"save={names.index(f'{key}_gradient')}" for key in theirs]
    found = run_program(file, way, arguments, tmp_path / "run", saved)
    for mine, value in zip(found, theirs.values(), strict=True):
        assert value.grad is not None
        np.testing.assert_allclose(mine, value.grad.numpy(), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[row[p]] += x[p]; y[row[p]] max= x[p]", "chooses among what is here"),
        ("t[i] = x[i] * x[i]; y[i] = t[i] * t[i]; t[i] = 1.0", "t is assigned to after it is read"),
    ],
)
def test_what_has_no_gradient(text: str, message: str) -> None:
    x = floats(24).requires_grad_()
    room = {"y": es.Format("dense", shape=(5,))} if "row" in text else {}
    results = es.evaluate(text, x=x, **({"row": ROWS} if "row" in text else {}), **room)
    result = results if isinstance(results, Tensor) else results[-1]
    with pytest.raises(CompileError, match=message):
        result.sum().backward()


def test_largest_of_sums_over_the_rows_of_a_segment() -> None:
    """The sums of a segment's terms begin with loops that read none of the terms' arrays."""
    a, b = (torch.randn(size, dtype=torch.float64, requires_grad=True) for size in ((3, 4), (4, 7)))
    offsets = [0, 3, 5, 7]
    found = es.evaluate(
        "r[m] = max[p in s[m]:s[m+1]](sum[q](a[m,q] + b[q,p]))", a=a, b=b, s=torch.tensor(offsets)
    )
    pairs = pairwise(offsets)
    expected = torch.stack(
        [(a[m, :, None] + b[:, begin:end]).sum(0).max() for m, (begin, end) in enumerate(pairs)]
    )
    torch.testing.assert_close(found, expected)
    weights = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64)
    for mine, other in zip(
        torch.autograd.grad(found @ weights, (a, b)),
        torch.autograd.grad(expected @ weights, (a, b)),
        strict=True,
    ):
        torch.testing.assert_close(mine, other)
