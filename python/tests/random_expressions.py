"""Random expressions of looked-up rows, over all operators that the backend has statements of.

An expression begins with a lookup, and goes on step by step: functions of elements, views,
products, reductions, other lookups beside it, writes in place now and then. Each step is computed
when it is drawn, so that the next one knows what there is; what PyTorch refuses is not taken.
Types, sizes (1 and 0 among them), memory layouts and which inputs have gradients are drawn, too.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.nn.functional as functional
from drawn_program import Input, Program
from torch import Tensor

FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
# Larger tensors, and longer programs, find nothing that small ones do not.
MOST_ELEMENTS = 2000
MOST_STEPS = 6

# Functions of one value, where they have one.
FUNCTIONS = (
    "{0}.abs()",
    "-{0}",
    "torch.neg({0})",
    "({0} * 0.5).exp()",
    "torch.sigmoid({0})",
    "{0}.tanh()",
    "functional.relu({0})",
    "{0}.sin()",
    "torch.cos({0})",
    "({0}.abs() + 0.1).sqrt()",
    "torch.log({0}.abs() + 0.1)",
    "torch.rsqrt({0}.square() + 0.1)",
    "1 / ({0}.abs() + 0.5)",
    "({0}.abs() + 0.5).reciprocal()",
    "{0}.square()",
    "{0} ** 2",
    "{0}.pow(3)",
    "({0}.abs() + 0.1) ** 0.5",
    "({0}.abs() + 0.1) ** -1.5",
    "2 ** {0}",
    "torch.exp2({0})",
    "{0}.expm1()",
    "torch.log1p({0}.abs())",
    "torch.log2({0}.abs() + 0.1)",
    "torch.erf({0})",
    "{0}.floor()",
    "torch.ceil({0})",
    "{0}.round()",
    "{0}.trunc()",
    "{0}.frac()",
    "{0}.sign()",
    "functional.leaky_relu({0}, 0.2)",
    "functional.elu({0})",
    "functional.gelu({0})",
    "functional.gelu({0}, approximate='tanh')",
    "functional.silu({0})",
    "functional.softplus({0})",
    "functional.logsigmoid({0})",
    "functional.hardtanh({0})",
    "functional.hardsigmoid({0})",
    "functional.mish({0})",
    "functional.softsign({0})",
    "functional.tanhshrink({0})",
    "functional.hardshrink({0})",
    "functional.threshold({0}, 0.2, 0.1)",
    "functional.dropout({0}, 0.5, training=False)",
    "{0}.clamp(-0.5, 0.7)",
    "{0}.clamp(min=0)",
    "torch.clamp({0}, max=0.3)",
    "{0}.nan_to_num()",
    "{0}.masked_fill({0} < 0, 0.25)",
    "torch.where({0} > 0, {0}, -0.1)",
    "{0}.detach()",
    "{0}.clone()",
    "{0}.contiguous()",
    "{0} * 2",
    "0.5 - {0}",
    "{0} / 3",
    "{0} + True",
)
# Functions of two values, which are broadcast.
FUNCTIONS_OF_TWO = (
    "{0} + {1}",
    "{0} - {1}",
    "{1} - {0}",
    "{0} * {1}",
    "{1} * {0}",
    "{0} / ({1}.abs() + 0.5)",
    "torch.mul({0}, {1})",
    "{0}.add({1}, alpha=0.5)",
    "torch.sub({0}, {1}, alpha=2)",
    "torch.rsub({0}, {1})",
    "torch.maximum({0}, {1})",
    "{0}.minimum({1})",
    "torch.fmax({0}, {1})",
    "{0}.fmin({1})",
    "torch.hypot({0}, {1})",
    "torch.copysign({0}, {1})",
    "torch.lerp({0}, {1}, 0.3)",
    "torch.addcmul({0}, {1}, {1}, value=0.5)",
    "torch.addcdiv({0}, {1}, {1}.abs() + 0.5)",
    "torch.logaddexp({0}, {1})",
    "torch.where({0} > {1}, {0}, {1})",
    "torch.where({1} > 0, {0}, 0.0)",
    "{0}.masked_fill({1} > 0, 0.5)",
    "{0} * ({1} > 0.2)",
    "({0} >= {1}) * {0}",
    "torch.where(({0} < {1}) & ({1} > 0), {1}, {0})",
    "torch.where(~({0} != {1}), {0}, {1})",
    "{0}.copysign({1})",
    "torch.remainder({0}, {1}.abs() + 0.5)",
    "{0}.fmod({1}.abs() + 0.5)",
    "torch.xlogy({0}, {1}.abs() + 0.1)",
    "functional.mse_loss({0}, {1}.expand_as({0}), reduction='none')",
    "functional.smooth_l1_loss({0}, {1}.expand_as({0}), reduction='none')",
)
# What reduces dimension {1}; {2} is whether it is kept.
REDUCTIONS = (
    "{0}.sum({1}, keepdim={2})",
    "{0}.sum(dim={1}, keepdim={2})",
    "torch.sum({0}, {1}, keepdim={2})",
    "{0}.mean({1}, keepdim={2})",
    "torch.mean({0}, dim={1}, keepdim={2})",
    "{0}.amax({1}, keepdim={2})",
    "torch.amin({0}, {1}, {2})",
    "{0}.max({1}, keepdim={2}).values",
    "{0}.min({1}, keepdim={2})[0]",
    "{0}.kthvalue(1, {1}, keepdim={2}).values",
    "{0}.topk(1, {1}).values.sum({1}, keepdim={2})",
    "{0}.sort({1}).values.select({1}, -1)",
    "torch.sort({0}, {1}, descending=True)[0].select({1}, 0)",
    "{0}.cummin({1}).values.select({1}, -1)",
    "{0}.norm(dim={1}, keepdim={2})",
    "{0}.norm(p=1, dim={1}, keepdim={2})",
    "torch.linalg.vector_norm({0}, 3, dim={1}, keepdim={2})",
    "torch.linalg.vector_norm({0}, float('inf'), dim={1}, keepdim={2})",
    "{0}.var({1}, keepdim={2})",
    "{0}.var({1}, correction=0, keepdim={2})",
    "torch.std({0}, dim={1}, unbiased=False, keepdim={2})",
    "{0}.logsumexp({1}, keepdim={2})",
    "{0}.prod({1}, keepdim={2})",
    "({0} > 0).sum({1}, keepdim={2}) * 0.5",
    "({0} > 0.1).any({1}, keepdim={2}) * {0}.sum({1}, keepdim={2})",
    "torch.nansum({0}, {1}, keepdim={2})",
)
# What computes along dimension {1}, and keeps it.
ALONG = (
    "{0}.softmax({1})",
    "functional.softmax({0}, dim={1})",
    "functional.log_softmax({0}, {1})",
    "functional.normalize({0}, dim={1})",
    "functional.normalize({0}, p=1, dim={1})",
    "{0} - {0}.mean({1}, keepdim=True)",
    "{0} / ({0}.abs().sum({1}, keepdim=True) + 0.5)",
    "functional.softmin({0}, {1})",
    "{0}.cumsum({1})",
    "{0}.flip({1})",
)
# Products of rows {0} with others of the same shape.
OF_ROWS = (
    "({0} * {1}).sum(-1)",
    "torch.einsum('...d,...d->...', {0}, {1})",
    "torch.linalg.vecdot({0}, {1})",
    "({0}.unsqueeze(-2) @ {1}.unsqueeze(-1)).squeeze(-1)",
    "torch.matmul({0}[..., None, :], {1}[..., :, None])",
    "functional.cosine_similarity({0}, {1}, dim=-1)",
    "functional.pairwise_distance({0}, {1})",
    "-({0} - {1}).norm(dim=-1)",
    "torch.cat([{0}, {1}], -1).sum(-1)",
    "torch.stack([{0}, {1}], 0).sum(0)",
    "torch.stack([{0}, {1}], -1).amax(-1)",
    "torch.cat([{0}, {1}], 0).mean(0)",
)
# Writes to a tensor, in place.
WRITES = (
    "{0}.mul_(0.5)",
    "{0}.add_(1.0)",
    "{0}.clamp_(min=-0.5)",
    "{0}.masked_fill_({0} > 0.5, 0.25)",
    "{0}[..., 0] = 2.0",
    "{0}.view(-1)[1:3].zero_()",
    "functional.relu({0}, inplace=True)",
    "torch.tanh({0}, out={0}) if not {0}.requires_grad else {0}.tanh_()",
)


@dataclass
class Expression(Program):
    """A program that is an expression.

    dtype: of its numbers, for the most part. values: what its variables and inputs are, for now.
    sizes: those that most tensors have, by letters. leaves_out: whether some elements are computed
    for nothing, which kernels do not.
    """

    dtype: torch.dtype = torch.float64
    values: dict[str, Tensor] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    leaves_out: bool = False

    def given(self, shape: tuple[int, ...], like: str, **described: Any) -> str:
        """A new input."""
        name = f"{like}{sum(one.name.startswith(like) for one in self.inputs)}"
        layout = self.draw.choice(("", "", "", "", "transposed", "apart"))
        if len(shape) < 2 and layout == "transposed":
            layout = ""
        made = Input(name, shape, layout=layout, **described)
        self.inputs.append(made)
        self.values[name] = replace(made, requires_grad=False).made(
            torch.Generator().manual_seed(len(self.inputs))
        )
        return name

    def numbers(self, shape: tuple[int, ...]) -> str:
        """A new input of numbers, mostly of those that have gradients."""
        dtype = self.dtype
        if self.chance(0.06):
            dtype = self.draw.choice((*FLOATS[:2], torch.int64, torch.bool, torch.int32))
        bounds = None if dtype.is_floating_point or dtype is torch.bool else (-3, 4)
        has_gradient = dtype.is_floating_point and self.chance(0.7)
        return self.given(shape, "x", dtype=dtype, bounds=bounds, requires_grad=has_gradient)

    def places(self, shape: tuple[int, ...], count: int) -> str:
        """An input of integers below `count`: one that there is, or a new one."""
        known = [
            one.name
            for one in self.inputs
            if one.shape == shape and one.bounds == (0, count) and one.dtype is torch.int64
        ]
        if known and self.chance(0.4):
            return self.draw.choice(known)
        dtype = torch.int32 if self.chance(0.07) else torch.int64
        return self.given(shape, "i", dtype=dtype, bounds=(0, count))

    def try_put(self, text: str) -> str:
        """A new variable, unless PyTorch refuses; its name, or nothing."""
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = eval(text, _scope(), dict(self.values))
        # Any text may be drawn: what is refused is not taken.
        except Exception:
            return ""
        if not isinstance(found, Tensor) or found.numel() > MOST_ELEMENTS or found.dim() > 5:
            return ""
        is_finite = not found.is_floating_point() or bool(found.isfinite().all())
        if not is_finite or (found.numel() and found.double().abs().max() > 1e4):
            return ""
        name = self.put(text)
        if self.chance(0.03):
            self.lines[-1] = f"with torch.no_grad(): {self.lines[-1]}"
        self.values[name] = found
        return name

    def shape(self, name: str) -> tuple[int, ...]:
        """A variable's sizes."""
        return tuple(self.values[name].shape)

    def dimension(self, name: str) -> int:
        """One of its dimensions, from either end."""
        rank = self.values[name].dim()
        return self.draw.randrange(-rank, rank) if rank else 0


