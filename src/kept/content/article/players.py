"""Embedded players we know, and the page a person can open instead. For `sanitise` and `prune`."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

from kept.content.page.links import resolve_http


@dataclass(frozen=True, slots=True)
class PlayerLink:
    """Where an embedded player's content can be seen, and on which service."""

    url: str
    service: str


@dataclass(frozen=True, slots=True)
class _Player:
    service: str
    host: re.Pattern[str]
    path: re.Pattern[str]
    # The page for it: {0} is the path's group, {name} a parameter of the query. None: the player is its own
    # page.
    page: str | None


def _player(service: str, host: str, path: str, page: str | None = None) -> _Player:
    return _Player(service, re.compile(rf"(?:www\.|m\.)?(?:{host})"), re.compile(path), page)


_YOUTUBE: Final = r"youtube(?:-nocookie)?\.com"
_PLAYERS: Final = (
    _player("YouTube", _YOUTUBE, "/embed/videoseries", "https://www.youtube.com/playlist?list={list}"),
    _player("YouTube", _YOUTUBE, r"/(?:embed|v|shorts|live)/([\w-]{6,20})", "https://www.youtube.com/watch?v={0}"),
    _player("YouTube", _YOUTUBE, "/watch", "https://www.youtube.com/watch?v={v}"),
    _player("YouTube", r"youtu\.be", r"/([\w-]{6,20})", "https://www.youtube.com/watch?v={0}"),
    _player("Vimeo", r"player\.vimeo\.com", r"/video/(\d+)", "https://vimeo.com/{0}"),
    _player("Vimeo", r"vimeo\.com", r"/(\d+)", "https://vimeo.com/{0}"),
    _player(
        "Dailymotion",
        r"dailymotion\.com",
        r"/(?:embed/)?video/(\w+)",
        "https://www.dailymotion.com/video/{0}",
    ),
    _player("Dailymotion", r"geo\.dailymotion\.com", "/player", "https://www.dailymotion.com/video/{video}"),
    _player(
        "Spotify",
        r"open\.spotify\.com",
        r"/(?:embed(?:-podcast)?/)?(\w+/\w+)",
        "https://open.spotify.com/{0}",
    ),
    _player("SoundCloud", r"w\.soundcloud\.com", "/player"),
    _player("Bandcamp", r"bandcamp\.com", "/EmbeddedPlayer/"),
    _player("Mixcloud", r"(?:player-widget\.)?mixcloud\.com", "/widget/iframe", "https://www.mixcloud.com{feed}"),
    _player("Deezer", r"widget\.deezer\.com", r"/widget/\w+/(\w+/\d+)", "https://www.deezer.com/{0}"),
    _player("Apple Podcasts", r"embed\.podcasts\.apple\.com", "/(.+)", "https://podcasts.apple.com/{0}"),
    _player("Apple Music", r"embed\.music\.apple\.com", "/(.+)", "https://music.apple.com/{0}"),
    _player("TED", r"embed\.ted\.com", r"/talks/([\w/-]+)", "https://www.ted.com/talks/{0}"),
    _player("Twitch", r"player\.twitch\.tv", "/", "https://www.twitch.tv/videos/{video}"),
    _player("Twitch", r"clips\.twitch\.tv", "/embed", "https://clips.twitch.tv/{clip}"),
    _player("Internet Archive", r"archive\.org", r"/embed/([\w.-]+)", "https://archive.org/details/{0}"),
    _player("Wistia", r"fast\.wistia\.(?:net|com)", r"/embed/(?:iframe|medias)/\w+"),
    _player("Loom", r"loom\.com", r"/(?:embed|share)/(\w+)", "https://www.loom.com/share/{0}"),
    _player("Bilibili", r"player\.bilibili\.com", r"/player\.html", "https://www.bilibili.com/video/{bvid}"),
    _player("Youku", r"player\.youku\.com", r"/embed/([\w=]+)", "https://v.youku.com/v_show/id_{0}.html"),
    _player("Rutube", r"rutube\.ru", r"/(?:play|video)/embed/(\w+)", "https://rutube.ru/video/{0}/"),
    _player("Facebook", r"facebook\.com", r"/plugins/video\.php", "{href}"),
    _player("TikTok", r"tiktok\.com", r"/(?:embed|player)/(?:v\d/)?\d+"),
    _player("Streamable", r"streamable\.com", r"/(?:[eso]/)?(\w+)", "https://streamable.com/{0}"),
    _player("PeerTube", r"[\w.-]+", r"/videos/embed/([\w-]{20,40})"),
)

_AUDIO: Final = frozenset({"Spotify", "SoundCloud", "Bandcamp", "Mixcloud", "Deezer", "Apple Podcasts", "Apple Music"})


def is_video_page(url: str) -> bool:
    """Whether a player for videos that we know stands behind this URL."""
    player = find_player(url, url)
    return player is not None and player.service not in _AUDIO


def find_player(src: str | None, base_url: str) -> PlayerLink | None:
    """The page behind an embedded player, or None if `src` is not one we know."""
    url = resolve_http(src, base_url)
    if url is None:
        return None
    parts = urlsplit(url)
    for player in _PLAYERS:
        if player.host.fullmatch((parts.hostname or "").lower()) and (path := player.path.match(parts.path)):
            return PlayerLink(_page_of(player, path, parts.query) or url, player.service)
    return None


def _page_of(player: _Player, path: re.Match[str], query: str) -> str | None:
    if player.page is None:
        return None
    parameters = {name: values[0] for name, values in parse_qs(query, max_num_fields=None).items()}
    try:
        return resolve_http(player.page.format(*path.groups(), **parameters), "")
    except (IndexError, KeyError):  # the query lacks what the page needs: the player itself will do
        return None
