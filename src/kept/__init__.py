"""Kept: save a link, see it at once, keep the page for good."""
