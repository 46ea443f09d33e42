"""An article as one HTML file that needs nothing else: images and style inside, a policy that lets nothing out."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final
from uuid import UUID

from kept.content.export_formats.article_file import (
    MARK_STYLE,
    ArticleFile,
    EmbeddedImage,
    place_images,
    place_origins,
    write_notes,
)
from kept.content.export_formats.markdown_escaping import escape_line, escape_url
from kept.domain.text import direction_of

PAGE_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d1b18; --paper: #fdfcf9; --faint: #6c665c; --line: #ddd7cb; --link: #1f5c99 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e2da; --paper: #191816; --faint: #9d968a; --line: #3a3733; --link: #8db8e8 }
}
html { background: var(--paper); color: var(--ink); font: 1.125rem/1.65 Charter, "Iowan Old Style", Georgia, serif;
  -webkit-text-size-adjust: 100% }
body { margin: 0 auto; max-width: 38rem; padding: 3rem 1.25rem 5rem; overflow-wrap: break-word; hyphens: auto }
header { border-bottom: 1px solid var(--line); margin-bottom: 2rem; padding-bottom: 1.25rem }
header p { color: var(--faint); font-size: .9rem; margin: .25rem 0 }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; margin: 2em 0 .6em; hyphens: manual }
header h1 { font-size: 2rem; margin: 0 0 .75rem }
a { color: var(--link); text-underline-offset: .15em }
img { display: block; height: auto; margin: 1.5rem auto; max-width: 100% }
figure { margin: 2rem 0 } figcaption { color: var(--faint); font-size: .875rem; text-align: center }
blockquote { border-inline-start: 3px solid var(--line); margin: 1.5rem 0; padding-inline-start: 1.25rem }
blockquote { color: var(--faint) }
pre, code, kbd, samp { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
pre { border: 1px solid var(--line); border-radius: 4px; overflow-x: auto; padding: 1rem }
table { border-collapse: collapse; display: block; font-size: .9rem; overflow-x: auto }
td, th { border: 1px solid var(--line); padding: .4rem .6rem; text-align: start; vertical-align: top }
hr { border: 0; border-top: 1px solid var(--line); margin: 2.5rem 0 }
@media print { html { background: none; color: #000; font-size: 11pt } a { color: inherit } }
"""
STYLE: Final = PAGE_STYLE + MARK_STYLE
_STYLE_HASH: Final = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY: Final = (
    f"default-src 'none'; img-src data:; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
)


def write_html(article: ArticleFile) -> bytes:
    lang = f' lang="{escape(article.lang)}" dir="{direction_of(article.lang)}"' if article.lang else ""
    page = (
        f"<!doctype html>\n<html{lang}>\n<head>\n"
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY, quote=False)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(article.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{escape(article.title)}</h1>\n{write_credits(article)}</header>\n"
        f"<main>\n{place_images(article, as_data)}\n</main>\n{write_notes(article)}</body>\n</html>\n"
    )
    return page.encode()


def write_credits(article: ArticleFile) -> str:
    lines = [escape(line) for line in article.credits]
    if article.url:
        lines.append(f'<a href="{escape(article.url)}" rel="noreferrer">{escape(article.url)}</a>')
    return "".join(f"<p>{line}</p>\n" for line in lines)


def as_data(_: UUID, image: EmbeddedImage) -> str:
    return f"data:{image.kind.value};base64,{b64encode(image.data).decode()}"


def write_text(article: ArticleFile) -> bytes:
    """Write an article as plain text, which is its canonical text."""
    head = [article.title, *article.credits, *filter(None, [article.url])]
    return ("\n".join(head) + f"\n\n{article.text}\n").encode()


def write_markdown(article: ArticleFile) -> bytes:
    """Write an article as Markdown; images lead to their origins, because a text file can hold none."""
    lines = [*map(escape_line, article.credits), *([f"<{escape_url(article.url)}>"] if article.url else [])]
    head = f"# {escape_line(article.title)}\n\n" + "".join(f"{line}  \n" for line in lines)
    return f"{head}\n{convert(article)}\n".encode()


def convert(article: ArticleFile) -> str:
    from kept.content.export_formats.markdown import ArticleConverter  # here alone: Beautiful Soup is large

    html = place_origins(article)
    try:
        return str(ArticleConverter().convert(html)).strip()
    except RecursionError:  # an article may be nested deeper than the converter can go
        return "\n".join(map(escape_line, article.text.splitlines()))
