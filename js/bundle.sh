#!/bin/sh
# Bundles the sidecar and its dependencies, with their licences, into the one file that the Python package carries.
set -eu
cd "$(dirname "$0")"
bundle=../src/kept/children/readability.bundle.mjs

npm ci --silent --no-audit --no-fund --ignore-scripts
node_modules/.bin/esbuild sidecar.mjs --bundle --platform=node --target=node20 --format=esm --minify --log-level=warning --outfile="$bundle.new"
for licence in $(find node_modules -maxdepth 3 -iname 'licen[sc]e*' -not -path '*esbuild*' | sort); do
  printf '\n/* %s\n' "$licence" && sed 's|\*/|* /|g' "$licence" && printf '\n*/\n'
done >> "$bundle.new"
mv "$bundle.new" "$bundle"