def _scope() -> dict[str, Any]:
    return {"torch": torch, "functional": functional, "embedding": functional.embedding}


def lookup(program: Expression, shape: tuple[int, ...] = ()) -> str:
    """Looked-up rows; shape: of the places, drawn without."""
    sizes, draw = program.sizes, program.draw
    if not shape:
        shape = draw.choice([(sizes["B"],), (sizes["B"],), (sizes["B"], sizes["L"])])
        shape = draw.choice([shape] * 12 + [(2, sizes["B"], sizes["L"]), ()])
    tables = [one.name for one in program.inputs if one.shape == (sizes["N"], sizes["D"])]
    if tables and program.chance(0.5):
        table = draw.choice(tables)
    else:
        table = program.numbers((sizes["N"], sizes["D"]))
    places = program.places(shape, sizes["N"])
    wide = f"{places}.reshape(-1, 1).expand(-1, {sizes['D']})"
    texts = [
        f"{table}[{places}]",
        f"{table}[{places}, :]",
        f"embedding({places}, {table})",
        f"functional.embedding({places}, {table}, padding_idx={draw.randrange(sizes['N'])})",
    ]
    if len(shape) == 1:
        texts += [
            f"{table}.index_select(0, {places})",
            f"torch.index_select({table}, -2, {places})",
            # PyTorch reads wrong places where those of 32 bits are expanded.
            f"{table}.gather(0, {wide}.long())",
            f"torch.take_along_dim({table}, {wide}, 0)",
            f"{table}.t()[:, {places}].t()",
            f"{table}.mT.index_select(1, {places}).T",
            f"{table}[{places}, {draw.randrange(sizes['D'])}]",
            f"{table}[:, {program.places((2,), sizes['D'])}][{places}]",
            f"{table}[{places}, {program.places(shape, sizes['D'])}][:, None]",
            f"{table}.unsqueeze(0)[0][{places}]",
            f"{table}[:, None][{places}, :, {program.places(shape, sizes['D'])}]",
            f"{table}[..., None].repeat(1, 1, 3)[{places}, :, {program.places(shape, 3)}]",
        ]
    return program.try_put(draw.choice(texts)) or program.try_put(texts[0])


