#!/usr/bin/env bash
#SBATCH --job-name=tilewright
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-task=1
#SBATCH --exclusive
# sbatch slurm.sh PROBLEMS.yaml: tunes with one rank a GPU, each with its share of the problems. Submit
# it again after a node has failed, on as many nodes or fewer, and it tunes the remaining problems.
set -euo pipefail
srun --kill-on-bad-exit=0 tilewright tune "@$1" --store tune.jsonl --resume ||
  echo 'a rank failed: the answers of the others are kept; submit this script again to tune the rest' >&2
tilewright merge tune.rank-*.jsonl -o tune.jsonl --best best.yaml
