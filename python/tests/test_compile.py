"""ember.compile: modules, functions, weights that change, threads, copies and pickles.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import copy
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ember
import pytest
import torch
import torch.nn.functional as functional
from torch import Tensor, nn

INDICES = torch.tensor([3, 1, 4, 1, 5, 9])
OFFSETS = torch.tensor([0, 2, 2])
TARGETS = pytest.mark.parametrize("target", ["cpu", "dae-threads"])


def sum_bag(**options: Any) -> nn.EmbeddingBag:
    return nn.EmbeddingBag(10, 16, **{"mode": "sum", **options})


def agree(kernel: Any, original: Any, *args: Any, **kwargs: Any) -> None:
    torch.testing.assert_close(kernel(*args, **kwargs), original(*args, **kwargs))


@TARGETS
def test_a_module_is_called_like_the_module(target: str) -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS), target=target)
    agree(kernel, module, INDICES, OFFSETS)
    agree(kernel, module, input=INDICES, offsets=OFFSETS)
    agree(kernel, module, INDICES.view(2, 3))
    agree(kernel, module, INDICES, OFFSETS, torch.randn(6))
    agree(kernel, module, INDICES.view(3, 2), None, torch.randn(3, 2))


def test_any_batch_size_reuses_the_kernel() -> None:
    module = sum_bag(mode="mean", include_last_offset=True, padding_idx=3)
    kernel = ember.compile(module, (INDICES, torch.tensor([0, 6])))
    for bags in (0, 1, 63, 64, 65, 1000):
        ends = torch.arange(0, 3 * bags + 1, 3)
        agree(kernel, module, torch.randint(0, 10, (3 * bags,)), ends)
    # Of the bag, and of its gradient.
    assert len(kernel.kernels()) == 2


def test_other_types_build_their_kernels_when_met() -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS))
    agree(kernel, module, INDICES.int(), OFFSETS.int())
    module.double()
    agree(kernel, module, INDICES, OFFSETS)
    assert len(kernel.kernels()) == 6


def test_weights_are_read_at_each_call() -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS))
    with torch.no_grad():
        module.weight.mul_(2)
    agree(kernel, module, INDICES, OFFSETS)
    module.weight = nn.Parameter(torch.randn(20, 16))
    agree(kernel, module, INDICES + 10, OFFSETS)
    module.weight.data = torch.randn(30, 8)
    agree(kernel, module, INDICES + 20, OFFSETS)


def around(input: Tensor, offsets: Tensor, weight: Tensor) -> Tensor:
    """An embedding bag with other work before and after it."""
    if input.numel() > 100:
        input = input % 5
    bags = functional.embedding_bag((input + 1) % 10, weight * 2, offsets, mode="mean")
    return torch.relu(bags) + functional.embedding_bag(input, weight, offsets, mode="sum").sum(
        1, True
    )


@TARGETS
def test_a_function_around_embedding_bag(target: str) -> None:
    weight = torch.randn(10, 16)
    kernel = ember.compile(around, (INDICES, OFFSETS, weight), target=target)
    agree(kernel, around, INDICES, OFFSETS, weight)
    agree(kernel, around, INDICES.repeat(50), OFFSETS, weight=weight)
    # A mean and a sum, and both again where the other graph has sizes of its own: there PyTorch
    # computes the table, of which most rows are looked up.
    assert len(kernel.kernels()) == 4


class Model(nn.Module):
    """Two tables and a layer: what a recommendation model does with its categories."""

    def __init__(self) -> None:
        super().__init__()
        self.users = sum_bag()
        self.items = sum_bag(mode="mean")
        self.top = nn.Linear(32, 1)

    def forward(self, users: Tensor, items: Tensor, offsets: Tensor) -> Tensor:
        result: Tensor = self.top(
            torch.cat((self.users(users, offsets), self.items(items, offsets)), 1)
        )
        return result


def test_a_model_with_several_bags_trains_alike() -> None:
    model = Model()
    twin = copy.deepcopy(model)
    kernel = ember.compile(model, (INDICES, INDICES, OFFSETS))
    for step, train in ((kernel, model), (twin, twin)):
        optimizer = torch.optim.SGD(train.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            step(INDICES, INDICES, OFFSETS).square().sum().backward()
            optimizer.step()
    for mine, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_compiling_leaves_weights_and_random_numbers_alone() -> None:
    module = sum_bag(max_norm=0.1)
    before, state = module.weight.clone(), torch.get_rng_state()
    ember.compile(lambda i, o: functional.dropout(module(i, o)), (INDICES, OFFSETS))
    assert torch.equal(module.weight, before)
    assert torch.equal(torch.get_rng_state(), state)


def test_hooks_run() -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS))
    seen = []
    module.register_forward_hook(lambda _module, _inputs, output: seen.append(output.shape))
    agree(kernel, module, INDICES, OFFSETS)
    assert len(seen) == 2


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_gradient_modes(mode: Any) -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS))
    with mode():
        mine, theirs = kernel(INDICES, OFFSETS), module(INDICES, OFFSETS)
    assert (mine.requires_grad, mine.is_inference()) == (
        theirs.requires_grad,
        theirs.is_inference(),
    )


def test_functorch_and_forward_gradients_are_left_to_pytorch() -> None:
    weight = torch.randn(10, 16)
    kernel = ember.compile(around, (INDICES, OFFSETS, weight))
    mine, theirs = (
        torch.func.grad(lambda w, f=f: f(INDICES, OFFSETS, w).sum())(weight)
        for f in (kernel, around)
    )
    torch.testing.assert_close(mine, theirs)


@TARGETS
def test_threads_share_a_kernel(target: str) -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS), target=target)

    def work(seed: int) -> bool:
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for step in range(50):
                indices = torch.randint(0, 10, (step * 7,), generator=generator)
                offsets = torch.arange(0, max(1, step * 7), 5)
                if not torch.allclose(
                    kernel(indices, offsets), module(indices, offsets), atol=1e-5
                ):
                    return False
                if step % 10 == 0:
                    try:
                        kernel(indices + 100, offsets)
                    except IndexError:
                        continue
                    if indices.numel():
                        return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))


def test_threads_build_a_kernel_once(empty_cache: Any) -> None:
    module = sum_bag()
    with ThreadPoolExecutor(4) as pool:
        kernels = list(pool.map(lambda _: ember.compile(module, (INDICES, OFFSETS)), range(4)))
    libraries = {id(kernel.kernels()[0]) for kernel in kernels}
    assert len(libraries) == 1


def test_copies_and_pickles() -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS))
    for twin in (copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert twin.original is not module
        agree(twin, module, INDICES, OFFSETS)
        with torch.no_grad():
            twin.original.weight.zero_()
        assert not twin(INDICES, OFFSETS).any()
        assert kernel(INDICES, OFFSETS).any()


def test_attributes_are_the_modules() -> None:
    module = nn.Sequential(sum_bag(), nn.Dropout(0.5))
    kernel = ember.compile(module, (INDICES.view(2, 3),))
    assert not kernel.eval().training
    assert list(kernel.parameters()) == list(module.parameters())
    kernel.load_state_dict({"_orig_mod.0.weight": torch.ones(10, 16)})
    assert (kernel(INDICES.view(2, 3)) == 3).all()
    kernel.to(torch.float64)
    assert kernel(INDICES.view(2, 3)).dtype is torch.float64
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        kernel.no_such  # noqa: B018
    assert not hasattr(ember.compile(lambda x: x), "parameters")


@pytest.mark.parametrize("example", [{"input": INDICES}, 3, "abc"], ids=str)
def test_examples_are_sequences(example: Any) -> None:
    with pytest.raises(ember.ArgumentError, match="example_args must be a tensor or a tuple"):
        ember.compile(sum_bag(), example)


def _first_row(kernel: ember.Kernel) -> Any:
    with torch.no_grad():
        return kernel(INDICES, OFFSETS)[0].tolist()


@TARGETS
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_can_call_a_kernel(target: str) -> None:
    module = sum_bag()
    kernel = ember.compile(module, (INDICES, OFFSETS), target=target)
    expected = _first_row(kernel)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_first_row, (kernel,)).get(timeout=60) == expected


def test_nothing_leaks_over_many_calls() -> None:
    import resource

    module = nn.EmbeddingBag(1000, 64, mode="sum")
    kernel = ember.compile(module, (INDICES, OFFSETS), target="dae-threads")
    indices, offsets = torch.randint(0, 1000, (5000,)), torch.arange(0, 5000, 5)

    def peak_after(calls: int) -> int:
        with torch.no_grad():
            for _ in range(calls):
                kernel(indices, offsets)
                with pytest.raises(IndexError):
                    kernel(indices + 1000, offsets)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    warm = peak_after(20)
    assert peak_after(300) - warm < 20_000  # KiB
