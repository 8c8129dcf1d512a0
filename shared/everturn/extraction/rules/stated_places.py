"""Places that one lives in or comes from.

Nobody has a list of all places: one is known by its capital, and what else has capitals by a list.
"""

import re
from typing import Final

from everturn.extraction.rules.plain_values import is_clear

_PLACES: Final = (
    "city|town|village|countryside|suburbs?|apartment|flat|house|hamlet|farm|island|coast|desert"
    "|mountains|studio|dorm|neighbou?rhood|area|capital|outskirts|state|province|condo|loft|cottage"
)
_IN_PLACE = re.compile(
    rf"(?:the |\d+\w? )?[A-Z]|(?:a|an|the)\b(?: [\w-]+){{0,4}} (?:{_PLACES})\b|downtown [A-Z]"
    r"|(?:north|south|east|west|central|upstate|rural)\w* [A-Z]"
)
# What people also move to and live in; among capitals within a word are no places at all.
_TOOLS: Final = (
    "Excel|Jupyter|Python|Java|Rust|Ruby|Rails|Perl|Swift|Kotlin|Scala|Elixir|Go|Node|React|Vue"
    "|Angular|Svelte|Django|Flask|Spring|Laravel|Docker|Kubernetes|Podman|Helm|Terraform|Ansible"
    "|Jenkins|Gitlab|Github|Bitbucket|Jira|Confluence|Slack|Teams|Zoom|Notion|Obsidian|Figma|Sketch"
    "|Linux|Ubuntu|Debian|Fedora|Arch|Windows|Mac|Android|Chrome|Firefox|Safari|Edge|Vim|Emacs"
    "|Outlook|Gmail|Word|Powerpoint|Azure|Heroku|Netlify|Vercel|Cloudflare|Postgres|Redis|Kafka"
    "|Mongo|Oracle|Snowflake|Spark|Airflow|Bazel|Gradle|Maven|Webpack|Vite|Poetry|Signal|Discord"
    "|Telegram|Whatsapp|Spotify|Netflix|Minecraft|Stripe|Shopify|Wordpress|Plan|Step|Chapter|Level"
    "|Phase|Section|Part|Stage|Round|Tab|Page|Slide|Task|Question|Room|Floor|Desk|Marketing|Sales"
    "|Engineering|Finance|Legal|Support|Accounting|Management|HR|IT|QA|Procurement|Operations|Security"
    "|Skyrim|Roblox|Fortnite|Hogwarts|Gotham|Narnia|Mordor|Middle-earth|Azeroth|Hyrule|Atlantis|Tatooine"
    "|Wakanda|Westeros|Rivendell|Tortuga|Neverland|Wonderland|Asgard|Krypton|GTA|WoW"
)
_NO_PLACE = re.compile(
    rf"^(?:the )?(?:Mars|Venus|Hell|Heaven|{_TOOLS})(?![\w'-])|^(?:the )?\w*[a-z][A-Z]{{2}}"
    rf"|^(?:the )?(?!(?:Mc|Mac|De|La|Le|Du|Fitz)[A-Z])[A-Z][a-z]+[A-Z]"
    r"|^(?:the )?(?!(?:US|USA|UK|UAE|NYC|NY|LA|SF|DC|EU|[A-Z]{2}(?=$|,))\b)[A-Z]{2,}\b"
    r"|^[A-Z][\w+#.]* v?\d+\.\d|\b(?:style|cuisine|pizza|food|music|time zone)\b"
    r"|\b(?:until|temporarily|for (?:now|the (?:week|day|month)|an? \w+))\b"
)
# For how long is left to whoever reads it.
_AT_PRESENT = re.compile(r",? (?:right now|at the moment|at present|these days)$")


def is_place(value: str) -> bool:
    """Say whether a value is a place that has a name, or says what kind it is."""
    place = _AT_PRESENT.sub("", value)
    return is_clear(place) and bool(_IN_PLACE.match(place)) and not _NO_PLACE.search(place)
