"""Which statements are one memory, and the ids that follow."""

import unicodedata
from typing import Final, Literal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from everturn.memory.model.identity import identity_of, rid_of, source_ref
from everturn.values.visible_text import is_blank
from strategies.json_values import as_stored, loose_texts

_ODD = (
    "\u0130", "\u1e9e", "\u00df", "\u03c2", "\u0345", "\u212a", "\u00b2", "\u00bd", "\u2460",
    "\u200b", "\u200d", "\u200c", "\ufe0f", "\u00ad", "\u034f", "\u0301", "\u2026", "\uff21",
    "\uff11", "\uff0e", "\u3002", "\u2019", "\u1160", "\u2800", "\U000e0067", "\ud800", ".", "!",
    " ", "A", "b", "5", "_", "/", "@", "\x00", "\x1c", "\u01f0", "\u0390", "\u2764",
)  # fmt: skip
_FORMS: Final[tuple[Literal["NFC", "NFD"], ...]] = ("NFC", "NFD")
odd_texts = st.lists(st.sampled_from(_ODD), max_size=10).map("".join)
words = st.text(st.characters(categories=["Lu", "Ll", "Lo"]), min_size=2, max_size=6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prefers DARK mode.", "prefers dark mode"),
        ("  prefers\tdark \n mode !", "Prefers dark mode"),
        ("prefers\u00a0dark\u3000mode", "prefers dark mode"),
        ("The port is 8080.", "the port is 8080"),
        ("The meeting is at 5PM", "the meeting is at 5pm"),
        ("Caf\u00e9", "CAFE\u0301"),
        ("STRASSE", "stra\u00dfe"),
        ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"),
        ("Дана Пьёт Чай", "дана пьёт чай"),
        ("私は猫が好きです\u3002", "私は猫が好きです"),
        ("चाय पसंद है।", "चाय पसंद है"),
        ("\uff30\uff4f\uff52\uff54 \uff18\uff10\uff18\uff10", "port 8080"),
        ("\ufb01ne print", "fine print"),
        ("Doesn\u2019t eat \u201cfish\u201d", "doesn't eat \"fish\""),
        ("a\u200bb", "ab"),
        ("co\u00adoperate", "cooperate"),
        ("\ufeffuser\u200d", "user"),
        ("loves \u2764\ufe0f", "loves \u2764"),
        ("nul\x00l", "null"),
        ("half \ud800", "half \udfff"),
    ],
)  # fmt: skip
def test_what_reads_the_same_is_one(one: str, other: str) -> None:
    """Case, spacing, a final mark, the form of quotes and what nobody sees make no difference."""
    assert identity_of(one) == identity_of(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in src/Utils/a.ts", "in src/utils/a.ts"),
        ("in Src\\a", "in src\\a"),
        ("Pay 0xABCDEF01", "Pay 0xabcdef01"),
        ("uses DEADBEEF", "uses deadbeef"),
        ("10\u00b2", "102"),
        ("x\u2082", "x2"),
        ("1\u00bd cups", "11\u20442 cups"),
        ("1\u2460", "11"),
        ("1\u2488", "11."),
        ("10\u207f", "10n"),
        ("v1.2", "v1.3"),
        ("on October 15th", "on October 16th"),
        ("Is it 8080?", "It is 8080"),
        ("uses Node.js", "uses node.js"),
        ("reads README.md", "reads readme.md"),
        # two words to a reader of Persian, and two flags to anybody
        ("\u0646\u0627\u0645\u0647\u200c\u0627\u06cc", "\u0646\u0627\u0645\u0647\u0627\u06cc"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0065", "\U0001f3f4\U000e0067\U000e0062\U000e0073"),
        ("C++", "C"),
        ("-5 degrees", "5 degrees"),
    ],
)  # fmt: skip
def test_what_may_mean_another_thing_is_two(one: str, other: str) -> None:
    assert identity_of(one) != identity_of(other)


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("8080.", "8080"),
        ("v1.2.", "v1.2"),
        ("See src/A.ts!!", "see src/A.ts"),
        ("Dana: MARK-77 is Hers. ", "dana: MARK-77 is hers"),
        ("Why?!", "why?"),
        ("...", ""),
        ("! \u3002", ""),
        ("\u2026", ""),
        (" \t\u200b\U000e0041", ""),
        ("", ""),
        ("???", "???"),
    ],
)
def test_the_identity_of_a_text(text: str, identity: str) -> None:
    assert identity_of(text) == identity


