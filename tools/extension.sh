#!/bin/sh
# Packs the browser extension: dist/kept-extension-VERSION-chromium.zip and …-firefox.zip. The same files give the same
# bytes: names are sorted, times and modes fixed.
set -eu
cd "$(dirname "$0")/.."
exec python3 tools/pack_extension.py "$@"
