"""The folder of a local model: what `everturn model install` writes and an embedder reads.

{directory}/all-MiniLM-L6-v2/
  weights.safetensors  each matrix as int8 rows, with a float32 scale a row
  vocab.txt            the word pieces, one a line
  README.md  LICENSE   what it is, and on which terms
  SHA256SUMS           of all the others; `sha256sum -c SHA256SUMS` checks them too
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from everturn.adapters.minilm.safetensors_file import Tensors, decode_tensors, encode_tensors
from everturn.errors import MisconfiguredError

MODEL: Final = "all-MiniLM-L6-v2"
WEIGHTS, VOCABULARY, CARD, LICENCE = "weights.safetensors", "vocab.txt", "README.md", "LICENSE"

_SUMS: Final = "SHA256SUMS"
_NAMES: Final = (WEIGHTS, VOCABULARY, CARD, LICENCE)
_SCALE: Final = ".scale"
# The greatest int8 that has its negative too.
_STEPS: Final = 127
_MEND: Final = "install it again with everturn model install --force"


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model as it was read: float32 tensors by name, and the vocabulary in its order."""

    tensors: Tensors
    vocabulary: tuple[str, ...]
    size_bytes: int


def model_folder(directory: Path) -> Path:
    """Return the folder of the model below the directory of models."""
    return directory / MODEL


def read_model(directory: Path) -> ModelFiles:
    """Read the model below the directory of models, and check every byte of it.

    Raises:
        MisconfiguredError: it is not installed, or a file of it is missing, damaged or closed.
    """
    folder = model_folder(directory)
    if not folder.is_dir():
        raise MisconfiguredError(
            f"no local model is installed, everturn model install does it folder={folder}"
        )
    files = _checked(folder)
    return ModelFiles(
        tensors=_dequantised(decode_tensors(files[WEIGHTS])),
        vocabulary=tuple(_lines(files[VOCABULARY])),
        size_bytes=sum(map(len, files.values())),
    )


def encode_model(tensors: Tensors, others: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files of a model by their names.

    Args:
        tensors: float32; matrices lose all but 8 bits a number, which costs no measurable recall.
        others: vocabulary, card and licence.
    """
    files = {WEIGHTS: encode_tensors(_quantised(tensors)), **others}
    sums = "".join(f"{_digest(files[name])}  {name}\n" for name in _NAMES)
    return MappingProxyType({**files, _SUMS: sums.encode()})


def _checked(folder: Path) -> dict[str, bytes]:
    try:
        lines = (folder / _SUMS).read_text("ascii").splitlines()
        files = {name: (folder / name).read_bytes() for name in _NAMES}
    except (OSError, UnicodeDecodeError) as exc:
        raise MisconfiguredError(
            f"the local model cannot be read, {_MEND} folder={folder} error={type(exc).__name__}"
        ) from exc
    for name, body in files.items():
        if f"{_digest(body)}  {name}" not in lines:
            raise MisconfiguredError(
                f"a file of the local model is damaged, {_MEND} file={folder / name}"
            )
    return files


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _lines(body: bytes) -> list[str]:
    # `splitlines` would also split at characters that are pieces themselves.
    return body.decode("utf-8", "replace").removesuffix("\n").split("\n")


def _quantised(tensors: Tensors) -> Tensors:
    kept = {name: tensor for name, tensor in tensors.items() if tensor.ndim == 1}
    for name, tensor in tensors.items():
        if tensor.ndim == 1:
            continue
        greatest = np.abs(tensor).max(axis=1, keepdims=True)
        scale = np.where(greatest > 0, greatest / np.float32(_STEPS), np.float32(1))
        kept[name] = np.rint(tensor / scale).astype(np.int8)
        kept[name + _SCALE] = scale.astype(np.float32)
    return kept


def _dequantised(tensors: Tensors) -> Tensors:
    whole = {}
    for name, tensor in tensors.items():
        if name.endswith(_SCALE):
            continue
        scale = tensors.get(name + _SCALE)
        # A copy, so that the file's bytes are not kept in memory for the few short ones.
        whole[name] = tensor.astype(np.float32) if scale is None else tensor * scale
    return whole