def operand(program: Expression, value: str) -> str:
    """What a value may be computed with: something that there is, or a new input or lookup."""
    shape = program.shape(value)
    known = [
        name
        for name, other in program.values.items()
        if name[0] in "vx" and _is_broadcast(other.shape, shape)
    ]
    if known and program.chance(0.2):
        return program.draw.choice(known)
    if program.chance(0.4) and len(shape) > 1 and shape[-1] == program.sizes["D"]:
        return lookup(program, shape[:-1]) or value
    kept = tuple(1 if program.chance(0.2) else size for size in shape)
    return program.numbers(kept[program.draw.randrange(len(shape) + 1) :])


def _is_broadcast(shape: Any, to: tuple[int, ...]) -> bool:
    try:
        return tuple(torch.broadcast_shapes(shape, to)) == to
    except RuntimeError:
        return False


def function(program: Expression, value: str) -> str:
    """A function of elements."""
    return program.try_put(program.draw.choice(FUNCTIONS).format(value))


def function_of_two(program: Expression, value: str) -> str:
    """A function of elements of two tensors."""
    text = program.draw.choice(FUNCTIONS_OF_TWO)
    return program.try_put(text.format(value, operand(program, value)))


def along(program: Expression, value: str) -> str:
    """What needs all of a dimension, and keeps it."""
    return program.try_put(program.draw.choice(ALONG).format(value, program.dimension(value)))


