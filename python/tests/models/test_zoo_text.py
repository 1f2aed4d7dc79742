"""The model zoo: transformers' small models, unchanged, with random weights.

Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from model_zoo import WAYS, Batch, ZooModel, check_zoo_model
from torch import Tensor, nn

transformers = pytest.importorskip("transformers")

pytestmark = [
    pytest.mark.models,
    pytest.mark.usefixtures("fresh_dynamo"),
    # The models' own ways, and those of transformers with releases of PyTorch.
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

WORDS, HIDDEN, HEADS, LAYERS, PLACES = 50, 16, 2, 2, 64
# Texts, and words of each.
SIZES = ((2, 12), (1, 12), (3, 7))


def words(texts: int, length: int, seed: int = 0) -> Tensor:
    draw = torch.Generator().manual_seed(seed + texts + length)
    return torch.randint(3, WORDS, (texts, length), generator=draw)


class Outputs(nn.Module):
    """A model's tensors: of the words, with a mask of padding; those of words alone where that is
    all it takes."""

    def __init__(self, model: nn.Module, fields: tuple[str, ...], masked: bool) -> None:
        super().__init__()
        self.model, self.fields, self.masked = model, fields, masked

    def forward(self, *given: Tensor) -> tuple[Tensor, ...]:
        named = dict(zip(("input_ids", "attention_mask", "decoder_input_ids"), given, strict=False))
        if not self.masked:
            named.pop("attention_mask")
        result = self.model(**named)
        return tuple(getattr(result, field) for field in self.fields)


def padded(texts: int, length: int) -> Batch:
    mask = torch.ones(texts, length, dtype=torch.int64)
    mask[0, -3:] = 0
    return words(texts, length), mask


def translated(texts: int, length: int) -> Batch:
    return *padded(texts, length), words(texts, length - 2, seed=1)


def blocks(texts: int, length: int) -> Batch:
    return padded(texts, 16 * (length + 4))


def made(
    name: str, *fields: str, masked: bool = True, model: str = "Model", **config: Any
) -> Callable[[], nn.Module]:
    """Makes a model by the name of its family, without dropout."""

    def make() -> nn.Module:
        torch.manual_seed(0)
        configuration = getattr(transformers, f"{name}Config")(vocab_size=WORDS, **config)
        inner = getattr(transformers, f"{name}{model}")(configuration)
        return Outputs(inner.eval(), fields or ("last_hidden_state",), masked)

    return make


ENCODER: dict[str, Any] = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 32,
    "max_position_embeddings": PLACES,
}
DECODER: dict[str, Any] = {**ENCODER, "num_key_value_heads": HEADS, "use_cache": False}
T5: dict[str, Any] = {
    "d_model": HIDDEN,
    "d_kv": 8,
    "d_ff": 32,
    "num_layers": LAYERS,
    "num_heads": HEADS,
    "dropout_rate": 0.0,
    "use_cache": False,
}

Inputs = Callable[[int, int], Batch]
MODELS: dict[str, tuple[Callable[[], nn.Module], Inputs]] = {
    "BERT": (made("Bert", "last_hidden_state", "pooler_output", **ENCODER), padded),
    "BERT, masked words": (made("Bert", "logits", model="ForMaskedLM", **ENCODER), padded),
    "RoBERTa": (made("Roberta", **ENCODER, pad_token_id=0), padded),
    "ALBERT": (made("Albert", **ENCODER, embedding_size=8), padded),
    "ELECTRA": (made("Electra", **ENCODER, embedding_size=8), padded),
    "DistilBERT": (
        made(
            "DistilBert",
            dim=HIDDEN,
            n_layers=LAYERS,
            n_heads=HEADS,
            hidden_dim=32,
            max_position_embeddings=PLACES,
        ),
        padded,
    ),
    "GPT-2": (
        made(
            "GPT2",
            "logits",
            model="LMHeadModel",
            n_embd=HIDDEN,
            n_layer=LAYERS,
            n_head=HEADS,
            n_positions=PLACES,
            use_cache=False,
        ),
        padded,
    ),
    "Llama": (made("Llama", "logits", model="ForCausalLM", **DECODER), padded),
    "T5": (made("T5", "logits", model="ForConditionalGeneration", **T5), translated),
    "Switch": (
        made(
            "SwitchTransformers",
            **T5,
            num_experts=4,
            num_sparse_encoder_layers=1,
            num_sparse_decoder_layers=1,
            num_decoder_layers=LAYERS,
            expert_capacity=8,
            router_jitter_noise=0.0,
        ),
        translated,
    ),
    "Mixtral": (
        made(
            "Mixtral",
            "logits",
            model="ForCausalLM",
            **DECODER,
            num_local_experts=4,
            num_experts_per_tok=2,
        ),
        padded,
    ),
    "BigBird, full": (made("BigBird", **ENCODER, attention_type="original_full"), padded),
}


def on_texts(make: Callable[[], nn.Module], inputs: Inputs) -> ZooModel:
    return ZooModel(make, lambda: [inputs(*size) for size in SIZES])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_model(name: str, way: str) -> None:
    check_zoo_model(on_texts(*MODELS[name]), way)
