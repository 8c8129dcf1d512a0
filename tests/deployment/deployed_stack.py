"""The template, built and deployed to an emulated account by the SAM CLI as a user does it."""

import platform
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from deployment.emulated_template import adapt, leave_layers_unbuilt
from deployment.ministack import ACCOUNT, Ministack
from deployment.sam_tools import run_sam
from template.loaded import ROOT

STACK: Final = "everturn"
_READ_BY_SAM: Final = ("functions", "template.yaml", "samconfig.toml")
# Where no test asks for another; all that any asks for are here, so that each change is undone.
_PARAMETERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Architecture": "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64",
        "SettleSeconds": "1",
        "ServiceRoles": f"arn:aws:iam::{ACCOUNT}:role/FrontendRole",
        "AgentIdentity": "",
        "JwtIssuer": "",
        "JwtAudience": "",
        "TenantRole": "false",
    }
)


@dataclass(slots=True)
class DeployedStack:
    """A stack that `sam deploy` made: what CloudFormation tells of it."""

    account: Ministack
    project: Path
    sam: Path
    parameters: Mapping[str, str] = field(default_factory=dict)
    """As deployed last; nothing before the first time."""
    outputs: Mapping[str, str] = field(default_factory=dict)
    resources: Mapping[str, str] = field(default_factory=dict)
    """Physical id by logical id."""

    def keys(self, output: str) -> list[str]:
        """All keys of a bucket that the outputs name."""
        s3 = self.account.client("s3")
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=self.outputs[output])
        found = [item["Key"] for page in pages for item in page.get("Contents", [])]
        s3.close()
        return found

    def having(self, **parameters: str) -> "DeployedStack":
        """Deploy it with these parameters and no others, unless it has them; return it."""
        wanted = {**_PARAMETERS, **parameters}
        assert wanted.keys() == _PARAMETERS.keys()
        if wanted != self.parameters:
            # Without quotes SAM would take the first word of a value for all of it.
            given = [f'{name}="{value}"' for name, value in wanted.items()]
            command = ["deploy", "--no-confirm-changeset", "--parameter-overrides", *given]
            run_sam(self.sam, *command, cwd=self.project, **self.account.environment)
            self._describe()
            self.parameters = wanted
        return self

    def _describe(self) -> None:
        cloudformation = self.account.client("cloudformation")
        [stack] = cloudformation.describe_stacks(StackName=STACK)["Stacks"]
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK)
        self.resources = {
            item["LogicalResourceId"]: item["PhysicalResourceId"]
            for page in pages
            for item in page["StackResourceSummaries"]
        }
        cloudformation.close()
        self.outputs = {item["OutputKey"]: item["OutputValue"] for item in stack["Outputs"]}


@pytest.fixture(scope="session")
def built_stack(
    ministack: Ministack, sam: Path, layer: Path, tmp_path_factory: pytest.TempPathFactory
) -> DeployedStack:
    """One for all tests that deploy; each says by `having` what it is to be deployed with."""
    project = tmp_path_factory.mktemp("a checkout")
    _copy_project(project)
    leave_layers_unbuilt(project / "template.yaml")
    run_sam(sam, "build", cwd=project)
    adapt(project / ".aws-sam" / "build" / "template.yaml", layer=layer)
    return DeployedStack(ministack, project, sam)


def _copy_project(folder: Path) -> None:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run([*listed, "--", *_READ_BY_SAM], cwd=ROOT, check=True, stdout=-1).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
