import pytest

from kept.content.page.decode import EncodingSource, clean_unicode, decode_html

pytestmark = pytest.mark.requirement("Kept", "odd scripts, entities and encodings")

CYRILLIC = "<p>Привет, как дела? Это проверка кодировки.</p>"
JAPANESE = "<p>日本語のテキストです。文字コードの確認。</p>"


@pytest.mark.parametrize(
    ("label", "codec", "name", "text"),
    [
        ("iso-8859-1", "cp1252", "windows-1252", "<p>“quoted” – café</p>"),
        ("ISO_8859-1", "cp1252", "windows-1252", "<p>café</p>"),
        ("us-ascii", "cp1252", "windows-1252", "<p>café</p>"),
        ("gb2312", "gb18030", "gbk", "<p>你好，世界。镕</p>"),
        ("gbk", "gb18030", "gbk", "<p>㐀, which only gb18030 has, in four bytes</p>"),
        ("latin-1", "cp1252", "windows-1252", "<p>café</p>"),
        ("uhc", "cp949", "euc-kr", "<p>똠방각하</p>"),
        ("x-sjis", "cp932", "shift_jis", JAPANESE),
        ("windows-31j", "cp932", "shift_jis", "<p>①髙</p>"),
        ("x-euc-jp", "euc_jp", "euc-jp", JAPANESE),
        ("ks_c_5601-1987", "cp949", "euc-kr", "<p>안녕하세요 똠방각하</p>"),
        ("big5", "big5hkscs", "big5", "<p>你好，世界</p>"),
        ("koi8-r", "koi8-r", "koi8-r", CYRILLIC),
        ("cp1251", "cp1251", "windows-1251", CYRILLIC),
        ("iso-8859-9", "cp1254", "windows-1254", "<p>şğı İ</p>"),
        ("tis-620", "cp874", "windows-874", "<p>สวัสดี</p>"),
        ("utf8", "utf-8", "utf-8", "<p>ÿ 漢</p>"),
    ],
)
def test_a_label_means_what_browsers_take_it_to_mean(label: str, codec: str, name: str, text: str) -> None:
    decoded = decode_html(text.encode(codec), f'text/html; charset="{label}"')
    assert (decoded.text, decoded.encoding, decoded.source) == (text, name, EncodingSource.HTTP)


def test_the_http_charset_comes_before_meta() -> None:
    body = '<meta charset="koi8-r"><p>Привет</p>'.encode("cp1251")
    decoded = decode_html(body, "text/html;charset=windows-1251")
    assert decoded.text.endswith("<p>Привет</p>")
    assert decoded.source is EncodingSource.HTTP


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="windows-1251">',
        "<META CharSet=windows-1251>",
        "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
        '<!-- <meta charset="koi8-r"> --><meta charset="windows-1251">',
        '<?xml version="1.0" encoding="windows-1251"?>',
        "<title>x</title>" + "<link>" * 500 + '<meta charset="windows-1251">',
    ],
)
def test_meta_says_what_http_does_not(meta: str) -> None:
    decoded = decode_html((meta + CYRILLIC).encode("cp1251"), "text/html")
    assert decoded.text.endswith(CYRILLIC)
    assert (decoded.encoding, decoded.source) == ("windows-1251", EncodingSource.META)


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "utf-16be"),
    ],
)
def test_a_byte_order_mark_is_believed_and_not_part_of_the_text(mark: bytes, codec: str, name: str) -> None:
    decoded = decode_html(mark + '<meta charset="koi8-r">ü'.encode(codec))
    assert (decoded.text, decoded.encoding, decoded.source) == (
        '<meta charset="koi8-r">ü',
        name,
        EncodingSource.BOM,
    )


def test_a_byte_order_mark_beats_a_contradicting_http_charset_as_in_browsers() -> None:
    assert decode_html(b"\xef\xbb\xbf" + "é".encode(), "text/html; charset=iso-8859-1").text == "é"


