"""Tells what a forum writes beside every post: since when its author is here, how much they have written, their rank.

`prepare.entries` knows such boxes by their names; older programs give them none.
"""

import re
from collections.abc import Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prune.tree import Block

LONGEST_LABEL: Final = 120
# A page with a few of both is a discussion: a list of boards counts posts too, but nobody has joined it.
FEWEST_ALIKE: Final = 2
_COUNT: Final = re.compile(
    r"(?:posts|messages|beiträge|mensajes|messaggi|mensagens|berichten|posty|сообщени[йя])"
    r"\s{0,2}:\s{0,2}\d[\d., ]{0,12}$",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    r"(?:join(?:ed|[ -]date)|member since|registered|registriert(?: seit)?|dabei seit|mitglied seit|inscrit(?: le)?"
    r"|iscritto(?: il)?|registrado|lid sinds|dołączył|регистрация|зарегистрирован)\s{0,2}:?\s{0,2}\S.{0,90}$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"(?:location|mentioned|tagged|quoted|thanks|likes|reputation|rep power|reaction score|threads|topics|age|gender"
    r"|wohnort|ort|themen|localisation|ubicación|località|localização|woonplaats|откуда)\s{0,2}:\s{0,2}\S.{0,59}$"
    r"|\S{1,30}(?: \S{1,30})? is (?:offline|online)\W{0,3}$"
    r"|(?:thread starter|original poster|newbie|administrator|quote"
    r"|(?:(?:junior|senior|new|registered|active|full|super) )?(?:member|moderator|user))\W{0,3}$"
    r"|you (?:cannot|can not|may not) (?:post|reply|edit|delete|vote|attach)\b.{0,60}$",
    re.IGNORECASE,
)


def find_entry_labels(blocks: Sequence[Block]) -> list[LexborNode]:
    short = [block for block in blocks if 0 < len(block.text) <= LONGEST_LABEL]
    counts = find_matching(short, _COUNT)
    since = find_matching(short, _SINCE) if len(counts) >= FEWEST_ALIKE else []
    if len(since) < FEWEST_ALIKE:
        return []
    return counts + since + find_matching(short, _LABEL)


def find_matching(blocks: Sequence[Block], words: re.Pattern[str]) -> list[LexborNode]:
    return [block.node for block in blocks if words.match(block.text)]
