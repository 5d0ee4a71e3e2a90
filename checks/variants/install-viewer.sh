#!/bin/sh
# Installs the viewer of mutation reports, and what its tests need, into build/node_modules with npm.
#
# Usage: checks/variants/install-viewer.sh
#
# Exit status: 0 also where there is no npm: the page is then written without the viewer, and says so.
set -eu

cd -- "$(dirname -- "$(readlink -f -- "$0")")/../.."
if ! command -v npm >/dev/null; then
    printf 'There is no npm here, so the page goes without the mutation report; Debian has it as npm.\n' >&2
    exit 0
fi
mkdir -p build
cp checks/variants/picture/package.json checks/variants/picture/package-lock.json build
cd build
# What it prints is shown when it fails.
if ! said=$(npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier 2>&1); then
    printf '%s\n' "$said" >&2
    printf 'npm could not install the viewer, so the page goes without the mutation report.\n' >&2
    exit 0
fi
touch node_modules/.installed
