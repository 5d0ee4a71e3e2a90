#!/bin/sh
# Checks stage 01, init_db: the table; then says whether the stages before it still hold.
# Usage: 01-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 01 "$@"
