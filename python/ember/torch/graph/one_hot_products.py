"""Products of one-hot rows as what they are: rows of a table, and sums of rows at places.

    one_hot(places, n).float() @ table                  table[places]
    one_hot(places, n).float().t() @ rows               zeros(n, length).index_add(0, places, rows)
    einsum("be,ebd->bd", one_hot(places, n), tables)    tables[places, arange(b)]
    (one_hot(bags, n) * w[..., None]).sum(1) @ table    (table[bags] * w[..., None]).sum(1)

Rows of places[:, None] == arange(n) are such, too, but that those of what is no class are zeros,
and zeros(b, n).scatter_add(1, bags, w) is a sum of such with weights. All are read as one product
by letters, as torch.einsum has it, of which the classes are one letter: where it is summed, what
has it is looked up in; where it is one of the result's, rows are added at places.

PyTorch multiplies by all of the zeros: where an element of a matrix is not finite, that makes NaN
of its column in all rows, and here of none but its own.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Graph, Node

from ember.torch.element_types import INDEX_TYPES, SUM_TYPES
from ember.torch.graph.contractions import Einsum, product_at
from ember.torch.graph.linear_before_sum import Reordered, call_like
from ember.torch.graph.movement import may_change_between
from ember.torch.graph.operations import (
    called_name,
    likely_sizes,
    linear_layer,
    read,
    same_number,
    sizes_of,
    tensor_of,
)
from ember.torch.graph.region import erase_unused
from ember.torch.graph.remembered import forget
from ember.torch.graph.single_operations import dtype_of, is_view
from ember.torch.translate.values import is_one

_CONVERSIONS = ("double", "float", "to", "type", "type_as")
_TRANSPOSES = ("T", "mT", "t", "transpose", "swapaxes", "swapdims")
# The letter of the classes; those of the dimensions of places come before.
_CLASSES = "z"
Term = tuple[str, Node]


@dataclass(frozen=True)
class _OneHot:
    """A node of one-hot rows, times weights, and summed along some dimensions of the places.

    letters: of the node's dimensions. dimensions: of those of the places, as they lie. weights:
    with their letters. behind: what made it of the places. is_compared: whether these are compared
    with the numbers of all classes, and may have a dimension of one element for that: what is no
    class is no error then.
    """

    node: Node
    places: Node
    classes: Any
    letters: str
    dimensions: str
    weights: tuple[Term, ...] = ()
    behind: frozenset[Node] = frozenset()
    is_compared: bool = False

    @property
    def is_of_ones(self) -> bool:
        """Whether its elements are zeros and ones."""
        return not self.weights and len(self.letters) > len(self.dimensions)

    def call(self, kind: str, matrix: Node, like: Node) -> Node:
        """An operator of such rows and a matrix, where the program has `like`."""
        places = self.places
        if len(sizes_of(places)) > len(self.dimensions):
            places = _call(like, torch.flatten, places, -2)
        operator = getattr(torch.ops.ember, f"class_{kind}").default
        return _call(like, operator, places, self.classes, matrix, self.is_compared)


def put_one_hot_products(graph: Graph) -> list[Reordered]:
    """Makes products of one-hot rows with matrices lookups and scatters; returns what was made."""
    found = []
    for node in list(graph.nodes):
        one_hot = _one_hot_at(node)
        for hot, product in () if one_hot is None else _products(one_hot):
            given = (*node.all_input_nodes, *(weight for _, weight in hot.weights), *hot.behind)
            if may_change_between(given, node, product):
                continue
            with graph.inserting_before(product):
                made = _product(hot, product)
            if made is None:
                continue
            made.meta.update(product.meta)
            product.replace_all_uses_with(made)
            found.append(Reordered(f"{made.name}, a product of one-hot rows, by places", [made]))
            erase_unused({product, *hot.behind})
            forget()
    return found


def _one_hot_at(node: Node) -> _OneHot | None:
    """The one-hot rows that a node makes; None if it makes none."""
    name, operands = called_name(node), node.all_input_nodes
    if name == "eq" and len(operands) == 2:
        return _compared(node, *operands) or _compared(node, *reversed(operands))
    if name == "scatter_add":
        return _counted_at(node)
    if name != "one_hot":
        return None
    given = node.args[1:] or node.kwargs.get("num_classes", -1)
    classes = given[0] if isinstance(given, tuple) else given
    # Without a number of classes, elements say how many there are.
    return None if classes == -1 else _made(node, operands[0], classes)


def _made(node: Node, places: Node, classes: Any, is_compared: bool = False) -> _OneHot:
    """Rows with the classes behind the dimensions of places."""
    dimensions = string.ascii_lowercase[: len(sizes_of(node)) - 1]
    return _OneHot(
        node,
        places,
        classes,
        dimensions + _CLASSES,
        dimensions,
        (),
        frozenset((node,)),
        is_compared,
    )


def _compared(node: Node, places: Node, numbers: Node) -> _OneHot | None:
    """Places that are compared with the numbers of all classes."""
    classes = _counted(numbers)
    whole, alone, sizes = sizes_of(node), sizes_of(places), sizes_of(numbers)
    if classes is None or dtype_of(places) not in INDEX_TYPES or not alone:
        return None
    rows = _made(node, places, classes, is_compared=True)
    *others, last = map(is_one, alone)
    if len(alone) == len(whole) > 1 and last and not is_one(sizes[-1]):
        return rows
    is_column = len(whole) == 2 and is_one(sizes[-1]) and all(others)
    return replace(rows, letters=rows.letters[::-1]) if is_column else None


def _counted_at(node: Node) -> _OneHot | None:
    """Numbers that are added to zeros, at places along the last of two dimensions: one-hot rows of
    all places times these numbers, where they are fewer than the classes."""
    operation = read(node)
    if operation is None or operation.in_place:
        return None
    onto, places, weights = (operation.get(name) for name in ("self", "index", "src"))
    zeros = read(onto) if isinstance(onto, Node) else None
    sizes, alone, given = sizes_of(node), sizes_of(places), sizes_of(weights)
    if zeros is None or zeros.name not in ("zeros", "new_zeros") or len(sizes) != 2:
        return None
    size = zeros.get("size")
    are_all = all(map(same_number, (*alone, sizes[0]), (*given, alone[0])))
    is_last = operation.get("dim") in (1, -1)
    if not isinstance(size, tuple | list) or len(size) != 2 or not is_last or not are_all:
        return None
    if likely_sizes(alone)[1] > likely_sizes(sizes)[1]:
        return None
    rows = _OneHot(node, places, size[1], "a" + _CLASSES, "ab", (("ab", weights),))
    return replace(rows, behind=frozenset((node, onto)))


def _counted(numbers: Node) -> Any:
    """How many numbers from 0 on lie along the one dimension of a tensor that has several elements;
    None for anything else."""
    several = [size for size in sizes_of(numbers) if not is_one(size)]
    if len(several) != 1 or dtype_of(numbers) not in INDEX_TYPES:
        return None
    if is_view(numbers):
        count = _counted(numbers.all_input_nodes[0])
    else:
        given = numbers.args if called_name(numbers) == "arange" else ()
        is_from_0 = given[:-1] == () or (given[:1] == (0,) and given[2:] in ((), (1,)))
        count = (0, *given)[:3][-1] if is_from_0 else None
    return count if same_number(count, several[0]) else None


def _products(hot: _OneHot) -> Iterator[tuple[_OneHot, Node]]:
    """What may be products of it, with the form that it has there."""
    for user in list(hot.node.users):
        tensor = tensor_of(user)
        if tensor is None or tensor.dtype not in (*SUM_TYPES, torch.int64, torch.bool):
            continue
        form = _form(hot, user)
        if form is not None:
            yield from _products(replace(form, node=user, behind=hot.behind | {user}))
        elif tensor.dtype in SUM_TYPES:
            yield hot, user


def _form(hot: _OneHot, user: Node) -> _OneHot | None:
    """What a user makes of one-hot rows, where it is such rows, too."""
    name, is_first = called_name(user), user.all_input_nodes[0] is hot.node
    if is_first and name in _CONVERSIONS:
        is_exact = dtype_of(user) in SUM_TYPES and not hot.weights
        return hot if is_exact or hot.is_of_ones or dtype_of(user) is dtype_of(hot.node) else None
    if is_first and name in _TRANSPOSES and len(hot.letters) == 2:
        return replace(hot, letters=hot.letters[::-1])
    operation = read(user)
    if operation is None or operation.in_place:
        return None
    if operation.name == "mul":
        return _weighted(hot, user, operation.get("self"), operation.get("other"))
    if operation.name == "sum" and is_first:
        return _summed(hot, user, operation.get("dim"))
    return None


def _weighted(hot: _OneHot, product: Node, one: Any, other: Any) -> _OneHot | None:
    """Rows times numbers that are the same for all classes."""
    weights = other if one is hot.node else one
    sizes, whole = sizes_of(weights), sizes_of(hot.node)
    if (
        not isinstance(weights, Node)
        or dtype_of(weights) not in SUM_TYPES
        or dtype_of(product) is not dtype_of(weights)
    ):
        return None
    place = hot.letters.index(_CLASSES)
    is_whole = len(sizes) == len(whole) == len(sizes_of(product))
    if not is_whole or not is_one(sizes[place]) or is_one(whole[place]):
        return None
    if not all(map(same_number, sizes[:place], whole)):
        return None
    if not all(map(same_number, sizes[place + 1 :], whole[place + 1 :])):
        return None
    # The letter of one class: it is none where the product is written down.
    return replace(hot, weights=(*hot.weights, (hot.letters.replace(_CLASSES, "-"), weights)))


def _summed(hot: _OneHot, sums: Node, given: Any) -> _OneHot | None:
    """Sums of rows along dimensions of the places."""
    along = given if isinstance(given, tuple | list) else (given,)
    if not all(isinstance(one, int) for one in along):
        return None
    letters = {hot.letters[one] for one in along}
    kept = "".join(one for one in hot.letters if one not in letters)
    return (
        replace(hot, letters=kept)
        if len(kept) == len(sizes_of(sums)) and _CLASSES in kept
        else None
    )


def _product(hot: _OneHot, product: Node) -> Node | None:
    """What a product is instead; None for anything else."""
    told, weights = product_at(product), [weight for _, weight in hot.weights]
    operands = (*product.all_input_nodes, *weights)
    if told is None or not all(_has_elements_of(product, one) for one in operands):
        return None
    made = _contracted(hot, told, product)
    layer = linear_layer(product)
    if made is None or layer is None or layer[2] is None:
        return made
    return _call(product, torch.add, made, layer[2])


def _contracted(hot: _OneHot, told: Einsum, product: Node) -> Node | None:
    """The same of a product by letters."""
    pairs = list(zip(told.letters, told.operands, strict=True))
    own, _ = pairs.pop(told.operands.index(hot.node))
    if not _are_of_equal_sizes([(own, hot.node), *pairs]):
        return None
    letters = dict(zip(hot.letters, own, strict=True))
    unused = (one for one in string.ascii_letters if not any(one in own for own in told.letters))
    for one in hot.dimensions:
        letters.setdefault(one, next(unused))
    places, classes = "".join(letters[one] for one in hot.dimensions), letters[_CLASSES]
    weights = [("".join(letters.get(one, "") for one in of), node) for of, node in hot.weights]
    given = set("".join(of for of, _ in (*pairs, *weights)))
    rest = told.result.replace(classes, "")
    if classes in told.result:
        # Of places that are none of the result's dimensions, and all of which have rows.
        is_sum = len(rest) < 2 and given.issuperset(places) and not set(places) & set(rest)
        if classes in given or not is_sum:
            return None
    elif classes not in given:
        return None

    def multiplied(terms: Sequence[Term], result: str) -> Node:
        if len(terms) == 1 and terms[0][0] == result:
            return terms[0][1]
        equation = f"{','.join(of for of, _ in terms)}->{result}"
        return _call(product, torch.einsum, equation, *(node for _, node in terms))

    for place, (of, weight) in enumerate(hot.weights):
        if "-" in of:
            pairs.append((weights[place][0], _call(product, torch.squeeze, weight, of.index("-"))))
        else:
            pairs.append(weights[place])
    if classes not in told.result:
        found = [
            _looked_up(hot, classes, places, term, product) if classes in term[0] else term
            for term in pairs
        ]
        return multiplied(found, told.result)
    rows = multiplied(pairs, places + rest)
    sums = hot.call("sums", rows if rest else _call(product, torch.unsqueeze, rows, -1), product)
    if not rest:
        return _call(product, torch.squeeze, sums, -1)
    return multiplied([(classes + rest, sums)], told.result)


def _looked_up(hot: _OneHot, classes: str, places: str, term: Term, product: Node) -> Term:
    """What a factor that has classes has of those of all places, or each place's own of them."""
    letters, table = term
    shared = "".join(one for one in places if one in letters)
    rest = "".join(one for one in letters if one not in classes + shared)
    order = [letters.index(one) for one in classes + shared + rest]

    if order != sorted(order):
        table = _call(product, torch.permute, table, order)
    if not shared:
        return places + rest, hot.call("rows", table, product)
    for place, one in enumerate(places):
        if one not in shared:
            table = _call(product, torch.unsqueeze, table, place + 1)
    return places + rest, hot.call("rows_along", table, product)


def _call(like: Node, target: Callable[..., Any], *arguments: Any) -> Node:
    """A call where the program has `like`."""
    return call_like(like.graph, like, target, arguments, {})


def _are_of_equal_sizes(terms: Sequence[Term]) -> bool:
    """Whether letters have one size each, and nothing is broadcast."""
    sizes: dict[str, Any] = {}
    for letters, node in terms:
        for one, size in zip(letters, sizes_of(node), strict=True):
            if not same_number(sizes.setdefault(one, size), size):
                return False
    return True


def _has_elements_of(product: Node, operand: Node) -> bool:
    """Whether an operand has the type of the product, as it has not under autocast."""
    one, other = tensor_of(product), tensor_of(operand)
    return one is not None and other is not None and one.dtype is other.dtype
