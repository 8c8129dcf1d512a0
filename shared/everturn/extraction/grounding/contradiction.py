"""Detect whether a sentence contradicts a statement, or leaves open whether it is so.

A sentence with the same words may deny them, ask about them, or suppose them. It may also prefer
the same two things the other way round.

Detection uses words of English, and the words for `not` of some other languages. A preference in
other words than the listed ones is not compared.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from everturn.values.visible_text import one_line

TermsOf = Callable[[str], frozenset[int]]
"""Gives the terms of a text."""


_CLAUSE_END = re.compile(
    r"[,;:](?=\s|$)|[()\u2014\u3001\uff0c\uff1b]|\s[-\u2013]+\s"
    r"|\b(?:but|however|although|though|because|since|while|whereas|who|which"
    r"|that['\u2019]?s why"
    r"|and(?=\s(?:i|i'm|we|he|she|they|it|my|our)\b))\b",
    re.IGNORECASE,
)
# What negates nothing of what follows.
_IDLE = re.compile(
    r"\b(?:(?:do not|don'?t|never|won'?t|will not|didn'?t|cannot|can'?t) (?:forget|worry|hesitate"
    r"|mind|wait|believe|help|go wrong|say enough|express|thank|even|imagine)|no (?:doubt|problem"
    r"|worries|matter|wonder|need to worry)|not (?:only|just|to mention|sure)|couldn'?t (?:be more"
    r"|be \w+er|agree more|ask for|have)|why not|nothing (?:beats|like|better)|no one)\b"
    # `Do you not` at the end asks for a yes.
    r"|\b\w+n['\u2019]?t (?:i|you|we|they|he|she|it)\b(?=\W*\Z)",
    re.IGNORECASE,
)
# Of these the whole clause is denied, of the others what comes next.
_NOT = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|can|could|would|should|will|must|may|might)"
    r" ?n(?:o|['\u2019]?)t|cannot|can['\u2019]?t|won['\u2019]?t|ain['\u2019]?t|not|never|no longer"
    r"|nobody|none|neither|nor|nicht|keine?[nmrs]?|nie|niemals|pas|jamais|nunca|jam\u00e1s|niet"
    r"|geen|nooit|\u043d\u0435|\u043d\u0435\u0442|\u043d\u0438\u043a\u043e\u0433\u0434\u0430)\b"
    r"|[\u4e0d\u6ca1\u6c92]|\u306a\u3044|\u307e\u305b\u3093",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:no|without|ohne|sans|zonder|stop(?:ped|s|ping)?|quit(?:s|ting)?|gave up|given up"
    r"|avoid\w*|hat(?:e|es|ed)|dislik\w+|loath\w+|detest\w*|refus\w+|instead of|rather than)\b",
    re.IGNORECASE,
)
# Who notes a denial may word it in another way; who notes one where none was may have read these.
_ELSE = re.compile(
    r"\b(?:fail\w*|lack\w*|lost|loses?|losing|left|leav\w+|resign\w*|cancel\w*|former\w*|reject\w*"
    r"|declin\w+|allerg\w+|intoleran\w+|vegan|vegetarian|ban|banned|skip\w*|remov\w+|deleted?"
    r"|disabled?|forb\w+|prevent\w*|struggl\w+|rarely|hardly|seldom|barely|un(?!der|it|iv|til)\w{4,}"
    r"|\w{3,}less|give up)\b|-free\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:instead|rather|than|only|except|miss\w*|against|less|free|away|off|out|difficult\w*|hard"
    r"|worr\w+|nothing|ends?|ended|yet|overcom\w+|despite|challeng\w*|over|too|before|used to|if"
    r"|until|enough|new|first)\b",
    re.IGNORECASE,
)
# A statement with one of these does not say that it is so.
_OPEN = re.compile(
    r"\b(?:ask\w*|wonder\w*|whether|if|when|unless|interest\w*|curious|consider\w*|plan\w*|hop(?:e|es"
    r"|ed|ing)|wish\w*|would|could|might|may|should|hypothe\w+|imagined?|look\w* for|seek\w*"
    r"|want\w*|need\w*|request\w*|inquir\w+|suggest\w*|recommend\w*|encourag\w*|offer\w*|propos\w*"
    r"|invit\w*|think\w*|believ\w+|express\w*|dream\w*|aim\w*|intend\w*|keen|eager)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[?\uff1f][\s\"'\u201d\u2019)]*\Z")
_TELLS = re.compile(
    r"\s*(?:(?:hi|hey|hello|so|well|and|ok|okay|as|also|oh|yeah|yes|no|btw|given|that|sorry|thanks)"
    r"\s+)*(?:i|i['\u2019]?m|i['\u2019]ve|i['\u2019]ll|we|we['\u2019](?:re|ve)|my|our)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|imagine|suppose|supposing|pretend|hypothetically|what if|let['\u2019]?s say"
    r"|i wish|as though)\b",
    re.IGNORECASE,
)
_IF_SO = re.compile(r"\s*if (?:i|we|he|she|they|my|our)\b", re.IGNORECASE)
_WOULD = re.compile(
    r"\b(?:would|could|might)\b(?! (?:\w+ )?(?:like|love|prefer|rather|appreciate))", re.IGNORECASE
)
_LACKED = re.compile(r"\b(?:without|ohne|sans|zonder)\s+(\w+(?:\s+\w+)?)", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|nope|nah|never|not|nein|non|nee|niet)\b", re.IGNORECASE)
# How many words before and after one that denies, and after one that does without.
_BEFORE: Final = 5
_AFTER: Final = 8
_NEXT: Final = 4


def says_otherwise(statement: str, sentence: str, terms_of: TermsOf) -> bool:
    """Say whether a sentence denies, asks or supposes what a statement says is so.

    One that prefers two things the other way round says otherwise too. Nor does a sentence say what
    a statement denies in which there is no denial at all. Half of the words that both have in
    common decide.
    """
    statement, sentence = (_IDLE.sub(" ", one_line(text)) for text in (statement, sentence))
    if is_other_way_round(statement, sentence, terms_of):
        return True
    shared = terms_of(statement) & terms_of(sentence)
    if not shared:
        return _NO.match(sentence) is not None and not _denies(statement, sentence)
    if not _OPEN.search(statement):
        told = terms_of(" , ".join(_told(sentence)))
        if 2 * len(shared & told) < len(shared):
            return True
    if _denies(statement, sentence):
        is_new = not (_denies(sentence, statement) or _MAYBE.search(sentence))
        return is_new and 2 * len(shared & _denied(statement, terms_of)) >= len(shared)
    if any(shared & terms_of(lacked) for lacked in _LACKED.findall(sentence)):
        return True
    return 2 * len(shared & _denied(sentence, terms_of)) >= len(shared)


def _denies(text: str, other: str) -> bool:
    """Say whether a text denies something, be it with a word that the other one has not."""
    words = {word.casefold() for word in _ELSE.findall(text)}
    return bool(_NOT.search(text) or _WITHOUT.search(text) or words - {*_ELSE.findall(other)})


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE_END.split(sentence) if clause.strip()]


def _denied(text: str, terms_of: TermsOf) -> frozenset[int]:
    """Return the terms that stand in a denial, and nowhere else."""
    denied: set[int] = set()
    others: set[int] = set()
    for clause in _clauses(text):
        said = " ".join(_denied_words(clause))
        denied |= terms_of(said)
        # The word that denies is itself no word of what is denied.
        others |= terms_of(clause) - terms_of(said)
    return frozenset(denied - others)


def _denied_words(clause: str) -> Iterator[str]:
    found = _NOT.search(clause)
    if found:
        yield from clause[: found.start()].split()[-_BEFORE:]
        yield from clause[found.end() :].split()[:_AFTER]
    for without in _WITHOUT.finditer(clause):
        yield from clause[without.end() :].split()[:_NEXT]


def _told(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that say that something is so."""
    is_asked = _ASKED.search(sentence) is not None
    depends = _IF_SO.match(sentence) is not None
    for clause in _clauses(sentence):
        if depends or (is_asked and not _TELLS.match(clause)):
            continue
        supposed = _SUPPOSED.search(clause)
        told = clause[: supposed.start()] if supposed else clause
        if not _WOULD.search(told):
            yield told


