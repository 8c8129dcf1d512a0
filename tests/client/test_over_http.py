import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from cli.everturn_process import clean_environment, everturn_up
from everturn.client import Everturn

# What it costs to have them loaded is what the client is there to save.
_HEAVY = (
    "aws_lambda_powertools",
    "boto3",
    "botocore",
    "everturn.edge",
    "everturn.local",
    "everturn.values",
    "numpy",
    "typer",
)
_LIGHT_USE = """
    import sys
    from everturn.client import AsyncEverturn, Everturn
    with Everturn(sys.argv[1], actor="light", timeout_s=60) as memory:
        memory.append_user("c", "The server listens on port 8080.")
        assert memory.recall("which port?").hits[0].text == "The server listens on port 8080."
        assert memory.remember("fact", "The sky is blue.").created
        assert len(list(memory.export())) == 2
    loaded = [name for name in sys.argv[2:] if name in sys.modules]
    assert not loaded, loaded
"""


def test_the_client_alone_speaks_to_a_server(tmp_path: Path) -> None:
    """With neither boto3 nor numpy nor Powertools in its process, nor anything of a server."""
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(_LIGHT_USE), up.url, *_HEAVY],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        _two_at_once(up.url)


def _two_at_once(url: str) -> None:
    """Two clients append to one conversation, each from two threads."""
    with (
        Everturn(url, actor="both", timeout_s=60) as one,
        Everturn(url, actor="both", timeout_s=60) as other,
    ):
        threads = [
            threading.Thread(target=_append_ten, args=(client, f"{number}"))
            for number, client in enumerate((one, one, other, other))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        texts = [turn.text for turn in one.all_turns("c")]
    assert sorted(texts) == sorted(f"{number}-{n}" for number in range(4) for n in range(10))


def _append_ten(client: Everturn, name: str) -> None:
    for n in range(10):
        client.append_user("c", f"{name}-{n}")
