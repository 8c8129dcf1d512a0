"""How the two clients of the adapter are made."""

import socket
import subprocess
import sys
import threading

import pytest

from emulation.s3_endpoint import dummy_environment, emulator_clients
from everturn.adapters.aws.s3_clients import is_aws, make_clients, shared_clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import MisconfiguredError, OutcomeUnknownError, UnavailableError
from everturn.ports.object_store import ABSENT


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1"])
def test_aws_is_known_by_its_hosts(region: str) -> None:
    with dummy_environment() as patch:
        patch.setenv("AWS_DEFAULT_REGION", region)
        clients = make_clients()
    assert is_aws(clients.writes)
    assert is_aws(clients.reads)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://s3.dualstack.eu-west-1.amazonaws.com", True),
        ("https://s3.eu-west-1.api.aws", True),
        ("https://bucket.vpce-1a2b-s3.us-east-1.vpce.amazonaws.com", True),
        ("http://127.0.0.1:9000", False),
        ("https://amazonaws.com.example.org", False),
        ("https://notamazonaws.com", False),
    ],
)
def test_a_look_alike_is_not_aws(url: str, *, expected: bool) -> None:
    assert is_aws(emulator_clients(url).writes) is expected


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
def test_an_endpoint_of_one_s_own_gets_the_bucket_in_the_path(variable: str) -> None:
    with dummy_environment() as patch:
        patch.setenv(variable, "http://s3.example.test:9000")
        clients = make_clients()
    store = S3Store(bucket="b", prefix="", writes=clients.writes, reads=clients.reads)
    assert not store.is_aws
    url = clients.reads.generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"})
    assert url.startswith("http://s3.example.test:9000/b/k?")


def test_writes_are_sent_once_and_waits_are_bounded_whatever_the_environment_says() -> None:
    with dummy_environment() as patch:
        patch.setenv("AWS_MAX_ATTEMPTS", "7")
        patch.setenv("AWS_RETRY_MODE", "legacy")
        clients = make_clients()
    for client, attempts, answer_s in ((clients.writes, 1, 5), (clients.reads, 2, 2)):
        config = client.meta.config
        assert config.retries == {"mode": "standard", "total_max_attempts": attempts}  # type: ignore[attr-defined]
        assert (config.connect_timeout, config.read_timeout) == (1, answer_s)  # type: ignore[attr-defined]


def test_the_clients_of_a_process_are_made_once() -> None:
    shared_clients.cache_clear()
    with dummy_environment() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        first = S3Store.connect(bucket="b1", prefix="")
        second = S3Store.connect(bucket="b2", prefix="p")
    shared_clients.cache_clear()
    assert first._writes is second._writes
    assert first._reads is not first._writes


@pytest.mark.parametrize(
    ("variable", "value"), [("AWS_ENDPOINT_URL", "no url"), ("AWS_PROFILE", "nobody")]
)
def test_an_environment_that_the_sdk_does_not_take_is_misconfigured(
    variable: str, value: str
) -> None:
    with dummy_environment() as patch:
        patch.setenv(variable, value)
        with pytest.raises(MisconfiguredError, match="no s3 client"):
            make_clients()


def test_without_credentials_the_message_says_so() -> None:
    with dummy_environment() as patch:
        patch.delenv("AWS_ACCESS_KEY_ID")
        patch.delenv("AWS_SECRET_ACCESS_KEY")
        clients = make_clients(endpoint_url=f"http://127.0.0.1:{closed_port()}")
        store = S3Store(bucket="b", prefix="", writes=clients.writes, reads=clients.reads)
        with pytest.raises(MisconfiguredError, match="error=NoCredentialsError"):
            store.get("k")
        with pytest.raises(MisconfiguredError, match="error=NoCredentialsError"):
            store.put("k", b"", expect=ABSENT)


def test_a_server_that_is_not_there_is_unavailable_and_a_write_unknown() -> None:
    clients = emulator_clients(f"http://127.0.0.1:{closed_port()}")
    store = S3Store(bucket="b", prefix="", writes=clients.writes, reads=clients.writes)
    with pytest.raises(UnavailableError):
        store.get("k")
    with pytest.raises(OutcomeUnknownError):
        store.put("k", b"", expect=ABSENT)


def test_a_body_that_breaks_off_is_unavailable() -> None:
    """The SDK repeats requests, but not the reading of a body."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        half = b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Length: 10\r\n\r\nhalf'

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(half)

        thread = threading.Thread(target=answer)
        thread.start()
        clients = emulator_clients(f"http://127.0.0.1:{listener.getsockname()[1]}")
        store = S3Store(bucket="b", prefix="", writes=clients.writes, reads=clients.reads)
        with pytest.raises(UnavailableError):
            store.get("k")
        thread.join()


@pytest.mark.parametrize(
    "module", ["everturn.bootstrap.components", "everturn.adapters.directory.store"]
)
def test_a_directory_store_does_not_load_boto3(module: str) -> None:
    code = f"import sys, {module}; sys.exit('boto3' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