@pytest.mark.parametrize("codec", ["utf-8", "cp1251", "koi8-r", "cp932", "euc_jp", "gb18030", "big5", "cp949"])
def test_undeclared_text_is_detected(codec: str) -> None:
    texts = {
        "cp1251": CYRILLIC,
        "koi8-r": CYRILLIC,
        "gb18030": "<p>" + "我们需要检测这个网页的编码方式。" * 4 + "</p>",
    }
    texts |= {
        "big5": "<p>" + "我們需要檢測這個網頁的編碼方式。" * 4,
        "cp949": "<p>" + "이 문서의 인코딩을 확인해야 합니다. " * 4,
    }
    text = texts.get(codec, JAPANESE)
    decoded = decode_html(text.encode(codec))
    assert decoded.text == text
    assert decoded.source is EncodingSource.DETECTED


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_detected(codec: str) -> None:
    assert decode_html("<p>Hello, world</p>".encode(codec)).text == "<p>Hello, world</p>"


def test_plain_western_text_without_a_label_is_windows_1252() -> None:
    assert decode_html("<p>déjà vu, naïve façade</p>".encode("cp1252")).text == "<p>déjà vu, naïve façade</p>"


def test_a_label_that_the_bytes_disprove_is_not_believed() -> None:
    wrong = decode_html(CYRILLIC.encode("cp1251"), "text/html; charset=utf-8")
    assert (wrong.text, wrong.encoding) == (CYRILLIC, "windows-1251")
    mojibake = decode_html(b'<meta charset="gb2312">' + JAPANESE.encode(), None)
    assert mojibake.text.endswith(JAPANESE)


def test_utf_8_that_is_labelled_as_latin_1_is_read_as_utf_8() -> None:
    text = "<p>Crème brûlée, señor</p>"
    assert decode_html(text.encode(), "text/html; charset=iso-8859-1").text == text
    assert decode_html(text.encode("cp1252"), "text/html; charset=iso-8859-1").text == text


def test_a_cut_in_a_character_or_a_stray_byte_does_not_disprove_utf_8() -> None:
    text = "<p>" + "Крещатик " * 40
    cut = text.encode() + "я".encode()[:1]
    assert decode_html(cut, "text/html; charset=windows-1251").text.startswith(text)
    assert decode_html(text.encode() + b"\xe9t\xe9</p>", "text/html; charset=iso-8859-1").text.startswith(text)


def test_a_few_quotation_marks_in_latin_1_that_could_be_utf_8_are_believed() -> None:
    text = "<p>SPAß« und CAFÉ»</p>"
    assert decode_html(text.encode("cp1252"), "text/html; charset=iso-8859-1").text == text


def test_a_few_damaged_characters_do_not_disprove_a_label() -> None:
    body = b"<p>" + "äöü".encode() * 100 + b"\xff\xfe\xff\xfe" + b"</p>"
    decoded = decode_html(body, "text/html; charset=utf-8")
    assert (decoded.encoding, decoded.source) == ("utf-8", EncodingSource.HTTP)
    assert decoded.text.count("\ufffd") == 4


@pytest.mark.parametrize(
    "label", ["utf-7", "rot13", "zlib", "x-user-defined", "hz-gb-2312", "../../etc", "", "idna", "\udc80"]
)
def test_a_label_browsers_do_not_know_is_passed_over(label: str) -> None:
    assert decode_html(b"<p>hello</p>", f"text/html; charset={label}").text == "<p>hello</p>"


def test_a_meta_cannot_claim_utf_16() -> None:
    assert decode_html('<meta charset="utf-16"><p>ü</p>'.encode()).text.endswith("<p>ü</p>")


@pytest.mark.parametrize("body", [b"", b"\0", b"\xff\xfe", b"\xfe\xff\xd8", b"\x00" * 9999, bytes(range(256)) * 40])
def test_any_bytes_give_text_without_nul_or_lone_surrogates(body: bytes) -> None:
    for content_type in (None, "text/html", "text/html; charset=utf-16", "text/html; charset=big5"):
        text = decode_html(body, content_type).text
        assert "\0" not in text
        text.encode()


def test_nul_is_dropped_and_a_lone_surrogate_replaced() -> None:
    assert clean_unicode("a\0b\ud800c\U0001f600") == "ab\ufffdc\U0001f600"
