"""Removes the boxes that ask for an e-mail address: Readability removes the form, and leaves the words around it."""

from typing import Final

from selectolax.lexbor import LexborNode

from kept.content.article.prepare.boxes import leaves_article, remove_all, widen

_FIELDS: Final = 'input[type="email" i], input[name*="mail" i], input[placeholder*="mail" i]'
MOST_FIELDS: Final = 10
# A heading, one or two sentences, a label and a remark on privacy. Forms on the tuning pages have some 100 to 350.
LONGEST_BOX: Final = 450


def remove_sign_up_boxes(body: LexborNode) -> None:
    fields = body.css(_FIELDS)[:MOST_FIELDS]
    boxes = [widen(field, LONGEST_BOX) for field in fields]
    if boxes and leaves_article(body, boxes):
        remove_all(boxes)
