"""What the browser may do with a whole page: the words of its content security policy."""

from typing import Final

POLICY: Final = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
# Nothing runs, is sent or leaves the frame; a link that is clicked opens a tab, which is an ordinary one.
SANDBOX: Final = "allow-popups allow-popups-to-escape-sandbox"
