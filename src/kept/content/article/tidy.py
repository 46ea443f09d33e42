"""What Readability is given: the page as a browser would build it, without what it would only step over."""

from collections import Counter
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.math import name_drawings
from kept.content.article.rules.walks import holders, is_inherited, shallow

# Structured data stays: Readability takes the title and the author from it.
_UNREAD: Final = 'style, script:not([type="application/ld+json"]), link, template, svg, object, canvas'
# What scripts that draw formulas put around them: the same formula again, drawn by boxes or as an image.
_DRAWN_FORMULAS: Final = ".katex, .mwe-math-element, mjx-container, .MathJax, .MathJax_Display"
_TYPED_FORMULAS: Final = 'script[type^="math/tex"]'
_FURNITURE: Final = "nav, footer, body [role=navigation], body [role=contentinfo]"


def tidy(html: str, url: str = "") -> str:
    """A whole document, well-formed, with html, head and body: the sidecar's parser does not repair.

    `url`: where the page is.
    """
    return write_page(tidy_page(html, url))


def tidy_page(html: str, url: str = "") -> LexborHTMLParser:
    tree = LexborHTMLParser(html)
    show_formulas(tree)
    name_drawings(tree, url)
    for node in reversed(tree.css(_UNREAD)):
        node.decompose()
    remove_furniture(tree)
    for image in tree.css("amp-img"):
        replace_amp_image(tree, image)
    unwrap_noscripts(tree)
    return tree


def write_page(tree: LexborHTMLParser) -> str:
    written = tree.html
    if written is None:  # lexbor's way to say that it had no memory to write it in
        raise MemoryError
    return written


def parse_body(html: str) -> LexborNode | None:
    """A piece of a page, as what stands in a body."""
    # After <body> no frameset can take the body's place, and the doctype keeps browsers' old quirks out.
    return LexborHTMLParser(f"<!doctype html><body>{html}").body


def show_formulas(tree: LexborHTMLParser) -> None:
    """Formulas are often hidden in the page, for screen readers, beside their drawing: each is kept in its place."""
    for drawn in reversed(shallow(tree.css(_DRAWN_FORMULAS))):
        formula = drawn.css_first("math")
        if formula is not None:
            drawn.replace_with(formula)
    for typed in tree.css(_TYPED_FORMULAS):
        if not follows_formula(typed):
            typed.replace_with(f"\\({typed.text().strip()}\\)")


def follows_formula(typed: LexborNode) -> bool:
    """MathJax leaves what the author typed after what it made of it."""
    before = typed.prev
    return before is not None and (before.tag == "math" or before.css_first("math") is not None)


def remove_furniture(tree: LexborHTMLParser) -> None:
    """Menus and footers outside of what the page calls its article: almost a third of all elements are in them."""
    in_article = is_inherited(lambda node: node.tag in {"article", "main"})
    around_article = holders(tree.css("article, main, [itemprop=articleBody]"))
    for node in reversed(tree.css(_FURNITURE)):
        if not in_article.of(node) and node.mem_id not in around_article:
            node.decompose()


def replace_amp_image(tree: LexborHTMLParser, node: LexborNode) -> None:
    """AMP pages show their images by an element of their own, which only AMP's script knows."""
    image = tree.create_node("img")
    for name in ("src", "srcset", "alt", "title", "width", "height"):
        value = node.attributes.get(name)
        if value:
            image.attrs[name] = value
    node.replace_with(image)


def unwrap_noscripts(tree: LexborHTMLParser) -> None:
    noscripts = shallow(tree.css("noscript"))
    if not noscripts:
        return
    images = find_images_beside(tree)
    # One that nobody closed holds the rest of the page, since scripts do not run here.
    around_page = holders(tree.css("h1, main, article, footer"))
    for noscript in reversed(noscripts):
        if noscript.mem_id in around_page or (holds_only_image(noscript) and not stands_beside(noscript, images)):
            noscript.unwrap()


def holds_only_image(noscript: LexborNode) -> bool:
    return len(noscript.css("img")) == 1 and not noscript.text().strip()


def find_images_beside(tree: LexborHTMLParser) -> Counter[int]:
    """For each element, by `mem_id`, how many of its children are or hold images."""
    beside: Counter[int] = Counter()
    known: set[int] = set()
    for image in tree.css("img"):
        node: LexborNode | None = image
        while node is not None and node.mem_id not in known:
            known.add(node.mem_id)
            node = node.parent
            if node is not None:
                beside[node.mem_id] += 1
    return beside


def stands_beside(noscript: LexborNode, images: Counter[int]) -> bool:
    """Beside another image it is the fallback of that, and Readability puts it in its place."""
    return noscript.parent is not None and images[noscript.parent.mem_id] > 1
