"""Every regular expression and normal form of the source, each on 100 kB of what is worst for it.

Whoever adds one gets a failing test here, and an entry to write: in `WORST` for an expression that a module holds, in
`READERS` for a function that calls `re` or a normal form itself. It asks: what text would keep this busy? Repeats that
can share a stretch of text (`\\s*=?\\s*`), and a search for an end from each place that could be a beginning
(`<p [^>]*>`), are quadratic. Make them possessive (`*+`), or stop them where the next beginning is (`[^<>]`).
"""

import re
from collections.abc import Callable
from typing import Final

import pytest

from kept.cli.items import marked
from kept.content.article.rules import thresholds
from kept.content.export_formats.article_file import make_file_name
from kept.content.import_formats.prepare_rows import LONGEST_SHOWN
from kept.content.markup import decode_entities
from kept.content.page.links import resolve_http
from kept.content.search.query import parse_search
from kept.content.search.snippets import compile_terms, make_snippet, mark
from kept.content.search.words import index_words
from kept.domain.text import normalise
from kept.fetch.proxy_heads import parse_request
from kept.storage.images import media_of
from support.hostile.slow_texts import (
    LENGTH,
    READING,
    Attack,
    Pattern,
    TookTooLong,
    at_most,
    fill,
    find_calls,
    find_files_calling,
    find_patterns,
    find_uses,
    make_attacks,
    read_by,
)

pytestmark = pytest.mark.requirement("Kept", "a page made to be slow costs bounded time (`./bench hostile`)")

# A bound against what hangs, in processor time: linear takes 1 to 100 ms, quadratic takes half a minute.
LIMIT_SECONDS: Final = 3.0

