#!/usr/bin/env bash
# mpi.sh PROBLEMS.yaml MPIRUN_OPTION...: one rank a GPU, each with its share of the problems, such as
# `mpi.sh dense.yaml --hostfile hosts --npernode 8`. Started again after a host has died, on as many
# hosts or fewer, it does what is left.
set -euo pipefail
problems=$1
shift
# One rank's exit code is no reason to end the others.
mpirun --mca orte_abort_on_non_zero_status 0 "$@" \
  tilewright tune "@$problems" --store tune.jsonl --resume ||
  echo 'a rank failed: what the others did is kept, start this again for the rest' >&2
tilewright merge tune.rank-*.jsonl -o tune.jsonl --best best.yaml
