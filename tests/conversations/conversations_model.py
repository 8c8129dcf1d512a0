"""What the machine of conversations knows of them, and what it asks for."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from fakes.faulty_store import Fault


@dataclass(frozen=True)
class Trouble:
    """Which process calls, what becomes of its first writes, when the delayed ones land."""

    process: int
    faults: list[Fault | None]
    delay: int


@dataclass(frozen=True)
class Request:
    """An append; `off_by` is how far its expected turn count is from the true one."""

    name: str
    texts: list[str]
    key: str | None
    ts: str | None
    off_by: int | None
    must_exist: bool

    @property
    def said(self) -> list[str]:
        """The texts that are not blank."""
        return [text for text in self.texts if text.strip()]


@dataclass
class Thread:
    """What the model knows of one conversation; `keys` says which append came with a key."""

    texts: list[str] = field(default_factory=list)
    title: str = ""
    deleted: bool = False
    updated_ns: int = 0
    keys: dict[str, tuple[Request, int]] = field(default_factory=dict)
    redacted: set[int] = field(default_factory=set)
    was_used: bool = False
    """Whether turns were taken back, in this life or an earlier one."""

    @property
    def is_unused(self) -> bool:
        """Whether it was made and never used."""
        return not (self.texts or self.deleted or self.was_used)

    @property
    def shown_title(self) -> str:
        """What a list calls it: all turns are the user's, and short."""
        return self.title or next((text for text in self.texts if text), "New chat")


NAMES = st.sampled_from(["c1", "c2", "\u00fcber all"])
TITLES = st.sampled_from(["", "t", "u"])
_UNCLEAR = (Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED, Fault.REFUSED)
TROUBLES = st.builds(
    Trouble,
    process=st.integers(0, 1),
    faults=st.lists(st.sampled_from([None, *_UNCLEAR]), max_size=3),
    delay=st.integers(1, 4),
)
REQUESTS = st.builds(
    Request,
    name=NAMES,
    texts=st.lists(st.sampled_from(["yes", "no", " "]), min_size=1, max_size=3),
    key=st.sampled_from([None, None, "k1", "k2"]),
    # A time given makes equal turns equal in every byte.
    ts=st.sampled_from([None, "2025-05-05T05:05:05Z"]),
    off_by=st.sampled_from([None, None, 0, 1]),
    must_exist=st.booleans(),
)
