"""A small function of each kind of region, and its graph as torch.compile captures it.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.fx import GraphModule

NODES, EDGES, LENGTH, ROWS = 60, 300, 16, 100

_draw = torch.Generator().manual_seed(2)


def _random(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=_draw)


def _below(most: int, *shape: int) -> Tensor:
    return torch.randint(0, most, shape, generator=_draw)


def _wide(index: Tensor) -> Tensor:
    return index.view(-1, 1).expand(-1, LENGTH)


def _mean(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    sums = torch.zeros(NODES, LENGTH).index_add(0, target, x[source])
    count = torch.zeros(NODES).index_add(0, target, torch.ones(EDGES))
    return sums / count.clamp(min=1).view(-1, 1)


def _softmax(scores: Tensor, target: Tensor) -> Tensor:
    most = torch.zeros(NODES).scatter_reduce(0, target, scores, "amax", include_self=False)
    powers = (scores - most.index_select(0, target)).exp()
    sums = torch.zeros(NODES).scatter_add(0, target, powers) + 1e-16
    return powers / sums.index_select(0, target)


def _onto(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    base = x * 2
    base.index_add_(0, target, x[source])
    return base + 1


def _masked(ids: Tensor, table: Tensor) -> Tensor:
    keep = (ids != 0) & (torch.arange(ids.shape[1])[None] < 7)
    return (functional.embedding(ids, table) * keep.unsqueeze(-1)).sum(1)


def _side_by_side(ids: Tensor, one: Tensor, other: Tensor) -> Tensor:
    columns = [functional.embedding(ids[:, 0], one), functional.embedding(ids[:, 1], other)]
    return torch.cat([*columns, functional.embedding_bag(ids, one), one[: len(ids)]], 1)


def _pairs(rows: Tensor) -> Tensor:
    first, second = torch.tril_indices(10, 10, -1)
    return torch.bmm(rows, rows.transpose(1, 2))[:, first, second]


def _scores(keys: Tensor, index: Tensor, queries: Tensor) -> Tensor:
    chosen = keys.gather(1, index.unsqueeze(-1).expand(-1, -1, LENGTH))
    return queries @ chosen.transpose(1, 2)


_X, _SOURCE, _TARGET = _random(NODES, LENGTH), _below(NODES, EDGES), _below(NODES, EDGES)
_WEIGHT, _LAYER = _random(EDGES).abs(), _random(8, LENGTH)
_IDS, _TABLE, _OTHER = _below(ROWS, 32, 10), _random(ROWS, LENGTH), _random(ROWS, LENGTH)
_EDGES, _CUTS = torch.stack([_SOURCE, _TARGET]), torch.tensor([0, 3, 3, 20, 32])

GRAPHS: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "weighted sum over edges": (
        lambda x, s, t, w: torch.zeros(NODES, LENGTH).index_add(0, t, w.view(-1, 1) * x[s]),
        (_X, _SOURCE, _TARGET, _WEIGHT),
    ),
    "sum over edges in place": (
        lambda x, s, t: x.new_zeros(NODES, LENGTH).scatter_add_(0, _wide(t), x.index_select(0, s)),
        (_X, _SOURCE, _TARGET),
    ),
    "mean over edges": (_mean, (_X, _SOURCE, _TARGET)),
    "maximum over edges": (
        lambda x, s, t: torch.zeros(NODES, LENGTH).scatter_reduce(
            0, _wide(t), x[s], "amax", include_self=False
        ),
        (_X, _SOURCE, _TARGET),
    ),
    "layer of sums": (
        lambda x, s, t, layer, b: functional.linear(
            torch.zeros(NODES, LENGTH).index_add(0, t, x[s]) + 1.5 * x, layer, b
        ),
        (_X, _SOURCE, _TARGET, _LAYER, _random(8)),
    ),
    "sums with what is added": (
        lambda x, s, t: torch.zeros(NODES, LENGTH).index_add(0, t, x[s]) + 0.5 * x,
        (_X, _SOURCE, _TARGET),
    ),
    "sums onto values": (_onto, (_X, _SOURCE, _TARGET)),
    "softmax over edges": (_softmax, (_WEIGHT, _TARGET)),
    "score of triples": (
        lambda x, r, s, t, k: (x[s] * r[k] * x[t]).sum(-1),
        (_X, _random(9, LENGTH), _SOURCE, _TARGET, _below(9, EDGES)),
    ),
    "norms of differences": (
        lambda x, s, t: -(functional.normalize(x[s], dim=-1) - x[t]).norm(dim=-1),
        (_X, _SOURCE, _TARGET),
    ),
    "bag": (lambda ids, table: functional.embedding_bag(ids, table), (_IDS, _TABLE)),
    "bag by a mask": (_masked, (_IDS, _TABLE)),
    "maxima of lookups": (
        lambda i, table: functional.embedding(i, table).max(1)[0],
        (_IDS, _TABLE),
    ),
    "tables side by side": (_side_by_side, (_IDS, _TABLE, _OTHER)),
    "sum of lookups": (
        lambda i, one, other: (
            functional.embedding(i.repeat(60, 1), one)
            + functional.embedding(i.repeat(60, 1), other) * 2
        ),
        (_IDS, _TABLE, _OTHER),
    ),
    "segments": (
        lambda x, s: torch.segment_reduce(
            x[s], "sum", offsets=torch.arange(0, EDGES + 1, 10, dtype=s.dtype)
        ),
        (_X, _SOURCE),
    ),
    "selection": (lambda edges: edges[:, edges[0] != edges[1]], (_EDGES,)),
    "scores of blocks": (
        _scores,
        (_random(2, 40, LENGTH), _below(40, 2, 12), _random(2, 3, LENGTH)),
    ),
    "values of blocks": (
        lambda keys, index, shares: (
            shares @ keys.gather(1, index.unsqueeze(-1).expand(-1, -1, LENGTH))
        ),
        (_random(2, 40, LENGTH), _below(40, 2, 12), _random(2, 3, 12)),
    ),
    "gathered blocks": (
        lambda keys, index: keys.gather(1, index.unsqueeze(-1).expand(-1, -1, LENGTH)) * 2,
        (_random(2, 40, LENGTH), _below(40, 2, 12)),
    ),
    "quantised bag": (
        lambda rows, ids, offsets: torch.ops.quantized.embedding_bag_byte_rowwise_offsets(
            rows, ids, offsets, include_last_offset=True
        ),
        (torch.ops.quantized.embedding_bag_byte_prepack(_random(ROWS, LENGTH)), _IDS[:, 0], _CUTS),
    ),
    "pairs": (_pairs, (_random(32, 10, LENGTH),)),
    "heads": (
        lambda x, a: (x.view(-1, 4, LENGTH // 4) * a).sum(-1),
        (_X, _random(1, 4, LENGTH // 4)),
    ),
    "products with looked-up rows": (
        lambda x, n, s: (x[s[:50]].unsqueeze(1) * x[n]).sum(-1),
        (_X, _below(NODES, 50, 20), _SOURCE),
    ),
}


@dataclass
class Captured:
    """A graph as torch.compile captures it, and what it was called with."""

    module: GraphModule
    inputs: tuple[Any, ...]

    def copies(self) -> list[Any]:
        """The inputs for a call, which may change them."""
        return [one.clone() if isinstance(one, Tensor) else one for one in self.inputs]


def captured(function: Callable[..., Any], *arguments: Tensor) -> Captured:
    """The one graph of a call of a function."""
    modules: list[GraphModule] = []
    inputs: list[tuple[Any, ...]] = []

    def backend(module: GraphModule, examples: Sequence[Any]) -> Callable[..., Any]:
        modules.append(module)

        def run(*given: Any) -> Any:
            inputs.append(given)
            return copy.deepcopy(module)(*Captured(module, given).copies())

        return run

    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        torch.compile(function, backend=backend, dynamic=False)(*arguments)
    (module,), (given,) = modules, inputs
    return Captured(module, given)