def reduction(program: Expression, value: str) -> str:
    """A reduction of a dimension, of some, or of all."""
    dimension: Any = program.dimension(value)
    rank = program.values[value].dim()
    if rank > 2 and program.chance(0.3):
        dimension = tuple(program.draw.sample(range(rank), 2))
    is_kept = program.chance(0.25)
    return program.try_put(program.draw.choice(REDUCTIONS).format(value, dimension, is_kept))


def view(program: Expression, value: str) -> str:
    """The same elements at other indices, or some of them."""
    shape, draw = program.shape(value), program.draw
    if not shape:
        return program.try_put(f"{value}.{draw.choice(('view(1)', 'unsqueeze(0)', 'expand(3)'))}")
    rank, d = len(shape), program.dimension(value)
    e, size = program.dimension(value), shape[d]
    order = draw.sample(range(rank), rank)
    begin = draw.randrange(size + 1)
    half = 2 if size % 2 == 0 else 1
    wide = ", ".join(str(one) for one in (2, *shape))
    texts = [
        f"{value}.unsqueeze({d})",
        f"{value}[None]",
        f"{value}[..., None]",
        f"{value}.transpose({d}, {e})",
        f"{value}.permute({', '.join(map(str, order))})",
        f"torch.movedim({value}, {d}, {e})",
        f"{value}.flatten()",
        f"{value}.flatten({min(d % rank, e % rank)}, {max(d % rank, e % rank)})",
        f"{value}.reshape(-1)",
        f"{value}.reshape(-1, {shape[-1]})",
        f"{value}.unflatten({d}, (-1, {half}))",
        f"{value}.unflatten({d}, ({half}, -1))",
        f"{value}.view({', '.join(map(str, shape))})",
        f"{value}.squeeze({d})",
        f"{value}.squeeze()",
        f"{value}.select({d}, {draw.randrange(-size, size) if size else 0})",
        f"{value}.narrow({d}, {begin}, {size - begin})",
        f"{value}[..., {begin}:]",
        f"{value}[..., : -{begin}]",
        f"{value}[{begin}:]",
        f"{value}[..., ::2]",
        f"{value}[..., 1::2]",
        f"{value}.chunk(2, {d})[{draw.randrange(2)}]",
        f"{value}.split({half}, {d})[-1]",
        f"{value}.unbind({d})[0]",
        f"{value}.tensor_split(2, {d})[0]",
        f"{value}.expand({wide})",
        f"{value}.repeat({', '.join(['2'] + ['1'] * (rank - 1))})",
        f"{value}.mT",
        f"torch.atleast_2d({value})",
        f"{value}.diagonal(0, {d}, {e})",
    ]
    seen = program.try_put(draw.choice(texts))
    if seen and program.values[seen].numel() < program.values[value].numel():
        program.leaves_out = True
    return seen


