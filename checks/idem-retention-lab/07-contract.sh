#!/bin/sh
# Checks stage 07, counts: what is there; then says whether the stages before it still hold.
# Usage: 07-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 07 "$@"
