"""The language of an article whose page does not declare one: by its script, or by the little words of the language."""

import re
from collections import Counter, defaultdict
from typing import Final

# A few paragraphs tell as much as the whole.
_LOOKED_AT: Final = 4_000
_LEAST_WORDS: Final = 25
# Of running text, 25 to 45 % are little words of its language, and up to 12 % happen to be another's.
_LEAST_SHARE: Final = 0.15
_MARGIN: Final = 1.4
_LEAST_OF_SCRIPT: Final = 0.3

_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W\d_]+")
# Languages that have a script to themselves; kana come first, since Japanese is written in Chinese characters too.
_SCRIPTS: Final = {
    "ja": re.compile("[\u3040-\u30ff]"),
    "zh": re.compile("[\u3400-\u9fff]"),
    "ko": re.compile("[\uac00-\ud7af]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "ka": re.compile("[\u10a0-\u10ff]"),
    "hy": re.compile("[\u0530-\u058f]"),
}
_LEAST_KANA: Final = 0.1
# Of Swedish, Danish and Norwegian without most of what they share.
_LITTLE_WORDS: Final = {
    "en": "the of and to in a is that for it was on with as are this by be at from or have an not they which but has",
    "de": "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an aus er hat",
    "fr": "de la le et les des en un une du que est pour qui dans il au sur par pas plus ce avec ne se sont cette",
    "es": "de la que el en y a los del se las por un con no una su para es al lo como más pero sus le este fue",
    "it": "di e il la che in per un è del con non una le si da i della al sono dei alla più anche gli nel ma come",
    "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu ou foi",
    "nl": "de van het een en in is dat op te zijn met die voor niet er aan om ook als maar bij naar dan nog wordt",
    "sv": "och att är av för till inte ett om från också eller hade vid ska sig efter många när så över under blev",
    "da": "og at af til er for ikke et også efter blev være sig mere kun nu når hvor fra ud skal havde men hun",
    "no": "og å av til er for ikke et også etter ble være seg mer bare nå når hvor fra ut skal hadde men hun",
    "fi": "ja on ei että se oli ovat mutta myös kun sen tai joka hän ole kuin mukaan jos niin vain ollut voi olla",
    "pl": "i w na z do się nie że jest o to jak po od za co dla ale przez tym oraz jego są który które także",
    "cs": "a v se na je že s z do o i to ve k pro za by jako po od jsou ale podle také který která jeho nebo",
    "hu": "a az és hogy nem is egy ez volt meg csak de már mint még ki azt vagy el lehet után szerint illetve amely",
    "ro": "de și în a la cu pe că nu din o un este care pentru mai sau s au fi prin după dar lui ale fost",
    "tr": "ve bir bu da de için ile olarak çok daha olan gibi kadar sonra en ne o ise var değil olduğu ancak her",
    "id": "yang dan di dengan untuk dari ini pada tidak dalam itu akan adalah juga ke oleh ada bisa saya sebagai telah",
    "vi": "và của là các có trong cho không một được người những với này đã khi đến để từ vào về theo cũng như",
    "ru": "и в не на с что по как из за он это к а его для от но до так у все о же был бы или при также",
    "uk": "і в не на з що та у як до за від про це для й його але по він також або який були щоб є її під",
    "bg": "на и да в се за от не е с че са по като до при което след ще или това беше този който има без",
    "ar": "في من على إلى أن عن مع التي الذي هذا هذه ما لا كان بعد قد كما بين ذلك أو هو كل وقد ولا",
    "fa": "و در به از که این را با است برای آن یک می خود تا بر های شده بود هم شد ما اما یا کرد",
}
_LANGUAGES_OF: Final = defaultdict[str, list[str]](list)
for _lang, _words in _LITTLE_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word].append(_lang)


def guess_language(text: str) -> str | None:
    """None where the text is short, or could be of two languages."""
    looked_at = text[:_LOOKED_AT].lower()
    return _by_script(looked_at) or _by_words(_WORD.findall(looked_at))


def _by_script(text: str) -> str | None:
    letters = len(_LETTER.findall(text))
    for lang, script in _SCRIPTS.items():
        least = _LEAST_KANA if lang == "ja" else _LEAST_OF_SCRIPT
        if letters >= _LEAST_WORDS and len(script.findall(text)) >= least * letters:
            return lang
    return None


def _by_words(words: list[str]) -> str | None:
    if len(words) < _LEAST_WORDS:
        return None
    found = Counter(lang for word in words for lang in _LANGUAGES_OF.get(word, ()))
    (best, most), (_, next_most) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    return best if most >= max(_LEAST_SHARE * len(words), _MARGIN * next_most) else None
