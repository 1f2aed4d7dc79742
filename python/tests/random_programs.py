"""Random PyTorch programs, eager against compiled.

    python python/tests/random_programs.py 1000 --seed 7

A third of them are expressions of looked-up rows over the whole table of operators
(random_expressions.py), a third regions of every kind, in parts, with writes in place among them
(random_regions.py), and a third operations of models in other words (paraphrases.py), which should
have no more kernels than in plain words, and some. What a program returns, what its arguments are
afterwards and its gradients are PyTorch's, and so is what it raises. Where they are not, the
program is made shorter, and printed with its number.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import random
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

import mistakes
import random_regions  # noqa: F401  Its operators are called by programs.
import torch
import torch.nn.functional as functional
from drawn_program import Input, Program, arguments
from paraphrases import drawn_paraphrase
from random_expressions import drawn_expression
from random_regions import drawn_regions
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# Programs by what they are made of.
KINDS = {
    "expressions": drawn_expression,
    "paraphrases": drawn_paraphrase,
    "regions": drawn_regions,
}
# How far results of a type may be from PyTorch's, of which each operation is rounded, too.
TOLERANCES = {
    torch.float64: 1e-7,
    torch.float32: 1e-4,
    torch.float16: 1e-2,
    torch.bfloat16: 8e-2,
}


def generate(seed: int, kind: str = "") -> Program:
    """The program of a number; kind: what it is made of, drawn without."""
    draw = random.Random(seed)
    chosen = draw.choice(sorted(KINDS))
    program = KINDS[kind or chosen](draw)
    if not program.plain:
        program.dynamic = draw.choice((None, True, False))
    return program


@dataclass
class Outcome:
    """What a call returned, what its arguments were afterwards, and their gradients; or what it
    raised instead, in the call or in backward."""

    results: list[Tensor] = field(default_factory=list)
    arguments: list[Tensor] = field(default_factory=list)
    gradients: list[Tensor | None] = field(default_factory=list)
    error: Exception | None = None
    is_error_of_backward: bool = False


def run(function: Any, given: Sequence[Tensor]) -> Outcome:
    """The outcome of a call."""
    outcome = Outcome()
    try:
        results = function(*given)
        outcome.results = [result.detach().clone() for result in results]
        weighted = [
            (result * torch.linspace(0.5, 1.5, result.numel()).view_as(result)).sum()
            for result in results
            if result.requires_grad
        ]
        if weighted:
            outcome.is_error_of_backward = True
            sum(weighted).backward()  # type: ignore[union-attr]
        outcome.gradients = [one.grad for one in given]
    except Exception as error:
        outcome.error = error
    outcome.arguments = [one.detach() for one in given]
    return outcome


def function_of(text: str) -> Any:
    """The function that a program's text defines."""
    scope = {"torch": torch, "functional": functional, "embedding": functional.embedding}
    exec(compile(text, "<program>", "exec"), scope)
    return scope["program"]


@dataclass
class Difference:
    """What is not PyTorch's of a compiled program; empty if all is.

    kernels: how many ran. raises: whether PyTorch raises.
    """

    text: str = ""
    kernels: int = 0
    raises: bool = False


