#!/bin/sh
# Builds the documentation site into site/ (or where the first argument says), strictly: a link to nowhere fails the build,
# and so does a page that would load anything from another host.
set -eu
cd "$(dirname "$0")/.."
. ./tools/setup.sh

ensure_environment docs
# mkdocs-material says in red on every build what its makers think of another project.
export NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true
# Without --quiet: it would silence the warnings that --strict counts.
.venv/bin/mkdocs build --strict --clean --config-file mkdocs.yaml --site-dir "${1:-site}"
python3 tools/check_site.py "${1:-site}"
