"""Random PyTorch programs of lookups, sums and writes in place, eager against compiled.

    python python/tests/random_programs.py 1000 --seed 7

A program is a few statements of every kind that the backend knows, in parts, with others among them
that write to any tensor there is: by index, through views and aliases, through functions, operators
and lists. What it returns, what its arguments are afterwards and its gradients are PyTorch's. Where
they are not, the program is made shorter, and printed with its number.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

NODES, EDGES, LENGTH, ROWS, BAGS, LOOKUPS = 12, 40, 8, 30, 12, 5

ARGUMENTS = "x, y, table, other, source, target, ids, weights"
# What may be written to by whoever likes to: rows of LENGTH numbers, and their number.
ROWS_OF = {"x": NODES, "y": NODES, "table": ROWS, "other": ROWS}
INDICES = ("source", "target", "ids")


@torch.library.custom_op("ember_random::bump", mutates_args=("changed",))
def bump(number: float, read: Tensor, changed: Tensor) -> None:
    """Adds a number to the last of its arguments."""
    changed.add_(number)


@bump.register_fake
def _(number: float, read: Tensor, changed: Tensor) -> None:
    return None


def arguments(seed: int, gradients: bool) -> tuple[Tensor, ...]:
    """A program's arguments, in their order; gradients: floating-point ones have some."""
    draw = torch.Generator().manual_seed(seed)

    def values(*shape: int) -> Tensor:
        drawn = torch.randn(*shape, generator=draw, dtype=torch.float64)
        return drawn.requires_grad_(gradients)

    def below(most: int, *shape: int) -> Tensor:
        return torch.randint(0, most, shape, generator=draw)

    rows = [values(count, LENGTH) for count in ROWS_OF.values()]
    indices = [below(NODES, EDGES), below(NODES, EDGES), below(ROWS, BAGS, LOOKUPS)]
    return (*rows, *indices, values(EDGES))


@dataclass
class Program:
    """A program in the making.

    lines: its statements. rows: its tensors of LENGTH columns by name, with the number of rows.
    results: what it returns. gradients: whether its arguments have some.
    """

    draw: random.Random
    gradients: bool
    lines: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=lambda: dict(ROWS_OF))
    results: list[str] = field(default_factory=list)

    def put(self, text: str, rows: int = 0) -> str:
        """A new variable of a value; rows: it has that many of LENGTH columns."""
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        if rows:
            self.rows[name] = rows
        self.maybe_write()
        return name

    def one_of(self, *texts: str) -> str:
        """One of several ways to write the same."""
        return self.draw.choice(texts)

    def tensor(self, count: int) -> str:
        """A tensor of that many rows."""
        return self.draw.choice([name for name, rows in self.rows.items() if rows == count])

    def maybe_write(self) -> None:
        """Now and then, a statement that writes to a tensor."""
        if self.draw.random() < 0.7:
            return
        if self.draw.random() < 0.15:
            name = self.draw.choice(INDICES)
            self.lines.append(self.one_of(f"{name}[1:3] = 0", f"{name}.view(-1)[2:5].fill_(1)"))
            return
        name = self.draw.choice(list(self.rows))
        like = self.tensor(self.rows[name])
        self.lines.append(
            self.one_of(
                f"{name}[:3] = 2.0",
                f"{name}[:, 1] = {like}[:, 0]",
                f"{name}.view(-1).mul_(0.5)",
                f"{name}.t()[2].add_(1.0)",
                f"{name}.detach().add_(1.0)",
                f"{name}.add_({like} * 0.5)",
                f"{name}.masked_fill_({name} > 0.5, 0.25)",
                f"{name}.copy_({like} + 1)",
                f"{name}.split(2)[1].zero_()",
                f"torch._foreach_mul_([{name}], 0.5)",
                f"torch.ops.ember_random.bump(1.0, {like}, {name})",
                f"torch.ops.ember_random.bump.default(1.0, changed={name}, read={like})",
                f"functional.relu({name}, inplace=True)",
                f"torch.add({name}, 1.0, out={name})",
                f"torch.nn.init.constant_({name}, 0.5)",
            )
        )

    def text(self) -> str:
        """The whole program."""
        first = []
        if self.gradients:
            # Leaves may not be written to.
            first = [f"{name} = {name} * 1" for name in (*ROWS_OF, "weights")]
        lines = [*first, *self.lines, f"return ({', '.join(self.results)},)"]
        return f"def program({ARGUMENTS}):\n" + "".join(f"    {line}\n" for line in lines)


def _messages(program: Program) -> str:
    """Rows of edges."""
    x = program.tensor(NODES)
    messages = program.put(
        program.one_of(f"{x}[source]", f"{x}.index_select(0, source)", f"embedding(source, {x})")
    )
    if program.draw.random() < 0.5:
        messages = program.put(
            program.one_of(
                f"weights.view(-1, 1) * {messages}", f"{messages} * weights.unsqueeze(-1)"
            )
        )
    return messages


