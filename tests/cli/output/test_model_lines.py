"""Asking for the live embedder within a time."""

import gc
import socket
from pathlib import Path

import pytest

from adapters.minilm.tiny_bert import install_tiny
from everturn.adapters.minilm.embedder import LocalEmbedder
from everturn.bootstrap import components
from everturn.cli.output.model_lines import ask_embedder, embedder_line
from everturn.settings.models import EmbedderSettings, ModelService
from everturn.settings.process import Settings, parse_address


def _settings(tmp_path: Path, embedder: EmbedderSettings) -> Settings:
    store = parse_address(str(tmp_path))
    return Settings(store=store, derived=store, embedder=embedder)


def test_the_answer_comes_as_one_line(tmp_path: Path) -> None:
    choice = ask_embedder(_settings(tmp_path, EmbedderSettings()), within_s=60)
    assert choice is not None
    why = "no embedding model is configured"
    assert embedder_line(choice) == f"hash (hash-256.1, 256 dimensions, words alone): {why}"


def test_no_answer_within_the_time_is_none(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        gateway = ModelService(f"http://127.0.0.1:{mute.getsockname()[1]}")
        embedder = EmbedderSettings(gateway=gateway, model="any")
        assert ask_embedder(_settings(tmp_path, embedder), within_s=0.2) is None


def test_a_model_that_was_read_for_the_answer_does_not_stay_in_memory(tmp_path: Path) -> None:
    install_tiny(tmp_path / "models")
    embedder = EmbedderSettings(model_dir=tmp_path / "models", model_dir_named=True)
    choice = ask_embedder(_settings(tmp_path, embedder), within_s=60)
    assert choice is not None
    assert isinstance(choice.embedder, LocalEmbedder)
    del choice
    gc.collect()
    assert not [kept for kept in gc.get_objects() if isinstance(kept, LocalEmbedder)]
    assert components.open_embedders.cache_info().currsize == 0


def test_an_embedder_that_cannot_be_is_an_error_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not in a thread that nobody hears of."""
    from everturn.errors import MisconfiguredError

    def broken() -> None:
        raise MisconfiguredError("no numbers today")

    monkeypatch.setattr(components, "_open_hash", broken)
    with pytest.raises(MisconfiguredError, match="no numbers today"):
        ask_embedder(_settings(tmp_path, EmbedderSettings()), within_s=60)
