"""backend="ember": a text classifier with hashed n-grams runs unchanged, and learns.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import pytest
import torch
import torch.nn.functional as functional
from compiled_models import check_forward, check_training, compiled
from ember.models.text import TextClassifier, hashed

BUCKETS = 4000
TEXTS = (
    "The bread was warm and the crust was thin",
    "",
    "rain",
    "Rain and wind from the west until the evening then dry",
    "the oven was warm",
)
LABELS = torch.tensor([0, 1, 1, 1, 0])


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def test_hashed() -> None:
    ngrams, offsets = hashed(["a b a", "", "B"], BUCKETS)
    # a, b, a, "a b", "b a", then nothing, then b.
    assert offsets.tolist() == [0, 5, 5]
    assert ngrams[0] == ngrams[2]
    assert ngrams[1] == ngrams[5]
    assert len(set(ngrams[[0, 1, 3, 4]].tolist())) == 4


def test_forward() -> None:
    model = TextClassifier(BUCKETS, 24, 2)
    batches = [hashed(TEXTS[:count] * times, BUCKETS) for count, times in ((5, 1), (3, 7), (2, 1))]
    heard = check_forward(model, batches)
    assert heard.covered("bag") == len(heard.reports) == 1


def test_training() -> None:
    torch.manual_seed(0)
    model = TextClassifier(BUCKETS, 24, 2)
    heard = check_training(
        model,
        [hashed(TEXTS, BUCKETS)],
        lambda scores, batch: functional.cross_entropy(scores, LABELS),
    )
    assert heard.covered("bag") == len(heard.reports) == 1


def test_learns_the_texts() -> None:
    torch.manual_seed(0)
    model = TextClassifier(BUCKETS, 24, 2)
    run, batch = compiled(model), hashed(TEXTS, BUCKETS)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(30):
        optimiser.zero_grad()
        functional.cross_entropy(run(*batch), LABELS).backward()
        optimiser.step()
    assert torch.equal(run(*batch).argmax(1), LABELS)
