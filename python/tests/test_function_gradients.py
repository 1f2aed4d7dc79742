"""Gradients of functions of one's own, against PyTorch's and against differences.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
import torch
from ember.compiler import Notation, Options, load_program
from ember.errors import CompileError
from torch import Tensor

RNG = torch.Generator().manual_seed(11)


def floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=RNG, dtype=torch.float64)


@es.function
def huber(x, y):
    rest = abs(x - y)
    if rest < 1:
        return rest * rest / 2
    return rest - 0.5


@es.function
def swish(x):
    return x / (1 + math.exp(-x))


@es.function
def of_many(x, y):
    a = math.sqrt(x * x + 1) + math.log(y * y + 2)
    b = math.sin(x) * math.cos(y) - math.tanh(x * y)
    return a**2 / (b + 3) + (x * x + 1) ** y + x % (abs(y) + 1) - math.fabs(y) // 3


@es.function
def chosen(x, y):
    return max(x, y, 0.25) + min(x, y) if x * y > 0 or x > 1 else x - 2 * y


@es.function
def called(x, y):
    return swish(x) * huber(y, swish(x * y)) + swish(2)


@es.function
def scaled(x, n: int):
    return x * n + float(int(x)) * x


@es.function
def series(x: float, n: int):
    total, term = 1.0, 1.0
    for k in range(n):
        term = term * x / (k + 1)
        total += math.sqrt(term * term) if term > 0 else term
    return total


@es.function
def root(x: float):
    """By Newton's method: a loop whose end depends on the operand."""
    x = abs(x) + 1
    y, before = x, 0.0
    while abs(y - before) > 1e-12 * y:
        y, before = (y + x / y) / 2, y
    return y


COUNTS = torch.tensor([0, 1, 2, 3, 4, 5, 1, 0])
Expected = Callable[[Tensor, Tensor], Tensor]
CASES: dict[str, tuple[Any, str, Expected]] = {
    "huber": (
        huber,
        "z[i] = f(x[i], y[i])",
        lambda x, y: torch.nn.functional.huber_loss(x, y, reduction="none"),
    ),
    "swish": (
        swish,
        "z[i] = f(x[i]) * y[i]",
        lambda x, y: torch.nn.functional.silu(x) * y,
    ),
    "of_many": (
        of_many,
        "z[i] = f(x[i], y[i])",
        lambda x, y: (
            ((x * x + 1).sqrt() + (y * y + 2).log()) ** 2 / (x.sin() * y.cos() - (x * y).tanh() + 3)
            + (x * x + 1) ** y
            + torch.remainder(x, y.abs() + 1)
            - y.detach().abs() // 3
        ),
    ),
    "chosen": (
        chosen,
        "z[i] = f(x[i], y[i])",
        lambda x, y: torch.where(
            (x * y > 0) | (x > 1),
            torch.maximum(torch.maximum(x, y), torch.full_like(x, 0.25)) + torch.minimum(x, y),
            x - 2 * y,
        ),
    ),
    "called": (
        called,
        "z[i] = f(x[i], y[i])",
        lambda x, y: (
            torch.nn.functional.silu(x)
            * torch.nn.functional.huber_loss(y, torch.nn.functional.silu(x * y), reduction="none")
            + torch.nn.functional.silu(torch.tensor(2.0, dtype=torch.float64))
        ),
    ),
    "scaled": (
        scaled,
        "z[i] = f(x[i], n[i]) + y[i]",
        lambda x, y: x * COUNTS + x.detach().trunc() * x + y,
    ),
    "series": (
        series,
        "z[i] = f(x[i], n[i]) + y[i]",
        lambda x, y: (
            torch.stack(
                [
                    sum(v**k / math.factorial(k) for k in range(n + 1))
                    for v, n in zip(x, COUNTS, strict=True)
                ]
            )
            + y
        ),
    ),
    "root": (root, "z[i] = f(x[i]) * y[i]", lambda x, y: (x.abs() + 1).sqrt() * y),
    "sums": (
        huber,
        "z[i] = sum[j](f(x[i], y[j]) * x[j])",
        lambda x, y: (
            torch.nn.functional.huber_loss(
                x[:, None].expand(8, 8), y.expand(8, 8), reduction="none"
            )
            * x
        ).sum(1),
    ),
}


