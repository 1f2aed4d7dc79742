"""Operations of graph networks, each in several words that mean the same.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable

import torch
import torch.nn.functional as functional
from spelled_operations import Operation, numbers, places
from torch import Tensor

NODES, EDGES, LENGTH, HEADS, RELATIONS = 40, 60, 8, 2, 3
Graph = tuple[Tensor, ...]


def _graph() -> Graph:
    """Rows of nodes, sources and targets."""
    return numbers(NODES, LENGTH), places(NODES, EDGES), places(NODES, EDGES, seed=1)


def _weighted() -> Graph:
    return *_graph(), numbers(EDGES).abs()


def _wide(target: Tensor, x: Tensor) -> Tensor:
    return target.unsqueeze(1).expand(-1, x.size(1))


def _added(x: Tensor, target: Tensor, messages: Tensor) -> Tensor:
    return torch.zeros(x.shape[0], messages.shape[1], dtype=x.dtype).index_add(0, target, messages)


# Sums.


def _sum_in_place(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    out = x.new_zeros(x.size())
    out.scatter_add_(0, target.view(-1, 1).expand_as(x[source]), x[source])
    return out


def _sum_put_in_place(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    out = torch.zeros_like(x)
    out.index_put_([target], torch.index_select(x, dim=-2, index=source), accumulate=True)
    return out


def _sum_by_sparse(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    ones = torch.ones(source.numel(), dtype=x.dtype)
    size = (x.size(0), x.size(0))
    return torch.sparse.mm(torch.sparse_coo_tensor(torch.stack([target, source]), ones, size), x)


def _sum_by_mask(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    is_target = target[None, :] == torch.arange(x.shape[0])[:, None]
    return is_target.to(x.dtype) @ functional.embedding(source, x)


def _sum_by_columns(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    def column(values: Tensor) -> Tensor:
        return torch.zeros_like(values).index_add(0, target, values[source])

    return torch.vmap(column, in_dims=1, out_dims=1)(x)


SUM = Operation(
    _graph,
    {
        "index_add": lambda x, s, t: torch.zeros_like(x).index_add(0, t, x[s]),
        "scatter_add": lambda x, s, t: torch.zeros_like(x).scatter_add(
            0, _wide(t, x), x.index_select(0, s)
        ),
        "scatter_add_": _sum_in_place,
        "index_put_": _sum_put_in_place,
        "scatter_reduce": lambda x, s, t: x.new_zeros(x.shape).scatter_reduce(
            0, t[:, None].repeat(1, x.shape[1]), x[s, :], "sum"
        ),
        "by columns": lambda x, s, t: (
            torch.zeros_like(x.t()).index_add(1, t, x.t()[:, s]).transpose(0, 1)
        ),
        "sparse": _sum_by_sparse,
        "one-hot rows": lambda x, s, t: functional.one_hot(t, x.shape[0]).T.to(x.dtype) @ x[s],
        "mask": _sum_by_mask,
        "einsum of one-hot rows": lambda x, s, t: torch.einsum(
            "en,ed->nd", functional.one_hot(t, x.shape[0]).double(), x[s]
        ),
        "vmap": _sum_by_columns,
        "one edge a row": lambda x, s, t: torch.zeros_like(x).index_add(
            0, t, x[s][:, None, :].squeeze(1)
        ),
        "gather": lambda x, s, t: torch.zeros_like(x).index_add(
            -2, t, torch.gather(x, 0, _wide(s, x))
        ),
    },
)


# Sums with weights, as of GCN.


def _degrees(target: Tensor, nodes: int) -> Tensor:
    return torch.zeros(nodes, dtype=torch.float64).index_add(
        0, target, torch.ones_like(target, dtype=torch.float64)
    )


def _gcn(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    scale = _degrees(target, x.shape[0]).clamp(min=1).pow(-0.5)
    return _added(x, target, (scale[source] * scale[target])[:, None] * x[source])


def _gcn_of_nodes(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    scale = _degrees(target, x.shape[0]).clamp(min=1).rsqrt().unsqueeze(-1)
    return scale * _added(x, target, (scale * x)[source])


def _gcn_counted(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    scale = torch.bincount(target, minlength=x.shape[0]).clamp(min=1).to(x.dtype) ** -0.5
    norm = scale.index_select(0, source) * scale.index_select(0, target)
    return torch.zeros_like(x).scatter_add(0, _wide(target, x), x[source] * norm.view(-1, 1))


def _weighted_sparse(x: Tensor, s: Tensor, t: Tensor, w: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(torch.stack((t, s)), w, (x.size(0), x.size(0))) @ x


WEIGHTED_SUM = Operation(
    _weighted,
    {
        "product": lambda x, s, t, w: _added(x, t, x[s] * w[:, None]),
        "einsum": lambda x, s, t, w: _added(x, t, torch.einsum("ed,e->ed", x[s], w)),
        "transposed": lambda x, s, t, w: _added(x, t, (x[s].T * w).T),
        "scatter_add": lambda x, s, t, w: torch.zeros_like(x).scatter_add(
            0, _wide(t, x), w.view(-1, 1).mul(x.index_select(0, s))
        ),
        "expanded": lambda x, s, t, w: torch.zeros_like(x).index_put(
            (t,), torch.mul(w.unsqueeze(-1).expand(-1, x.shape[1]), x[s]), accumulate=True
        ),
        "sparse": _weighted_sparse,
        "vmap": lambda x, s, t, w: _added(x, t, torch.vmap(torch.mul)(x[s], w)),
        "divided": lambda x, s, t, w: _added(x, t, x[s] / (1 / w).reshape(-1, 1)),
        "one-hot rows": lambda x, s, t, w: torch.einsum(
            "en,e,ed->nd", functional.one_hot(t, x.shape[0]).to(w), w, x[s]
        ),
        "scaled one-hot rows": lambda x, s, t, w: (
            (functional.one_hot(t, x.size(0)) * w[:, None]).T @ x[s]
        ),
    },
)
GCN = Operation(
    _graph,
    {
        "of edges": _gcn,
        "of nodes": _gcn_of_nodes,
        "counted": _gcn_counted,
    },
)


# Means.


def _mean_reduced(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter_reduce(
        0, _wide(target, x), x[source], "mean", include_self=False
    )


def _mean_with_ones(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    ones = torch.ones(source.shape[0], 1, dtype=x.dtype)
    both = torch.zeros(x.shape[0], x.shape[1] + 1, dtype=x.dtype).index_add(
        0, target, torch.cat([x[source], ones], dim=1)
    )
    return both[:, :-1] / both[:, -1:].clamp(min=1)


def _mean_of_mask(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    adjacent = functional.one_hot(target, x.shape[0]).T.to(x.dtype)
    return (adjacent @ x[source]) / adjacent.sum(1, keepdim=True).clamp(min=1)


MEAN = Operation(
    _graph,
    {
        "divided": lambda x, s, t: (
            _added(x, t, x[s]) / _degrees(t, x.shape[0]).clamp(min=1)[:, None]
        ),
        "scatter_reduce": _mean_reduced,
        "index_reduce": lambda x, s, t: torch.zeros_like(x).index_reduce(
            0, t, x[s], "mean", include_self=False
        ),
        "bincount": lambda x, s, t: (
            _added(x, t, x[s]) / torch.bincount(t, minlength=x.shape[0]).clamp(min=1).unsqueeze(-1)
        ),
        "counts of columns": lambda x, s, t: (
            _added(x, t, x[s]) / _added(x, t, torch.ones_like(x[s])).clamp_min(1)
        ),
        "inverse counts": lambda x, s, t: _added(
            x, t, x[s] * _degrees(t, x.shape[0]).reciprocal()[t].unsqueeze(1)
        ),
        "with ones": _mean_with_ones,
        "one-hot rows": _mean_of_mask,
    },
)


# Maxima.


def _filled_max(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    least = torch.full_like(x, -float("inf")).scatter_reduce(0, _wide(target, x), x[source], "amax")
    return torch.where(least.isinf(), 0.0, least)


def _max_of_mask(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    is_target = target[None, :] == torch.arange(x.shape[0])[:, None]
    each = torch.where(is_target[:, :, None], x[source][None], -float("inf")).amax(1)
    return each.masked_fill(each == -float("inf"), 0)


MAXIMUM = Operation(
    _graph,
    {
        "scatter_reduce": lambda x, s, t: torch.zeros_like(x).scatter_reduce(
            0, _wide(t, x), x[s], "amax", include_self=False
        ),
        "index_reduce": lambda x, s, t: x.new_zeros(x.shape).index_reduce(
            0, t, x.index_select(0, s), "amax", include_self=False
        ),
        "filled": _filled_max,
        "negative minimum": lambda x, s, t: (
            -torch.zeros_like(x).scatter_reduce(0, _wide(t, x), -x[s], "amin", include_self=False)
        ),
        "mask": _max_of_mask,
    },
)


# GraphSAGE, GIN and GINE.


def _layers() -> Graph:
    return *_graph(), numbers(4, LENGTH, seed=2), numbers(4, LENGTH, seed=3)


SAGE = Operation(
    _layers,
    {
        "two layers": lambda x, s, t, W, U: (
            functional.linear(_mean_reduced(x, s, t), W) + functional.linear(x, U)
        ),
        "products": lambda x, s, t, W, U: _mean_reduced(x, s, t) @ W.T + x @ U.T,
        "one layer": lambda x, s, t, W, U: functional.linear(
            torch.cat([_mean_reduced(x, s, t), x], 1), torch.cat([W, U], 1)
        ),
        "addmm": lambda x, s, t, W, U: torch.addmm(x @ U.t(), _mean_reduced(x, s, t), W.t()),
        "einsum": lambda x, s, t, W, U: (
            torch.einsum("nd,fd->nf", _mean_reduced(x, s, t), W) + torch.einsum("nd,fd->nf", x, U)
        ),
        "layer first": lambda x, s, t, W, U: _mean_reduced(x @ W.T, s, t) + x @ U.T,
    },
)


def _self_loops(x: Tensor, source: Tensor, target: Tensor) -> Tensor:
    loops = torch.arange(x.shape[0])
    return _added(x, torch.cat([target, loops]), x[torch.cat([source, loops])])


GIN = Operation(
    _graph,
    {
        "sum": lambda x, s, t: x + torch.zeros_like(x).index_add(0, t, x[s]),
        "onto": lambda x, s, t: x.index_add(0, t, x[s]),
        "scatter_add onto": lambda x, s, t: x.clone().scatter_add_(0, _wide(t, x), x[s]),
        "self loops": _self_loops,
        "one plus eps": lambda x, s, t: (
            torch.tensor(1.0) * x + x.new_zeros(x.shape).scatter_reduce(0, _wide(t, x), x[s], "sum")
        ),
    },
)


def _edge_rows() -> Graph:
    return *_graph(), numbers(EDGES, LENGTH)


GINE = Operation(
    _edge_rows,
    {
        "relu": lambda x, s, t, e: _added(x, t, functional.relu(x[s] + e)),
        "clamp": lambda x, s, t, e: _added(x, t, (x[s] + e).clamp_min(0)),
        "maximum": lambda x, s, t, e: _added(
            x, t, torch.maximum(x[s] + e, torch.zeros((), dtype=x.dtype))
        ),
        "where": lambda x, s, t, e: _added(x, t, torch.where(x[s] + e > 0, x[s] + e, 0.0)),
        "mask": lambda x, s, t, e: _added(x, t, (e + x[s]) * (e + x[s] > 0)),
        "threshold": lambda x, s, t, e: _added(x, t, functional.threshold(e.add(x[s]), 0, 0)),
        "in place": lambda x, s, t, e: _added(x, t, x[s].add_(e).relu_()),
    },
)


# Attention.


def _attention() -> Graph:
    return *_graph(), numbers(NODES, seed=4), numbers(NODES, seed=5)


def _scores(s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    return functional.leaky_relu(left[s] + right[t], 0.2)


def _greatest(scores: Tensor, t: Tensor, nodes: int) -> Tensor:
    return torch.full((nodes,), -torch.inf, dtype=scores.dtype).scatter_reduce(
        0, t, scores.detach(), "amax"
    )


def _gat(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    scores = _scores(s, t, left, right)
    powers = (scores - _greatest(scores, t, x.shape[0])[t]).exp()
    sums = torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, t, powers)
    return _added(x, t, (powers / sums[t])[:, None] * x[s])


def _gat_plainly(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    powers = torch.exp(_scores(s, t, left, right))
    sums = x.new_zeros(x.size(0)).scatter_add(0, t, powers)
    return _added(x, t, x[s] * (powers / sums.index_select(0, t)).unsqueeze(-1))


def _gat_divided_last(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    powers = _scores(s, t, left, right).exp().view(-1, 1)
    sums = torch.zeros(x.shape[0], 1, dtype=x.dtype).index_add(0, t, powers)
    return _added(x, t, powers * x[s]) / sums.clamp(min=1e-16)


def _gat_of_logarithms(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    scores = _scores(s, t, left, right)
    sums = torch.zeros(x.shape[0], dtype=x.dtype).index_add(0, t, scores.exp()).log()
    return _added(x, t, torch.einsum("e,ed->ed", (scores - sums[t]).exp(), x[s]))


def _gat_by_where(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    raw = left.take(s) + right.take(t)
    scores = torch.where(raw > 0, raw, raw * 0.2)
    powers = torch.exp(scores - _greatest(scores, t, x.shape[0]).gather(0, t))
    sums = torch.zeros(x.shape[0], dtype=x.dtype).scatter_add_(0, t, powers) + 1e-16
    return torch.zeros_like(x).index_add_(0, t, powers.div(sums[t])[:, None].mul(x[s]))


def _gat_of_mask(x: Tensor, s: Tensor, t: Tensor, left: Tensor, right: Tensor) -> Tensor:
    is_target = t[None, :] == torch.arange(x.shape[0])[:, None]
    scores = _scores(s, t, left, right)[None].masked_fill(~is_target, -1e30)
    return (scores.softmax(1) * is_target) @ x[s]


GAT = Operation(
    _attention,
    {
        "greatest taken away": _gat,
        "plain powers": _gat_plainly,
        "divided last": _gat_divided_last,
        "logarithms": _gat_of_logarithms,
        "where": _gat_by_where,
        "mask": _gat_of_mask,
    },
)


def _heads() -> Graph:
    wide = [numbers(NODES, HEADS * LENGTH, seed=seed) for seed in range(2)]
    return *wide, places(NODES, EDGES), places(NODES, EDGES, seed=1)


def _in_heads(q: Tensor) -> Tensor:
    return q.view(-1, HEADS, LENGTH)


HEAD_SCORES = Operation(
    _heads,
    {
        "product": lambda q, k, s, t: (_in_heads(q)[t] * _in_heads(k)[s]).sum(-1),
        "views of rows": lambda q, k, s, t: (_in_heads(q[t]) * _in_heads(k[s])).sum(dim=2),
        "einsum": lambda q, k, s, t: torch.einsum("ehc,ehc->eh", _in_heads(q)[t], _in_heads(k)[s]),
        "bmm": lambda q, k, s, t: torch.bmm(
            q[t].reshape(-1, 1, LENGTH), k[s].reshape(-1, LENGTH, 1)
        ).view(-1, HEADS),
        "heads one by one": lambda q, k, s, t: torch.stack(
            [
                (mine[t] * others[s]).sum(-1)
                for mine, others in zip(q.chunk(HEADS, 1), k.chunk(HEADS, 1), strict=True)
            ],
            dim=1,
        ),
        "matmul": lambda q, k, s, t: torch.matmul(
            _in_heads(q)[t].unsqueeze(-2), _in_heads(k)[s].unsqueeze(-1)
        ).flatten(1),
    },
)
EDGE_SCORES = Operation(
    _graph,
    {
        "product": lambda x, s, t: (x[s] * x[t]).sum(-1),
        "bmm": lambda x, s, t: torch.bmm(x[s].unsqueeze(1), x[t].unsqueeze(-1)).squeeze(),
        "einsum": lambda x, s, t: torch.einsum("ij,ij->i", x[s], x[t]),
        "vmap of dot": lambda x, s, t: torch.vmap(torch.dot)(x[s], x[t]),
        "of all pairs": lambda x, s, t: (x @ x.T)[s, t],
        "of all pairs, flat": lambda x, s, t: (x @ x.T).view(-1)[s * x.shape[0] + t],
        "of ends": lambda x, s, t: x[torch.stack([s, t])].prod(0).sum(-1),
        "unbound ends": lambda x, s, t: torch.linalg.vecdot(*x[torch.stack([s, t], 1)].unbind(1)),
        "kept": lambda x, s, t: (x[s] * x[t]).sum(1, keepdim=True)[:, 0],
        "vmap of rows": lambda x, s, t: torch.vmap(lambda i, j: (x[i] * x[j]).sum())(s, t),
        "mean": lambda x, s, t: torch.mean(x[s] * x[t], -1) * x.shape[-1],
    },
)


# Matrices of relations.


def _relations() -> Graph:
    return *_graph(), places(RELATIONS, EDGES), numbers(RELATIONS, LENGTH, 4)


def _by_relations(
    messages: Callable[[Tensor, Tensor, Tensor, int], Tensor],
) -> Callable[..., Tensor]:
    def function(x: Tensor, s: Tensor, t: Tensor, r: Tensor, W: Tensor) -> Tensor:
        out = torch.zeros(x.shape[0], W.shape[2], dtype=x.dtype)
        for relation in range(RELATIONS):
            mask = (r == relation).to(x.dtype)[:, None]
            out = out.index_add(0, t, messages(x[s], W[relation], mask, relation))
        return out

    return function


def _summed_relations(x: Tensor, s: Tensor, t: Tensor, r: Tensor, W: Tensor) -> Tensor:
    messages = sum((x @ W[k])[s] * (r == k).unsqueeze(1) for k in range(RELATIONS))
    return _added(x, t, messages)  # type: ignore[arg-type]


def _summed_first(x: Tensor, s: Tensor, t: Tensor, r: Tensor, W: Tensor) -> Tensor:
    sums = torch.zeros(RELATIONS * x.shape[0], x.shape[1], dtype=x.dtype)
    sums = sums.index_add(0, r * x.shape[0] + t, x[s]).view(RELATIONS, x.shape[0], -1)
    return torch.einsum("rnd,rdf->nf", sums, W)


def _sum_of_each(x: Tensor, s: Tensor, t: Tensor, r: Tensor, W: Tensor) -> Tensor:
    out = torch.zeros(x.shape[0], W.shape[2], dtype=x.dtype)
    for relation in range(RELATIONS):
        out = out + _added(x, t, x[s] * (r == relation)[:, None]) @ W[relation]
    return out


RGCN = Operation(
    _relations,
    {
        "bmm": lambda x, s, t, r, W: _added(x, t, torch.bmm(x[s].unsqueeze(1), W[r]).squeeze(1)),
        "einsum": lambda x, s, t, r, W: _added(x, t, torch.einsum("ed,edf->ef", x[s], W[r])),
        "matmul": lambda x, s, t, r, W: _added(x, t, (x[s][:, None, :] @ W[r])[:, 0]),
        "broadcast": lambda x, s, t, r, W: _added(x, t, (x[s].unsqueeze(-1) * W[r]).sum(-2)),
        "layers first": lambda x, s, t, r, W: _added(x, t, torch.einsum("nd,rdf->rnf", x, W)[r, s]),
        "masks of messages": _by_relations(lambda rows, W, mask, _: (rows @ W) * mask),
        "masks of rows": _by_relations(lambda rows, W, mask, _: (rows * mask) @ W),
        "where": _by_relations(lambda rows, W, mask, _: torch.where(mask > 0, rows @ W, 0.0)),
        "summed messages": _summed_relations,
        "sums of each": _sum_of_each,
        "summed first": _summed_first,
    },
)
OPERATIONS = {
    "sum": SUM,
    "weighted sum": WEIGHTED_SUM,
    "GCN": GCN,
    "mean": MEAN,
    "maximum": MAXIMUM,
    "SAGE": SAGE,
    "GIN": GIN,
    "GINE": GINE,
    "GAT": GAT,
    "head scores": HEAD_SCORES,
    "edge scores": EDGE_SCORES,
    "RGCN": RGCN,
}
