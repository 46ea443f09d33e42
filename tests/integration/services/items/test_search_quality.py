"""Known-item search over real pages: a few words of an article find that article first."""

from collections import Counter
from html import escape

import pytest

from kept.content.search.words import index_words, list_tokens
from support.builders.libraries import Owner
from support.builders.many_articles import load_texts

pytestmark = pytest.mark.requirement("Kept", "a distinctive phrase finds its article first (≥ 98 %)")

GOAL = 0.98
WORDS = 5
# Of the texts, by default; ./test --long takes more.
EVERY = 12
LONG_EVERY = 4


def find_distinctive(text: str, others: list[str], seen_in: Counter[str]) -> str | None:
    """Of the runs of words that are rarest taken together, the first that no other article has."""
    words = text.split()
    rarity = [1 / min((seen_in[token] for token in list_tokens(word)), default=10**6) for word in words]
    starts = range(max(1, len(words) - WORDS + 1))
    for at in sorted(starts, key=lambda at: -sum(rarity[at : at + WORDS]))[:20]:
        phrase = " ".join(words[at : at + WORDS]).replace('"', " ")[:300]
        if not any(f" {index_words(phrase)} " in other for other in others):
            return phrase
    return None


async def test_a_distinctive_phrase_finds_its_article_first(owner: Owner, request: pytest.FixtureRequest) -> None:
    every = LONG_EVERY if request.config.getoption("--long") else EVERY
    texts = [text for text in load_texts() if len(text.split()) >= WORDS][::every]
    seen_in = Counter(token for text in texts for token in set(list_tokens(text)))
    kept = [
        await owner.keep(f"https://example.org/{number}", f"Page {number}", escape(text))
        for number, text in enumerate(texts)
    ]
    indexed = [f" {index_words(text)} " for text in texts]
    asked, missed = 0, {"as a phrase": list[str](), "as words": list[str]()}
    for number, (one, text) in enumerate(zip(kept, texts, strict=True)):
        phrase = find_distinctive(text, indexed[:number] + indexed[number + 1 :], seen_in)
        if phrase is None:  # made-up test pages that consist of the same filler as others
            continue
        asked += 1
        for how, query in (("as a phrase", f'"{phrase}"'), ("as words", f"{phrase} ")):
            if (await owner.found(query))[:1] != [one.item.id]:
                missed[how].append(query)
    print(asked, {how: f"{1 - len(queries) / asked:.3f}" for how, queries in missed.items()})
    assert asked > 0.9 * len(texts)
    for how, queries in missed.items():
        assert 1 - len(queries) / asked >= GOAL, (how, queries)
