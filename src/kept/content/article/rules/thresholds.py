"""Every number that the rules compare with, and how each was found.

"Tried": other values were scored, with what came of it. "Seen": on pages that were looked at. All others were chosen
when their rule was written, for what the remark says they stand for; no other value has been scored.
"""

from typing import Final

# Prose, in letters of Latin.
SHORTEST_PROSE: Final = 60  # what is shorter is more often a label, a caption or a menu than a sentence
LEAST_PROSE: Final = 200  # two sentences: what must be left of a page when a box goes
LEAST_PROSE_OF_ARTICLE: Final = 250  # what an article has at least for which only its prose speaks
WEIGHT_OF_AN_ITEM: Final = 0.5  # items of lists are prose in recipes and teasers elsewhere
LEAST_SHARE_OF_PARENT: Final = 0.7  # tried: the densest part alone scored .948; .934 to .941 with .6, .8 and .9

# How much of a text is links.
LARGEST_LINKED_SHARE: Final = 0.4  # tried: .3 for headings and for added paragraphs scored the same
MOSTLY_LINKED: Final = 0.7  # a paragraph may be half links and still be prose; a menu is nearly all links
NEARLY_LINKED: Final = 0.8  # a line that is a link but for a date or a sign
WHOLLY_LINKED: Final = 0.9  # a line that is a link but for a sign
LARGEST_REST_OF_LINE: Final = 0.1  # the same, by what is left of a headline's line

# Names of elements.
LARGEST_HINTED_SHARE: Final = 0.4  # tried: .25 to .5 scored the same; a wrapper of the article may be called anything
LARGEST_SHARE_OF_A_NAME: Final = 0.5  # a name on half of the prose ("paywall", "with-ads") means nothing
MOST_AUTHORS: Final = 3  # where more people are described, the page is about them
LEAST_SHARE_OF_OWN_ARTICLE: Final = 0.75  # tried: .5 scored the same; pages also call a teaser or a comment an article
MOST_SLUG_WORDS: Final = 3  # an id of more words spells a heading
MOST_WORDS_OF_A_NAME: Final = 3  # seen: no word of "anchorWithStickyNavbar" tells what the element is
FEWEST_WORDS_OF_A_SENTENCE: Final = 4  # an id of so many words is a sentence, whatever they are
SMALLEST_IMAGE: Final = 100  # pixels: a smaller one is an icon or a portrait

# Teasers.
SHORTEST_HEADLINE: Final = 20  # a shorter link leads to a section, a shorter caption is a credit
LONGEST_TEASER: Final = 500  # a headline and three sentences
LEAST_SHARE_OF_ARTICLE: Final = 0.5  # the `article` that is the page's own holds most of the text
LARGEST_SHARE_OF_OTHERS: Final = 0.1  # a larger `article` beside it may be a part of it
LARGEST_STRAY_SHARE: Final = 0.15  # beyond it the links are what the page is about: a round-up
FEWEST_WORDS_OF_LINE: Final = 5  # a linked paragraph of fewer words may be a name
FEWEST_WORDS_OF_ITEM: Final = 3  # fewer than of a line, since two items must be alike
LONGEST_END: Final = 100  # bound: the end of a sentence is looked for in so many characters

# Streams of teasers.
FEWEST_TEASERS: Final = 3  # two boxes alike are no row
SHORTEST_SUMMARY: Final = 15  # on average: with less it is a list of links, which other rules judge
LONGEST_HEADLINE_LABEL: Final = 60  # a date and a place beside a headline
LONGEST_REST: Final = 100  # a heading over the teasers, and a link to more
LEAST_SHARE_OF_TEASERS: Final = 0.7  # with less, the part holds something else too
LONGEST_DATE: Final = 40  # with the weekday, the time of day and "Published"
MOST_INTRODUCTION: Final = 3  # paragraphs around a list that is what a page is about
FEWEST_IN_GALLERY: Final = 6  # a shorter one in an article may be its round-up
LEAST_BESIDE_GALLERY: Final = 400  # with less text beside, it may be what the article is about

