"""What is deployed to the emulator in the place of the template's own: where it is not AWS.

What is not shown for it: docs/tried-without-an-account.md.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from everturn.adapters.aws.scope_credentials import session_tags
from everturn.values.keys import Scope

Json = dict[str, Any]

KIM: Final = Scope("default", "kim")
LEE: Final = Scope("default", "lee")
# Her id is no plain one: it stands in keys as a hash.
MIA: Final = Scope("default", "mia@example.org")
SCOPED: Final = (KIM, LEE, MIA)
"""Whom `ScopeRole` knows; the template's knows everybody."""

_BUILT_BY_MAKE: Final = "      BuildMethod: makefile\n"
_TAG: Final = "aws:PrincipalTag/"


def leave_layers_unbuilt(template: Path) -> None:
    """Take from a template what has SAM build layers: the tests have one that is built."""
    text = template.read_text(encoding="utf-8")
    assert text.count(_BUILT_BY_MAKE) == 2
    template.write_text(text.replace(_BUILT_BY_MAKE, ""), encoding="utf-8")


def adapt(built: Path, *, layer: Path) -> None:
    """Change a template that SAM has built, beside which the layer is put."""
    template: Json = yaml.safe_load(built.read_text(encoding="utf-8"))
    resources: Json = template["Resources"]
    _use_packages_where_they_lie(template, built.parent, layer)
    _write_maximum_out(template)
    # It knows no metric math.
    for name in [name for name, resource in resources.items() if _is_of_metrics(resource)]:
        del resources[name]
    for resource in _of_type(resources, "AWS::IAM::Role"):
        resource.setdefault("Policies", []).append(_PROBE_POLICY)
    for policy in resources["ScopeRole"]["Properties"]["Policies"]:
        document = policy["PolicyDocument"]
        document["Statement"] = [
            written for statement in document["Statement"] for written in _for_each_user(statement)
        ]
    built.write_text(yaml.safe_dump(template, sort_keys=False), encoding="utf-8")


def _use_packages_where_they_lie(template: Json, folder: Path, layer: Path) -> None:
    """Leave in the layer what is ours.

    Each worker of each function would unpack 100 MB, which took minutes, and as long to delete.
    """
    small, packages = folder / "layer", folder / "packages"
    shutil.copytree(layer / "python" / "everturn", small / "python" / "everturn")
    packages.mkdir()
    for path in (layer / "python").iterdir():
        if path.name != "everturn":
            (packages / path.name).symlink_to(path)
    for properties in _of_type(template["Resources"], "AWS::Serverless::LayerVersion"):
        properties["ContentUri"] = str(small)
    variables: Json = template["Globals"]["Function"]["Environment"]["Variables"]
    variables["PYTHONPATH"] = str(packages)


def _write_maximum_out(template: Json) -> None:
    """It compares a Number with the text that a parameter is."""
    job = template["Resources"]["Consolidate"]["Properties"]["Events"]["Job"]["Properties"]
    named = job["ScalingConfig"]["MaximumConcurrency"]["Ref"]
    job["ScalingConfig"] = {"MaximumConcurrency": template["Parameters"][named]["Default"]}


def _for_each_user(statement: Json) -> Iterator[Json]:
    """Write out variables for each user: on condition that the tags of a session are that user's.

    It knows such conditions, and leaves variables as they are.
    """
    text = json.dumps(statement)
    if _TAG not in text:
        yield statement
        return
    for scope in SCOPED:
        tags = dict(session_tags(scope))
        written = text
        for name, value in tags.items():
            # In Fn::Sub a variable that is IAM's has an exclamation mark.
            for variable in (f"${{!{_TAG}{name}}}", f"${{{_TAG}{name}}}"):
                written = written.replace(variable, value)
        assert _TAG not in written
        given: Json = json.loads(written)
        del given["Sid"]
        bears = {f"{_TAG}{name}": value for name, value in tags.items()}
        yield {**given, "Condition": {**given.get("Condition", {}), "StringEquals": bears}}


def _is_of_metrics(resource: Json) -> bool:
    return resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]


def _of_type(resources: Mapping[str, Json], type_: str) -> list[Json]:
    return [found["Properties"] for found in resources.values() if found["Type"] == type_]


# It is no AWS, so that the functions try its conditions at start: where no role of the template may
# write.
_PROBE_POLICY: Final[Json] = {
    "PolicyName": "probe-the-emulator",
    "PolicyDocument": {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
                "Resource": [
                    {"Fn::Sub": f"${{{bucket}.Arn}}/.probe/*"}
                    for bucket in ("DataBucket", "DerivedBucket")
                ],
            }
        ],
    },
}