def difference(
    text: str, inputs: Sequence[Input], seed: int, dynamic: bool | None = None
) -> Difference:
    """Runs a program, eager and compiled."""
    from ember.torch.capture.backend import ember_backend, listening

    function = function_of(text)
    torch._dynamo.reset()
    compiled = torch.compile(
        function, backend=ember_backend, options={"raises": True}, dynamic=dynamic
    )
    # Tensors are small: their gradients would be PyTorch's.
    all_gradients = patch("ember.torch.calls.region_call._is_small", lambda call, arguments: False)
    with warnings.catch_warnings(), listening() as heard, all_gradients:
        warnings.simplefilter("ignore")
        expected = run(function, arguments(inputs, seed))
        if expected.error is not None and expected.is_error_of_backward:
            # Where PyTorch cannot go on, as with tensors that backward needs and that are changed,
            # anything is right.
            return Difference(raises=True)
        found = run(compiled, arguments(inputs, seed))
    calls = [part.call for report in heard.reports for part in report.compiled]
    kernels = sum(bool(call.kernels()) for call in calls)
    if expected.error is not None:
        if found.error is None and _is_captured(function, inputs, seed, dynamic):
            # What nothing needs, torch.compile leaves out, and its errors.
            return Difference("", kernels, raises=True)
        return Difference(_other_error(found, expected.error), kernels, raises=True)
    if isinstance(found.error, torch._dynamo.exc.TorchDynamoException) and not _is_captured(
        function, inputs, seed, dynamic
    ):
        return Difference(raises=True)
    if found.error is not None:
        return Difference(f"{type(found.error).__name__}: {found.error}", kernels)
    why = _other_values(found, expected, _types_of(expected))
    if why:
        # What is rounded on the way to a half type is not as near.
        why = _other_values(found, expected, _types_within(function, inputs, seed))
    if why and not is_well_conditioned(function, inputs, seed, expected):
        why = ""
    return Difference(why, kernels)


def _is_captured(function: Any, inputs: Sequence[Input], seed: int, dynamic: bool | None) -> bool:
    """Whether torch.compile captures a program at all, which runs without an error then."""
    torch._dynamo.reset()
    captured = torch.compile(function, backend="eager", dynamic=dynamic)
    return run(captured, arguments(inputs, seed)).error is None


def _other_error(found: Outcome, expected: Exception) -> str:
    """Says that a program does not raise what PyTorch raises; Dynamo has errors of its own."""
    error = found.error
    if isinstance(error, type(expected) | torch._dynamo.exc.TorchDynamoException):
        return ""
    raised = "nothing" if error is None else f"{type(error).__name__}: {error}"
    return f"PyTorch raises {type(expected).__name__}: {expected}\nEmber raises {raised}"


class _Types(TorchDispatchMode):
    """Notes the types of what operators compute."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[torch.dtype] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.found.update(one.dtype for one in tree_leaves(result) if isinstance(one, Tensor))
        return result


def _types_of(outcome: Outcome) -> set[torch.dtype]:
    return {one.dtype for one in (*outcome.arguments, *outcome.results)}


def _types_within(function: Any, inputs: Sequence[Input], seed: int) -> set[torch.dtype]:
    """The types of all values of a program."""
    given = arguments(inputs, seed)
    with torch.no_grad(), _Types() as types:
        function(*given)
    return types.found.union(one.dtype for one in given)


def _other_values(found: Outcome, expected: Outcome, dtypes: Iterable[torch.dtype]) -> str:
    tolerance = max(TOLERANCES.get(dtype, 0.0) for dtype in dtypes)
    for what in ("results", "arguments", "gradients"):
        try:
            torch.testing.assert_close(
                getattr(found, what),
                getattr(expected, what),
                rtol=tolerance,
                atol=tolerance,
                equal_nan=True,
            )
        except AssertionError as error:
            return f"{what}: {error}"
    return ""


def is_well_conditioned(
    function: Any, inputs: Sequence[Input], seed: int, expected: Outcome
) -> bool:
    """Whether PyTorch itself computes the same of numbers that differ in their last places.

    Equal numbers, and those that are 0, stay so: where a function jumps there, it counts.
    """
    for sign in (1, -1):
        given = arguments(inputs, seed)
        with torch.no_grad():
            for one in given:
                if one.is_floating_point():
                    wave = one.double().mul(1e9).sin()
                    one.mul_(1 + sign * 4 * torch.finfo(one.dtype).eps * wave)
        if _other_values(run(function, given), expected, _types_of(expected)):
            return False
    return True


def _of(program: Program, seed: int) -> Difference:
    return difference(program.text(), program.inputs, seed, program.dynamic)


def shortened(program: Program, seed: int) -> str:
    """The program with those of its statements left out that its failure does not need."""
    for parts in (program.results, program.lines):
        for part in list(reversed(parts)):
            place = len(parts) - 1 - parts[::-1].index(part)
            del parts[place]
            found = program.results and _of(program, seed).text
            if not found:
                parts.insert(place, part)
    return program.text()


@dataclass
class Share:
    """How many programs have kernels, of those that PyTorch runs: no more than in plain words."""

    with_kernels: int = 0
    run: int = 0

    def __str__(self) -> str:
        return f"{self.with_kernels} of {self.run}"


@dataclass
class Campaign:
    """What became of programs: the texts of those that fail, and the shares by what they are made
    of; elsewhere: the texts of those that have other kernels than in plain words."""

    failed: list[str] = field(default_factory=list)
    shares: dict[str, Share] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)

    def share(self) -> float:
        """That of all programs."""
        run = sum(share.run for share in self.shares.values())
        return sum(share.with_kernels for share in self.shares.values()) / run

    def count(self, program: Program, found: Difference) -> None:
        """Counts a program's kernels."""
        if found.raises:
            return
        share = self.shares.setdefault(program.of, Share())
        most = found.kernels
        if program.plain:
            most = _kernels_of(program.plain.text(), tuple(program.plain.inputs))
        share.run += 1
        if 1 <= found.kernels <= most:
            share.with_kernels += 1
        elif program.plain:
            self.elsewhere.append(
                f"{found.kernels} kernels, {most} in plain words: {program.of}\n{program.text()}"
            )


