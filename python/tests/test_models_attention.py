"""backend="ember": BigBird's block-sparse attention from transformers, unchanged, random weights.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import ember
import pytest
import torch
from compiled_models import Heard, compiled
from ember.torch.capture.backend import listening
from torch import nn

transformers = pytest.importorskip("transformers")

WORDS = 100
BLOCK = 16


pytestmark = pytest.mark.usefixtures("fresh_dynamo")


@pytest.fixture
def model() -> nn.Module:
    torch.manual_seed(0)
    config = transformers.BigBirdConfig(
        vocab_size=WORDS,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=512,
        attention_type="block_sparse",
        block_size=BLOCK,
        num_random_blocks=2,
    )
    found: nn.Module = transformers.BigBirdModel(config).eval()
    return found


# The model itself copies a tensor by torch.tensor.
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor:UserWarning")
@pytest.mark.slow
def test_block_sparse_attention(model: nn.Module) -> None:
    # With symbols for sizes, PyTorch takes minutes to trace the model.
    run = compiled(model, dynamic=False)
    draw = torch.Generator().manual_seed(0)
    with listening() as heard, torch.no_grad():
        for texts, blocks in ((2, 16), (1, 20)):
            words = torch.randint(WORDS, (texts, blocks * BLOCK), generator=draw)
            # The last words of one text are padding.
            mask = torch.ones_like(words)
            mask[0, -19:] = 0
            torch.testing.assert_close(
                run(words, attention_mask=mask).last_hidden_state,
                model(words, attention_mask=mask).last_hidden_state,
                rtol=1e-4,
                atol=1e-5,
            )
    assert model.attention_type == "block_sparse"
    found = Heard(heard.reports)
    # Each layer gathers keys and values for its second, middle and last but one blocks, and a mask.
    assert found.kinds() == {"rows", "statements"}
    parts = [part for report in heard.reports for part in report.compiled]
    assert all(part.call.kernels() for part in parts)
    assert not [one for one in found.left() if "gather" in one or "changes" in one]


@pytest.mark.filterwarnings("ignore:To copy construct from a tensor:UserWarning")
@pytest.mark.slow
def test_what_is_explained(model: nn.Module) -> None:
    words = torch.randint(WORDS, (1, 16 * BLOCK), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        explanation = ember.explain(model, words, dynamic=False)
    kinds = [part.kind for part in explanation.compiled]
    # Two of the six products are put side by side, by one.
    assert kinds.count("statements") == 5
    assert "rows of blocked_key_matrix" in str(explanation)
    assert not any("gather" in graph.others for graph in explanation.graphs)
