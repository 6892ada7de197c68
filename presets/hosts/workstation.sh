#!/usr/bin/env bash
# workstation.sh PROBLEMS.yaml: tunes on all GPUs of this host. Run it again after Ctrl-C, a crash or a
# reboot, and it tunes the remaining problems.
set -euo pipefail
resume=()
[[ ! -e tune.jsonl ]] || resume=(--resume)
tilewright tune "@$1" --device all --store tune.jsonl "${resume[@]}" -o best.yaml
