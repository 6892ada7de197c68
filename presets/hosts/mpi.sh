#!/usr/bin/env bash
# mpi.sh PROBLEMS.yaml MPIRUN_OPTION...: tunes with one rank a GPU, each with its share of the problems:
# `mpi.sh dense.yaml --hostfile hosts --npernode 8`. Run it again after a host has failed, on as many
# hosts or fewer, and it tunes the remaining problems.
set -euo pipefail
problems=$1
shift
# Without this, mpirun would end all ranks if one of them fails.
mpirun --mca orte_abort_on_non_zero_status 0 "$@" \
  tilewright tune "@$problems" --store tune.jsonl --resume ||
  echo 'a rank failed: the answers of the others are kept; start this script again to tune the rest' >&2
tilewright merge tune.rank-*.jsonl -o tune.jsonl --best best.yaml
