"""Detect secrets in a text: passwords, keys, tokens, card numbers, access codes.

A text that holds a secret is not remembered, masked or not. A text that only speaks of one may be.

Secrets include codes that open a lock, a network, a wallet or an account, and answers to security
questions. The code of a room, a country or an error is not a secret.
"""

import re
from typing import Final

# Prefixes that issuers give their tokens, so that scanners find them.
# https://docs.github.com/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
_TOKENS: Final = (
    r"\b(?:sk|pk|rk)[-_](?=[\w-]{0,40}\d)[\w-]{16,}|\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}"
    r"|\bglpat-[\w-]{16,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bxox[abeprs]-[\w-]{8,}|\bAIza[\w-]{30,}|\bhf_\w{16,}"
    r"|\bnpm_\w{20,}|\bya29\.[\w-]{16,}|(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{4,}"
    r"|-----BEGIN [A-Z ]{0,40}KEY"
    r"|\bSG\.[\w-]{16,}\.[\w-]{8,}|\w://[^\s/:@]{0,200}:[^\s/@]{1,200}@"
    r"|\bwhsec_\w{8,}|\bshpat_\w{16,}|\bdop_v1_\w{16,}|\bhooks\.slack\.com/services/\w"
    r"|\b(?i:bearer|basic)\s{1,4}(?=\S{0,200}\d)[\w.+/=-]{16,}"
)
_SHAPED = re.compile(_TOKENS)
# One of these is in each of them; most texts hold none and need not be searched.
_MARKS: Final = (
    "sk", "pk", "rk", "gh", "github", "glpat", "AKIA", "ASIA", "xox", "AIza", "hf_", "npm_", "ya29",
    "eyJ", "KEY", "SG.", "://", "whsec", "shpat", "dop_v1", "hooks.slack", "earer", "EARER", "asic",
    "ASIC",
)  # fmt: skip

# What these are called is a secret whatever it looks like.
_SECRETS: Final = (
    r"pass(?:word|phrase|code|wd)s?|pwd?|my pass|pass(?=\s?[:=]\s?[a-z]\w{0,40}\d)|cred(?:ential)?s"
    r"|(?:api|access|secret|private|encryption|signing|licen[cs]e|ssh|account|auth|master"
    r"|service)[ _-]?keys?|secret[ _-]access[ _-]key"
    r"|(?:client|app|webhook|shared|signing|jwt|session|api|auth|oauth|consumer)[ _-]?secret"
    r"|secret(?=\s?[=:])|(?:access|auth|api|refresh|session|bot|bearer|login|security)[ _-]?token"
    r"|session[ _-]cookie|(?:seed|recovery|secret|mnemonic)[ _-](?:phrase|words)|my mnemonic"
)
# What these are called has a digit, or it is something else: `the PIN is optional`.
_NUMBERS: Final = (
    r"pin(?:[ -]?(?:code|number))?|social security(?: number)?|ssn"
    r"|cvv2?|cvc|(?:credit|debit|bank)[ _-]?card(?:[ _-]?number)?|card number"
    r"|(?:bank )?account (?:number|no)|bank account|routing number|iban|passport(?: number)?"
    r"|driver'?s licen[cs]e(?: number)?|combination|(?:2fa|two-factor)(?: backup)?(?: codes?)?|otp"
    r"|(?:recovery|backup|security|access|door|alarm|gate|verification|unlock|safe|entry)"
    r"[ _-]codes?|unlock pattern|code to the \w{1,40}"
)
# In other languages than English nobody looks at how it goes on.
_FOREIGN: Final = (
    r"(?:\b(?:passwort|kennwort|contrase\u00f1a|mot de passe|senha|wachtwoord|l\u00f6senord"
    r"|\u043f\u0430\u0440\u043e\u043b\u044c)\b\s?"
    r"(?:ist|lautet|es|est|\u00e9|is|\u00e4r|\u2014|[:=])"
    r"|(?:\u5bc6\u7801|\u5bc6\u78bc|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638)"
    r"\s?(?:\u662f|\u4e3a|\u70ba|\u306f|\ub294|[:=\uff1a]))\s?[\w\"'*]"
)
# A name of a variable may end with one: DB_PASSWORD, clientSecret.
_BEGINS: Final = r"(?<![^\W_])"
_CAMEL: Final = (
    r"(?<=[a-z])(?-i:Secret|Password|Passwd|Token|ApiKey|SecretKey|AccessKey|PrivateKey)"
)
_FOR: Final = r"(?: (?:for|to|of|on|at|in) (?:[^.!?\n]|\.(?=\w)){1,50}?)?"
_IS: Final = (
    r"(?:\s(?:is|are|was|were|be|has been|changed to|set to)\s{1,4}"
    r"(?:(?:now|also|still|changed to|set to|called) ){0,3}|'s\s|\s?[=:]{1,2}\s?)"
)
# What is said of a secret without saying it.
_HARMLESS: Final = (
    r"(?:stored|kept|read|loaded|fetched|rotated|managed|required|needed|expir\w{1,3}|revoked"
    r"|encrypted|hashed|salted|missing|invalid|valid|wrong|correct|incorrect|optional|deprecated"
    r"|used|unused|not|never|no|in|on|at|from|by|too|very|slow|broken|tested|being|been|supported"
    r"|secure|insecure|weak|strong|short|long|safe|sent|passed|provided|generated|created|shared"
    r"|hidden|masked|redacted|empty|blank|null|none|unknown|lost|forgotten|reset|always|an?(?= \w)"
    r"|to|the same|set|checked|validated|issued|injected|mounted|available|configured|defined"
    r"|only|both|committed|cached|logged|visible|public|private|old|new|different|unique"
    r"|case-sensitive"
    r"|mandatory|recommended|disabled|enabled|refreshed|signed|verified|accepted|rejected|leaked"
    r"|compromised|important|bad|good|fine|ok|okay|limited|scoped|short-lived|long-lived)"
)
_VALUE: Final = rf"(?!{_HARMLESS}(?!\w))[\"'`(]?\S"
_DIGIT: Final = r"(?=\S{0,80}\d)"
_NAMED = re.compile(
    rf"(?:{_BEGINS}(?:{_SECRETS})|{_CAMEL})\b(?:{_FOR}{_IS}{_VALUE}|\s{{1,4}}\S{{0,80}}\d)"
    rf"|{_BEGINS}(?:{_NUMBERS})\b(?:{_FOR}{_IS}|\.?\s{{1,4}}){_DIGIT}"
    # Without a letter it says how many tokens there are.
    rf"|{_BEGINS}tokens?\b{_IS}{_DIGIT}(?=\S{{0,80}}[a-z])"
    rf"|\bas (?:my|the|our|a) (?:[\w-]{{1,40}} ){{0,2}}(?:{_SECRETS}|pin|token)\b"
    r"|\blog ?in (?:with|as|is) \S{1,80}[/:]\S|\bcode is \d{3,8} (?:for|to) (?:the|my|our) "
    r"(?:door|gate|alarm|safe|lock|house|garage|building|office)\b"
    rf"|{_FOREIGN}",
    re.IGNORECASE,
)
# The number of a card has 13 to 19 digits and begins with 2 to 6, which no time in this century
# does; that of US social security is written 3-2-4; that of an account is an IBAN.
_SOCIAL_SECURITY = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_CARD = re.compile(r"(?<![\w-])[2-6](?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)")
_NINE: Final = 9


