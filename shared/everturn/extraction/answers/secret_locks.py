"""What opens a lock, a network, a wallet or an account: patterns of codes and of answers.

The code of a room, of a country, of an error is none.
"""

import re
from typing import Final

_LOCKED: Final = (
    r"(?:lockers?|safe|vault|garage|gate|(?:front |back |cellar |main )?door|alarm|bike"
    r"|bicycle|suitcase"
    r"|luggage|briefcase|padlock|lock|lock ?box|key ?safe|building|house|home|shed|cabin"
    r"|apartment|flat"
    r"|office|elevator|lift|mailbox|car|trunk|entry|entrance|security|burglar alarm|intercom"
    r"|(?:phone|card|bike|screen|sim|door|bicycle|tablet|combination|time)[ -]?(?:lock|unlock)"
    r"|ipad|tablet|laptop)"
)
_A_CODE: Final = (
    r"(?:key ?|pass ?|entry |access |lock |unlock )?(?:codes?|pins?|combos?|combinations?|digits)"
)
_IS: Final = (
    r"(?:\s(?:is|are|was|were|has been|be)\s{1,4}(?:(?:now|still|also|changed to"
    r"|set to) ){0,2}|'s\s"
    r"|\s?[=:]\s?|\s(?=\d))"
)
_DIGITS: Final = r"(?:\d{1,4}(?:[ -]\d{1,4}){1,5}|\d{3,10})(?![\w.,]?\w)"
_FOR: Final = r"(?: (?:for|to|of|on|at|in) (?:[^.!?\n]|\.(?=\w)){1,40}?)?"
_WORDS: Final = r"[a-z]{3,10}(?:,? [a-z]{3,10})"
_SAID: Final = (
    r"(?!(?:not|never|no|required|needed|optional|missing|a (?:secret|field|question)|the same"
    r"|asked"
    r"|unknown|private|stored|used|hidden|shown|empty|blank|in|on|at|what|an?|mandatory)\b)[\"']?\w"
)
LOCKS = re.compile(
    rf"\b{_LOCKED}(?:'s)? {_A_CODE}\b{_FOR}{_IS}(?=\S{{0,40}}\d)"
    rf"|\b{_A_CODE} (?:for|to|of|on) (?:my|the|our|your|his|her"
    rf"|their) (?:[\w-]{{1,20}} ){{0,2}}{_LOCKED}\b{_IS}"
    r"(?=\S{0,40}\d)"
    rf"|\b(?:safe|locker|vault|padlock|lock ?box|key ?safe|(?:bike|bicycle|door|phone|screen"
    rf"|luggage|suitcase)"
    rf"[ -]?lock|lock|alarm|garage) (?:is|=|'s"
    rf"|code) (?:now )?(?:\d{{1,4}}(?:[ -]\d{{1,4}}){{1,5}}|\d{{4,10}})(?![\w.,]?\w)"
    rf"|\b(?:open|unlock|disarm)(?:s|ed)? (?:with|using|by|on|at)? ?(?:typing |entering )?"
    rf"(?:the |my )?(?:code |pin |digits |combination )?{_DIGITS}"
    rf"|\b(?:my|our) (?:code|combo) is {_DIGITS}|\b(?:the|that) code (?:is|was) \d{{4,8}}(?!\w)",
    re.IGNORECASE,
)
CODES = re.compile(
    rf"(?<!\w){_DIGITS} (?:is|opens|unlocks|disarms|for|gets you into) (?:my|the"
    rf"|our) (?:[\w-]{{1,20}} ){{0,2}}"
    rf"(?:{_LOCKED}|phone)\b",
    re.IGNORECASE,
)
# A word with digits in it, at least eight characters, and no name of a standard or of a part.
NETWORKS = re.compile(
    r"\b(?:wi-?fi|wlan|hotspot|router|network|guest ?net(?:work)?)(?:'s)?"
    rf"(?: (?:key|code|login|pass\w{{0,6}}|secret|credentials?)\b{_FOR}{_IS}{_SAID}"
    rf"|(?: at [\w ]{{1,20}}?)?(?: is|'s| ?[=:])\s{{1,4}}(?:now )?[\"']?(?!(?:vpc|subnet|eth"
    rf"|vlan|wlan|lan|net|wpa|wep"
    r"|ipv|acl|eni|rtb|sg|igw)[-\d]|\d+(?:[.,]\d+)?\w?(?:hz|bps|bit)"
    r"|802)(?=[\w!@#$%^&*?+~-]{0,40}\d)"
    r"(?=[\w!@#$%^&*?+~-]{0,40}[a-z])[\w!@#$%^&*?+~-]{8,40}(?![\w./:]))",
    re.IGNORECASE,
)
SEEDS = re.compile(
    r"\b(?:bitcoin|btc|crypto|ethereum|metamask|ledger|trezor|wallet|electrum|solana)(?:'s)?"
    r"(?: (?:wallet|recovery|backup|account))?"
    rf" (?:seed|mnemonic|recovery|key|backup|words?|phrase)(?: (?:phrase|words?"
    rf"|key))?{_FOR}{_IS}{_SAID}"
    rf"|\b(?:seed|mnemonic|recovery)(?: (?:phrase|words?))?{_IS}[\"']?{_WORDS}{{3,}}",
    re.IGNORECASE,
)
# https://cheatsheetseries.owasp.org/cheatsheets/Choosing_and_Using_Security_Questions_Cheat_Sheet.html
ANSWERS = re.compile(
    rf"\bmaiden name(?: of my [\w-]{{1,20}})?{_IS}{_SAID}|\b(?:maiden name|n\u00e9e) (?-i:[A-Z])"
    r"|\b(?:my|our|user's|his|her) (?:very )?first (?:pet|school|teacher|dog|cat|childhood friend)"
    rf"(?:'s name)?{_IS}(?:(?:called|named) )?{_SAID}"
    rf"|\bname of (?:my|the user's|his|her) first (?:pet|school|teacher|dog|cat){_IS}{_SAID}"
    rf"|\b(?:security|secret|recovery) (?:answer|question)s?{_FOR}{_IS}{_SAID}",
    re.IGNORECASE,
)


# Without one of these words no pattern can match: they are looked for at a hundredth of the cost.
_KINDS: Final = (
    (LOCKS, ("code", "pin", "combo", "combination", "digits", "lock", "safe", "vault", "garage",
             "alarm", "open", "disarm")),
    (CODES, (" my ", " the ", " our ")),
    (NETWORKS, ("fi", "wlan", "hotspot", "router", "net")),
    (SEEDS, ("seed", "mnemonic", "recovery", "backup", "key", "phrase", "word")),
    (ANSWERS, ("maiden", "n\u00e9e", "first", "answer", "question")),
)  # fmt: skip


def opens_something(text: str) -> bool:
    """Say whether a text says what opens a lock, a network, a wallet or an account."""
    low = text.lower()
    return any(
        pattern.search(text) for pattern, words in _KINDS if any(word in low for word in words)
    )