# Boxes.
FEWEST_COMMENTS: Final = 3  # elements that are called so in a box of comments
LONGEST_SIGN_UP: Final = 450  # seen: forms of the public articles have some 100 to 350 characters
FEWEST_MENU_LINKS: Final = 5  # a cell with fewer may be data
LEAST_SHARE_OF_CELL: Final = 0.4  # of the page: a cell with so much has its text, and the table is no data
MOST_BESIDE_HEADING: Final = 3  # the heading, a link to it, a line below

# Panels.
SHORTEST_PANEL: Final = 40  # a shorter one is a label
LONGEST_PANEL: Final = 20_000  # bound: a longer one is the page
LONGEST_QUESTION: Final = 250  # two lines

# Lines, in characters.
LONGEST_HEADING: Final = 80  # a line of print
LONGEST_SECTION_HEADING: Final = 300  # bound
LONGEST_PROMPT: Final = 400  # seen: the longest request has some 380; few paragraphs that long begin like one
SHORTEST_DATA: Final = 40  # a shorter text in braces may be a remark

# The beginning and the end of an article.
SHORTEST_FIRST_PARAGRAPH: Final = 100  # what is shorter may be a label
LONGEST_LABEL: Final = 120  # a byline with the place and the date
LONGEST_BESIDE_NAME: Final = 60  # beside the author's name: a role, a paper
LEAST_REPEATED: Final = 0.8  # of a line's words, in one that repeats the title
LEAST_OF_TITLE: Final = 0.5  # and of the title's
LONGEST_BREADCRUMB: Final = 250  # it may end with the title, whatever that is long
LONGEST_CREDIT: Final = 240  # two sentences on the author
DATE_REST: Final = 8  # letters left of a date without its known parts: a time zone, a place's initials
FEWEST_FOOTER_LINKS: Final = 3  # seen: of 351 pages three end with so many links of a site's footer
LONGEST_FOOTER: Final = 60  # bound, in blocks
LONGEST_FOOTER_LINK: Final = 60  # a link with more words is a headline
LONGEST_REMARK: Final = 400  # a company's address and registration
MOST_REMARKS: Final = 2  # the rights, and one more
MOST_ROUNDS: Final = 3  # words that stood loose beside a label are a block of their own once it has gone

# The second opinion.
LEAST_SHARED: Final = 0.75  # tried: 0, .6 and .9 scored the same on the public articles (`./bench extract_folds`)
MOST_ALIKE: Final = 0.7  # candidates that agree more differ in a lead, and Readability knows better
LEAST_MARGIN: Final = 0.15  # tried: .05 and .3 scored the same on the public articles (`./bench extract_folds`)
SHORTEST_ANSWER: Final = 100  # as many as an article must have (`extract.LEAST_CHARACTERS`)
LEAST_COMPLETED: Final = 0.9  # of Readability's answer, in one that takes its place
LEAST_MORE: Final = 0.25  # how much more that must have
FEWEST_PARAGRAPHS: Final = 3  # fewer are a lead or a remark
WEIGHT_OF_BODY: Final = 2.0  # what the page says that its text is counts as both other candidates
WEIGHT_OF_DESCRIPTION: Final = 0.5  # it is short, and may be of the site
SHORTEST_BODY: Final = 300  # a shorter one is a summary
SHORTEST_DESCRIPTION: Final = 40  # a shorter one is a name
BLOCK_START: Final = 60  # enough to know a block by; Readability ends paragraphs elsewhere

# Bounds, so that a page that was made to be slow costs no more than a long one.
DEEPEST: Final = 8  # elements of a kind in each other: a list in a list in a tab of a page builder
HIGHEST: Final = 10  # steps from an element up to its box
HIGHEST_LINE: Final = 4  # steps from a link up to its line
MOST_NEAR: Final = 20  # children, neighbours and links of one box
MOST_LOOKED_THROUGH: Final = 50  # elements that are looked through to their end
MOST_BOXES: Final = 500  # elements of a kind of which names or a short text are asked
MOST_ELEMENTS: Final = 2_000  # links, ids and blocks of a page
MOST_EMPTY_NODES: Final = 400  # elements without text in a short text
MOST_TAGS: Final = 200_000  # Readability refuses a page with more
MOST_TEXT: Final = 1_000_000  # characters in which blocks are looked for
MOST_TOKENS: Final = 20_000  # words of a candidate
LONGEST_NAME: Final = 200  # characters of a class or an id
LONGEST_REMEMBERED: Final = 300  # of all names of an element: longer ones are not worth the memory
