"""Fixtures of the tests that build and deploy as a user does: tools, a layer, emulated accounts."""

from deployment.built_layer import layer
from deployment.deployed_stack import built_stack
from deployment.ministack import ministack
from deployment.moto_account import account
from deployment.sam_tools import sam
from emulation.moto_server import moto_server
from emulation.moto_sqs import moto_sqs, sqs_client

__all__ = [
    "account", "built_stack", "layer", "ministack", "moto_server", "moto_sqs", "sam", "sqs_client",
]  # fmt: skip
