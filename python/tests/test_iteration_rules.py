"""Which coordinates loops visit, one test for each rule of iteration algebra.

The rules are those of section 3.6.2 of Hsu's dissertation, each with the condition that a point is
left out only where the function of the fills is the fill of the result.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import itertools
import re
import subprocess

import pytest
from ember.compiler import find_tool

PASSES = [
    f"--cin-{name}"
    for name in (
        "expand-missing",
        "schedule",
        "insert-workspaces",
        "concretize",
        "derive-iteration",
    )
]

#: The iteration where nothing can be left out.
ALL = "all"


def derive(statement: str, **arrays: str) -> tuple[str, str | None]:
    """The iteration of the innermost loop that has one, and the rest of a reduction.

    arrays: the fill of each array in a format, csf for one dimension and csr for two; TYPE:FILL for
    other types than f32, FILL:unstored if no stored element is the fill.
    """
    words = [str(find_tool("emberc")), f"--notation={statement}", "--emit=cin"]
    for name, text in arrays.items():
        kind, fill = re.fullmatch(r"(?:(i\d+):)?(.*)", text).groups()  # type: ignore[union-attr]
        words += [f"--type={name}:{kind}"] if kind else []
        rank = len(re.search(rf"{name}\[([^]]*)\]", statement).group(1).split(","))  # type: ignore[union-attr]
        words += [f"--format={name}:{'csf' if rank == 1 else 'csr'}", f"--fill={name}:{fill}"]
    program = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    done = subprocess.run(
        [str(find_tool("ember-opt")), *PASSES],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    loop = re.findall(r'attributes \{[^}]*iteration = #cin\.iteration<"[^"]*">[^}]*\}', done)[-1]
    set_text = re.search(r'iteration<"([^"]*)">', loop)
    rest = re.search(r"rest = ([^ ,}]*)", loop)
    assert set_text is not None
    return set_text.group(1), rest.group(1) if rest else None


def regions(text: str) -> list[bool]:
    """For each combination of three operands that store a coordinate, whether it is visited."""
    expression = re.sub(r"~", " not ", text.replace("|", " or ").replace("&", " and "))
    expression = expression.replace("all", "True").replace("none", "False")
    expression = re.sub(r"\b([012])\b", r"stored[\1]", expression)
    return [
        bool(eval(expression, {"stored": stored}))
        for stored in itertools.product([False, True], repeat=3)
    ]


def visits(expected: str, statement: str, **arrays: str) -> None:
    """Checks what a statement visits, and that a reduction counts nothing else."""
    found, rest = derive(statement, **arrays)
    assert regions(found) == regions(expected), (statement, arrays, found)
    assert rest is None


def test_case_1_annihilators() -> None:
    """Where an operand annihilates, it has to be stored."""
    visits("0 & 1", "y[i] = a[i] * b[i]", a="0", b="0", y="0")
    visits("0", "y[i] = a[i] * b[i]", a="0", b="1", y="0")
    visits("0 & 1", "y[i] = max(a[i], b[i])", a="inf", b="inf", y="inf")
    visits("0 & 1", "y[i] = a[i] and b[i]", a="i1:0", b="i1:0", y="i1:0")


def test_case_1_with_another_fill_of_the_result() -> None:
    """Nothing is left out that the result does not have by itself."""
    visits(ALL, "y[i] = a[i] * b[i]", a="0", b="0", y="5")
    visits("0 | 1", "y[i] = a[i] * b[i]", a="2", b="3", y="6")


def test_case_2_idempotent_functions() -> None:
    """Of one fill in all operands, the function is that fill."""
    visits("0 | 1", "y[i] = min(a[i], b[i])", a="7", b="7", y="7")
    visits(ALL, "y[i] = min(a[i], b[i])", a="7", b="7", y="0")
    visits("0 | 1", "y[i] = a[i] | b[i]", a="i32:5", b="i32:5", y="i32:5")


def test_case_3_identities() -> None:
    """Of identities, the function is the identity; with one other fill, it is that one."""
    visits("0 | 1", "y[i] = a[i] + b[i]", a="0", b="0", y="0")
    visits("0 | 1", "y[i] = a[i] + b[i]", a="0", b="3", y="3")
    visits(ALL, "y[i] = a[i] + b[i]", a="0", b="3", y="0")
    visits("0 | 1", "y[i] = a[i] ^ b[i]", a="i1:0", b="i1:0", y="i1:0")


def test_case_4_all_other_functions() -> None:
    """The function of the fills, whatever it is."""
    visits("0 | 1", "y[i] = a[i] - b[i]", a="2", b="5", y="-3")
    visits(ALL, "y[i] = a[i] - b[i]", a="2", b="5", y="3")
    visits("0 | 1", "y[i] = a[i] / b[i]", a="0", b="1", y="0")
    visits(ALL, "y[i] = a[i] / b[i]", a="0", b="0", y="0")
    # 0 is no annihilator of a power, and x ** 0 is 1.
    visits("1", "y[i] = a[i] ** b[i]", a="0", b="0", y="1")


def test_literals_store_nothing() -> None:
    """A number takes part as an array without stored elements."""
    visits("0", "y[i] = a[i] + 2", a="0", y="2")
    visits("none", "y[i] = a[i] * 0", a="3", y="0")
    visits(ALL, "y[i] = a[i] + 2", a="0", y="0")


def test_fills_go_through_expressions() -> None:
    """What is known of a part is known of the whole."""
    three = {"a": "i1:0", "b": "i1:0", "d": "i1:0", "y": "i1:0"}
    visits("(0 | 1) & 2", "y[i] = (a[i] ^ b[i]) & d[i]", **three)
    visits("0 | 1 | 2", "y[i] = (a[i] ^ b[i]) | d[i]", **three)
    visits("0 & 1 | 2", "y[i] = a[i] * b[i] + d[i]", a="0", b="0", d="0", y="0")
    visits("0 | 1", "y[i] = exp(a[i]) * (1 + b[i])", a="0", b="0", y="1")


def test_unions_and_intersections_forgive_stored_fills() -> None:
    """Sets are of what is stored, whatever it is."""
    for fill in ("i1:0", "i1:0:unstored"):
        visits("0 | 1", "y[i] = a[i] | b[i]", a=fill, b=fill, y="i1:0")
        visits("0 & 1", "y[i] = a[i] & b[i]", a=fill, b=fill, y="i1:0")


def test_complements_do_not_forgive_stored_fills() -> None:
    """xor(stored 0, 5) is 5: only of arrays that store no fill a pattern says enough."""
    stored, unstored = "i1:0", "i1:0:unstored"
    visits("1", "y[i] = not a[i] and b[i]", a=stored, b=stored, y=stored)
    visits("1 & ~0", "y[i] = not a[i] and b[i]", a=unstored, b=stored, y=stored)
    visits("0 | 1", "y[i] = a[i] ^ b[i]", a=stored, b=unstored, y=stored)
    visits("0 & ~1 | 1 & ~0", "y[i] = a[i] ^ b[i]", a=unstored, b=unstored, y=stored)


def test_complements_are_exact_at_the_last_level_alone() -> None:
    """What a level above stores need not be stored below."""
    words = ["--type=A:i1", "--type=B:i1", "--fill=A:0:unstored"]
    words += [f"--format={name}:dcsr" for name in "ABC"]
    program = subprocess.run(
        [
            str(find_tool("emberc")),
            "--notation=C[i,j] = not A[i,j] and B[i,j]",
            "--emit=cin",
            *words,
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    done = subprocess.run(
        [str(find_tool("ember-opt")), *PASSES],
        input=program,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows, columns = re.findall(r'iteration<"([^"]*)">', done)
    assert regions(rows) == regions("1")
    assert regions(columns) == regions("1 & ~0")


@pytest.mark.parametrize(
    ("rule", "reduction", "fill", "expected", "rest"),
    [
        ("identity", "sum", "0", "0", None),
        ("identity", "min", "inf", "0", None),
        ("identity", "all", "i1:1", "0", None),
        ("idempotent, once", "min", "5", "0", "5.0"),
        ("idempotent, once", "any", "i1:1", "0", "true"),
        ("annihilator, once", "prod", "0", "0", "0.0"),
        ("n times the fill", "sum", "2", "0", "2.0"),
        ("n times the fill", "sum", "i32:2", "0", "2"),
        ("the fill's power", "prod", "2", "0", "2.0"),
        ("universe", "prod", "i32:2", ALL, None),
        ("universe", "xor", "i32:3", ALL, None),
        ("missing", "min", "missing", "0", None),
        ("missing", "prod", "i32:missing", "0", None),
    ],
)
def test_reductions_count_fills(
    rule: str, reduction: str, fill: str, expected: str, rest: str | None
) -> None:
    """Once, n times, as a power, at each coordinate, or not at all."""
    found, found_rest = derive(f"y[i] = {reduction}[j](A[i,j])", A=fill)
    assert regions(found) == regions(expected), rule
    if rest is None:
        assert found_rest is None, rule
    elif rest == "true":
        assert found_rest == rest, rule
    else:
        assert found_rest is not None
        assert float(found_rest) == float(rest), rule


def test_minimax() -> None:
    """No number is neutral to both functions; what is missing is left out."""
    statement = "y[i] = min[j](max(A[i,j], B[i,j]))"
    found, rest = derive(statement, A="0", B="0")
    assert (regions(found), rest) == (regions("0 | 1"), "0.000000e+00")
    visits("0 & 1", statement, A="missing", B="missing")


def test_missing_is_the_same_for_all_functions() -> None:
    """A function has a value where all of its operands have one."""
    for text in ("a[i] + b[i]", "a[i] * b[i]", "min(a[i], b[i])", "a[i] - b[i]", "a[i] ** b[i]"):
        visits("0 & 1", f"y[i] = {text}", a="missing", b="missing", y="missing")
        visits("0", f"y[i] = {text}", a="missing", b="3", y="missing")
    visits("0 | 1", "y[i] = coalesce(a[i], b[i])", a="missing", b="missing", y="missing")
    visits(ALL, "y[i] = coalesce(a[i], 1)", a="missing", y="missing")