def product(program: Expression, value: str) -> str:
    """A product with a row, with others, or with a matrix."""
    shape = program.shape(value)
    if not shape:
        return ""
    if program.chance(0.5):
        if len(shape) > 1 and shape[-1] == program.sizes["D"]:
            other = lookup(program, shape[:-1])
        else:
            other = operand(program, value)
        return program.try_put(program.draw.choice(OF_ROWS).format(value, other))
    row = program.numbers(shape[-1:])
    texts = [
        f"{value} @ {row}",
        f"torch.inner({value}, {row})",
        f"torch.tensordot({value}, {row}, dims=1)",
        f"torch.einsum('...d,d->...', {value}, {row})",
    ]
    if len(shape) == 2:
        column = program.numbers(shape[:1])
        texts += [
            f"torch.mv({value}, {row})",
            f"torch.einsum('bd,d->b', {value}, {row})",
            f"torch.einsum('bd,d,b->d', {value}, {row}, {column})",
            f"{column} @ {value}",
            f"functional.linear({value}, {row}[None], {column}[:, None])",
            f"torch.einsum('bd,be->bde', {value}, {value}).sum(-1)",
            f"{value} @ {value}.t()",
        ]
    if len(shape) == 3:
        weights, rows = program.numbers(shape[:2]), program.numbers((shape[0], shape[2]))
        texts += [
            f"torch.einsum('bl,bld->bd', {weights}, {value})",
            f"torch.bmm({weights}.unsqueeze(1), {value}).squeeze(1)",
            f"({weights}[..., None] * {value}).sum(1)",
            f"torch.einsum('bld,bd->bl', {value}, {rows})",
            f"{value} @ {rows}.unsqueeze(2)",
            f"torch.bmm({value}, {value}.transpose(1, 2))",
        ]
    return program.try_put(program.draw.choice(texts))


def converted(program: Expression, value: str) -> str:
    """The same numbers in another type."""
    types = ("double()", "float()", "to(torch.float64)", "type(torch.float32)", "half()", "int()")
    return program.try_put(f"{value}.{program.draw.choice(types)}")


Step = Callable[[Expression, str], str]
STEPS: dict[Step, int] = {
    function: 8,
    function_of_two: 8,
    view: 6,
    reduction: 6,
    product: 4,
    along: 2,
    converted: 1,
}


def _write(program: Expression, value: str) -> None:
    """A write to a value or to an input of numbers."""
    names = [one.name for one in program.inputs if one.dtype.is_floating_point]
    name = program.draw.choice([*names, value])
    if not program.values[name].is_floating_point():
        return
    program.lines.append(program.draw.choice(WRITES).format(name))
    program.copies_leaves = True


def _steps(program: Expression, value: str) -> Iterator[str]:
    for _ in range(program.draw.randint(1, MOST_STEPS)):
        step = program.draw.choices(list(STEPS), list(STEPS.values()))[0]
        value = step(program, value) or value
        yield value
        if program.chance(0.03):
            _write(program, value)


def drawn_expression(draw: random.Random) -> Program:
    """A program of one or two of them."""
    sizes = {
        "N": draw.choice((3, 5, 9)),
        "B": draw.choice((1, 2, 3, 4, 4, 7, 7)),
        "L": draw.choice((1, 2, 3, 5)),
        "D": draw.choice((1, 2, 4, 4, 6, 8)),
    }
    if draw.random() < 0.03:
        sizes[draw.choice("BL")] = 0
    dtype = draw.choices(FLOATS, (60, 34, 3, 3))[0]
    program = Expression(draw, copies_leaves=False, of="expressions", dtype=dtype, sizes=sizes)
    for _ in range(1 if program.chance(0.8) else 2):
        value = lookup(program)
        for found in _steps(program, value):
            value = found
        if program.values[value].dim() > 1:
            value = reduction(program, value) or value
        program.results.append(value)
    if program.chance(0.08) and not program.leaves_out:
        _misplace(program)
    return program


def _misplace(program: Expression) -> None:
    """Makes places that count from the end, or are none."""
    number, places = program.draw.choice(
        [(k, one) for k, one in enumerate(program.inputs) if one.name.startswith("i")]
    )
    first, last = places.bounds or (0, 1)
    bounds = program.draw.choice([(first - last, last), (first, last + 2)])
    program.inputs[number] = replace(places, bounds=bounds)