# By file and name: what comes first, what is repeated up to the length, what comes last.
WORST: Final[dict[str, Attack]] = {
    "api/middleware.py:HOST": ("", "a", ""),
    "api/middleware.py:VALUE": ("", "a", ""),
    "api/middleware.py:REQUEST_ID_PATTERN": ("", "xxxxxxxx", ""),
    "cli/reading.py:CONTROLS": ("", "\x07", ""),
    "compat/linkding/listing.py:_PIECE": ('"', "x", ""),
    "compat/readeck/lists.py:_TERM": ("", "-title:", ""),
    "config.py:CONTACT_URL": ("mailto:", "a", ""),
    "content/article/canonical.py:_MANY_NEWLINES": ("", "\n", "x"),
    "content/article/canonical.py:_TOKEN": ("<", "x", ""),
    "content/article/article.py:_IDEOGRAPH": ("", "\u6f22", ""),
    "content/article/article.py:_WORD": ("", "x", ""),
    "content/article/highlights/folded_text.py:_MATHEMATICAL": ("", "\U0001d443", ""),
    "content/article/highlights/folded_text.py:SPACING_FOLDED": ("", "x ", ""),
    "content/article/highlights/folded_text.py:TYPOGRAPHY_FOLDED": ("", "x.", ""),
    "content/article/image_sources.py:_IMAGE_ADDRESS": ("x.jpg?", ".", ""),
    "content/article/image_sources.py:_PLACEHOLDER": ("", "/", ""),
    "content/article/article.py:_PLACES": (' id="k-', "x", ""),
    "content/article/language.py:_LETTER": ("", "x", ""),
    "content/article/language.py:_SCRIPTS": ("", "港", ""),
    "content/article/language.py:_WORD": ("", "x", ""),
    "content/article/math.py:_SPAN": ("", "1", ""),
    "content/article/math.py:_WIDTH": ("", "1", ""),
    "content/article/players.py:_PLAYERS": ("", "/x", ""),
    "content/article/rules/evidence.py:COMMENTS": ("", " -a-a-a-a-comments", "x"),
    "content/article/rules/headings.py:_WORDY": ("", "[", ""),
    "content/article/rules/headings.py:_MISREAD": ("", "-ad", ""),
    "content/article/rules/headings.py:_SEPARATORS": ("", "-x", ""),
    "content/article/rules/headings.py:_SPELLED": ("", "word ", ""),
    "content/article/rules/panels.py:_PANEL": ("", "-collapsexxxxx", ""),
    "content/article/rules/words.py:WHOLE_DATE": ("", "1 abcdefghij ", ""),
    "content/article/rules/facts.py:_COLLECTION_TYPE": ("", '"@type"     :     [     "', ""),
    "content/article/rules/facts.py:_ARTICLE_TYPE": ("", '"@type"     :     [     "', ""),
    "content/article/rules/facts.py:_OTHER_TYPE": ("", '"@type"     :     [     "', ""),
    "content/article/rules/facts.py:_DATED": ("", '"datePublishe', ""),
    "content/article/rules/lines.py:DATA": ("{", " ", '"'),
    "content/article/rules/lines.py:_CODE": ("", "-code", ""),
    "content/article/rules/ends.py:LABEL": ("", "-byline-", ""),
    "content/article/rules/ends.py:SENTENCE_END": ('"', '"', "x"),
    "content/article/rules/candidates.py:_TOKEN": ("", "word ", ""),
    "content/article/rules/hints.py:CLUTTER": ("", "-share-", ""),
    "content/article/rules/hints.py:INVISIBLE": ("", "-tooltipx", ""),
    "content/article/rules/evidence.py:FILE": ("", ".pdf", ""),
    "content/article/rules/teasers.py:SENTENCE_END": (".", ".", "x"),
    "content/article/rules/ends.py:_TOKEN": ("", "word ", ""),
    "content/article/rules/tree.py:_DENSE": ("", "桥", ""),
    "content/article/rules/tree.py:_CAMEL": ("", "x", ""),
    "content/article/rules/tree.py:_ICON": ("", "avatar", ""),
    "content/article/rules/tree.py:_NOTES": ("", "-footnote-", ""),
    "content/article/rules/tree.py:_WORD": ("", "-a1bcdef", "x"),
    "content/article/rules/words.py:ADVERTISEMENT": ("", "|", ""),
    "content/article/rules/words.py:AGREEMENT": ("", "agre", ""),
    "content/article/rules/words.py:COOKIES": ("", "cookies our ", ""),
    "content/article/rules/words.py:BREADCRUMB": ("", "|", "\x00"),
    "content/article/rules/words.py:BYLINE": ("", "|", "\x00"),
    "content/article/rules/words.py:CREDIT": ("", 'x@"', ""),
    "content/article/rules/words.py:DATE_MARK": ("", "1911", ""),
    "content/article/rules/words.py:DATE_PARTS": ("", "@", "x"),
    "content/article/rules/words.py:ELSEWHERE": ("", "@", ""),
    "content/article/rules/words.py:FOOTER": ("", "|", ""),
    "content/article/rules/words.py:MARKER": ("", "|", ""),
    "content/article/rules/words.py:NEWSLETTER": ("", "|", ""),
    "content/article/rules/words.py:BUTTON": ("", "|", "\x00"),
    "content/article/rules/words.py:RIGHTS": ("", "todos los ", ""),
    "content/article/rules/words.py:PRICE": ("", "1 ", ""),
    "content/article/rules/words.py:POINTER": ("", " ", ""),
    "content/article/rules/words.py:REQUEST": ("", "\xa9=", ""),
    "content/article/rules/words.py:SIMILAR": ("more ", "x ", ""),
    "content/article/rules/words.py:REQUEST_WITHIN": ("by clicking here", "-", "x"),
    "content/article/rewrite.py:_DIGITS": ("", " ", "x"),
    "content/article/rewrite.py:_INTEGER": ("", "\n", "\x00"),
    "content/article/rewrite.py:_LANG": ("", "x", ""),
    "content/article/presenting.py:_ID": ("", ' id="', ""),
    "content/article/presenting.py:_IMAGE": ("", 'src="/api/images/0', ""),
    "content/article/presenting.py:_LONG_CELL": ("", "<b>", ""),
    "content/article/presenting.py:_TEXT": ("", ' alt=" ', ""),
    "content/article/presenting.py:_TAG": ("", "<a", ""),
    "content/article/safe_html.py:_LANGUAGE": ("", "<b>", ""),
    "content/article/safe_html.py:_MARKED_LANGUAGE": ("", '<mark data-highlight="', ""),
    "content/article/safe_html.py:_SHOWN_LANGUAGE": ("", '<h2 lang="a"', ""),
    "content/article/sanitise.py:_OWN_IMAGE": ("", "/api/images/111111111111111111111111111111111111", ""),
    "content/article/sanitise.py:_OWN_PLACE": ("#k-", "a", '"'),
    "content/article/sanitise.py:_OWN_PLACES": ("", ' id="k-', ""),
    "content/article/sanitise.py:_OWN_PLACE_LINKS": ("", '<a href="#k-', ""),
    "content/article/sanitise.py:_OWN_SRC": ("", '<img src="/api/images/111111111111111111111111111111111111"', ""),
    "content/article/sanitise.py:_UNUSUAL": ("", "\u6f22", ""),
    "content/article/image_sources.py:_GLUED": ("", " 1x,", ""),
    "content/article/highlights/text_map.py:_NEWLINES": ("", "\r\n", "x"),
    "content/article/highlights/text_map.py:_PART": ("", "&nbsp", ""),
    "content/article/highlights/text_map.py:_PREFORMATTED_PART": ("", "\r\n&", ""),
    "content/article/highlights/text_map.py:_TEXT_NODE": ("", "<", ""),
    "content/article/highlights/text_map.py:_WHITE_SPACE": ("", " &nbsp;", "x"),
    "content/article/highlights/xpath_ranges.py:_CHARACTER": ("", "&amp", ""),
    "content/article/highlights/xpath_ranges.py:_STEP": ("p[", "1", ""),
    "content/article/highlights/xpath_ranges.py:_TOKEN": ("<", "x", ""),
    "content/documents/composing.py:_LANGUAGE": ("en", "-x", ""),
    "content/documents/epub.py:_ABSOLUTE": ("", "a", ""),
    "content/documents/epub.py:_SECTION": ("", "<section", ""),
    "content/documents/epub_package.py:_CDATA": ("", "<![CDATA[x", ""),
    "content/documents/epub_package.py:_DECLARATION": ("", "<?x?", ""),
    "content/documents/epub_package.py:_PREFIX": ("", "<a", ":"),
    "content/documents/epub_package.py:_SELF_CLOSING": ("<a ", "\"x' ", ""),
    "content/documents/pdf_paragraphs.py:_DIVIDED": ("", "x", ""),
    "content/documents/pdf_paragraphs.py:_WORDS": ("", "x-", ""),
    "content/documents/text.py:_FIELD": ("a:", " ", ""),
    "content/documents/text.py:_FRONT_MATTER": ("---\n", "--- \n", ""),
    "content/documents/pdf.py:_DATE": ("D:", "2", ""),
    "content/documents/pdf.py:_NO_TITLE": ("untitled", ".doc", ""),
    "content/documents/pdf_lines.py:_CONTROLS": ("", "\x01", ""),
    "content/documents/pdf_lines.py:_SHAPES": ("", "\ufb01", ""),
    "content/documents/pdf_lines.py:_WORD": ("", "x\x02", ""),
    "content/documents/pdf_paragraphs.py:_ITEM": ("", "1", ""),
    "content/documents/text.py:_BREAKS": ("", "\r", ""),
    "content/documents/text.py:_CONTROLS": ("", "\x01", ""),
    "content/documents/text.py:_EMPTY_LINES": ("\n", " ", ""),
    "content/documents/pdf_paragraphs.py:_NUMBER": ("", "i", "1"),
    "content/documents/scripts.py:_CJK": ("", "\u6f22", ""),
    "content/documents/scripts.py:_LTR": ("", "x", ""),
    "content/documents/scripts.py:_RTL": ("", "\u05d0", ""),
    "content/markup.py:_BEYOND_UNICODE": ("&#1", "1", "x"),
    "content/markup.py:_LEADING_ZEROS": ("&#", "0", "x"),
    "content/export_formats/article_file.py:_ALT": ("", ' alt="', ""),
    "content/export_formats/article_file.py:_IMAGE": (
        "",
        '<img src="/api/images/111111111111111111111111111111111111"/',
        "",
    ),
    "content/export_formats/epub_file.py:_NOT_XML": ("", "\t", ""),
    "content/export_formats/epub_file.py:_VOID": ("", "<br ", ""),
    "content/export_formats/highlight_files.py:NOT_IN_TAG": ("", " ", "x"),
    "content/export_formats/highlight_files.py:SECOND_OF_PAIR": ("", "=%", "="),
    "content/export_formats/highlight_files.py:TAG": ("", "#", ""),
    "content/export_formats/highlight_files.py:URL": ("", "https://", ""),
    "content/export_formats/markdown.py:BACKTICKS": ("", "`x", ""),
    "content/export_formats/markdown_escaping.py:BLOCK_START": ("", " ", "x"),
    "content/export_formats/markdown_escaping.py:ENTITY": ("", "&#", ""),
    "content/export_formats/markdown.py:FORMULA": ("", "]", "$"),
    "content/export_formats/markdown_escaping.py:NUMBER_START": ("", " ", "1"),
    "content/export_formats/markdown_escaping.py:SPACES": ("", " x", ""),
    "content/export_formats/markdown_escaping.py:SPECIAL": ("", "~", ""),
    "content/export_formats/markdown_escaping.py:TAG": ("", "<", ""),
    "content/images/format.py:_NEXT_MARKER": ("", "\xffx", ""),
    "content/import_formats/json_rows.py:SPACE": ("", " ", "x"),
    "content/import_formats/markup_links.py:ANY_TAG": ("", "<\u0301", ""),
    "content/import_formats/markup_links.py:ATTRIBUTE": ("", "x", ""),
    "content/import_formats/markup_links.py:MEANING": ("", "<a", ""),
    "content/import_formats/markup_links.py:REST_OF_TAG": ("", "\"'", ""),
    "content/import_formats/netscape.py:LOOKS_LIKE": ("", "<a ", ""),
    "content/import_formats/netscape.py:NOTES": ("", "[linkding-notes]", ""),
    "content/import_formats/omnivore.py:LISTING": ("", "/metadata_1", ""),
    "content/import_formats/omnivore.py:MARKS": ("", "> ", "x"),
    "content/import_formats/omnivore.py:SLUG": ("", "\u6f22", "x"),
    "content/import_formats/pocket.py:ANNOTATIONS": ("", "/annotations/part_1", ""),
    "content/import_formats/pocket.py:OLD_PAGE": ("", "<a ", ""),
    "content/import_formats/pocket.py:PART": ("", "/part_1", ""),
    "content/import_formats/prepare_rows.py:PASSWORD": ("", "//", ""),
    "content/import_formats/raindrop.py:LABEL": ("", "\nNote", ""),
    "content/import_formats/readeck.py:BOOKMARK": ("bookmarks/", "x", "x"),
    "content/import_formats/uploaded_file.py:MARKUP": ("", " ", "x"),
    "content/import_formats/url_list.py:BULLET": ("", "\n", ""),
    "content/import_formats/url_list.py:URL": ("", "\n", "-"),
    "content/import_formats/values.py:LONG_FRACTION": (".111111", "1", "x"),
    "content/import_formats/values.py:NUMBER": ("", "1", ""),
    "content/import_formats/values.py:OFFSET_WITHOUT_COLON": ("", "-1111", ""),
    "content/page/bounds.py:_FORMATTING": ("", "<b ", ""),
    "content/page/bounds.py:_FORMATTING_TAG": ("", "<b", ""),
    "content/page/bounds.py:_ORDINARY": ("<p", ' a="', ""),
    "content/page/bounds.py:_TAG": ("", "<x1", ""),
    "content/page/challenge.py:_LONG_PARAGRAPH": ("", "<p ", ""),
    "content/page/dates.py:_EPOCH": ("", "1111111111", ""),
    "content/page/dates.py:_LONG_FRACTION": (".111111", "1", "x"),
    "content/page/decode.py:_COMMENT": ("<!--", "x", "x"),
    "content/page/decode.py:_HIGH_BYTE": ("", "\xe9", ""),
    "content/page/decode.py:_HTTP_CHARSET": ("charset=", " ", ";"),
    "content/page/decode.py:_META_CHARSET": ("<meta charset=", "\n", ">"),
    "content/page/decode.py:_SURROGATES": ("", "\ud800", ""),
    "content/page/decode.py:_XML_ENCODING": ("<?xml encoding=", " ", ">"),
    "content/page/excerpt.py:_BOILERPLATE": ("", "cookie", ""),
    "content/page/excerpt.py:_DENSE": ("", "\u6f22", ""),
    "content/page/head.py:_LANG": ("", "xx", ""),
    "content/page/head.py:_SIZE": ("", "1x1", ""),
    "content/page/links.py:_HTTP": ("http://", "a:", "\x00"),
    "content/page/links.py:_HTTP_SCHEME": ("http:", "/", "x"),
    "content/page/links.py:_MAILTO": ("", "mailto:", ""),
    "content/page/links.py:_UNSAFE": ("", " ", ""),
    "content/page/metadata.py:_HEADING": ("", "<h1", ""),
    "content/page/metadata.py:_BODY": ("", "<body ", ""),
    "content/page/next_page.py:_ARTICLE_TYPE": ('"@type": "', "x", ""),
    "content/page/next_page.py:_COMMENTS": ("", "commen", ""),
    "content/page/next_page.py:_COMMENTS_URL": ("", "#commen", ""),
    "content/page/next_page.py:_LINKED_NUMBER": ("", "> 1 ", ""),
    "content/page/next_page.py:_LIST_ITSELF": ("", "blog", ""),
    "content/page/next_page.py:_LIST_PARENT": ("", "tags", ""),
    "content/page/next_page.py:_LIST_TYPE": ("", '"@type":   [  ', ""),
    "content/page/next_page.py:_ONE_OF": ("", "1   </b>   ", ""),
    "content/page/next_page.py:_PAGE_OF": ("", "page 1 of ", ""),
    "content/page/next_page.py:_REL_NEXT": ("", "rel= nex", ""),
    "content/page/next_page.py:_SMALL_NUMBER": ("", "1", ""),
    "content/page/page_number.py:_TITLE_NUMBER": ("", "- page 1 of ", ""),
    "content/page/page_number.py:_TITLE_WORD": ("", "x", ""),
    "content/page/obstacle_signs.py:CONSENT_ADDRESS": ("", "consent-", ""),
    "content/page/obstacle_signs.py:CONSENT_HEADING": ("", "1", ""),
    "content/page/obstacle_signs.py:LOGIN_ADDRESS": ("", "/login/", ""),
    "content/page/obstacle_signs.py:LOGIN_HEADING": ("", "login", ""),
    "content/page/obstacle_signs.py:NEEDS_JAVASCRIPT": ("", "enable javascript", ""),
    "content/page/obstacle_signs.py:NOT_FOUND_HEADING": ("oops", ".", "x"),
    "content/page/obstacle_signs.py:_DENIED_HEADING": ("503", "-", "x"),
    "content/page/obstacle_signs.py:_HUMAN_HEADING": ("ddos protection", "x", ""),
    "content/page/obstacle_signs.py:_WAIT_HEADING": ("einen moment", " bitte", ""),
    "content/page/obstacle_signs.py:_HUMAN_TEXT": ("", "verify you're human", ""),
    "content/page/outline.py:_TITLE_PARTS": ("x", " ", "x"),
    "content/page/outline.py:_UNSPACED": ("", "\u6f22", ""),
    "content/page/page_number.py:_INDEX": ("", "/index.", ""),
    "content/page/page_number.py:_NUMBER": ("", "1", ""),
    "content/page/page_number.py:_SEGMENT": ("page-", "1", ""),
    "content/page/page_number.py:_SUFFIX": ("a", "-page-1", ""),
    "content/page/page_number.py:_TRACKING": ("utm_", "x", "-"),
    "content/page/page_number.py:_WORD": ("", "page", ""),
    "content/page/refresh.py:_ATTRIBUTE": ("", " /", ">"),
    "content/page/refresh.py:_HINT": ("", "http-equiv=", ""),
    "content/page/refresh.py:_REFRESH": ("", "0", ";"),
    "content/page/refresh.py:_TAG": ("", "<", ""),
    "content/page/refresh.py:_TAG_END": ("", " /", "x"),
    "content/page/text_cleaning.py:_ENTITY": ("", "&amp;", ""),
    "content/page/text_cleaning.py:_INVISIBLE": ("", "\x00", ""),
    "content/page/bylines.py:_DATE_BEHIND": ("", " - 1", ""),
    "content/page/bylines.py:_MORE_BEHIND": ("", " edited by ", ""),
    "content/page/bylines.py:_NO_NAME": ("", "1 comment", ""),
    "content/page/bylines.py:_OPENING": ("", "by ", ""),
    "content/page/dates.py:_SCRIPTED": ("", "Wed Nov 20 2019 ", ""),
    "content/page/site_names.py:_SEPARATOR": ("", " ", ""),
    "content/page/text_cleaning.py:_NUMBERED": ("", "&#1", ""),
    "content/page/text_cleaning.py:_TAG": ("", "<b ", ""),
    "content/search/query.py:_DATE": ("", "1111", ""),
    "content/search/query.py:_HOST": ("", "|", "\x00"),
    "content/search/query.py:_PIECE": ("", "-a:", ""),
    "content/search/words.py:LETTER": ("", "x", ""),
    "content/search/words.py:LETTERS": ("", "x", "!"),
    "content/search/words.py:NEEDS_CARE": ("", "\u6f22", ""),
    "content/search/words.py:RUN": ("", "x", "x"),
    "content/search/snippets.py:_EDGE": ("", " ", ""),
    "content/search/words.py:_ACCENTS": ("", "\u0301", ""),
    "content/search/words.py:_LATIN_LETTER": ("", "\xf8", ""),
    "content/search/words.py:_PLAIN_WORD": ("", "\u6f22", "x"),
    "content/search/words.py:_SIGNS": ("", "\u2026", ""),
    "content/search/words.py:_UNCOMMON": ("", "’", "é"),
    "content/search/words.py:_WORDY": ("", "\ufdfa", ""),
    "domain/text.py:_MAYBE_MARKS": ("", "\u0301" * 29 + "a", ""),
    "domain/oauth.py:SCHEME": ("", "a", ""),
    "domain/oauth.py:CHALLENGE": ("", "a", ""),
    "content/whole_page/css.py:_ESCAPED": ("", "\\75 /*", ""),
    "content/whole_page/css.py:_IMPORTED": ("@import ", " ", "x"),
    "content/whole_page/css.py:_LOADING": ("", "@import", ""),
    "content/whole_page/css.py:_MEDIA": ("", "a", ";"),
    "content/whole_page/css.py:_NUMBERED": ("", "\\", ""),
    "content/whole_page/css.py:_PLACE": ("#", "a", ""),
    "content/whole_page/css.py:_TAG": ("", "<", ""),
    "content/whole_page/css.py:_URL_REST": ("", " ", "("),
    "content/whole_page/mhtml.py:_FOLD": ("", "\n ", ""),
    "content/whole_page/mhtml.py:_HEADER_END": ("", "\r\n\r", ""),
    "content/whole_page/mhtml.py:_HEADER_LINE": ("", " ", ""),
    "content/whole_page/mhtml.py:_NOT_BASE64": ("", "-", ""),
    "content/whole_page/mhtml.py:_PARAMETER": ("", ';a="', ""),
    "content/whole_page/page_file.py:_CID": ("", "cid:", ""),
    "content/whole_page/page_file.py:_DATA_IMAGE": ("", "data:image/png;base64,AAAA", ""),
    "content/whole_page/page_file.py:_LONG_DATA": ("", "data:", ""),
    "content/whole_page/page_file.py:_TAG": ("", "<", ""),
    "content/whole_page/resources.py:_DATA_TYPE": ("data:", "a", ""),
    "content/whole_page/resources.py:_FONT_TYPES": ("font/", "a", "\n"),
    "content/whole_page/static_page.py:_ATTRIBUTE": ("", "a", ""),
    "content/whole_page/static_page.py:_DOCTYPE": ("", "<!---->", ""),
    "content/whole_page/static_page.py:_TAG": ("", "a", ""),
    "content/whole_page/static_page.py:_TEMPLATE": ("", "<template", ""),
    "domain/account.py:NAME_PATTERN": ("", "x", ""),
    "fetch/browser/visit.py:DRAWABLE": ("", "text/", ""),
    "fetch/proxy_heads.py:ABSOLUTE_FORM": ("http://", "<", "x"),
    "fetch/proxy_heads.py:HEADER_LINE": ("x:", " ", "\x00"),
    "fetch/proxy_heads.py:REQUEST_LINE": ("A ", "-", "\x00"),
    "fetch/proxy_heads.py:STATUS_LINE": ("", "HTTP/1.1 111 '", ""),
    "storage/blobs/store.py:KEY_PATTERN": ("", "x", "\x00"),
    "urls/escaping.py:DOT_SEGMENT": ("", "/./", ""),
    "urls/escaping.py:DOUBLE_DOT": ("", "..", ""),
    "urls/escaping.py:ESCAPE": ("", "%2", ""),
    "urls/escaping.py:FRAGMENT_ESCAPES": ("", "\u6f22", ""),
    "urls/escaping.py:PATH_ESCAPES": ("", " ", ""),
    "urls/escaping.py:QUERY_ESCAPES": ("", " ", ""),
    "urls/escaping.py:SINGLE_DOT": ("", ".", ""),
    "urls/escaping.py:STRAY_BYTE": ("", "\udc80", ""),
    "urls/escaping.py:UNRESERVED": ("", "~", ""),
    "urls/given.py:BARE_CREDENTIALS": ("a:@", "a.", "!"),
    "urls/given.py:CREDENTIALS": ("", "//", ""),
    "urls/given.py:WEB": ("", "/", ""),
    "urls/host.py:HOST_NAME": ("x", ".x", "\x00"),
    "urls/identity.py:HOME": ("", "/", ""),
    "urls/identity.py:LOCALISED_HOME": ("", "/xx", ""),
    "urls/identity.py:WALL_HOST_LABEL": ("", "login", ""),
    "urls/identity.py:WALL_SEGMENT": ("", "login", ""),
    "urls/given.py:URL_IN_TEXT": ("", "http://a", ""),
    "urls/url.py:AUTHORITY": ("", " ", "x"),
    "urls/url.py:AUTHORITY_END": ("", "/", ""),
    "urls/url.py:CONTROL": ("", "\n", ""),
    "urls/url.py:PLAIN": ("", "|", "x"),
    "urls/url.py:PORT_THEN_PATH": ("1/", "x", "x"),
    "urls/url.py:ROUTE": ("", "/", ""),
    "urls/url.py:SCHEME": ("", "x-", ""),
    "urls/url.py:SPACE": ("", " ", ""),
    "web/assets.py:UNNEEDED": ("", " /*", ""),
    "web/rendering.py:INDENTATION": ("", " ", "x"),
}
# Those that are never given more than so many characters, checked by the caller first.
LONGEST: Final = {
    "content/article/rules/ends.py:SENTENCE_END": thresholds.LONGEST_LABEL,
    "content/article/rules/teasers.py:SENTENCE_END": thresholds.LONGEST_END,
    "content/article/rules/words.py:CREDIT": thresholds.LONGEST_CREDIT,
    "content/article/rules/words.py:ELSEWHERE": thresholds.LONGEST_HEADING,
    "content/article/rules/words.py:ADVERTISEMENT": thresholds.LONGEST_PROMPT,
    "content/article/rules/words.py:MARKER": thresholds.LONGEST_PROMPT,
    "content/article/rules/words.py:NEWSLETTER": thresholds.LONGEST_HEADING,
    "content/article/rules/words.py:POINTER": thresholds.LONGEST_PROMPT,
    "content/article/rules/words.py:REQUEST": thresholds.LONGEST_PROMPT,
    "content/article/rules/words.py:SIMILAR": thresholds.LONGEST_HEADING,
    "content/article/rules/words.py:REQUEST_WITHIN": thresholds.LONGEST_PROMPT,
    "content/import_formats/prepare_rows.py:PASSWORD": LONGEST_SHOWN,
}
# Functions that compile what a module holds, and so is in `WORST`.
MAKERS: Final = {
    "content/article/players.py:_player",
    "content/article/rules/words.py:is_only",
    "content/article/rules/words.py:opens_with",
    "content/article/rules/words.py:holds",
    "content/page/obstacle_signs.py:_any",
}
MARKS: Final = "a" + "\u0301\u0323" * (LENGTH // 2)
TERMS: Final = parse_search('"a a a a a a b" word* 漢字').wanted


def read_snippets(text: str) -> None:
    make_snippet(text, TERMS)
    mark(text, compile_terms(TERMS))


def read_length(text: str) -> None:
    request = parse_request(f"GET http://e.org/ HTTP/1.1\r\nContent-Length: {text}".encode())
    assert request is None or request.body_length is None


# Functions that call `re` or a normal form themselves, each with texts that are worst for it.
READERS: Final[dict[str, tuple[Callable[[str], object], tuple[str, ...]]]] = {
    "cli/items.py:marked": (marked, ("<mark>" * (LENGTH // 6), "<" * LENGTH)),
    "content/markup.py:decode_entities": (
        decode_entities,
        ("&#" * (LENGTH // 2), "&#" + "0" * LENGTH, "&#" + "9" * LENGTH, "&#x" + "f" * LENGTH, "&" * LENGTH),
    ),
    "content/export_formats/article_file.py:make_file_name": (
        make_file_name,
        (MARKS, "-" * LENGTH, "-x" * (LENGTH // 2)),
    ),
    "content/page/links.py:_slashes": (
        lambda text: resolve_http(text, "https://e.org/", max_length=2 * LENGTH),
        ("\\" * LENGTH, "\\?" * (LENGTH // 2), "../" * (LENGTH // 3)),
    ),
    "content/search/snippets.py:compile_term": (
        read_snippets,
        (
            "a " * (LENGTH // 2),
            "a!" * (LENGTH // 2),
            MARKS,
            "a" + "!" * LENGTH,
            "word" * (LENGTH // 4),
            "漢" * LENGTH,
            "a\n" * (LENGTH // 2),
            "\ufdfa" * LENGTH,
        ),
    ),
    "domain/text.py:normalise": (
        lambda text: [normalise(text, "NFC"), normalise(text, "NFD"), normalise(text, "NFKC"), normalise(text, "NFKD")],
        (MARKS, "\u0344\u0323" * (LENGTH // 2), "\uff9e\u0323" * (LENGTH // 2), "\ufdfa" * LENGTH, "가" * LENGTH),
    ),
    "domain/text.py:_in_canonical_order": (index_words, (MARKS, "\u0323\u3099" * (LENGTH // 2))),
    "fetch/proxy_heads.py:body_length": (
        read_length,
        ("9" * LENGTH, " " * LENGTH),
    ),
    "fetch/proxy_heads.py:parse_tunnel": (
        lambda text: parse_request(f"CONNECT {text} HTTP/1.1".encode()),
        (":9" * (LENGTH // 2), "e.org:" + "9" * LENGTH),
    ),
    "storage/images.py:media_of": (media_of, ("x" * LENGTH, "i/00/" + "0" * LENGTH, "i/00/" + "0" * 32 + "/" * LENGTH)),
}

PATTERNS: Final = find_patterns()
USES: Final = find_uses()


def methods_of(key: str) -> list[str]:
    """Those by which the expression is used; all, where it goes by another name."""
    return sorted(USES.get(key.partition(":")[2], ())) or list(READING)


def test_every_regular_expression_has_an_entry() -> None:
    assert sorted(WORST) == sorted(PATTERNS)
    assert LONGEST.keys() <= PATTERNS.keys()


def test_every_function_that_reads_text_by_itself_has_an_entry() -> None:
    assert sorted(READERS.keys() | MAKERS) == sorted(find_calls())


def test_normal_forms_and_character_references_have_one_place_each() -> None:
    """Python's own `normalize` is quadratic, and its `unescape` raises."""
    assert find_files_calling("normalize", "is_normalized") == {"domain/text.py"}
    assert find_files_calling("unescape") == {"content/markup.py"}


@pytest.mark.parametrize("key", WORST)
def test_the_worst_text_takes_its_length_in_time(key: str) -> None:
    for pattern in PATTERNS[key]:
        with at_most(LIMIT_SECONDS):
            read_by(pattern, methods_of(key), fill(WORST[key], LONGEST.get(key, LENGTH)))


@pytest.mark.long
@pytest.mark.parametrize("key", PATTERNS)
def test_texts_made_from_the_expression_take_their_length_in_time(key: str) -> None:
    for attack, pattern in attacks_on(key):
        with at_most(LIMIT_SECONDS):
            read_by(pattern, methods_of(key), fill(attack, LONGEST.get(key, LENGTH)))


def attacks_on(key: str) -> list[tuple[Attack, Pattern]]:
    return [(attack, pattern) for pattern in PATTERNS[key] for attack in sorted(make_attacks(pattern))]


@pytest.mark.parametrize("key", READERS)
def test_a_function_that_reads_text_by_itself_takes_its_length_in_time(key: str) -> None:
    read, texts = READERS[key]
    for text in texts:
        with at_most(LIMIT_SECONDS):
            read(text)


@pytest.mark.parametrize(
    "expression",
    [
        r"<p(?:\s[^>]*)?>",
        r"charset\s*=\s*\"?\s*(\w+)",
        r"^\s*https",
        r"[.!?]\W*$",
        r"(\w+\s?)+$",
        r"(?:a|a)*b",
        r"<!--.*?-->",
    ],
)
def test_a_slow_expression_is_found(expression: str) -> None:
    """Else the tests above would pass whatever is added."""
    pattern = re.compile(expression, re.MULTILINE | re.DOTALL)
    with pytest.raises(TookTooLong):  # noqa: PT012
        for attack in sorted(make_attacks(pattern)):
            with at_most(0.3):
                read_by(pattern, ["search"], fill(attack, 2 * LENGTH))
