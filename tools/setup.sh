# Sourced by ./run, ./test and ./bench: brings the project's own environment up to date.
# Everything lands in this folder; the system's Python is left alone.

# Some machines forbid Python to keep what it compiled; then every process would take a second longer to start.
unset PYTHONDONTWRITEBYTECODE

say() { printf 'kept: %s\n' "$*" >&2; }

# ensure_environment [dev|bench|docs|release]: .venv as the lock file says, rebuilt only when the lock or the project changed.
ensure_environment() {
  kind=${1:-run}
  stamp=".venv/.kept-$kind-$(cat pyproject.toml requirements.lock | cksum | tr -d ' ')"
  [ -e "$stamp" ] && return
  [ -x .tools/bin/uv ] || {
    say "fetching uv"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target .tools "$(uv_requirement)" 2>/dev/null ||
      { say "could not install uv with 'python3 -m pip'; is python3-pip installed?"; exit 1; }
  }
  say "installing dependencies"
  [ -x .venv/bin/python ] || .tools/bin/uv venv --quiet --python python3 .venv
  case $kind in
    dev) set -- -e '.[celery,postgres,s3]' --group dev ;;
    bench | docs | release) set -- -e '.[celery,postgres,s3]' --group dev --group "$kind" ;;
    *) set -- -e . ;;
  esac
  .tools/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock "$@"
  touch "$stamp"
}

uv_requirement() { sed -n 's/^# uv: //p' requirements.lock; }

# ensure_debian_packages NAME...: with root on Debian, install the missing ones; otherwise say what will be skipped.
ensure_debian_packages() {
  missing=""
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
  done
  [ -z "$missing" ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing$missing"
    # shellcheck disable=SC2086
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >/dev/null 2>&1 ||
      say "could not install$missing"
  else
    say "NOT INSTALLED, and only root could:$missing"
  fi
}

# ensure_bundle: the Readability sidecar, bundled from js/ when that changed (a wheel carries it ready made).
ensure_bundle() {
  stamp=".venv/.kept-bundle-$(cat js/*.mjs js/package-lock.json | cksum | tr -d ' ')"
  [ -e "$stamp" ] && [ -e src/kept/subprocesses/readability.bundle.mjs ] && return
  command -v npm >/dev/null || { say "NOT INSTALLED: npm, so pages cannot be made into articles"; return 0; }
  say "bundling the Readability sidecar"
  (cd js && npm ci --silent --no-audit --no-fund --ignore-scripts && node bundle.mjs) ||
    { say "could not bundle js/; is npm able to install packages?"; return 0; }
  touch "$stamp"
}