def _base(program: Program, x: str = "x") -> str:
    """What rows of edges are added to."""
    if program.draw.random() < 0.3:
        return program.tensor(NODES)
    zeros = program.one_of(
        f"{x}.new_zeros({NODES}, {LENGTH})",
        f"torch.zeros({NODES}, {LENGTH}, dtype={x}.dtype)",
        f"torch.zeros_like({x})",
        f"torch.full(({NODES}, {LENGTH}), 0.0, dtype={x}.dtype)",
    )
    return program.put(zeros, NODES)


def sum_over_edges(program: Program) -> str:
    """Messages added to the rows of their targets."""
    messages, base = _messages(program), _base(program)
    wide = f"target.view(-1, 1).expand(-1, {LENGTH})"
    place = program.one_of("", "_")
    added = program.one_of(
        f"{base}.index_add{place}(0, target, {messages})",
        f"{base}.scatter_add{place}(0, {wide}, {messages})",
        f"torch.scatter_add({base}, 0, {wide}, {messages})",
    )
    return program.put(added, NODES)


def maximum_over_edges(program: Program) -> str:
    """The largest messages of every target."""
    messages, base = _messages(program), _base(program)
    wide = f"target.view(-1, 1).expand(-1, {LENGTH})"
    own = program.one_of("True", "False")
    text = f"{base}.scatter_reduce(0, {wide}, {messages}, 'amax', include_self={own})"
    return program.put(text, NODES)


def mean_over_edges(program: Program) -> str:
    """Sums divided by the number of edges."""
    total = sum_over_edges(program)
    ones = program.put("weights.new_ones(target.shape[0])")
    if program.draw.random() < 0.3:
        program.lines.append(f"{ones}[:2] = 3.0")
    zeros = program.put(f"weights.new_zeros({NODES})")
    if program.draw.random() < 0.3:
        program.lines.append(f"{zeros}[1] = 2.0")
    count = program.put(
        program.one_of(
            f"{zeros}.index_add(0, target, {ones})", f"{zeros}.scatter_add_(0, target, {ones})"
        )
    )
    return program.put(f"{total} / {count}.clamp(min=1).view(-1, 1)", NODES)


def bag(program: Program) -> str:
    """Sums, means and maxima of looked-up rows."""
    table = program.tensor(ROWS)
    whole = program.one_of("sum", "mean", "max")
    if program.draw.random() < 0.4:
        return program.put(f"functional.embedding_bag(ids, {table}, mode='{whole}')", BAGS)
    rows = program.put(program.one_of(f"embedding(ids, {table})", f"{table}[ids]"))
    if program.draw.random() < 0.4:
        keep = program.put(program.one_of("ids != 0", "(ids > 2) & (ids < 20)", "~(ids == 1)"))
        rows = program.put(f"{rows} * {keep}.unsqueeze(-1)")
    reduced = program.one_of(f"{rows}.sum(1)", f"{rows}.mean(1)", f"{rows}.amax(1)")
    return program.put(reduced, BAGS)


def side_by_side(program: Program) -> str:
    """Rows of several tables, one behind the other."""
    first, second = program.tensor(ROWS), program.tensor(ROWS)
    one = program.put(f"embedding(ids[:, 0], {first})", BAGS)
    two = program.put(f"functional.embedding_bag(ids, {second}, mode='sum')", BAGS)
    return program.put(f"torch.cat([{one}, {two}, {program.tensor(BAGS)}], 1)")


def scores(program: Program) -> str:
    """A number for each edge."""
    x, y = program.tensor(NODES), program.tensor(NODES)
    one, two = program.put(f"{x}[source]"), program.put(f"{y}[target]")
    return program.put(
        program.one_of(
            f"({one} * {two}).sum(-1)",
            f"({one} - {two}).norm(dim=-1)",
            f"-(functional.normalize({one}, dim=-1) + {two}).pow(2).sum(-1)",
        )
    )


def softmax_over_edges(program: Program) -> str:
    """Weights of edges that add up to 1 for every target."""
    zeros = program.put(f"weights.new_zeros({NODES})")
    most = program.put(
        f"{zeros}.scatter_reduce(0, target, weights.detach(), 'amax', include_self=False)"
    )
    powers = program.put(f"(weights - {most}.index_select(0, target)).exp()")
    sums = program.put(f"{zeros}.index_add(0, target, {powers}) + 1e-16")
    return program.put(f"{powers} / {sums}.index_select(0, target)")


def layer(program: Program) -> str:
    """A linear layer of sums over edges."""
    sums = sum_over_edges(program)
    if program.draw.random() < 0.5:
        sums = program.put(f"{sums} + 0.5 * {program.tensor(NODES)}", NODES)
    weight = program.tensor(ROWS)
    return program.put(f"functional.linear({sums}, {weight}[:4])")


def sum_of_lookups(program: Program) -> str:
    """Rows of several tables, added up."""
    one, two = program.tensor(ROWS), program.tensor(ROWS)
    first, second = program.put(f"embedding(ids, {one})"), program.put(f"embedding(ids, {two})")
    return program.put(f"{first} + 2 * {second}")


