"""Embedding operations of models, each in random words that mean the same.

An operation is written down once, as a function of a Writer. It writes the plain spelling where
nothing is drawn, and any other one else: sums and products in another order and with other
brackets, einsum, other lookups, dimensions counted from the end or kept, views that cancel each
other, masks as factors or as conditions, means as sums, functions as methods.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from drawn_program import Input, Program

ROWS, LENGTH, LOOKUPS, FIELDS, RELATIONS = 20, 8, 7, 5, 6
NODES, EDGES = 9, 17
# Letters of einsum.
LETTERS = "abcde"


@dataclass(frozen=True)
class Text:
    """An expression, and the sizes of its value."""

    text: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return self.text


@dataclass
class Writer:
    """Writes an operation; draw: of its words, the plain ones without."""

    draw: random.Random | None = None
    inputs: list[Input] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def one_of(self, *texts: str) -> str:
        """The first of several texts that mean the same, or any."""
        return self.draw.choice(texts) if self.draw else texts[0]

    def chance(self, probability: float) -> bool:
        """Whether something unusual is done."""
        return self.draw is not None and self.draw.random() < probability

    def numbers(self, name: str, *shape: int) -> Text:
        """An input that has a gradient."""
        self.inputs.append(Input(name, shape, requires_grad=True))
        return Text(name, shape)

    def places(self, name: str, *shape: int, below: int) -> Text:
        """An input of indices."""
        self.inputs.append(Input(name, shape, torch.int64, (0, below)))
        return Text(name, shape)

    def mask(self, name: str, *shape: int) -> Text:
        """An input of booleans."""
        self.inputs.append(Input(name, shape, torch.bool))
        return Text(name, shape)

    def named(self, value: str | Text, shape: Sequence[int]) -> Text:
        """The value, as a variable, with views around it that cancel each other now and then."""
        text, shape = str(value), tuple(shape)
        if self.chance(0.12) and shape:
            sizes = ", ".join(map(str, shape))
            text = self.one_of(
                f"({text}).unsqueeze(0).squeeze(0)",
                f"({text}).unsqueeze(-1)[..., 0]",
                f"({text})[None].flatten(0, 1)",
                f"({text}).transpose(0, -1).transpose(-1, 0)",
                f"({text}).movedim(0, -1).movedim(-1, 0)",
                f"({text}).reshape(-1).view({sizes})",
                f"({text}).flatten().unflatten(0, ({sizes},))",
                f"({text}).contiguous()",
                f"({text}).clone()",
                f"({text}) * 1.0",
                f"({text}).to({text}.dtype)" if text.isidentifier() else text,
                f"({text}).expand({sizes})",
                f"({text})[:]",
                f"torch.stack([{text}], 0).squeeze(0)" if self.chance(0.3) else f"+({text})",
            )
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return Text(name, shape)

    def lookup(self, table: Text, places: Text) -> Text:
        """Rows of a table."""
        shape = (*places.shape, *table.shape[1:])
        sizes = ", ".join(map(str, shape))
        flat = str(places) if len(places.shape) == 1 else f"{places}.reshape(-1)"
        shaped = "" if len(places.shape) == 1 else f".view({sizes})"
        texts = [
            f"embedding({places}, {table})" if len(table.shape) == 2 else f"{table}[{places}]",
            f"{table}[{places}]",
            f"{table}.index_select(0, {flat}){shaped}",
            f"torch.index_select({table}, 0, {flat}){shaped}",
            f"{table}[{flat}]{shaped}",
        ]
        if len(table.shape) == 2:
            wide = f"{flat}.unsqueeze(1).expand(-1, {table.shape[1]})"
            texts += [
                f"{table}[{places}, :]",
                f"{table}.gather(0, {wide}){shaped}",
                f"torch.take_along_dim({table}, {wide}, 0){shaped}",
                f"torch.ops.aten.embedding({table}, {places})",
                f"torch.ops.aten.index_select({table}, 0, {flat}){shaped}",
            ]
        return self.named(self.one_of(*texts), shape)

    def _in_any_order(self, operands: Sequence[Text], ways: Sequence[str]) -> Text:
        """A function that is associative and commutative, with any brackets."""
        left = list(operands)
        if self.draw:
            self.draw.shuffle(left)
        while len(left) > 1:
            place = self.draw.randrange(len(left) - 1) if self.draw else 0
            one, other = left[place : place + 2]
            shape = tuple(torch.broadcast_shapes(one.shape, other.shape))
            left[place : place + 2] = [self.named(self.one_of(*ways).format(one, other), shape)]
        return left[0]

    def product(self, *factors: Text) -> Text:
        """Of elements."""
        ways = ("{0} * {1}", "torch.mul({0}, {1})", "{0}.mul({1})", "{1}.multiply({0})")
        return self._in_any_order(factors, ways)

    def sum_of(self, *terms: Text) -> Text:
        """Of elements."""
        ways = ("{0} + {1}", "torch.add({0}, {1})", "{0}.add({1})", "{1} - -{0}", "{0}.sub(-{1})")
        return self._in_any_order(terms, ways)

    def difference(self, one: Text, other: Text) -> Text:
        """Of elements."""
        text = self.one_of(
            f"{one} - {other}",
            f"{one} + (-{other})",
            f"-({other} - {one})",
            f"{other}.neg() + {one}",
            f"torch.sub({one}, {other})",
            f"torch.add({one}, {other}, alpha=-1)",
            f"torch.rsub({other}, {one})",
        )
        return self.named(text, torch.broadcast_shapes(one.shape, other.shape))

    def scaled(self, value: Text, factor: float) -> Text:
        """A multiple."""
        text = self.one_of(
            f"{value} * {factor}",
            f"{factor} * {value}",
            f"{value} / {1 / factor}",
            f"torch.mul({value}, {factor})",
            f"{value}.div({1 / factor})",
        )
        return self.named(text, value.shape)

    def square(self, value: Text) -> Text:
        """Of elements."""
        text = self.one_of(
            f"{value} ** 2",
            f"{value} * {value}",
            f"{value}.square()",
            f"torch.square({value})",
            f"{value}.pow(2)",
            f"torch.pow({value}, 2.0)",
        )
        return self.named(text, value.shape)

    def complex(self, value: Text) -> Text:
        """Complex numbers of both halves of rows."""
        size = value.shape[-1] // 2
        text = self.one_of(
            f"torch.complex(*{value}.chunk(2, -1))",
            f"torch.view_as_complex(torch.stack({value}.chunk(2, -1), -1))",
            f"({value}[..., :{size}] + 1j * {value}[..., {size}:])",
        )
        return self.named(text, (*value.shape[:-1], size))

    def function(self, name: str, value: Text) -> Text:
        """A function of elements that PyTorch has as a method, too."""
        return self.named(self.one_of(f"torch.{name}({value})", f"{value}.{name}()"), value.shape)

    def negative(self, value: Text) -> Text:
        """Of elements."""
        text = self.one_of(f"-{value}", f"{value}.neg()", f"{value} * -1", f"0 - {value}")
        return self.named(text, value.shape)

    def total(self, value: Text, dimension: int) -> Text:
        """The sum over a dimension."""
        rank, size = len(value.shape), value.shape[dimension]
        kept = (*value.shape[:dimension], *value.shape[dimension + 1 :])
        d = dimension - rank if self.chance(0.5) else dimension
        letters = LETTERS[:rank]
        text = self.one_of(
            f"{value}.sum({d})",
            f"torch.sum({value}, dim={d})",
            f"{value}.sum(dim=({d},))",
            f"{value}.sum({d}, keepdim=True).squeeze({d})",
            f"{value}.mean({d}) * {size}",
            f"{value}.transpose({d}, 0).sum(0)" if d % rank < 2 else f"{value}.sum({d})",
            f"{value}.movedim({d}, -1).sum(-1)",
            f"{value}.cumsum({d}).select({d}, -1)",
            f"torch.einsum('{letters}->{letters.replace(letters[d], '')}', {value})",
        )
        return self.named(text, kept)

    def mean(self, value: Text, dimension: int) -> Text:
        """The mean over a dimension."""
        if self.chance(0.5):
            return self.scaled(self.total(value, dimension), 1 / value.shape[dimension])
        kept = (*value.shape[:dimension], *value.shape[dimension + 1 :])
        texts = [f"{value}.mean({dimension})", f"torch.mean({value}, dim={dimension})"]
        if len(value.shape) == 3 and dimension == 1:
            turned, size = f"{value}.transpose(1, 2)", value.shape[1]
            texts += [
                f"functional.adaptive_avg_pool1d({turned}, 1).squeeze(-1)",
                f"functional.avg_pool1d({turned}, {size}).flatten(1)",
            ]
        return self.named(self.one_of(*texts), kept)

    def inner(self, one: Text, other: Text) -> Text:
        """The products of rows of the same shape."""
        if not self.chance(0.6):
            return self.total(self.product(one, other), len(one.shape) - 1)
        letters = LETTERS[: len(one.shape)]
        if len(one.shape) == 2 and self.chance(0.2):
            return self.named(f"({one} @ {other}.T).diagonal()", one.shape[:-1])
        text = self.one_of(
            f"torch.einsum('{letters},{letters}->{letters[:-1]}', {one}, {other})",
            f"torch.einsum('...d,...d->...', {one}, {other})",
            f"torch.linalg.vecdot({one}, {other})",
            f"({one}.unsqueeze(-2) @ {other}.unsqueeze(-1)).squeeze(-1).squeeze(-1)",
            f"torch.matmul({one}[..., None, :], {other}[..., None])[..., 0, 0]",
        )
        return self.named(text, one.shape[:-1])

    def beside(self, value: Text, dimension: int) -> Text:
        """With another dimension of size 1."""
        shape = [*value.shape]
        shape.insert(dimension, 1)
        colons = ":, " * dimension
        sizes = ", ".join(map(str, shape))
        text = self.one_of(
            f"{value}.unsqueeze({dimension})",
            f"{value}.unsqueeze({dimension - len(shape)})",
            f"{value}[{colons}None]",
            f"{value}.reshape({sizes})",
        )
        return self.named(text, shape)

    def masked(self, value: Text, mask: Text) -> Text:
        """Zeros where a mask does not hold."""
        text = self.one_of(
            f"{value} * {mask}",
            f"torch.where({mask}, {value}, 0.0)",
            f"{value}.masked_fill(~{mask}, 0.0)",
            f"{value} * {mask}.double()",
            f"torch.where(~{mask}, 0.0, {value})",
            f"{mask}.to({value}.dtype) * {value}",
        )
        return self.named(text, value.shape)

    def half(self, value: Text, number: int) -> Text:
        """One half of rows."""
        size = value.shape[-1] // 2
        begin = number * size
        text = self.one_of(
            f"{value}[..., {begin}:{begin + size}]",
            f"{value}.narrow(-1, {begin}, {size})",
            f"{value}.chunk(2, -1)[{number}]",
            f"torch.split({value}, {size}, dim=-1)[{number}]",
            f"{value}.unflatten(-1, (2, {size}))[..., {number}, :]",
            f"{value}.unflatten(-1, (2, -1)).unbind(-2)[{number}]",
        )
        return self.named(text, (*value.shape[:-1], size))

    def norm(self, value: Text) -> Text:
        """Of rows."""
        if self.chance(0.4):
            squares = self.total(self.square(value), len(value.shape) - 1)
            text = self.one_of(f"{squares}.sqrt()", f"torch.sqrt({squares})", f"{squares} ** 0.5")
        else:
            text = self.one_of(
                f"{value}.norm(dim=-1)",
                f"torch.norm({value}, p=2, dim=-1)",
                f"torch.linalg.norm({value}, dim=-1)",
                f"torch.linalg.vector_norm({value}, dim=-1)",
            )
        return self.named(text, value.shape[:-1])

    def softmax(self, value: Text, dimension: int) -> Text:
        """Along a dimension."""
        d = dimension
        text = self.one_of(
            f"torch.softmax({value}, dim={d})",
            f"functional.softmax({value}, {d})",
            f"{value}.softmax({d - len(value.shape)})",
            f"functional.log_softmax({value}, {d}).exp()",
            f"({value} - {value}.logsumexp({d}, keepdim=True)).exp()",
            f"torch.exp({value}) / torch.exp({value}).sum({d}, keepdim=True)",
        )
        return self.named(text, value.shape)

    def scattered(self, values: Text, targets: Text, count: int) -> Text:
        """Values (edges, ...) added up by their targets."""
        shape = (count, *values.shape[1:])
        zeros = self.one_of(f"{values}.new_zeros({shape})", f"torch.zeros({shape}).double()")
        wide = str(targets)
        if len(shape) > 1:
            wide = self.one_of(f"{targets}[:, None]", f"{targets}.view(-1, 1)")
            wide = self.one_of(f"{wide}.expand(-1, {shape[1]})", f"{wide}.expand_as({values})")
            flat = f"{targets}[:, None] * {shape[1]} + torch.arange({shape[1]})"
        else:
            flat = str(targets)
        text = self.one_of(
            f"{zeros}.index_add(0, {targets}, {values})",
            f"{zeros}.index_add_(0, {targets}, {values})",
            f"torch.index_add({zeros}, 0, {targets}, {values})",
            f"{zeros}.scatter_add(0, {wide}, {values})",
            f"{zeros}.scatter_add_(0, {wide}, {values})",
            f"{zeros}.scatter_reduce(0, {wide}, {values}, 'sum')",
            f"{zeros}.scatter_reduce_(0, {wide}, {values}, reduce='sum', include_self=True)",
            f"{zeros}.index_put(({targets},), {values}, accumulate=True)",
            f"{zeros}.index_put_(({targets},), {values}, accumulate=True)",
            f"{zeros}.put_({flat}, {values}, accumulate=True)",
        )
        return self.named(text, shape)


def _ids_and_table(to: Writer) -> tuple[Text, Text]:
    ids = to.places("ids", LOOKUPS, FIELDS, below=ROWS)
    return ids, to.numbers("T", ROWS, LENGTH)


def _triples(to: Writer) -> tuple[Text, Text, Text]:
    table, relations = to.numbers("T", ROWS, LENGTH), to.numbers("R", RELATIONS, LENGTH)
    head, tail = (to.places(name, LOOKUPS, below=ROWS) for name in "ht")
    relation = to.places("r", LOOKUPS, below=RELATIONS)
    return to.lookup(table, head), to.lookup(relations, relation), to.lookup(table, tail)


def bag(to: Writer) -> Text:
    """Sums or means of looked-up rows."""
    ids, table = _ids_and_table(to)
    flat = f"{ids}.reshape(-1), {table}, torch.arange({LOOKUPS}) * {FIELDS}"
    if not to.chance(0.6):
        text = to.one_of(
            f"functional.embedding_bag({ids}, {table}, mode='sum')",
            f"functional.embedding_bag({flat}, mode='sum')",
        )
        return to.named(text, (LOOKUPS, LENGTH))
    return to.total(to.lookup(table, ids), 1)


def mean_bag(to: Writer) -> Text:
    """Means of looked-up rows."""
    ids, table = _ids_and_table(to)
    if not to.chance(0.8):
        return to.named(f"functional.embedding_bag({ids}, {table})", (LOOKUPS, LENGTH))
    return to.mean(to.lookup(table, ids), 1)


def weighted_bag(to: Writer) -> Text:
    """Sums of looked-up rows, times weights."""
    ids, table = _ids_and_table(to)
    weights = to.numbers("w", LOOKUPS, FIELDS)
    if not to.chance(0.8):
        text = f"functional.embedding_bag({ids}, {table}, mode='sum', per_sample_weights={weights})"
        return to.named(text, (LOOKUPS, LENGTH))
    rows = to.lookup(table, ids)
    if to.chance(0.3):
        text = to.one_of(
            f"torch.einsum('bl,bld->bd', {weights}, {rows})",
            f"torch.bmm({weights}.unsqueeze(1), {rows}).squeeze(1)",
            f"({weights}[:, None] @ {rows})[:, 0]",
        )
        return to.named(text, (LOOKUPS, LENGTH))
    return to.total(to.product(rows, to.beside(weights, 2)), 1)


def masked_bag(to: Writer) -> Text:
    """Sums of those rows that a mask has."""
    ids, table = _ids_and_table(to)
    mask = to.mask("m", LOOKUPS, FIELDS)
    return to.total(to.masked(to.lookup(table, ids), to.beside(mask, 2)), 1)


def trans_e(to: Writer) -> Text:
    """Distances of heads, moved by relations, from tails."""
    head, relation, tail = _triples(to)
    return to.negative(to.norm(to.difference(to.sum_of(head, relation), tail)))


def trans_e_l1(to: Writer) -> Text:
    """The same by absolute values."""
    head, relation, tail = _triples(to)
    moved = to.difference(to.sum_of(head, relation), tail)
    if to.chance(0.3):
        return to.negative(to.named(f"{moved}.norm(p=1, dim=-1)", moved.shape[:1]))
    return to.negative(to.total(to.function("abs", moved), 1))


def dist_mult(to: Writer) -> Text:
    """Products of heads, relations and tails."""
    head, relation, tail = _triples(to)
    if to.chance(0.2):
        text = f"torch.einsum('bd,bd,bd->b', {head}, {relation}, {tail})"
        return to.named(text, head.shape[:1])
    return to.inner(to.product(head, relation), tail)


def compl_ex(to: Writer) -> Text:
    """The same of complex numbers, real parts first."""
    if to.chance(0.4):
        head, relation, tail = map(to.complex, _triples(to))
        tail = to.named(to.one_of(f"{tail}.conj()", f"torch.conj({tail})"), tail.shape)
        products = to.product(head, relation, tail)
        sums = to.one_of("{}.real.sum(-1)", "torch.sum({}, 1).real", "torch.real({}.sum(dim=-1))")
        return to.named(sums.format(products), products.shape[:1])
    head, relation, tail = ([to.half(row, k) for k in range(2)] for row in _triples(to))
    real = to.sum_of(
        to.product(head[0], relation[0], tail[0]),
        to.product(head[1], relation[0], tail[1]),
        to.product(head[0], relation[1], tail[1]),
    )
    return to.total(to.difference(real, to.product(head[1], relation[1], tail[0])), 1)


def rotat_e(to: Writer) -> Text:
    """Distances of heads, turned by relations, from tails."""
    table, phases = to.numbers("T", ROWS, LENGTH), to.numbers("R", RELATIONS, LENGTH // 2)
    rows = [to.lookup(table, to.places(name, LOOKUPS, below=ROWS)) for name in "ht"]
    phase = to.lookup(phases, to.places("r", LOOKUPS, below=RELATIONS))
    if to.chance(0.4):
        turn = to.one_of(
            f"torch.polar(torch.ones_like({phase}), {phase})",
            f"torch.complex({phase}.cos(), {phase}.sin())",
            f"torch.exp(1j * {phase})",
        )
        moved = to.product(to.complex(rows[0]), to.named(turn, phase.shape))
        moved = to.difference(moved, to.complex(rows[1]))
        length = to.one_of(f"{moved}.abs()", f"torch.view_as_real({moved}).norm(dim=-1)")
        return to.negative(to.total(to.named(length, moved.shape), 1))
    head, tail = ([to.half(row, k) for k in range(2)] for row in rows)
    cosine, sine = to.function("cos", phase), to.function("sin", phase)
    real = to.difference(to.product(head[0], cosine), to.product(head[1], sine))
    imaginary = to.sum_of(to.product(head[0], sine), to.product(head[1], cosine))
    parts = [to.difference(real, tail[0]), to.difference(imaginary, tail[1])]
    lengths = to.function("sqrt", to.sum_of(*map(to.square, parts)))
    return to.negative(to.total(lengths, 1))


def second_order(to: Writer) -> Text:
    """Products of all pairs of fields, as factorisation machines add them up."""
    ids, table = _ids_and_table(to)
    rows = to.lookup(table, ids)
    squares = to.difference(to.square(to.total(rows, 1)), to.total(to.square(rows), 1))
    return to.scaled(to.total(squares, 1), 0.5)


def attention(to: Writer) -> Text:
    """Attention of an item over a history."""
    ids, table = _ids_and_table(to)
    item = to.lookup(table, to.places("i", LOOKUPS, below=ROWS))
    history = to.lookup(table, ids)
    scores = to.total(to.product(history, to.beside(item, 1)), 2)
    weights = to.softmax(to.scaled(scores, 1 / math.sqrt(LENGTH)), 1)
    return to.total(to.product(to.beside(weights, 2), history), 1)


def mixture(to: Writer) -> Text:
    """Experts' outputs, weighted by their gates."""
    ids, table = _ids_and_table(to)
    gates = to.softmax(to.numbers("g", LOOKUPS, FIELDS), 1)
    outputs = to.lookup(table, ids)
    if to.chance(0.4):
        text = to.one_of(
            f"torch.einsum('bk,bkd->bd', {gates}, {outputs})",
            f"torch.bmm({gates}.unsqueeze(1), {outputs}).squeeze(1)",
            f"({outputs}.transpose(1, 2) @ {gates}[..., None]).squeeze(-1)",
        )
        return to.named(text, (LOOKUPS, LENGTH))
    return to.total(to.product(to.beside(gates, 2), outputs), 1)


