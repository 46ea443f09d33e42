"""Images of pages that were drawn lately, in memory."""

from collections import OrderedDict

# A file by its blob, and a page of it.
Place = tuple[str, int]


class RecentImages:
    """The latest ones, up to a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._images: OrderedDict[Place, bytes] = OrderedDict()
        self._size = 0

    def find(self, place: Place) -> bytes | None:
        if place in self._images:
            self._images.move_to_end(place)
        return self._images.get(place)

    def put(self, place: Place, data: bytes) -> None:
        self._size += len(data) - len(self._images.pop(place, b""))
        self._images[place] = data
        while self._size > self._max_bytes:
            _, oldest = self._images.popitem(last=False)
            self._size -= len(oldest)