@given(loose_texts | odd_texts)
@example("\u0130A.b")
@example("A\u2488 .")
def test_the_identity_of_an_identity_is_itself(text: str) -> None:
    once = identity_of(text)

    assert identity_of(once) == once


@given(loose_texts | odd_texts)
def test_a_text_and_what_is_stored_of_it_are_one(text: str) -> None:
    stored = as_stored(text)
    assert isinstance(stored, str)

    assert identity_of(stored) == identity_of(text)


@given(odd_texts, st.sampled_from(_FORMS))
def test_the_unicode_form_makes_no_difference(text: str, form: Literal["NFC", "NFD"]) -> None:
    assert identity_of(unicodedata.normalize(form, text)) == identity_of(text)


@given(loose_texts | odd_texts)
def test_only_what_says_nothing_has_no_identity(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    says_nothing = is_blank("".join(char for char in plain if char not in ".!\u3002\u06d4\u0964"))

    assert (identity_of(text) == "") == says_nothing


@given(st.lists(words, min_size=1), st.sampled_from([" ", "  ", "\n", "\u2003"]))
def test_words_in_other_case_and_spacing_are_one_in_any_script(said: list[str], gap: str) -> None:
    text = gap.join(said)
    # The capital of some letters is that of another: i and the dotless i are both I.
    assume(text.upper().casefold() == text.casefold())

    assert identity_of(text.upper()) == identity_of(" ".join(said))


@given(st.text("ABCDEFabcdef0123456789", min_size=1, max_size=12))
def test_the_digits_of_a_hash_keep_their_case(digits: str) -> None:
    assert identity_of(f"Pays 0x{digits}.") == f"pays 0x{digits}"


def test_ids_are_the_same_in_every_process_and_version() -> None:
    """Stored keys are made of them: other values here are another version of the rules."""
    lives = identity_of("Lives in Paris.")

    assert rid_of("fact", "user", lives) == "bbe3a200238b2689f327010b0a1fdbd1"
    assert rid_of("fact", "Dana", lives) == "e257ecddcf7408ebb7b744b648b031c8"
    assert (
        rid_of("fact", "", identity_of("In src/Ünï/<a&b>.ts, 10²"))
        == "c03bf049f8e8e8ce835d95404847f146"
    )
    assert source_ref("conversation", "caf\u00e9") == "fd192aef0dbccf15"
    assert source_ref("key", "caf\u00e9") == "ffe56164e36fecb3"
    assert source_ref("direct", "") == "6910cffffabd929f"


def test_kind_and_subject_and_statement_each_make_another_memory() -> None:
    rids = {
        rid_of(kind, subject, identity)
        for kind in ("fact", "event")
        for subject in ("", "user", "Dana")
        for identity in ("lives in paris", "lives in graz")
    }

    assert len(rids) == 12


def test_a_subject_is_one_in_any_case_and_spacing() -> None:
    assert rid_of("fact", " DANA  ray", "x") == rid_of("fact", "Dana Ray", "x")


def test_a_conversation_is_one_source_in_any_unicode_form() -> None:
    assert source_ref("conversation", "cafe\u0301") == source_ref("conversation", "caf\u00e9")


@given(loose_texts, loose_texts, loose_texts)
def test_any_text_has_an_id(kind: str, subject: str, statement: str) -> None:
    rid = rid_of(kind, subject, identity_of(statement))

    assert len(bytes.fromhex(rid)) == 16
    assert len(bytes.fromhex(source_ref("key", subject))) == 8
