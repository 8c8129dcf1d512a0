import json
from pathlib import Path

import pytest

from cli.everturn_process import everturn_up, run
from everturn.client import Everturn
from everturn.errors import NotFoundError


def test_an_export_is_that_of_the_command_byte_for_byte(tmp_path: Path) -> None:
    with Everturn.local(tmp_path / "d") as memory:
        memory.append("c", [{"role": "user", "text": "é <&>", "content": {"a": 1.0}}])
        memory.update_conversation("c", title="T", folder="f", metadata={"b": None, "c": 2})
        memory.put_document("s", "k", {"n": 1})
        memory.remember("fact", "The sky is blue.")
        exported = memory.export_conversation("c")
        lines = list(memory.export())
    told = run("export", "c", "--dir", "d", "-o", "c.json", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert exported == (tmp_path / "c.json").read_bytes()
    run("export", "--all", "all.ndjson", "--dir", "d", cwd=tmp_path)
    written = (tmp_path / "all.ndjson").read_text().splitlines()
    assert lines == [json.loads(line) for line in written]


def test_one_above_three_mebibytes_is_put_together_as_the_command_does(tmp_path: Path) -> None:
    """From its pages: `everturn import` takes it like any other."""
    with everturn_up("--dir", "d", cwd=tmp_path) as up, Everturn(up.url) as memory:
        for n in range(5):
            memory.append("c", [{"role": "user", "text": f"{n} " + "x" * 900_000}])
        memory.update_conversation("c", title="T", metadata={"a": 1})
        exported = memory.export_conversation("c")
        told = run("export", "c", "--url", up.url, "-o", "c.json", cwd=tmp_path)
        assert told.returncode == 0, told.stderr
        assert exported == (tmp_path / "c.json").read_bytes()
        with pytest.raises(NotFoundError):
            memory.export_conversation("none")
    assert len(json.loads(exported)["turns"]) == 5