def pairs(program: Program) -> str:
    """Products of the rows of every bag with one another."""
    rows = program.put(f"embedding(ids, {program.tensor(ROWS)})")
    products = program.put(f"torch.bmm({rows}, {rows}.transpose(1, 2))")
    return program.put(f"{products}[:, [1, 2, 2], [0, 0, 1]]")


def views(program: Program) -> str:
    """Other tensors in the memory of one."""
    name = program.draw.choice(list(program.rows))
    view = program.one_of(f"{name}[:]", f"{name}.view(-1, {LENGTH})", f"{name}.detach()")
    return program.put(view, program.rows[name])


KINDS = (
    sum_over_edges,
    sum_over_edges,
    maximum_over_edges,
    mean_over_edges,
    bag,
    bag,
    side_by_side,
    scores,
    softmax_over_edges,
    layer,
    sum_of_lookups,
    pairs,
    views,
)


def generate(seed: int) -> Program:
    """The program of a number."""
    draw = random.Random(seed)
    program = Program(draw, draw.random() < 0.5)
    for _ in range(draw.randint(1, 4)):
        program.results.append(draw.choice(KINDS)(program))
    return program


@dataclass
class Outcome:
    """What a call returned, what its arguments were afterwards, and their gradients; or what it
    raised instead, in the call or in backward."""

    results: list[Tensor] = field(default_factory=list)
    arguments: list[Tensor] = field(default_factory=list)
    gradients: list[Tensor | None] = field(default_factory=list)
    error: Exception | None = None


def run(function: Any, seed: int, gradients: bool) -> Outcome:
    """The outcome of a call."""
    given, outcome = arguments(seed, gradients), Outcome()
    try:
        results = function(*given)
        outcome.results = [result.detach().clone() for result in results]
        if gradients:
            weighted = [
                (result * torch.linspace(0.5, 1.5, result.numel()).view_as(result)).sum()
                for result in results
                if result.requires_grad
            ]
            if weighted:
                sum(weighted).backward()  # type: ignore[union-attr]
            outcome.gradients = [one.grad for one in given]
    except Exception as error:
        outcome.error = error
    outcome.arguments = [one.detach() for one in given]
    return outcome


def difference(text: str, seed: int, gradients: bool) -> str:
    """What is not PyTorch's of a compiled program; empty if all is."""
    from ember.torch.backend import ember_backend

    scope = {"torch": torch, "functional": functional, "embedding": functional.embedding}
    exec(compile(text, f"<program {seed}>", "exec"), scope)
    function: Any = scope["program"]
    expected = run(function, seed, gradients)
    if expected.error is not None:
        # Where PyTorch cannot go on, as with tensors that backward needs and that are changed,
        # anything is right.
        return ""
    torch._dynamo.reset()
    options = {"raises": True}
    dynamic = (None, True, False)[seed % 3]
    found = run(
        torch.compile(function, backend=ember_backend, options=options, dynamic=dynamic),
        seed,
        gradients,
    )
    if found.error is not None:
        return f"{type(found.error).__name__}: {found.error}"
    for what in ("results", "arguments", "gradients"):
        try:
            torch.testing.assert_close(
                getattr(found, what), getattr(expected, what), rtol=1e-7, atol=1e-7, equal_nan=True
            )
        except AssertionError as error:
            return f"{what}: {error}"
    return ""


def shortened(program: Program, seed: int) -> str:
    """The program with those of its statements left out that its failure does not need."""
    for parts in (program.results, program.lines):
        for part in list(reversed(parts)):
            place = len(parts) - 1 - parts[::-1].index(part)
            del parts[place]
            if not program.results or not difference(program.text(), seed, program.gradients):
                parts.insert(place, part)
    return program.text()


def failures(count: int, seed: int, show_progress: bool = False) -> list[str]:
    """Programs that are not PyTorch's when compiled, of those numbered from seed on."""
    torch.set_num_threads(1)
    found: list[str] = []
    began = shown = time.monotonic()
    for number in range(seed, seed + count):
        program = generate(number)
        text = program.text()
        if why := difference(text, number, program.gradients):
            found.append(f"program {number}: {why}\n{text}\nshorter:\n{shortened(program, number)}")
        now = time.monotonic()
        if show_progress and now - shown > 10:
            shown = now
            done = number - seed + 1
            left = (now - began) / done * (count - done)
            print(f"{done} of {count}, {len(found)} fail, {left:.0f} s left", file=sys.stderr)
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Tries programs from the command line; 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=None, help="the first program's number")
    given = parser.parse_args(words)
    seed = random.randrange(1 << 30) if given.seed is None else given.seed
    print(f"random PyTorch programs: {given.count} from number {seed} on")
    found = failures(given.count, seed, show_progress=True)
    for text in found:
        print(text)
    print(f"{given.count - len(found)} passed, {len(found)} failed")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