def others(text: str) -> dict[str, Tensor]:
    return {"n": COUNTS} if "n[i]" in text else {}


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_pytorch(name: str) -> None:
    function, text, expected = CASES[name]
    x, y = floats(8), floats(8)
    mine = [x.clone().requires_grad_(), y.clone().requires_grad_()]
    theirs = [x.clone().requires_grad_(), y.clone().requires_grad_()]
    found = es.evaluate(text, f=function, x=mine[0], y=mine[1], **others(text))
    wanted = expected(*theirs)
    torch.testing.assert_close(found, wanted)
    weights = floats(8)
    (found * weights).sum().backward()
    (wanted * weights).sum().backward()
    for each, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(each.grad, other.grad)


@pytest.mark.parametrize("name", ["swish", "of_many", "called", "series", "root", "sums"])
def test_second_derivatives(name: str) -> None:
    function, text, _ = CASES[name]

    def call(x: Tensor, y: Tensor) -> Tensor:
        return es.evaluate(text, f=function, x=x, y=y, **others(text))

    given = (floats(8).requires_grad_(), floats(8).requires_grad_())
    assert torch.autograd.gradcheck(call, given)
    assert torch.autograd.gradgradcheck(call, given)


@es.function
def ties(x, y):
    return max(x, y) + 3 * min(x, 2.0) + 5 * abs(x) + 7 * max(y, 0)


def test_conventions_are_those_of_builtins() -> None:
    """Equal operands share, and a size has no slope at 0."""
    for value in (0.0, 2.0):
        mine = [torch.full((2,), value, dtype=torch.float64).requires_grad_() for _ in range(4)]
        text = "z[i] = max(x[i], y[i]) + 3 * min(x[i], 2.0) + 5 * abs(x[i]) + 7 * max(y[i], 0.0)"
        es.evaluate("z[i] = f(x[i], y[i])", f=ties, x=mine[0], y=mine[1]).sum().backward()
        es.evaluate(text, x=mine[2], y=mine[3]).sum().backward()
        torch.testing.assert_close(mine[0].grad, mine[2].grad)
        torch.testing.assert_close(mine[1].grad, mine[3].grad)


def test_halves() -> None:
    x = torch.tensor([0.5, -2.0], dtype=torch.float16).requires_grad_()
    es.evaluate("z[i] = f(x[i])", f=swish, x=x).sum().backward()
    wide = x.detach().float().requires_grad_()
    torch.nn.functional.silu(wide).sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == torch.float16
    torch.testing.assert_close(x.grad.float(), wide.grad, rtol=1e-3, atol=1e-3)


@es.function(iteration="a & x", annihilator=(0, 0))
def bent(a, x):
    return a * x + math.sin(a) * x * x


@es.function
def shifted(a, x):
    return (a + 1) * x * x


@shifted.case(a=0)
def shifted_of_nothing(x):
    return x * x


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dcsr", "bitmap"])
@pytest.mark.parametrize("function", [bent, shifted], ids=["bent", "shifted"])
def test_gradients_beside_sparse_arrays(form: str, function: Any) -> None:
    """What is not stored counts where the function does not vanish."""
    dense = torch.where(torch.rand(5, 6, generator=RNG) < 0.4, floats(5, 6), 0)
    A = es.asarray(dense.numpy(), form)
    mine = floats(6).requires_grad_()
    theirs = mine.detach().clone().requires_grad_()
    weights = floats(5)
    found = es.evaluate("y[i] = sum[j](f(A[i,j], x[j]))", f=function, A=A, x=mine)
    terms = (
        dense * theirs + dense.sin() * theirs**2 if function is bent else (dense + 1) * theirs**2
    )
    torch.testing.assert_close(found, terms.sum(1))
    (found * weights).sum().backward()
    (terms.sum(1) * weights).sum().backward()
    torch.testing.assert_close(mine.grad, theirs.grad)


def test_values_of_a_function_of_integers_have_none() -> None:
    @es.function
    def counted(x: float, n: int):
        return int(x) + n

    x = floats(8).requires_grad_()
    result = es.evaluate("z[i] = f(x[i], n[i])", f=counted, x=x, n=COUNTS)
    assert not result.requires_grad
    y = floats(8).requires_grad_()
    es.evaluate("z[i] = f(x[i], n[i]) * y[i]", f=counted, x=x, n=COUNTS, y=y).sum().backward()
    torch.testing.assert_close(x.grad, torch.zeros(8, dtype=torch.float64))
    np.testing.assert_allclose(y.grad, (x.detach().trunc() + COUNTS).numpy())


