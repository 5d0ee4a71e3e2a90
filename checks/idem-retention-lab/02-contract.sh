#!/bin/sh
# Checks stage 02, reserve: a key becomes pending; then says whether the stages before it still hold.
# Usage: 02-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 02 "$@"
