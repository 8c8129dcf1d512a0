"""The moto server that ships for local use."""

import socket
import threading

import pytest
from moto.s3.responses import S3Response

from emulation.s3_endpoint import emulator_clients, fresh_store
from everturn.errors import MisconfiguredError
from everturn.local.emulation.moto_s3 import MotoServer, install_lock, serve
from everturn.ports.object_store import ABSENT


def test_a_reset_forgets_all_buckets(moto_server: MotoServer) -> None:
    clients = emulator_clients(moto_server.url)
    store = fresh_store(clients)
    store.put("k", b"1", expect=ABSENT)
    moto_server.reset()
    with pytest.raises(MisconfiguredError, match="NoSuchBucket"):
        store.get("k")


def test_the_lock_is_put_in_once() -> None:
    install_lock()
    entrance = S3Response.key_response
    install_lock()
    assert S3Response.key_response is entrance


def test_a_request_waits_for_the_one_before_it(moto_server: MotoServer) -> None:
    clients = emulator_clients(moto_server.url)
    store = fresh_store(clients)
    ended = threading.Event()

    def put() -> None:
        store.put("k", b"1", expect=ABSENT)
        ended.set()

    thread = threading.Thread(target=put)
    lock = vars(S3Response)["everturn_lock"]
    with lock:
        thread.start()
        assert not ended.wait(0.2)
    thread.join()
    assert ended.is_set()


def test_a_taken_port_is_an_error_and_no_wait_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(OSError, match="in use"):
        serve("127.0.0.1", listener.getsockname()[1])


def test_a_server_ends_when_told_to() -> None:
    server = serve("127.0.0.1", 0)
    server.reset()
    server.stop()
    port = int(server.url.rpartition(":")[2])
    socket.create_server(("127.0.0.1", port)).close()
