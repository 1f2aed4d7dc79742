"""Random programs of every kind of region that the backend knows, with writes among them.

They write to any tensor there is: by index, through views and aliases, through functions, operators
and lists.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
from dataclasses import dataclass, field

import torch
from drawn_program import Input, Program
from torch import Tensor

NODES, EDGES, LENGTH, ROWS, BAGS, LOOKUPS = 12, 40, 8, 30, 12, 5

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


@dataclass
class RegionProgram(Program):
    """A program of regions.

    rows: its tensors of LENGTH columns by name, with the number of rows.
    """

    rows: dict[str, int] = field(default_factory=lambda: dict(ROWS_OF))

    def put(self, text: str, rows: int = 0) -> str:
        """A new variable of a value; rows: it has that many of LENGTH columns."""
        name = super().put(text)
        if rows:
            self.rows[name] = rows
        self.maybe_write()
        return name

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


def _messages(program: RegionProgram) -> str:
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


def _base(program: RegionProgram, x: str = "x") -> str:
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


def sum_over_edges(program: RegionProgram) -> str:
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


def maximum_over_edges(program: RegionProgram) -> str:
    """The largest messages of every target."""
    messages, base = _messages(program), _base(program)
    wide = f"target.view(-1, 1).expand(-1, {LENGTH})"
    own = program.one_of("True", "False")
    text = f"{base}.scatter_reduce(0, {wide}, {messages}, 'amax', include_self={own})"
    return program.put(text, NODES)


def mean_over_edges(program: RegionProgram) -> str:
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


def bag(program: RegionProgram) -> str:
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


def side_by_side(program: RegionProgram) -> str:
    """Rows of several tables, one behind the other."""
    first, second = program.tensor(ROWS), program.tensor(ROWS)
    one = program.put(f"embedding(ids[:, 0], {first})", BAGS)
    two = program.put(f"functional.embedding_bag(ids, {second}, mode='sum')", BAGS)
    return program.put(f"torch.cat([{one}, {two}, {program.tensor(BAGS)}], 1)")


def scores(program: RegionProgram) -> str:
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


def softmax_over_edges(program: RegionProgram) -> str:
    """Weights of edges that add up to 1 for every target."""
    zeros = program.put(f"weights.new_zeros({NODES})")
    most = program.put(
        f"{zeros}.scatter_reduce(0, target, weights.detach(), 'amax', include_self=False)"
    )
    powers = program.put(f"(weights - {most}.index_select(0, target)).exp()")
    sums = program.put(f"{zeros}.index_add(0, target, {powers}) + 1e-16")
    return program.put(f"{powers} / {sums}.index_select(0, target)")


def layer(program: RegionProgram) -> str:
    """A linear layer of sums over edges."""
    sums = sum_over_edges(program)
    if program.draw.random() < 0.5:
        sums = program.put(f"{sums} + 0.5 * {program.tensor(NODES)}", NODES)
    weight = program.tensor(ROWS)
    return program.put(f"functional.linear({sums}, {weight}[:4])")


def sum_of_lookups(program: RegionProgram) -> str:
    """Rows of several tables, added up."""
    one, two = program.tensor(ROWS), program.tensor(ROWS)
    first, second = program.put(f"embedding(ids, {one})"), program.put(f"embedding(ids, {two})")
    return program.put(f"{first} + 2 * {second}")


def pairs(program: RegionProgram) -> str:
    """Products of the rows of every bag with one another."""
    rows = program.put(f"embedding(ids, {program.tensor(ROWS)})")
    products = program.put(f"torch.bmm({rows}, {rows}.transpose(1, 2))")
    return program.put(f"{products}[:, [1, 2, 2], [0, 0, 1]]")


def views(program: RegionProgram) -> str:
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


def inputs(gradients: bool) -> list[Input]:
    """What such programs are given; gradients: floating-point ones have some."""
    rows = [
        Input(name, (count, LENGTH), requires_grad=gradients) for name, count in ROWS_OF.items()
    ]
    nodes, rows_of_bags = (0, NODES), (0, ROWS)
    return [
        *rows,
        Input("source", (EDGES,), torch.int64, nodes),
        Input("target", (EDGES,), torch.int64, nodes),
        Input("ids", (BAGS, LOOKUPS), torch.int64, rows_of_bags),
        Input("weights", (EDGES,), requires_grad=gradients),
    ]


def drawn_regions(draw: random.Random) -> Program:
    """A program of some of them."""
    gradients = draw.random() < 0.5
    program = RegionProgram(draw, inputs(gradients), of="regions")
    for _ in range(draw.randint(1, 4)):
        program.results.append(draw.choice(KINDS)(program))
    return program
