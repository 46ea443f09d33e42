"""An article as plain text, which is its canonical text, and as Markdown."""

from markdownify import MarkdownConverter

from kept.content.export_formats.article_file import ArticleFile, place_origins


def write_text(article: ArticleFile) -> bytes:
    head = [article.title, *article.credits, *filter(None, [article.url])]
    return ("\n".join(head) + f"\n\n{article.text}\n").encode()


def write_markdown(article: ArticleFile) -> bytes:
    """Images lead to where they came from: a text file can hold none."""
    lines = [*article.credits, *([f"<{article.url}>"] if article.url else [])]
    head = f"# {' '.join(article.title.split())}\n\n" + "".join(f"{line}  \n" for line in lines)
    return f"{head}\n{convert(article)}\n".encode()


def convert(article: ArticleFile) -> str:
    html = place_origins(article)
    try:
        converter = MarkdownConverter(heading_style="ATX", bullets="-", table_infer_header=True)
        return str(converter.convert(html)).strip()
    except RecursionError:  # an article may be nested deeper than the converter can go
        return article.text
