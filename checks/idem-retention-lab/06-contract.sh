#!/bin/sh
# Checks stage 06, purge: bounded deletion; then says whether the stages before it still hold.
# Usage: 06-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 06 "$@"
