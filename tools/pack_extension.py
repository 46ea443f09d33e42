"""Packs `extension/` for Chromium and for Firefox; `tools/extension.sh` calls it.

The manifest in the folder is Chromium's, so that the folder can be loaded as it is. What Firefox wants differently is
written here.
"""

import argparse
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "extension"
EARLIEST: Final = (1980, 1, 1, 0, 0, 0)  # a ZIP knows no earlier time
GECKO: Final = {
    "gecko": {
        "id": "extension@kept.invalid",
        # the first that reads what follows; host permissions on demand are older
        "strict_min_version": "140.0",
        # to the person's own server, and to nobody else
        "data_collection_permissions": {"required": ["bookmarksInfo", "websiteContent"]},
    }
}


def make_manifest(browser: str) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((SOURCE / "manifest.json").read_text())
    manifest["version"] = read_version(manifest["version"])
    if browser == "chromium":
        return manifest
    worker = manifest.pop("background")
    del manifest["minimum_chrome_version"], manifest["optional_permissions"]
    manifest["background"] = {"scripts": [worker["service_worker"]], "type": worker["type"]}
    manifest["browser_specific_settings"] = GECKO
    return manifest


def read_version(text: str) -> str:
    """Browsers want numbers alone: 1.2.0rc1 is 1.2.0 to them."""
    found = re.match(r"\d+\.\d+\.\d+", text)
    assert found is not None, text
    return found.group()


def list_files(browser: str) -> dict[str, bytes]:
    found = [path for path in SOURCE.rglob("*") if path.is_file() and path.name != "package.json"]  # that is Node's
    files = {path.relative_to(SOURCE).as_posix(): path.read_bytes() for path in found}
    files["manifest.json"] = json.dumps(make_manifest(browser), indent=2, ensure_ascii=False).encode() + b"\n"
    return dict(sorted(files.items()))


def pack(browser: str, folder: Path) -> Path:
    version = make_manifest(browser)["version"]
    target = folder / f"kept-extension-{version}-{browser}.zip"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in list_files(browser).items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target


def main() -> int:
    parser = argparse.ArgumentParser(description="Packs the browser extension.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder to write to; dist/ by default")
    for browser in ("chromium", "firefox"):
        print(pack(browser, parser.parse_args().out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