def holds_secret(text: str) -> bool:
    """Say whether a text names a secret and says it, or holds what has the shape of one."""
    if _NAMED.search(text) or _SOCIAL_SECURITY.search(text) or opens_something(text):
        return True
    if any(mark in text for mark in _MARKS) and _SHAPED.search(text):
        return True
    is_card = any(_is_card(found[0]) for found in _CARD.finditer(text))
    return is_card or any(_is_iban(found[0]) for found in _IBAN.finditer(text))


def _is_card(written: str) -> bool:
    """Say whether the last digit checks the others: Luhn, ISO/IEC 7812-1, annex B."""
    digits = [int(char) for char in written if char.isdigit()][::-1]
    twice = [2 * digit for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(n - _NINE if n > _NINE else n for n in twice)) % 10 == 0


def _is_iban(written: str) -> bool:
    """Say whether the two digits check the others: ISO 7064 MOD 97-10, as ISO 13616 has it."""
    plain = written.replace(" ", "")
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


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
_LOCK_IS: Final = (
    r"(?:\s(?:is|are|was|were|has been|be)\s{1,4}(?:(?:now|still|also|changed to"
    r"|set to) ){0,2}|'s\s"
    r"|\s?[=:]\s?|\s(?=\d))"
)
_DIGITS: Final = r"(?:\d{1,4}(?:[ -]\d{1,4}){1,5}|\d{3,10})(?![\w.,]?\w)"
_LOCK_FOR: Final = r"(?: (?:for|to|of|on|at|in) (?:[^.!?\n]|\.(?=\w)){1,40}?)?"
_WORDS: Final = r"[a-z]{3,10}(?:,? [a-z]{3,10})"
_SAID: Final = (
    r"(?!(?:not|never|no|required|needed|optional|missing|a (?:secret|field|question)|the same"
    r"|asked"
    r"|unknown|private|stored|used|hidden|shown|empty|blank|in|on|at|what|an?|mandatory)\b)[\"']?\w"
)
LOCKS = re.compile(
    rf"\b{_LOCKED}(?:'s)? {_A_CODE}\b{_LOCK_FOR}{_LOCK_IS}(?=\S{{0,40}}\d)"
    rf"|\b{_A_CODE} (?:for|to|of|on) (?:my|the|our|your|his|her"
    rf"|their) (?:[\w-]{{1,20}} ){{0,2}}{_LOCKED}\b{_LOCK_IS}"
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
    rf"(?: (?:key|code|login|pass\w{{0,6}}|secret|credentials?)\b{_LOCK_FOR}{_LOCK_IS}{_SAID}"
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
    rf"|key))?{_LOCK_FOR}{_LOCK_IS}{_SAID}"
    rf"|\b(?:seed|mnemonic|recovery)(?: (?:phrase|words?))?{_LOCK_IS}[\"']?{_WORDS}{{3,}}",
    re.IGNORECASE,
)
# https://cheatsheetseries.owasp.org/cheatsheets/Choosing_and_Using_Security_Questions_Cheat_Sheet.html
ANSWERS = re.compile(
    rf"\bmaiden name(?: of my [\w-]{{1,20}})?{_LOCK_IS}{_SAID}"
    r"|\b(?:maiden name|n\u00e9e) (?-i:[A-Z])"
    r"|\b(?:my|our|user's|his|her) (?:very )?first (?:pet|school|teacher|dog|cat|childhood friend)"
    rf"(?:'s name)?{_LOCK_IS}(?:(?:called|named) )?{_SAID}"
    rf"|\bname of (?:my|the user's|his|her) first (?:pet|school|teacher|dog|cat){_LOCK_IS}{_SAID}"
    rf"|\b(?:security|secret|recovery) (?:answer|question)s?{_LOCK_FOR}{_LOCK_IS}{_SAID}",
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
