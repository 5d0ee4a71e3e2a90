#!/bin/sh
# Checks stage 05, expired: who may be deleted; then says whether the stages before it still hold.
# Usage: 05-contract.sh [options] [SERVICE.c]   (see contract.sh beside it)
exec sh "$(dirname -- "$(readlink -f -- "$0")")/contract.sh" 05 "$@"
