"""Whether what a turn says may be so at all: no play, no exercise, not about a text of others.

The whole turn is left out: nobody can tell by rules where a play or a text ends.
"""

import re
from typing import Final

# What makes the whole turn a play, an exercise or a text about somebody else.
_PLAY: Final = (
    r"role-?\s?play\w*|\bpretend\w*|\bin character\b|\blet'?s play\b|\byour name is\b"
    r"|\byou are (?:now )?(?:an?|the) (?!best|great)[\w-]+|\bact (?:as|like)\b|\bspeak as\b"
    r"|\bfrom the perspective of\b|\bi'm playing (?:an?|the)\b|\b(?:you|let me|i'll) be "
    r"(?:(?:an?|the)\b|(?-i:[A-Z]))"
    r"|\b(?:you're|you are|be) (?:now )?my (?:therapist|teacher|tutor|coach|boss|doctor|wife"
    r"|husband|girlfriend|boyfriend|mom|mum|dad|customer|client|interviewer|interviewee|dealer"
    r"|barista|butler|master|servant|enemy|rival|opponent)\b"
)
_PLAY_ENDS = re.compile(
    r"\b(?:(?:stop|end|enough|leave|quit|exit|no more|done with)\b[^.!?\n]{0,20}"
    r"\b(?:role-?\s?play\w*|pretend\w*|play\w*|character|game)|out of character|back to reality)\b",
    re.IGNORECASE,
)
_TASK: Final = (
    r"\b(?:translat\w+|proof-?read\w*|paraphras\w+|rephras\w+)\b"
    r"|\b(?:rewrite|reword|summari[sz]e|correct|fix|edit|improve|check|analy[sz]e|read) "
    r"(?:this|that|these|it|the following|the (?:text|sentence|paragraph|grammar))\b"
    r"|\b(?:the|this) (?:following|sentence|sentences|paragraph|poem|quote|lyrics|passage)\b"
    r"|\b(?:write|compose|draft|create|generate|invent|give|tell|make up|need)\b(?: \w+){0,2} an?\b"
    r"[^.!?\n]{0,40}\b(?:story|scene|poem|song|lyrics|dialogue|script|letter|e-?mail|bio|tweet|post"
    r"|caption|joke|sketch|essay|monologue|speech|message|character|sentence|example)\b"
    r"|\bimagine (?:that|you|i|i'm|we|a|an|if|being)\b|\bhypothetical\w*|\bsuppos(?:e|ing)\b"
    r"|\blet'?s (?:say|assume|imagine)\b|\bwhat if\b|\bfor (?:example|instance)\b|\be\.g\."
    r"|\bin (?:this|my|the|a) (?:story|novel|scenario|dream|screenplay|book|film|movie|game|song)\b"
    r"|\b(?:my|the) (?:main )?(?:character|protagonist|narrator|persona)\b"
    r"|\brepeat after me\b|\b(?:say|reply with|respond with|answer as if"
    r"|type)\b[^.!?\n]{0,10}\b(?:my|i|i'm)\b"
    r"|\b(?:sent|wrote|texted|emailed|e-mailed|forwarded) (?:me|us|this|in|back|to)\b"
    r"|\b(?:e-?mail|message|text|letter|note|review|comment|post) (?:i|we|he|she|they|someone"
    r"|somebody) (?:just )?(?:received|got|sent|wrote|left)\b"
    r"|\b(?:applicant|customer|client|candidate|reader|listener|guest|student|patient|user)"
    r" (?:writes|asks|wrote|asked)\b|\bwhat (?:should|could|can|do) i (?:answer|reply|respond)\b"
    r"|\bmock (?:interview|call|conversation|debate|trial)\b|\bpicture this\b"
    r"|\b(?:interview|conversation|dialogue|speaking) practice\b|\bexercise where\b"
    r"|\bgot (?:this|the following) from\b|\bknock,? knock\b|\btest message\b|\baffirmations?\b"
    r"|\b(?:thesis|mission|vision) statement\b"
    r"|\b(?:opposite|untrue|a lie|lied|lying|made(?: that)? up|yeah,? right|sarcas\w+"
    r"|april fool\w*)\b"
)
# Said anywhere in a turn it makes a jest of it.
_JEST: Final = (
    r"\b(?:just |only |totally )?(?:kidding|joking)\b(?! aside| apart)|\bj/?k\b|\byeah,? right\b"
    r"|\boh,? (?:how |just )?(?:great|joy|goody|wonderful|fantastic|lovely|yay|brilliant|fun)\b"
    r"|\bjust (?:great|perfect|brilliant|lovely|wonderful|what i needed)[,.!\u2026]|\bif only\b"
    r"|\bdream on\b|\bi(?:'m| am| was) (?:lying|messing with|pulling)\b|\blo+l,? (?:no|nope|not)\b"
    r"|\bnot really[.!]*(?:\n|$)|\b(?:as|yeah,?) if[.!]|\bsaid no ?(?:one|body)\b|\byou wish[.!]"
    r"|\bi wish(?: that was true)?[.!\u2026]*(?:\n|$)|\bgotcha\b|\bfooled you\b|\bi was kidding\b"
)
_NO_FACTS = re.compile(rf"{_PLAY}|{_TASK}|{_JEST}", re.IGNORECASE)
_PLAYED = re.compile(_PLAY, re.IGNORECASE)
# What is left of a long paste; to look at each of them would take a second a megabyte.
_LINE_BREAKS = re.compile(r"\n{2,}")


def tells_no_facts(own: str) -> bool:
    """Say whether a turn is a play, an exercise, or about a text: what it says may not be so."""
    return _NO_FACTS.search(_LINE_BREAKS.sub("\n", own)) is not None


def starts_a_play(own: str) -> bool:
    """Say whether from this turn on people may speak as somebody else."""
    return _PLAYED.search(_LINE_BREAKS.sub("\n", own)) is not None and not ends_a_play(own)


def ends_a_play(own: str) -> bool:
    """Say whether a turn ends that."""
    return _PLAY_ENDS.search(_LINE_BREAKS.sub("\n", own)) is not None
