#!/bin/sh
# Checks stage 08, retention_cycle: the whole circle; then says whether the stages before it still hold.
# Usage: 08-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 08 "$@"
