"""The language of a text that nobody declared."""

import pytest

from kept.content.article.language import guess_language

pytestmark = pytest.mark.requirement("Kept", "title, byline, date, site, language, lead image (`./bench metadata`)")

ENGLISH = (
    "The harbour was quiet in the early morning, and the fishermen who had been out at sea for most of the night "
    "were on their way back to the village with what they had caught. It was not much, but it would do for the "
    "week."
)
GERMAN = (
    "Der Hafen war am frühen Morgen still, und die Fischer, die den größten Teil der Nacht auf See gewesen waren, "
    "kamen mit dem zurück, was sie gefangen hatten. Es war nicht viel, aber es reichte für die Woche und auch für "
    "den Markt."
)
FRENCH = (
    "Le port était calme au petit matin, et les pêcheurs qui avaient passé la plus grande partie de la nuit en "
    "mer rentraient au village avec ce qu'ils avaient pris. Ce n'était pas beaucoup, mais cela suffirait pour la "
    "semaine."
)
SPANISH = (
    "El puerto estaba tranquilo por la mañana, y los pescadores que habían pasado la mayor parte de la noche en "
    "el mar volvían al pueblo con lo que habían pescado. No era mucho, pero bastaba para la semana y para el "
    "mercado."
)
SWEDISH = (
    "Hamnen var tyst på morgonen, och fiskarna som hade varit ute på havet det mesta av natten var på väg "
    "tillbaka till byn med det som de hade fått. Det var inte mycket, men det räckte för veckan och för en dag "
    "till."
)
RUSSIAN = (
    "Рано утром в гавани было тихо, и рыбаки, которые провели на море большую часть ночи, возвращались в деревню "
    "с тем, что они поймали. Это было не много, но на неделю хватало, и ещё что-то оставалось для рынка."
)
JAPANESE = "朝早く港は静かで、夜のほとんどを海で過ごした漁師たちは、獲れた魚を持って村へ帰るところだった。"
CHINESE = "清晨的港口十分安静，在海上度过大半夜的渔民带着捕到的鱼回到村里，虽然不多，但够一个星期用了。"
KOREAN = "이른 아침 항구는 조용했고 밤새 바다에 나가 있던 어부들은 잡은 물고기를 가지고 마을로 돌아오고 있었다."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        (FRENCH, "fr"),
        (SPANISH, "es"),
        (SWEDISH, "sv"),
        (RUSSIAN, "ru"),
        (JAPANESE, "ja"),
        (CHINESE, "zh"),
        (KOREAN, "ko"),
    ],
)
def test_a_paragraph_tells_its_language(text: str, language: str) -> None:
    assert guess_language(text) == language
    assert guess_language(text.upper()) == language


@pytest.mark.parametrize("text", ["", "12 34 56", "The harbour was quiet.", "lorem ipsum dolor sit amet " * 20, "日本"])
def test_a_text_that_tells_nothing_has_no_language(text: str) -> None:
    assert guess_language(text) is None


def test_a_text_of_two_languages_has_none() -> None:
    mixed = " ".join(word for pair in zip(ENGLISH.split(), FRENCH.split(), strict=False) for word in pair)
    assert guess_language(mixed) is None


def test_names_in_another_script_do_not_change_the_language() -> None:
    assert guess_language(f"{ENGLISH} The word for it is 港. {ENGLISH}") == "en"
