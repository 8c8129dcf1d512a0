"""`everturn up` in processes of its own."""

import shutil
import signal
import socket
import subprocess
import threading
from ipaddress import IPv4Address
from pathlib import Path

import httpx
import pytest

from adapters.minilm.tiny_bert import install_tiny
from cli.everturn_process import clean_environment, everturn_up, run
from everturn.client import Everturn


def _pasted(banner: str, cwd: Path) -> list[str]:
    """Run the commands that the banner offers; return what each prints."""
    text = banner[banner.index("curl ") : banner.index("\nCtrl-C")].replace("\\\n", "")
    return [
        subprocess.run(  # noqa: S602 - the lines are there to be pasted into a shell
            line,
            shell=True,
            cwd=cwd,
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for line in text.splitlines()
        if line.strip()
    ]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_lines_of_the_banner_work_when_pasted(tmp_path: Path) -> None:
    with everturn_up("--dir", "has a space", cwd=tmp_path) as up:
        assert f"{tmp_path / 'has a space'} (--dir)" in up.banner
        assert f"docs   {up.url}/docs\n" in up.banner
        assert "holds  0 conversations" in up.banner
        assert "everturn.log (made with the first one)" in up.banner
        assert "finds  turns by words alone, hash (" in up.banner
        assert "): no embedding model is configured\n" in up.banner
        assert "learns from what is said, by rules, no model is configured\n" in up.banner
        appended, listed, turns, recalled, *memory, got = _pasted(up.banner, tmp_path)
        assert '"first_turn":0' in appended
        for answer in (listed, turns, recalled, got):
            assert "Remember that the server listens on port 8080." in answer
        assert ['"created":true' in memory[0], len(memory)] == [True, 3]
        assert all("Likes short answers." in answer for answer in memory)
    assert (tmp_path / "has a space" / "demo.json").is_file()


def test_ctrl_c_ends_it_cleanly_and_the_console_has_one_line_a_request(tmp_path: Path) -> None:
    """Powertools' logs and metrics of the handlers are not on the console."""
    with everturn_up("--workers", "2", cwd=tmp_path) as up:
        httpx.post(f"{up.url}/v1/conversations", json={"bad": 1}, trust_env=False, timeout=60)
        httpx.get(f"{up.url}/v1/conversations/none?x=secret", trust_env=False, timeout=60)
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(60) == 0
        assert up.process.stdout is not None
        assert up.process.stdout.read() == ""
    lines = (tmp_path / "up.err").read_text().splitlines()
    assert [line.rpartition(" ms")[0].rpartition(" ")[0] for line in lines[:-1]] == [
        "POST /v1/conversations 422",
        "GET /v1/conversations/none 404",
    ]
    assert lines[-1] == "ended"
    with pytest.raises(httpx.ConnectError):
        httpx.get(up.url, trust_env=False, timeout=60)


@pytest.mark.slow
def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with everturn_up("--workers", "2", cwd=tmp_path) as up:
        up.process.kill()
        up.process.wait(60)
        for _ in range(3_000):
            try:
                httpx.get(f"{up.url}/v1/conversations", trust_env=False, timeout=1)
            except httpx.ConnectError:
                return
            except httpx.TransportError:
                pass
            threading.Event().wait(0.02)
    pytest.fail("workers are still there")


def test_everything_combines_with_emulated_aws(tmp_path: Path) -> None:
    """The store ends with it; the folder holds nothing but logs."""
    with everturn_up("--emulate-aws", "--workers", "2", "--dir", "d", cwd=tmp_path) as up:
        assert "s3://everturn-data (emulated at http://127.0.0.1:" in up.banner
        # A client tries again where the emulation is too slow for the server.
        with Everturn(up.url, timeout_s=60) as memory:
            for number in range(6):
                assert memory.append_user("c", str(number)).first_turn == number
        up.process.terminate()
        assert up.process.wait(60) == 0
    left = (
        [p for p in (tmp_path / "d").rglob("*") if p.is_file()] if (tmp_path / "d").exists() else []
    )
    assert {p.parent.name for p in left} <= {"logs"}


def test_a_taken_port_is_one_line_and_exit_one(tmp_path: Path) -> None:
    with everturn_up(cwd=tmp_path) as up:
        port = up.url.rpartition(":")[2]
        second = run("up", "--port", port, cwd=tmp_path)
    assert second.returncode == 1
    assert second.stdout == ""
    assert second.stderr.count("\n") == 1
    where = f"host=127.0.0.1 port={port} code=misconfigured"
    assert second.stderr == f"error: cannot listen: address already in use {where}\n"


@pytest.mark.slow
def test_what_the_directory_holds_is_counted_without_a_request(tmp_path: Path) -> None:
    for name in ("a", "b"):
        run("append", name, "x", "--dir", "d", cwd=tmp_path)
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        assert "holds  2 conversations\n" in up.banner
        assert (tmp_path / "up.err").read_text() == ""


@pytest.mark.slow
def test_on_an_address_that_others_reach_nobody_acts_for_another_user(tmp_path: Path) -> None:
    everywhere = str(IPv4Address(0))
    with everturn_up("--host", everywhere, cwd=tmp_path) as up:
        warning = (
            "warning: whoever reaches this address is user local of tenant local"
            f" host={everywhere}\n"
        )
        assert (tmp_path / "up.err").read_text() == warning
        path = f"{up.url}/v1/conversations"
        refused = httpx.get(path, headers={"x-everturn-actor": "ann"}, trust_env=False, timeout=60)
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "forbidden"
        assert httpx.get(path, trust_env=False, timeout=60).status_code == 200


@pytest.mark.slow
def test_users_and_keys_that_are_not_ascii_are_taken_over_a_socket(tmp_path: Path) -> None:
    """And what is written so is that user's in process, too."""
    append = ("append", "c", "x", "--actor", "Ünal", "--key", "schlüssel")
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        assert run(*append, "--url", up.url, cwd=tmp_path).returncode == 0
        assert run(*append, "--url", up.url, cwd=tmp_path).stdout.startswith("already there")
        listed = run("list", "--actor", "Ünal", "--url", up.url, cwd=tmp_path)
        assert listed.stdout.splitlines()[1].startswith("c  ")
        assert run("list", "--url", up.url, cwd=tmp_path).stdout == ""
    here = run("list", "--actor", "Ünal", "--dir", "d", cwd=tmp_path)
    assert here.stdout.splitlines()[1].startswith("c  ")


@pytest.mark.parametrize("host", ["", " "])
def test_a_blank_address_to_listen_on_is_a_usage_error(tmp_path: Path, host: str) -> None:
    """It would be every address of this machine."""
    result = run("up", "--host", host, "--port", "0", cwd=tmp_path)
    assert result.returncode == 2
    assert "--host" in result.stderr


@pytest.mark.slow
def test_the_banner_says_which_embedder_finds_turns_and_why(tmp_path: Path) -> None:
    install_tiny(tmp_path / "models")
    models = {"EVERTURN_MODEL_DIR": str(tmp_path / "models")}
    with everturn_up(cwd=tmp_path, environment=models) as up:
        why = "it is the first of those configured"
        live = f"local (all-MiniLM-L6-v2, 24 dimensions, semantic): {why}"
        assert f"finds  turns by meaning and words, {live}\n" in up.banner


@pytest.mark.slow
def test_a_broken_model_is_told_and_keeps_nobody_from_starting(tmp_path: Path) -> None:
    (install_tiny(tmp_path / "models") / "vocab.txt").unlink()
    models = {"EVERTURN_MODEL_DIR": str(tmp_path / "models")}
    with everturn_up(cwd=tmp_path, environment=models) as up:
        assert "finds  turns by words alone, hash (" in up.banner
        assert "): local: the local model cannot be read, " in up.banner
        assert (
            httpx.get(f"{up.url}/v1/conversations", trust_env=False, timeout=60).status_code == 200
        )


@pytest.mark.slow
def test_a_gateway_that_does_not_answer_does_not_hold_up_the_start(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        gateway = {
            "EVERTURN_GATEWAY_URL": f"http://127.0.0.1:{mute.getsockname()[1]}",
            "EVERTURN_EMBED_MODEL": "any",
        }
        with everturn_up(cwd=tmp_path, environment=gateway) as up:
            waiting = "turns by words until an embedder answers, everturn status tells"
            assert f"finds  {waiting}\n" in up.banner
            assert (
                httpx.get(f"{up.url}/v1/conversations", trust_env=False, timeout=60).status_code
                == 200
            )
            up.process.send_signal(signal.SIGINT)
            assert up.process.wait(60) == 0
    assert (tmp_path / "up.err").read_text().endswith("ended\n")
