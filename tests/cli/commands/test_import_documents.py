from pathlib import Path

import httpx
import pytest

from cli.stores import open_store
from everturn.cli.commands.import_files import import_document
from everturn.cli.importers.export_files import FoundDocument
from everturn.cli.output.errors import CliError

FOUND = FoundDocument("strands.a/b", "..", {"seen": 1})


def test_a_document_twice_is_there_once(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    assert import_document(api, FOUND)
    assert not import_document(api, FOUND)
    path = "/v1/documents/strands.a%2Fb/%2E%2E"
    assert api.read(path)["value"] == {"seen": 1}


def test_another_value_that_is_there_is_said_and_kept(tmp_path: Path) -> None:
    api, _ = open_store(tmp_path)
    import_document(api, FOUND)
    with pytest.raises(CliError, match=r"^another document is there space=strands.a/b key=..$"):
        import_document(api, FoundDocument(FOUND.space, FOUND.key, {"seen": 2}))
    assert not import_document(api, FOUND)


def test_another_failure_is_said_as_it_is(tmp_path: Path) -> None:
    """Nobody knows whether what can be read is what was meant to be written."""
    import_document(open_store(tmp_path)[0], FOUND)
    api, _ = open_store(tmp_path, lambda r: httpx.Response(503) if r.method == "PUT" else None)
    with pytest.raises(CliError, match="status=503"):
        import_document(api, FOUND)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    api, transport = open_store(tmp_path)
    with pytest.raises(CliError, match=r"^a name is no valid unicode text$"):
        import_document(api, FoundDocument("s", "\ud800", 1))
    assert transport.sent == []
