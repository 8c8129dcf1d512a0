from collections.abc import Sequence

import numpy as np

from everturn.conversations.model.turn import Turn
from everturn.recall.index.build_rows import make_rows
from everturn.recall.index.turn_index import Stretch, TurnIndex
from everturn.recall.language.terms import term_of_word
from everturn.recall.themes.clusters import Spellings, telling_terms, terms_of_names
from everturn.recall.themes.vectors import TermCounts

SAILING = ["we sailed the boat, great", "the boat has a new sail, great", "sailing again, great"]
BREAD = ["the bread rose, great", "sourdough bread, great", "I baked a bread, great"]


def index_of(texts: Sequence[str], *, names: Sequence[str] = ("user",)) -> TurnIndex:
    turns = [Turn(at, names[at % len(names)], text, None, {}) for at, text in enumerate(texts)]
    return TurnIndex([Stretch("c", 0, make_rows(turns, 0))])


def words_of_themes(
    themes: Sequence[Sequence[str]], *, count: int = 5, names: Sequence[str] = ("user",)
) -> list[tuple[str, ...]]:
    """What themes are called that hold these turns."""
    texts = [text for theme in themes for text in theme]
    index = index_of(texts, names=names)
    counts = TermCounts.of(index, np.arange(len(texts)), without=terms_of_names(index))
    owners = np.repeat(np.arange(len(themes)), [len(theme) for theme in themes])
    terms = telling_terms(counts, owners, len(themes))
    spellings = Spellings({term for theme in terms for term in theme})
    for text in texts:
        spellings.add(text)
    return [spellings.words(theme, count) for theme in terms]


def spelled(term: str, *texts: str) -> tuple[str, ...]:
    wanted = term_of_word(term)
    assert wanted is not None
    spellings = Spellings([wanted])
    for text in texts:
        spellings.add(text)
    return spellings.words([wanted], 1)


def test_a_theme_is_called_by_what_the_others_do_not_say() -> None:
    sailing, bread = words_of_themes([SAILING, BREAD], count=2)
    assert set(sailing) == {"boat", "sail"}
    assert bread[0] == "bread"


def test_a_word_of_every_theme_comes_behind_its_own_words() -> None:
    for words in words_of_themes([SAILING, BREAD]):
        assert words.index("great") > 0


def test_a_theme_alone_is_called_by_its_commonest_words() -> None:
    [words] = words_of_themes([SAILING], count=2)
    assert set(words) <= {"boat", "sail", "great"}


def test_stop_words_and_names_of_speakers_are_no_terms() -> None:
    texts = ["Hello Caroline, is it you?", "It is me, Mel", "Caroline Caroline", "Mel and Mel"]
    [words] = words_of_themes([texts], names=("Caroline", "Mel"))
    assert set(words) == {"Hello"}


def test_numbers_alone_and_single_letters_are_no_terms() -> None:
    [words] = words_of_themes([["order 4711 x argon2", "order 4711 x argon2"]])
    assert set(words) == {"order", "argon2"}


def test_a_blob_is_no_term() -> None:
    blob = "a1" * 40
    [words] = words_of_themes([[f"token {blob}", f"token {blob}"]])
    assert words == ("token",)


def test_a_word_said_often_in_one_turn_does_not_name_a_theme() -> None:
    texts = ["spam " * 200, "the boat sails", "a boat", "boat and sail", "boat"]
    [words] = words_of_themes([texts])
    assert words[0] == "boat"


def test_a_term_is_spelled_as_most_turns_spell_it() -> None:
    assert spelled("paint", "painting", "painting", "paints") == ("painting",)
    assert spelled("paris", "Paris", "Paris", "paris") == ("Paris",)
    assert spelled("paint", "Painting", "painting", "paints", "paints", "Paints") == ("paints",)
    assert spelled("paint", "Painting", "painting") == ("painting",)


def test_a_turn_counts_once_for_a_spelling() -> None:
    assert spelled("paint", "paints paints paints", "painting", "painting") == ("painting",)


def test_accents_are_kept_where_turns_have_them() -> None:
    assert spelled("cafe", "café", "Café au lait", "cafe\u0301") == ("café",)


def test_a_script_without_spaces_is_spelled_by_its_pairs() -> None:
    [words] = words_of_themes([["東京タワー", "東京へ行く"]], count=1)
    assert words == ("東京",)


def test_a_recalled_block_spells_nothing() -> None:
    assert spelled("secret", "<recalled_memory>secret</recalled_memory> hello") == ()


def test_a_term_that_no_text_spells_is_left_out() -> None:
    assert spelled("boat", "bread") == ()


def test_turns_without_a_theme_name_none() -> None:
    index = index_of(["boat", "bread"])
    counts = TermCounts.of(index, np.arange(2))
    [terms] = telling_terms(counts, np.array([0, -1]), 1)
    assert terms == [term_of_word("boat")]


def test_no_turns_have_no_terms() -> None:
    counts = TermCounts.of(index_of([]), np.arange(0))
    assert telling_terms(counts, np.zeros(0, np.intp), 0) == []
