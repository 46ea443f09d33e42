#!/bin/sh
# Writes requirements.lock anew: every dependency of every extra and group, for all platforms, with hashes.
# Arguments go to uv: `-c requirements.lock` keeps what is pinned and adds what is new.
# A requirements file and not uv.lock: see docs/decisions/0037-packages.md.
set -eu
cd "$(dirname "$0")/.."
uv=.tools/bin/uv
{
  echo "# Written by tools/lock.sh. Used as constraints by ./run, ./test and the images."
  echo "# uv: uv==$($uv --version | cut -d' ' -f2)"
  $uv pip compile --quiet pyproject.toml --universal --all-extras --group dev --group bench --group docs --group release --generate-hashes --no-header --no-annotate "$@"
} > requirements.lock.new
mv requirements.lock.new requirements.lock
