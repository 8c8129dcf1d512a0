"""Where the template, functions/ and the API's description lie: in a checkout, or in a wheel."""

from dataclasses import dataclass
from pathlib import Path

import everturn
from everturn.errors import MisconfiguredError


@dataclass(frozen=True, slots=True)
class Bundle:
    """The folder that holds template.yaml and functions/, and what kind of folder it is."""

    root: Path
    kind: str

    @property
    def template(self) -> Path:
        """The SAM template."""
        return self.root / "template.yaml"

    @property
    def openapi(self) -> Path:
        """The description of the API."""
        return self.root / "docs" / "openapi.json"

    def function(self, code_uri: str, handler: str) -> Path:
        """Return the file of a handler such as `app.handler` under a CodeUri."""
        return self.root / code_uri / f"{handler.rpartition('.')[0].replace('.', '/')}.py"


def find_bundle(package: Path | None = None) -> Bundle:
    """Find them: beside `shared/` in a checkout, else in `local/bundle/` of the package.

    Args:
        package: the folder of the package `everturn`; that of the running one if not given.

    Raises:
        MisconfiguredError: neither is there.
    """
    package = package or Path(everturn.__file__).resolve().parent
    checkout = Bundle(package.parent.parent, "checkout")
    wheel = Bundle(package / "local" / "bundle", "wheel")
    if package.parent.name == "shared" and checkout.template.is_file():
        return checkout
    if wheel.template.is_file():
        return wheel
    raise MisconfiguredError(f"template.yaml is missing from the installation package={package}")
