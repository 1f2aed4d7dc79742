"""Products and sums by the letters of their dimensions, over any two functions.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from functools import cache
from typing import Any

from ember.errors import ArgumentError, EmberError
from ember.sparse.evaluate import evaluate
from ember.sparse.format import Format, format_named
from ember.sparse.function import Function
from ember.sparse.messages import check_letters, of_operands

_OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
}


def einsum(
    subscripts: str,
    /,
    *operands: Any,
    multiply: str | Function = "mul",
    reduce: str | Function = "add",
    format: Format | str | None = None,
) -> Any:
    """Einstein's sum over any semiring: es.einsum("ik,kj->ij", A, B, multiply="add", reduce="min").

    subscripts: a letter for each dimension of each operand, and of the result behind "->"; without
    it, the letters that are there once, in alphabetical order. multiply: the function of index
    notation that combines elements, or what @es.function makes; reduce: one that is associative and
    commutative. format: of the result.
    Operands and result are those of evaluate. Raises ArgumentError and CompileError.
    """
    arrays: dict[str, Any] = {
        f"operand{number}": operand for number, operand in enumerate(operands)
    }
    names = []
    for role, one in (("multiply", multiply), ("reduce", reduce)):
        if isinstance(one, Function):
            # Not the name of an operand; messages say what it is for.
            arrays[f"{role}_by_{one.__name__}"] = one
        names.append(f"{role}_by_{one.__name__}" if isinstance(one, Function) else one)
    text = statement_of(subscripts, len(operands), *names)
    check_letters(subscripts, operands)
    if format is not None:
        arrays["result"] = format_named(format) if isinstance(format, str) else format
    try:
        return evaluate(text, **arrays)
    except EmberError as error:
        message = of_operands(str(error))
        if message == str(error):
            raise
        raise type(error)(message) from None


@cache
def statement_of(subscripts: str, count: int, multiply: str, reduce: str) -> str:
    """The statement in index notation."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    letters = "".join(terms)
    if not (letters + output).isalpha() or not (letters + output).isascii():
        raise ArgumentError(
            f"the subscripts {subscripts!r} are more than letters, commas and one '->'"
        )
    if len(terms) != count:
        raise ArgumentError(f"{subscripts!r} has {len(terms)} operands, and {count} are given")
    if not arrow:
        output = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    unknown = set(output) - set(letters)
    if unknown or len(set(output)) != len(output):
        raise ArgumentError(
            f"the result of {subscripts!r} has a letter that no operand has, or one twice"
        )
    elements = [
        f"operand{number}[{','.join(term)}]" if term else f"operand{number}"
        for number, term in enumerate(terms)
    ]
    operator = _OPERATORS.get(multiply)
    value = elements[0]
    for element in elements[1:]:
        value = f"({value} {operator} {element})" if operator else f"{multiply}({value}, {element})"
    reduced = list(dict.fromkeys(letter for letter in letters if letter not in output))
    if reduced:
        value = f"{reduce}[{','.join(reduced)}]({value})"
    target = f"result[{','.join(output)}]" if output else "result"
    return f"{target} = {value}"
