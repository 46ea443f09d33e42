# Sourced by ./run, ./test and ./bench: brings the project's own environment up to date.
# Everything lands in this folder; the system's Python is left alone.

# Some machines forbid Python to keep what it compiled; then every process would take a second longer to start.
unset PYTHONDONTWRITEBYTECODE

say() { printf 'kept: %s\n' "$*" >&2; }

# alone COMMAND...: two that start at the same time install one after the other.
alone() {
  command -v flock >/dev/null || { "$@"; return; }
  exec 9>.setup.lock
  flock -n 9 || { say "waiting for another ./run or ./test to finish installing"; flock 9; }
  "$@"
  exec 9>&-
}

# loudly COMMAND...: quiet while it works; shows what it printed where it fails.
loudly() {
  output=$(mktemp)
  if "$@" >"$output" 2>&1; then rm -f "$output"; return 0; fi
  tail -n 30 "$output" >&2
  rm -f "$output"
  return 1
}

# ensure_environment [dev|bench|docs|release]: .venv as the lock file says, brought up to date when the lock or the
# project changed, and made anew when the folder has moved or the system has another Python.
ensure_environment() { alone install_environment "${1:-run}"; }

install_environment() {
  home=".venv/.kept-home-$( { python3 --version; pwd -P; } | cksum | tr -d ' ')"
  { [ -e "$home" ] && .venv/bin/python -c '' 2>/dev/null; } || rm -rf .venv
  stamp=".venv/.kept-$1-$(cat pyproject.toml requirements.lock | cksum | tr -d ' ')"
  [ -e "$stamp" ] && return
  install_uv
  say "installing dependencies"
  [ -e .venv ] || { .tools/bin/uv venv --quiet --no-python-downloads --python python3 .venv && touch "$home"; }
  case $1 in
    dev) set -- "$1" -e '.[celery,postgres,s3]' --group dev ;;
    bench | docs | release) set -- "$1" -e '.[celery,postgres,s3]' --group dev --group "$1" ;;
    *) set -- "$1" -e . ;;
  esac
  shift
  install_packages "$@" || { say "could not install the dependencies"; exit 1; }
  touch "$stamp"
}

# A copy of uv that came with the folder from another machine or Python may not run here.
install_uv() {
  .tools/bin/uv --version >/dev/null 2>&1 && return
  say "fetching uv"
  rm -rf .tools
  loudly python3 -m pip install --disable-pip-version-check --root-user-action=ignore --target .tools "$(uv_requirement)" ||
    { say "could not install uv with 'python3 -m pip'; is python3-pip installed?"; exit 1; }
}

uv_requirement() { sed -n 's/^# uv: //p' requirements.lock; }

install_packages() { .tools/bin/uv pip install --quiet --python .venv/bin/python --constraint requirements.lock "$@"; }

# ensure_extras: the optional packages that the settings need (PostgreSQL, S3, Celery).
ensure_extras() {
  extras=$(.venv/bin/python tools/needed_extras.py 2>/dev/null) || return 0 # `kept serve` says what is wrong with the settings
  [ -z "$extras" ] && return
  say "installing what the settings need: $extras"
  install_uv
  install_packages -e ".[$extras]" || { say "could not install kept[$extras]"; exit 1; }
}

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
    { loudly apt-get update -qq && DEBIAN_FRONTEND=noninteractive loudly apt-get install -y -qq --no-install-recommends $missing; } ||
      say "could not install$missing"
  else
    say "NOT INSTALLED, and only root could:$missing"
  fi
}

# ensure_bundle: the Readability sidecar, the fonts and the small scripts of the pages, bundled by js/ when it or they changed
# (a wheel carries them ready made).
ensure_bundle() { alone make_bundle; }

make_bundle() {
  stamp=".venv/.kept-bundle-$(cat js/*.mjs js/package-lock.json src/kept/web/static/*.js src/kept/web/static/*.css | cksum | tr -d ' ')"
  [ -e "$stamp" ] && [ -e src/kept/subprocesses/readability.bundle.cjs ] && [ -e src/kept/web/bundled ] && return
  ensure_node || { say "could not install Node, so pages cannot be made into articles"; return 0; }
  say "bundling the Readability sidecar, fonts and scripts"
  (cd js && loudly npm ci --no-audit --no-fund --ignore-scripts && loudly node bundle.mjs) ||
    { say "could not bundle js/; is npm able to install packages?"; return 0; }
  touch "$stamp"
}

# ensure_node: Node 18 or newer and npm on the path; where there is none, those that come as a Python package.
ensure_node() {
  has_node && return
  say "installing Node into .venv"
  install_uv
  install_packages -e '.[node]' || return 1
  packaged=$(.venv/bin/python -c 'from kept.subprocesses.sidecar import find_packaged_node as find; print(find().parents[1])')
  PATH=$packaged/bin:$PATH
  npm() { node "$packaged/lib/node_modules/npm/bin/npm-cli.js" "$@"; } # its bin/npm looks for this in the wrong place
  has_node
}

has_node() {
  command -v npm >/dev/null && command -v node >/dev/null &&
    node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null
}