@cache
def _kernels_of(text: str, inputs: tuple[Input, ...]) -> int:
    found = difference(text, inputs, 0)
    assert found.kernels, f"{found}: {text}"
    return found.kernels


def tried(
    programs: Iterable[tuple[int, Program]], count: int, show_progress: bool = False
) -> Campaign:
    """Compares programs, each with its number, with PyTorch; count: how many there are."""
    torch.set_num_threads(1)
    campaign = Campaign()
    began = shown = time.monotonic()
    for done, (number, program) in enumerate(programs, 1):
        text = program.text()
        found = _of(program, number)
        campaign.count(program, found)
        if found.text:
            given = "\n".join(map(str, program.inputs))
            campaign.failed.append(
                f"program {number}: {found.text}\n{given}\n{text}\n"
                f"shorter:\n{shortened(program, number)}"
            )
            if show_progress:
                print(campaign.failed[-1], flush=True)
        now = time.monotonic()
        if show_progress and now - shown > 10:
            shown = now
            left = (now - began) / done * (count - done)
            print(
                f"{done} of {count}, {len(campaign.failed)} fail, {left:.0f} s left",
                file=sys.stderr,
            )
    return campaign


def numbered(count: int, seed: int, kind: str = "") -> Iterator[tuple[int, Program]]:
    """Programs with their numbers, from seed on."""
    return ((number, generate(number, kind)) for number in range(seed, seed + count))


def main(words: Sequence[str] | None = None) -> int:
    """Tries programs from the command line; 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=None, help="the first program's number")
    parser.add_argument("--kind", choices=sorted(KINDS), default="", help="one kind of programs")
    given = parser.parse_args(words)
    mistakes.refuse()
    seed = random.randrange(1 << 30) if given.seed is None else given.seed
    print(f"random PyTorch programs: {given.count} from number {seed} on")
    campaign = tried(numbered(given.count, seed, given.kind), given.count, show_progress=True)
    for text in campaign.elsewhere:
        print(text)
    print("programs with kernels, of those that PyTorch runs:")
    for of, share in sorted(campaign.shares.items()):
        print(f"{of:>20}: {share}")
    print(f"{given.count - len(campaign.failed)} passed, {len(campaign.failed)} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