def test_two_functions_of_one_name() -> None:
    """Each statement calls the one that it is given, and so do its gradients."""

    def make(factor: float) -> Any:
        if factor == 2:

            @es.function
            def f(x):
                return 2 * x * x
        else:

            @es.function
            def f(x):
                return 3 * x * x

        return f

    x = floats(4).requires_grad_()
    for factor in (2, 3):
        (gradient,) = torch.autograd.grad(
            es.evaluate("z[i] = f(x[i])", f=make(factor), x=x).sum(), x
        )
        torch.testing.assert_close(gradient, 2 * factor * x.detach())


def test_a_reduction_by_ones_own_has_none() -> None:
    @es.function(commutative=True, associative=True, identity=0)
    def plus(x, y):
        return x + y

    x = floats(3, 4).requires_grad_()
    result = es.evaluate("z[i] = plus[j](x[i,j])", plus=plus, x=x)
    with pytest.raises(CompileError, match="a reduction by 'plus' has no derivative"):
        result.sum().backward()


OF_UNITS = ["absf", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "tanh", "asin", "acos"]
OF_UNITS += ["atan", "asinh", "atanh", "erf", "erfc"]
OF_MORE = ["log1p", "rsqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh"]
STEPS = ["floor", "ceil", "trunc", "round", "roundeven"]
# Operations of arith and math, of x and y in (0, 1) but where something else is said.
OPERATIONS = {
    "arith.divf %x, %y": 1.0,
    "arith.remf %w, %y": 1.0,
    "arith.negf %x": 1.0,
    "arith.minimumf %x, %y": 1.0,
    "arith.maxnumf %x, %y": 1.0,
    **{f"math.{name} %x": 1.0 for name in OF_UNITS},
    **{f"math.{name} %w": 1.0 for name in OF_MORE},
    **{f"math.{name} %x": 0.0 for name in STEPS},
    "math.acosh %w": 1.0,
    "math.powf %x, %y": 1.0,
    "math.atan2 %x, %y": 1.0,
    "math.copysign %x, %y": 1.0,
    "math.fma %x, %y, %w": 1.0,
}


def library(body: str, result: str) -> Any:
    """The kernel of statements that call a function of x and y, and that of its gradient."""
    functions = (
        "cin.function @f(%x: f64, %y: f64) -> f64 {\n  %one = arith.constant 1.25 : f64\n"
        "  %w = arith.addf %x, %one : f64\n"
        f"{body}\n  cin.return {result} : f64\n}}\n"
    )
    arrays = ("--type=x:f64", "--type=y:f64", "--gradient=z:x,y")
    return load_program(Notation("z[i] = f(x[i], y[i])", arrays, functions), Options())


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations(operation: str) -> None:
    compiled = library(f"  %z = {operation} : f64", "%z")
    kernel, gradient = compiled.entry("kernel"), compiled.entry("kernel_gradient")
    rng = np.random.default_rng(2)
    given = {"x": rng.uniform(0.05, 0.95, 40), "y": rng.uniform(0.05, 0.95, 40)}
    step = 1e-6
    arguments = {**given, "z_gradient": np.ones(40), "x_gradient": np.ones(40)}
    arguments |= {"y_gradient": np.ones(40), "z": np.zeros(40)}
    gradient(*(arguments[parameter.name] for parameter in gradient.parameters))
    for name in given:
        around = []
        for side in (-1, 1):
            z = np.zeros(40)
            moved = given | {name: given[name] + side * step}
            kernel(*(moved.get(parameter.name, z) for parameter in kernel.parameters))
            around.append(z)
        expected = (around[1] - around[0]) / (2 * step) * OPERATIONS[operation]
        np.testing.assert_allclose(arguments[f"{name}_gradient"], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ("  %z, %c = math.sincos %x : f64", "math.sincos"),
        (
            "  %b = arith.bitcast %x : f64 to i64\n  %z = arith.bitcast %b : i64 to f64",
            "arith.bitcast",
        ),
        ("  %z = cin.call bitcast(%x) : (f64) -> f64", "bitcast"),
    ],
)
def test_what_has_no_derivative(body: str, operation: str) -> None:
    message = f"'f' has no derivative by its operand 0: '{operation}', which it computes, has none"
    with pytest.raises(CompileError, match=message) as caught:
        library(body, "%z")
    assert str(caught.value).startswith("notation:1:8:")
