#!/bin/sh
# Checks stage 04, fetch: the response is replayed; then says whether the stages before it still hold.
# Usage: 04-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 04 "$@"
