"""An article as plain text, which is its canonical text, and as Markdown."""

from kept.content.export_formats.article_file import ArticleFile, place_origins
from kept.content.export_formats.markdown_escaping import escape_line, escape_url


def write_text(article: ArticleFile) -> bytes:
    head = [article.title, *article.credits, *filter(None, [article.url])]
    return ("\n".join(head) + f"\n\n{article.text}\n").encode()


def write_markdown(article: ArticleFile) -> bytes:
    """Images lead to where they came from: a text file can hold none."""
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
