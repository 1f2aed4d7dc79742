"""Scores and losses of looked-up rows, each in several words that mean the same.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import functools
import operator

import torch
import torch.nn.functional as functional
from spelled_operations import Operation, numbers, places
from torch import Tensor

ROWS, LENGTH, LOOKUPS, SAMPLES, NEGATIVES = 40, 8, 17, 6, 5


def _triples() -> tuple[Tensor, ...]:
    """Rows of entities and of relations, heads, relations and tails."""
    return (
        numbers(ROWS, LENGTH),
        numbers(ROWS, LENGTH, seed=1),
        *(places(ROWS, LOOKUPS, seed=seed) for seed in range(3)),
    )


DISTMULT = Operation(
    _triples,
    {
        "product": lambda E, R, h, r, t: (E[h] * R[r] * E[t]).sum(-1),
        "einsum": lambda E, R, h, r, t: torch.einsum("nd,nd,nd->n", E[h], R[r], E[t]),
        "bmm": lambda E, R, h, r, t: torch.bmm((E[h] * R[r])[:, None], E[t][..., None]).squeeze(
            (1, 2)
        ),
        "diagonal matrices": lambda E, R, h, r, t: (
            E[h].unsqueeze(1) @ torch.diag_embed(R[r]) @ E[t].unsqueeze(2)
        ).flatten(),
        "vmap": lambda E, R, h, r, t: torch.vmap(lambda a, b, c: (a * b) @ c)(E[h], R[r], E[t]),
        "reduce": lambda E, R, h, r, t: functools.reduce(
            operator.mul, (E[h], R[r], E.index_select(0, t))
        ).sum(dim=1),
        "ends at once": lambda E, R, h, r, t: (
            E[torch.stack((h, t), 1)].prod(1).mul(R.index_select(0, r)).sum(-1)
        ),
        "one table": lambda E, R, h, r, t: (
            torch.cat([E, R])[torch.stack([h, r + E.shape[0], t])].prod(0).sum(1)
        ),
    },
)


def _sum_of_stack(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    return -torch.stack([E[h], R[r], -E[t]], dim=-1).sum(-1).abs().sum(-1)


TRANSE = Operation(
    _triples,
    {
        "norm": lambda E, R, h, r, t: -(E[h] + R[r] - E[t]).norm(p=1, dim=-1),
        "abs": lambda E, R, h, r, t: -torch.sum(torch.abs(E[h] + R[r] - E[t]), 1),
        "vector_norm": lambda E, R, h, r, t: torch.linalg.vector_norm(
            E[h].add(R[r]).sub(E[t]), 1, -1
        ).neg(),
        "cdist": lambda E, R, h, r, t: (
            -torch.cdist((E[h] + R[r]).unsqueeze(1), E[t].unsqueeze(1), p=1.0).view(-1)
        ),
        "pairwise_distance": lambda E, R, h, r, t: (
            -functional.pairwise_distance(E[h] + R[r], E[t], p=1.0, eps=0.0)
        ),
        "a stack": _sum_of_stack,
        "from zero": lambda E, R, h, r, t: 0.0 - (E[t] - R[r] - E[h]).abs().sum(-1, True).view(-1),
        "l1_loss": lambda E, R, h, r, t: (
            -torch.nn.L1Loss(reduction="none")(E[h] + R[r], E[t]).sum(-1)
        ),
    },
)


def _complex_halves(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    (a, b), (c, d), (e, f) = (rows.chunk(2, -1) for rows in (E[h], R[r], E[t]))
    return (a * c * e + b * c * f + a * d * f - b * d * e).sum(-1)


def _complex_numbers(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    head, relation, tail = (torch.complex(*rows.chunk(2, -1)) for rows in (E[h], R[r], E[t]))
    return (head * relation * tail.conj()).sum(-1).real


def _complex_tables(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    entities = torch.complex(E[:, : LENGTH // 2], E[:, LENGTH // 2 :])
    relations = torch.complex(R[:, : LENGTH // 2], R[:, LENGTH // 2 :])
    return torch.real(entities[h] * relations[r] * entities[t].conj()).sum(dim=-1)


def _complex_products(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    (a, b), (c, d) = E[h].split(LENGTH // 2, 1), R[r].split(LENGTH // 2, 1)
    return (torch.cat([a * c - b * d, a * d + b * c], -1) * E[t]).sum(-1)


def _complex_einsum(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    head, relation, tail = (rows.view(-1, 2, LENGTH // 2) for rows in (E[h], R[r], E[t]))
    a, b = head.unbind(1)
    turned = torch.stack([-b, a], 1)
    return torch.einsum("nd,npd,npd->n", relation[:, 0], head, tail) + torch.einsum(
        "nd,npd,npd->n", relation[:, 1], turned, tail
    )


COMPLEX = Operation(
    _triples,
    {
        "halves": _complex_halves,
        "complex numbers": _complex_numbers,
        "complex tables": _complex_tables,
        "products": _complex_products,
        "einsum": _complex_einsum,
    },
)


def _phases() -> tuple[Tensor, ...]:
    E, _, h, r, t = _triples()
    return E, numbers(ROWS, LENGTH // 2, seed=1), h, r, t


def _rotate_halves(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    (a, b), (e, f) = E[h].chunk(2, -1), E[t].chunk(2, -1)
    c, d = R[r].cos(), R[r].sin()
    return -torch.sqrt((a * c - b * d - e) ** 2 + (a * d + b * c - f) ** 2).sum(-1)


def _rotate_stack(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    (a, b), (e, f) = torch.tensor_split(E[h], 2, 1), torch.tensor_split(E[t], 2, 1)
    c, d = torch.cos(R[r]), torch.sin(R[r])
    return -torch.stack([a * c - b * d - e, a * d + b * c - f]).norm(dim=0).sum(dim=-1)


def _rotate_numbers(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    head, tail = (torch.complex(*rows.chunk(2, -1)) for rows in (E[h], E[t]))
    phases = R[r]
    return -(head * torch.polar(torch.ones_like(phases), phases) - tail).abs().sum(-1)


def _rotate_hypot(E: Tensor, R: Tensor, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    half = LENGTH // 2
    head, tail, c, d = E[h], E[t], R.cos()[r], R.sin()[r]
    real = head[:, :half] * c - head[:, half:] * d - tail[:, :half]
    return -torch.hypot(real, head[:, :half] * d + head[:, half:] * c - tail[:, half:]).sum(1)


ROTATE = Operation(
    _phases,
    {
        "halves": _rotate_halves,
        "stack": _rotate_stack,
        "complex numbers": _rotate_numbers,
        "hypot": _rotate_hypot,
    },
)


def _pairs() -> tuple[Tensor, ...]:
    """Rows of users and of items, some of each, and ratings."""
    return (
        numbers(ROWS, LENGTH),
        numbers(ROWS, LENGTH, seed=1),
        places(ROWS, LOOKUPS),
        places(ROWS, LOOKUPS, seed=1),
        numbers(LOOKUPS),
    )


def _als_of_vectors(U: Tensor, V: Tensor, u: Tensor, i: Tensor, y: Tensor) -> Tensor:
    error = y - torch.vmap(torch.dot)(U[u], V[i])
    return error.dot(error)


ALS = Operation(
    _pairs,
    {
        "squares": lambda U, V, u, i, y: ((y - (U[u] * V[i]).sum(-1)) ** 2).sum(),
        "bmm": lambda U, V, u, i, y: (
            (y - torch.bmm(U[u][:, None, :], V[i][:, :, None]).flatten()).square().sum()
        ),
        "baddbmm": lambda U, V, u, i, y: (
            torch.baddbmm(y[:, None, None], U[u].unsqueeze(1), V[i].unsqueeze(2), alpha=-1)
            .pow(2)
            .sum()
        ),
        "dot": _als_of_vectors,
        "loss": lambda U, V, u, i, y: functional.mse_loss(
            torch.einsum("nd,nd->n", U[u], V[i]), y, reduction="sum"
        ),
        "norm": lambda U, V, u, i, y: torch.linalg.vector_norm(y - (U[u] * V[i]).sum(1)) ** 2,
        "all pairs": lambda U, V, u, i, y: ((U @ V.T)[u, i] - y).square().sum(),
    },
)
COSINE = Operation(
    lambda: _pairs()[:4],
    {
        "cosine_similarity": lambda U, V, u, i: functional.cosine_similarity(U[u], V[i]),
        "normalised": lambda U, V, u, i: (
            functional.normalize(U[u], dim=1) * functional.normalize(V[i], dim=1)
        ).sum(1),
        "norms": lambda U, V, u, i: (
            torch.einsum("nd,nd->n", U[u], V[i]) / (U[u].norm(dim=1) * V[i].norm(dim=1))
        ),
        "rsqrt": lambda U, V, u, i: (
            torch.linalg.vecdot(U[u], V[i]) * (U[u].square().sum(-1) * V[i].pow(2).sum(-1)).rsqrt()
        ),
        "normalised tables": lambda U, V, u, i: (
            (U / U.norm(dim=1, keepdim=True))[u] * (V / V.norm(dim=1, keepdim=True))[i]
        ).sum(-1),
        "module": lambda U, V, u, i: torch.nn.CosineSimilarity(dim=-1)(U[u], V[i]),
        "bmm": lambda U, V, u, i: torch.bmm(
            functional.normalize(U[u], dim=-1).unsqueeze(1),
            functional.normalize(V[i], dim=-1).unsqueeze(2),
        ).flatten(),
    },
)


def _negatives() -> tuple[Tensor, ...]:
    return (
        numbers(ROWS, LENGTH),
        numbers(ROWS, LENGTH, seed=1),
        places(ROWS, SAMPLES),
        places(ROWS, SAMPLES, NEGATIVES),
    )


NEGATIVE_SCORES = Operation(
    _negatives,
    {
        "product": lambda U, V, u, n: (U[u][:, None] * V[n]).sum(-1),
        "bmm": lambda U, V, u, n: torch.bmm(V[n], U[u].unsqueeze(2)).squeeze(2),
        "bmm of rows": lambda U, V, u, n: torch.bmm(U[u].unsqueeze(1), V[n].transpose(1, 2))[:, 0],
        "einsum": lambda U, V, u, n: torch.einsum("bd,bkd->bk", U[u], V[n]),
        "matmul": lambda U, V, u, n: (functional.embedding(n, V) @ U[u, :, None]).squeeze(-1),
        "one by one": lambda U, V, u, n: torch.stack(
            [(U[u] * V[n[:, k]]).sum(-1) for k in range(NEGATIVES)], 1
        ),
        "vmap": lambda U, V, u, n: torch.vmap(torch.mv)(V[n], U[u]),
        "repeated": lambda U, V, u, n: (
            (U[u.repeat_interleave(NEGATIVES)] * V[n.reshape(-1)]).sum(-1).view(-1, NEGATIVES)
        ),
        "expanded": lambda U, V, u, n: (
            U[u[:, None].expand_as(n)] * V.index_select(0, n.flatten()).view(*n.shape, -1)
        ).sum(-1),
        "vmap of rows": lambda U, V, u, n: torch.vmap(lambda one, few: V[few] @ U[one])(u, n),
    },
)
DISTANCES = Operation(
    _negatives,
    {
        "norm": lambda U, V, u, n: (U[u].unsqueeze(1) - V[n]).norm(dim=-1),
        "cdist": lambda U, V, u, n: torch.cdist(U[u].unsqueeze(1), V[n]).squeeze(1),
        "cdist of rows": lambda U, V, u, n: torch.cdist(V[n], U[u, None])[..., 0],
        "pairwise_distance": lambda U, V, u, n: functional.pairwise_distance(
            U[u][:, None], V[n], eps=0
        ),
        "powers": lambda U, V, u, n: (V[n] - U[u][:, None]).pow(2).sum(-1) ** 0.5,
        "products": lambda U, V, u, n: (
            (
                (U[u] ** 2).sum(-1, keepdim=True)
                + (V[n] ** 2).sum(-1)
                - 2 * torch.bmm(V[n], U[u].unsqueeze(-1)).squeeze(-1)
            )
            .clamp(min=0)
            .sqrt()
        ),
    },
)


def _biased() -> tuple[Tensor, ...]:
    U, V, u, i, _ = _pairs()
    return U, V, numbers(ROWS, 1, seed=2), numbers(ROWS, 1, seed=3), u, i


def _as_columns(U: Tensor, V: Tensor, a: Tensor, b: Tensor, u: Tensor, i: Tensor) -> Tensor:
    ones = torch.ones(u.shape[0], 1, dtype=U.dtype)
    left, right = torch.cat([U[u], a[u], ones], 1), torch.cat([V[i], ones, b[i]], 1)
    return (left * right).sum(-1)


FACTORS = Operation(
    _biased,
    {
        "sum": lambda U, V, a, b, u, i: (U[u] * V[i]).sum(1) + a[u, 0] + b[i, 0],
        "squeezed": lambda U, V, a, b, u, i: (
            (U[u] * V[i]).sum(1, keepdim=True) + a[u] + b[i]
        ).squeeze(),
        "embeddings": lambda U, V, a, b, u, i: (
            torch.mul(functional.embedding(u, U), functional.embedding(i, V)).sum(-1)
            + functional.embedding(u, a).squeeze(-1)
            + functional.embedding(i, b).view(-1)
        ),
        "baddbmm": lambda U, V, a, b, u, i: torch.baddbmm(
            (a[u] + b[i])[:, None], U[u][:, None], V[i][..., None]
        ).view(-1),
        "columns": _as_columns,
        "flat biases": lambda U, V, a, b, u, i: (
            torch.einsum("nd,nd->n", U[u], V[i]) + a.view(-1)[u] + b.flatten().take(i)
        ),
    },
)
OPERATIONS = {
    "DistMult": DISTMULT,
    "TransE": TRANSE,
    "ComplEx": COMPLEX,
    "RotatE": ROTATE,
    "ALS": ALS,
    "cosine": COSINE,
    "negative scores": NEGATIVE_SCORES,
    "distances": DISTANCES,
    "factors": FACTORS,
}
