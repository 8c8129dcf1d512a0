"""The folder of a model: read as it was written, or refused."""

from pathlib import Path

import numpy as np
import pytest

from adapters.minilm.tiny_bert import VOCABULARY, install_tiny, tiny_tensors
from everturn.adapters.minilm.model_files import MODEL, encode_model, read_model
from everturn.errors import MisconfiguredError

_OTHERS = {
    "vocab.txt": "".join(f"{piece}\n" for piece in VOCABULARY).encode(),
    "README.md": b"card",
    "LICENSE": b"terms",
}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Return a directory of models with a tiny one in it."""
    install_tiny(tmp_path)
    return tmp_path


def test_numbers_are_kept_to_eight_bits_a_row_and_vectors_as_they_are(models: Path) -> None:
    read, written = read_model(models).tensors, tiny_tensors()
    assert read.keys() == written.keys()
    for name, tensor in written.items():
        assert read[name].dtype == np.float32
        if tensor.ndim == 1:
            np.testing.assert_array_equal(read[name], tensor)
        else:
            step = np.abs(tensor).max(axis=1, keepdims=True) / 127
            assert (np.abs(read[name] - tensor) <= step * 0.501).all()


def test_a_row_of_zeros_stays_one(tmp_path: Path) -> None:
    (tmp_path / MODEL).mkdir()
    rows = np.array([[0, 0], [0, 2]], np.float32)
    for name, body in encode_model({"a": rows}, _OTHERS).items():
        (tmp_path / MODEL / name).write_bytes(body)
    np.testing.assert_array_equal(read_model(tmp_path).tensors["a"], rows)


def test_the_vocabulary_is_split_at_newlines_alone(tmp_path: Path) -> None:
    """A line separator is a piece of some vocabularies."""
    (tmp_path / MODEL).mkdir()
    others = {**_OTHERS, "vocab.txt": "a\n\u2028\n\x85\nb\n".encode()}
    for name, body in encode_model(tiny_tensors(), others).items():
        (tmp_path / MODEL / name).write_bytes(body)
    assert read_model(tmp_path).vocabulary == ("a", "\u2028", "\x85", "b")


def test_no_folder_is_no_model_and_says_what_installs_one(tmp_path: Path) -> None:
    with pytest.raises(MisconfiguredError, match="everturn model install does it folder="):
        read_model(tmp_path)


@pytest.mark.parametrize("name", ["weights.safetensors", "vocab.txt", "README.md", "LICENSE"])
def test_a_changed_bit_anywhere_is_noticed(models: Path, name: str) -> None:
    path = models / MODEL / name
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    with pytest.raises(MisconfiguredError, match=f"damaged, .* --force file=.*{name}"):
        read_model(models)


@pytest.mark.parametrize("name", ["weights.safetensors", "vocab.txt", "LICENSE", "SHA256SUMS"])
def test_a_missing_file_is_noticed(models: Path, name: str) -> None:
    (models / MODEL / name).unlink()
    with pytest.raises(MisconfiguredError, match=r"cannot be read, .* error=FileNotFoundError"):
        read_model(models)


def test_sums_that_are_no_text_are_noticed(models: Path) -> None:
    (models / MODEL / "SHA256SUMS").write_bytes(b"\xff\xfe")
    with pytest.raises(MisconfiguredError, match=r"cannot be read, .* error=UnicodeDecodeError"):
        read_model(models)