_OVER: Final = r"(?:over|rather than|instead of|more than|than)"
_PREFER: Final = r"\b(?:prefer(?:s|red|ring)?|favou?r(?:s|ed|ing)?)\s+"
# Longer ones are no side; and a long row without an end is not read again and again.
_MORE: Final = r"(?P<more>[^,;:.!?\n]{1,80}?)"
_LESS: Final = r"(?P<less>[^,;:.!?\n]{1,80})"
# In their order: `to` is in much that is preferred, and parts two sides where nothing else does.
_PREFERRED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_PREFER}{_MORE},?\s+{_OVER}\s+{_LESS}",
        rf"{_PREFER}(?:to\s+)?{_MORE}\s+to\s+{_LESS}",
        rf"\brather\s+{_MORE}\s+than\s+{_LESS}",
        rf"\b(?:lik|lov|enjoy)(?:e|es|ed|s|ing)?\s+{_MORE}\s+(?:more|better)\s+than\s+{_LESS}",
        rf"{_PREFER}(?P<more>[^,;:.!?\n]{{1,80}})(?P<less>)",
    )
)
# Without a word for it, this may be said of anything: it counts beside a preference alone.
_ELLIPTIC = re.compile(rf"{_MORE}\s+(?:over|rather than|instead of)\s+{_LESS}", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(
    r"\s(?:and|but|because|since|so)\s(?:i|i'm|he|she|it|we|they|my|our)\b.*", re.IGNORECASE
)


class _Sides(NamedTuple):
    """What is preferred, and to what: "" where that is not said."""

    more: str
    less: str


def is_other_way_round(statement: str, sentence: str, terms_of: TermsOf) -> bool:
    """Say whether a statement prefers what a sentence likes less, or the other way round.

    The words that stand on both sides of the sentence tell nothing: `green tea to black tea`.
    """
    asked = _sides(statement, *_PREFERRED)
    told = None if asked is None else _sides(sentence, *_PREFERRED[:-1], _ELLIPTIC)
    if asked is None or told is None:
        return False
    more, less = terms_of(told.more), terms_of(told.less)
    return _is_of(terms_of(asked.more), less - more, more - less) or _is_of(
        terms_of(asked.less), more - less, less - more
    )


def _is_of(terms: frozenset[int], one: frozenset[int], other: frozenset[int]) -> bool:
    return not terms.isdisjoint(one) and terms.isdisjoint(other)


def _sides(text: str, *patterns: re.Pattern[str]) -> _Sides | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return _Sides(found["more"], _NEXT_CLAUSE.sub("", found["less"]))
    return None
