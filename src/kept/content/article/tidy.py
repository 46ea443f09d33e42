"""What Readability is given: the page as a browser would build it, without what it would only step over."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kept.content.article.drawings import name_drawings

# Structured data stays: Readability takes the title and the author from it.
_UNREAD: Final = 'style, script:not([type="application/ld+json"]), link, template, svg, object, canvas'
# What scripts that draw formulas put around them: the same formula again, drawn by boxes or as an image.
_DRAWN_FORMULAS: Final = ".katex, .mwe-math-element, mjx-container, .MathJax, .MathJax_Display"
_TYPED_FORMULAS: Final = 'script[type^="math/tex"]'
_FURNITURE: Final = "nav, footer, [role=navigation], [role=contentinfo]"


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
    for node in reversed(tree.css(_FURNITURE)):
        if is_furniture(node):
            node.decompose()
    for image in tree.css("amp-img"):
        replace_amp_image(tree, image)
    for noscript in reversed(tree.css("noscript")):
        if holds_page(noscript) or (holds_only_image(noscript) and not stands_beside_image(noscript)):
            noscript.unwrap()
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
    for drawn in reversed(tree.css(_DRAWN_FORMULAS)):
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


def is_furniture(node: LexborNode) -> bool:
    """Menus and footers outside of what the page calls its article: almost a third of all elements are in them."""
    parent = node.parent
    while parent is not None:
        if parent.tag in {"article", "main"}:
            return False
        parent = parent.parent
    return node.css_first("article, main, [itemprop=articleBody]") is None


def replace_amp_image(tree: LexborHTMLParser, node: LexborNode) -> None:
    """AMP pages show their images by an element of their own, which only AMP's script knows."""
    image = tree.create_node("img")
    for name in ("src", "srcset", "alt", "title", "width", "height"):
        value = node.attributes.get(name)
        if value:
            image.attrs[name] = value
    node.replace_with(image)


def holds_page(noscript: LexborNode) -> bool:
    """One that nobody closed holds the rest of the page, since scripts do not run here."""
    return noscript.css_first("h1, main, article, footer") is not None


def holds_only_image(noscript: LexborNode) -> bool:
    return len(noscript.css("img")) == 1 and not noscript.text().strip()


def stands_beside_image(noscript: LexborNode) -> bool:
    """Then it is the fallback of that image, and Readability puts it in its place."""
    return any(holds_image(sibling) for sibling in siblings(noscript))


def siblings(node: LexborNode) -> list[LexborNode]:
    parent = node.parent
    return [child for child in parent.iter() if child.mem_id != node.mem_id] if parent is not None else []


def holds_image(node: LexborNode) -> bool:
    return node.tag == "img" or node.css_first("img") is not None
