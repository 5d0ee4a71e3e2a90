#!/bin/sh
# Gradescope runs this once, as root, when it builds the image of an assignment. The kit lies beside it (see
# pack.sh).
set -eu

source=${AUTOGRADER_ROOT:-/autograder}/source
cd -- "$source/kit"
sh checks/deps.sh build
make -s build/lab build/confined build/idem-retention-lab/subject.o
# Where no sandbox can be had, submissions run as the user nobody, who must not read the solutions.
chmod -R go-rwx .
