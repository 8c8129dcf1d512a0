"""What the bench of cold starts makes of Python's import times: each package is told its own."""

from import_times import import_ms

LINES = """\
import time: self [us] | cumulative | imported package
import time:      1500 |       1500 |     botocore.session
import time:       500 |       2000 |   everturn.adapters
import time:       250 |       2250 | app
import time:       750 |        750 | json.decoder
import time:      1000 |       1000 | somebody.elses
{"level":"INFO","message":"import time: 7 | 7 | numpy"}
""".splitlines()


def test_a_module_counts_for_its_package_without_what_it_imports() -> None:
    spent = import_ms(LINES)
    assert {kind: ms for kind, ms in spent.items() if ms} == {
        "everturn": 0.75, "botocore": 1.5, "python": 0.75, "others": 1.0,
    }  # fmt: skip


def test_every_kind_is_told_though_nothing_of_it_was_imported() -> None:
    assert import_ms([]).keys() == import_ms(LINES).keys()
    assert set(import_ms([]).values()) == {0.0}