def _pairs(to: Writer) -> list[Text]:
    table = to.numbers("T", ROWS, LENGTH)
    return [to.lookup(table, to.places(name, LOOKUPS, below=ROWS)) for name in "ht"]


def cosine(to: Writer) -> Text:
    """Cosines of pairs of rows."""
    head, tail = _pairs(to)
    if not to.chance(0.7):
        return to.named(f"functional.cosine_similarity({head}, {tail}, dim=1)", head.shape[:1])
    if to.chance(0.5):
        rows = [to.named(f"functional.normalize({row}, dim=-1)", row.shape) for row in (head, tail)]
        return to.inner(*rows)
    lengths = to.product(to.norm(head), to.norm(tail))
    text = to.one_of("{0} / {1}", "torch.div({0}, {1})", "{0} * (1 / {1})")
    return to.named(text.format(to.inner(head, tail), lengths), head.shape[:1])


def squared_distance(to: Writer) -> Text:
    """Squares of the distances of pairs of rows."""
    head, tail = _pairs(to)
    if to.chance(0.2):
        losses = f"functional.mse_loss({head}, {tail}, reduction='none')"
        return to.total(to.named(losses, head.shape), 1)
    moved = to.difference(head, tail)
    if to.chance(0.3):
        return to.inner(moved, moved)
    return to.total(to.square(moved), 1)


