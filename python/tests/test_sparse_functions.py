"""@es.function: definitions in Python compute what Python does, and declare what is so.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
from collections.abc import Callable
from typing import Any

import ember.sparse as es
import numpy as np
import pytest
from ember.errors import ArgumentError, CompileError
from numpy.typing import NDArray

RNG = np.random.default_rng(36)
HALF = 0.5


def euclid(x, y):
    x, y = abs(x), abs(y)
    while x != 0:
        x, y = y % x, x
    return y


GCD = es.function(commutative=True, associative=True, iteration="x | y")(euclid)


@GCD.case(y=0)
def gcd_of_first(x):
    return abs(x)


@GCD.case(x=0)
def gcd_of_second(y):
    return abs(y)


def some(dtype: Any = np.int64, size: int = 60) -> NDArray:
    """Numbers of which half are 0."""
    numbers = RNG.integers(-60, 61, size)
    return np.where(RNG.random(size) < 0.5, 0, numbers).astype(dtype)


def test_gcd_of_sparse_arrays() -> None:
    b, c = some(), some()
    sparse = es.Format("csf")
    a = es.evaluate(
        "a[i] = gcd(b[i], c[i])",
        gcd=GCD,
        b=es.asarray(b, sparse),
        c=es.asarray(c, sparse),
        a=sparse,
    )
    assert a.dtype == np.int64
    np.testing.assert_array_equal(a.to_numpy(), np.gcd(b, c))


def test_operands_give_types() -> None:
    b, c = some(np.int32), some(np.int16)
    a = es.evaluate("a[i] = gcd(b[i], c[i])", gcd=GCD, b=b, c=c)
    assert a.dtype == np.int32
    np.testing.assert_array_equal(a, np.gcd(b, c))


def test_reductions_and_assignments() -> None:
    numbers = 6 * some(size=40).reshape(8, 5)
    each = es.evaluate("a[i] = gcd[j](b[i,j])", gcd=GCD, b=numbers)
    np.testing.assert_array_equal(each, np.gcd.reduce(numbers, axis=1))
    together = np.full(8, 18)
    es.evaluate("a[i] gcd= b[i,j]", gcd=GCD, b=numbers, a=together)
    np.testing.assert_array_equal(together, np.gcd(18, each))
    with pytest.raises(Exception, match="reduces nothing by 'gcd', which has no"):
        es.evaluate("a[i] = gcd[j](b[i,j])", gcd=GCD, b=numbers[:, :0])


@es.function
def polynomial(x: float, n: int):
    total = 0.0
    for k in range(n, 0, -1):
        if x > 1 and k % 2 == 0:
            total += x * k
        elif x < -1:
            total -= 1
        else:
            total = total + (HALF if k > 3 else 0.25)
    if total > 10:
        return math.sqrt(total)
    return min(total, 9.5) ** 2 // 3


@es.function
def signs(x: int, y: int):
    q = x // y if y != 0 else 0
    r = x % y if y != 0 else 0
    return 100 * q + r


@es.function
def both_signs(x: int, y: int):
    return signs(x, y) - signs(y, x)


@es.function
def mixture(x: np.float32, y: bool):
    z = int(x) << 2 | 1
    w = float(z ^ 3) if y else -x
    return max(w, 0.5, math.fabs(x)) + (not y) + math.pi * True


@es.function
def nested(x: int):
    steps = 0
    for i in range(x):
        j = i
        while j > 1:
            j = j // 2
            steps += 1
    return steps


@es.function
def of_floats(x: float, n: int):
    near = math.expm1(x / 8) + np.log1p(abs(x)) + math.erf(x)
    return near + round(x) * math.trunc(x) + np.rint(n / 2) + math.copysign(np.trunc(x), -n)


@pytest.mark.parametrize(
    ("function", "arrays"),
    [
        (of_floats, {"x": RNG.standard_normal(40) * 2, "n": RNG.integers(-9, 9, 40)}),
        (polynomial, {"x": RNG.standard_normal(40) * 2, "n": RNG.integers(0, 9, 40)}),
        (signs, {"x": RNG.integers(-9, 9, 60), "n": RNG.integers(-4, 4, 60)}),
        (both_signs, {"x": RNG.integers(-9, 9, 60), "n": RNG.integers(-4, 4, 60)}),
        (mixture, {"x": (RNG.standard_normal(40) * 9).astype(np.float32), "n": some(bool, 40)}),
        (nested, {"x": RNG.integers(0, 20, 20)}),
    ],
    ids=["of_floats", "polynomial", "signs", "both_signs", "mixture", "nested"],
)
def test_definitions_compute_what_python_does(
    function: es.Function, arrays: dict[str, NDArray]
) -> None:
    calls = ", ".join(f"{name}[i]" for name in arrays)
    result = es.evaluate(f"y[i] = f({calls})", f=function, **arrays)
    expected = [
        function(*numbers) for numbers in zip(*map(np.ndarray.tolist, arrays.values()), strict=True)
    ]
    np.testing.assert_allclose(result, expected, 1e-6)


def test_einsum_over_functions() -> None:
    @es.function
    def plus(x, y):
        return x + y

    @es.function(
        commutative=True,
        associative=True,
        idempotent=True,
        identity=math.inf,
        annihilator=-math.inf,
    )
    def least(x: np.float32, y: np.float32):
        return x if x < y else y

    a, b = (RNG.standard_normal(shape).astype(np.float32) for shape in ((4, 5), (5, 3)))
    found = es.einsum("ik,kj->ij", a, b, multiply=plus, reduce=least)
    np.testing.assert_allclose(found, (a[:, :, None] + b[None]).min(1), 1e-6)


def difference(x: float, y: float):
    return x - y


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"commutative": True}, "declared commutative, but difference(0.0, 1.0) is -1.0, and"),
        ({"associative": True}, "declared associative, but difference(difference("),
        ({"idempotent": True}, "declared idempotent, but difference(1.0, 1.0) is 0.0, not 1.0"),
        ({"annihilator": 0}, "declared with annihilator 0, but difference(0.0, 1.0) is -1.0, not"),
        ({"identity": 0}, "declared with identity 0, but difference(0.0, 1.0) is -1.0, not 1.0"),
        ({"iteration": "x & y"}, "declared with iteration x & y, but difference("),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_what_is_refuted_is_an_error(properties: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        es.function(**properties)(difference)
    assert message in str(error.value)


def test_nan_is_a_fill_that_is_tested() -> None:
    with pytest.raises(ArgumentError, match="with iteration x & y, but"):

        @es.function(iteration="x & y", fill=math.nan)
        def either(x: float, y: float):
            return y if x != x else x


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"iteration": "x &"}, "an iteration is a set such as 'x | y', not 'x &'"),
        ({"iteration": "x y"}, "an iteration is a set such as"),
        ({"iteration": ""}, "an iteration is a set such as"),
        ({"iteration": 3}, "an iteration is a text such as 'x | y', not 3"),
        ({"iteration": "x | 5"}, "an iteration is of x, y, not of 5"),
        ({"identity": "a"}, "expected a number, not 'a'"),
        ({"annihilator": (0, 0, "b")}, "expected a number, not 'b'"),
    ],
)
def test_what_declares_nothing(properties: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        es.function(**properties)(difference)
    assert message in str(error.value)


def test_functions_do_not_call_themselves() -> None:
    with pytest.raises(CompileError, match="it cannot call itself"):

        @es.function
        def again(x):
            return again(x - 1) if x > 0 else x


def test_there_is_one_case_for_a_value() -> None:
    made = es.function(difference)

    @made.case(y=0)
    def first(x: float):
        return x

    with pytest.raises(ArgumentError, match=r"there is a case for \{'y': 0\} already"):
        made.case(y=0)


def test_a_case_has_to_agree() -> None:
    made = es.function(difference)
    with pytest.raises(
        ArgumentError, match=r"makes 0.0 of \(0.0, 1.0\), which the function makes -1"
    ):

        @made.case(y=1)
        def wrong(x: float):
            return x

    with pytest.raises(ArgumentError, match="a case is for some of x, y, not for z"):
        made.case(z=1)
    assert made.cases == []


def test_positions() -> None:
    made = es.function(identity=(0, 1), iteration="x | y")(difference)
    assert made.properties.identities[0].position == 1


def listed(x):
    for k in [1, 2]:
        x = x + k
    return x


def broken(x):
    while x > 0:
        break
    return x


def unknown(x):
    return nothing(x)  # noqa: F821


def changing(x: int):
    t = x
    t = t + 0.5
    return t


def sometimes(x):
    if x > 0:
        z = 1
    return z


def silent(x):
    x += 1


def many(x, *y):
    return x


def text(x):
    return f"{x}"


def annotated(x: str):
    return x


def number(x):
    if x:
        return 1
    return 0


def different(x: int):
    if x > 0:
        return x
    return 0.5


@pytest.mark.parametrize(
    ("definition", "place", "message"),
    [
        (listed, (1, 5), "a loop goes over a name in range(...)"),
        (broken, (2, 9), "'break' is no part of what functions can do"),
        (unknown, (1, 12), "'nothing' is no function that is known"),
        (changing, (2, 5), "'t' is of type i64, and f64 is assigned to it"),
        (sometimes, (3, 12), "'z' has no value on every path to here"),
        (silent, (0, 1), "a function ends with a return on all its paths"),
        (many, (0, 14), "a function of statements has operands by position alone"),
        (text, (1, 12), "is no part of what functions can compute"),
        (annotated, (0, 18), "expected the type of a number"),
        (number, (1, 8), "a condition is a boolean: compare a number with 0"),
        (different, (3, 5), "returns a float, and i64 elsewhere"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_errors_have_a_place(
    definition: Callable[..., Any], place: tuple[int, int], message: str
) -> None:
    line = definition.__code__.co_firstlineno + place[0]
    with pytest.raises(CompileError) as error:
        es.function(definition)
    assert f"{__file__}:{line}:{place[1]}: " in str(error.value)
    assert message in str(error.value)


def test_booleans_are_numbers() -> None:
    """Also where a statement has booleans that the function does not see."""

    @es.function(commutative=True, associative=True, idempotent=True)
    def largest(x, y):
        return max(x, y)

    @es.function
    def mixed(x, y):
        return abs(x) // 2 + x**2 * 3 - min(x, y) + max(y, 2) * 0.5

    a, b = np.arange(9.0).reshape(3, 3), np.array([True, False, True])
    found = es.evaluate("y[i] = f[j if b[j]](A[i,j])", f=largest, A=a, b=b)
    np.testing.assert_array_equal(found, [2, 5, 8])
    np.testing.assert_array_equal(es.evaluate("y[i] = f(b[i], c[i])", f=largest, b=b, c=~b), b | ~b)
    found = es.evaluate("y[i] = f(b[i], c[i])", f=mixed, b=b, c=~b)
    expected = [
        abs(x) // 2 + x**2 * 3 - min(x, y) + max(y, 2) * 0.5
        for x, y in zip(b.tolist(), (~b).tolist(), strict=True)
    ]
    np.testing.assert_array_equal(found, expected)


def test_commutative_functions_of_booleans() -> None:
    """One that makes integers of them is one of integers, as sums are; others are errors."""

    @es.function(commutative=True, associative=True, identity=0)
    def plus(x, y):
        return x + y

    b = np.array([True, False, True])
    found = es.evaluate("y[i] = f(b[i], c[i])", f=plus, b=b, c=np.ones(3, bool))
    np.testing.assert_array_equal(found, [2, 1, 2])
    assert es.evaluate("y = f[i](b[i])", f=plus, b=b) == 2

    def same(x, y):
        return x == y

    with pytest.raises(CompileError, match=r"py:\d+:5: same is commutative, and makes i1 of "):
        es.function(commutative=True)(same)


def test_functions_of_halves() -> None:
    """They are given f32, and give that."""

    @es.function
    def twice(x):
        return 2 * x

    x = np.ones(3, np.float16)
    assert es.evaluate("y[i] = f(x[i])", f=twice, x=x).dtype == np.float32


def test_errors_of_calls() -> None:
    with pytest.raises(
        CompileError, match="notation:1:8: error: 'gcd' takes 2 operands or more, not 1"
    ):
        es.evaluate("a[i] = gcd(b[i])", gcd=GCD, b=some())
    with pytest.raises(CompileError, match="'f' does not reduce: it is not associative"):
        es.evaluate("a[i] = f[j](b[i,j])", f=es.function(difference), b=some().reshape(6, 10))
    with pytest.raises(CompileError, match="is not defined by 'def'"):
        es.function(lambda x: x)


def test_functions_of_one_name_are_told_apart() -> None:
    """Also where one calls the other."""

    def twice() -> Any:
        @es.function
        def scaled(x):
            return 2 * x

        return scaled

    def thrice_and(inner: Any) -> Any:
        @es.function
        def scaled(x):
            return 3 * x + inner(x)

        return scaled

    first = twice()
    second = thrice_and(first)

    @es.function
    def outer(x):
        return second(x)

    x = np.arange(4.0)
    y, z = es.evaluate("y[i] = f(x[i]); z[i] = g(x[i])", f=outer, g=first, x=x)
    np.testing.assert_array_equal(y, 5 * x)
    np.testing.assert_array_equal(z, 2 * x)
    # One function by two names, and what a later call gives one of them.
    np.testing.assert_array_equal(
        es.evaluate("y[i] = f(x[i]) + g(x[i])", f=first, g=first, x=x), 4 * x
    )
    np.testing.assert_array_equal(
        es.evaluate("y[i] = f(x[i]) + g(x[i])", f=first, g=second, x=x), 7 * x
    )


@pytest.mark.parametrize("name", ["relu", "max", "convert", "sum", "where"])
def test_functions_of_the_language_keep_their_names(name: str) -> None:
    @es.function
    def twice(x: float) -> float:
        return x + x

    with pytest.raises(ArgumentError, match=f"^{name}: statements have a function of that name"):
        es.evaluate(f"y[i] = {name}(x[i])", x=np.ones(3), **{name: twice})
