#!/bin/sh
# Packs the kit as a Gradescope autograder: the zip that an assignment's "Configure Autograder" page takes.
#
# Usage: checks/grader/gradescope/pack.sh OUT.zip
#
# In the zip: setup.sh and run_autograder, as Gradescope wants them, and the kit in kit/, without what was
# built, anybody's work and its own history.
set -eu

[ $# -eq 1 ] || {
    printf 'usage: %s OUT.zip\n' "$0" >&2
    exit 2
}
here=$(dirname -- "$(readlink -f -- "$0")")
kit=$(readlink -f -- "$here/../../..")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

mkdir "$stage/kit"
(cd "$kit" && tar -cf - --exclude=./build --exclude=./work --exclude=./.git .) | tar -xf - -C "$stage/kit"
cp "$here/setup.sh" "$here/run_autograder" "$stage"
bsdtar -c --format zip -f "$stage.zip" -C "$stage" setup.sh run_autograder kit
mv -- "$stage.zip" "$1"