def _graph(to: Writer) -> tuple[Text, Text, Text]:
    nodes = to.numbers("X", NODES, LENGTH)
    return nodes, *(to.places(name, EDGES, below=NODES) for name in ("source", "target"))


def messages(to: Writer) -> Text:
    """Rows of sources, times weights of edges, added up by targets."""
    nodes, source, target = _graph(to)
    weights = to.numbers("w", EDGES)
    rows = to.product(to.lookup(nodes, source), to.beside(weights, 1))
    return to.scattered(rows, target, NODES)


def mean_messages(to: Writer) -> Text:
    """Means of the rows of sources by targets."""
    nodes, source, target = _graph(to)
    total = to.scattered(to.lookup(nodes, source), target, NODES)
    ones = to.named(
        to.one_of(f"torch.ones({EDGES}).double()", f"{nodes}.new_ones({EDGES})"), (EDGES,)
    )
    count = to.scattered(to.named(ones, (EDGES,)), target, NODES)
    least = to.one_of(f"{count}.clamp(min=1)", f"torch.clamp({count}, min=1.0)")
    divisor = to.beside(to.named(least, (NODES,)), 1)
    return to.named(f"{total} / {divisor}", total.shape)


def edge_softmax(to: Writer) -> Text:
    """Messages with weights that add up to 1 for each target."""
    nodes, source, target = _graph(to)
    scores = to.numbers("s", EDGES)
    most = f"{scores}.new_zeros({NODES}).scatter_reduce(0, {target}, {scores}.detach(), 'amax'"
    largest = to.named(f"{most}, include_self=False)", (NODES,))
    powers = to.function("exp", to.difference(scores, to.lookup(largest, target)))
    sums = to.lookup(to.scattered(powers, target, NODES), target)
    weights = to.named(to.one_of(f"{powers} / {sums}", f"torch.div({powers}, {sums})"), (EDGES,))
    rows = to.product(to.beside(weights, 1), to.lookup(nodes, source))
    return to.scattered(rows, target, NODES)


OPERATIONS: tuple[Callable[[Writer], Text], ...] = (
    bag,
    mean_bag,
    weighted_bag,
    masked_bag,
    trans_e,
    trans_e_l1,
    dist_mult,
    compl_ex,
    rotat_e,
    second_order,
    attention,
    mixture,
    cosine,
    squared_distance,
    messages,
    mean_messages,
    edge_softmax,
)


def written(operation: Callable[[Writer], Text], draw: random.Random | None = None) -> Program:
    """The program of an operation, in its plain words without `draw`."""
    to = Writer(draw)
    result = operation(to)
    named = operation.__name__.replace("_", " ")
    return Program(
        draw or random.Random(0),
        to.inputs,
        to.lines,
        [str(result)],
        copies_leaves=False,
        of=named,
        plain=written(operation) if draw else None,
    )


def drawn_paraphrase(draw: random.Random) -> Program:
    """A program of one operation, in any words."""
    return written(draw.choice(OPERATIONS), draw)
