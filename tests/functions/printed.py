"""What handlers print of metrics, event by event."""

import json

import pytest

from everturn.edge.function import METRICS, UNITS
from functions.house import House, Json

MEASURES = {METRICS[word]: unit.value for word, unit in UNITS.items()}


@pytest.fixture
def printed(house: House, capsys: pytest.CaptureFixture[str]) -> "Printed":
    return Printed(house, capsys)


class Printed:
    """What handlers print, event by event."""

    def __init__(self, house: House, capsys: pytest.CaptureFixture[str]) -> None:
        self.house = house
        self._capsys = capsys

    def forget(self) -> None:
        """Forget what was printed."""
        self._capsys.readouterr()

    def metrics(self) -> dict[str, float]:
        """The numbers of the one line printed since the last call, but for how long it took."""
        lines = self._capsys.readouterr().out.splitlines()
        assert len(lines) == 1, lines
        line: Json = json.loads(lines[0])
        declared = line["_aws"]["CloudWatchMetrics"][0]
        assert declared["Namespace"] == "Everturn"
        assert declared["Dimensions"] == [["service"]]
        units = {metric["Name"]: metric["Unit"] for metric in declared["Metrics"]}
        assert units == {name: MEASURES.get(name, "Count") for name in units}
        assert units.keys() <= set(METRICS.values())
        assert set(line) == {"_aws", "service", *units}
        assert line["RequestDuration"][0] >= 0
        return {name: line[name][0] for name in units.keys() - {"RequestDuration"}}
