#!/bin/sh
# Checks stage 03, finish: the response is stored; then says whether the stages before it still hold.
# Usage: 03-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 03 "$@"
