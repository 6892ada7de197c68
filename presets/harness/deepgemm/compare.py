"""compare.py TILEWRIGHT KERNELS BEST OUT PROBLEM...: times DeepGEMM, ours and cuBLASLt in the same
rounds, and appends a line of JSON per problem to OUT.

KERNELS is a folder with deepgemm.cu compiled as NxK.so, and as NxK-groups.so for groups; BEST is an
artefact of tune with our configs. A PROBLEM is MxNxK, or COUNT*MxNxK for a group of equal products.
All configs that were compiled run for seven rounds; the two fastest then run beside ours."""
import itertools
import json
import subprocess
import sys

tilewright, kernels, best, out = sys.argv[1:5]
KIND = ["--dtype", "e4m3", "--scale-a", "block:1x128", "--scale-b", "block:128x128@k4"]
BLOCK_N = {16: [32, 64, 96], 32: [32, 64], 64: [16, 32, 48, 64, 80, 96, 112, 128, 160, 192],
           128: [32, 64, 96, 112, 128, 144, 160, 192], 256: [64, 96, 112, 128]}
GROUPED = {32: [128, 192], 64: [96, 112, 128, 160, 192], 128: [96, 112, 128, 160, 192]}


def run(*arguments):
    return subprocess.run([tilewright, *arguments], capture_output=True, text=True)


def configs_of(m, grouped):
    for block_m, widths in (GROUPED if grouped else BLOCK_N).items():
        fits = m % block_m == 0 if grouped else block_m <= max(64, 2 * m) and m <= 32 * block_m
        if not fits or (block_m < 64 and m > block_m):
            continue
        for block_n, multicast in itertools.product(widths, [0, 1, 2]):
            yield f"block_m={block_m},block_n={block_n},multicast={multicast}"


def bench(problem, theirs, ours, against, rounds=None):
    options = [o for config in theirs for o in ("--harness", config)]
    options += ["--config", ours] if ours else []
    options += ["--against", "cublaslt"] if against else []
    options += ["--rounds", str(rounds)] if rounds else []
    done = run("bench", problem, *KIND, "--format", "json", *options)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


for text in sys.argv[5:]:
    count, _, shape = text.rpartition("*")
    m, n, k = (int(extent) for extent in shape.split("x"))
    problem = ",".join([shape] * int(count)) if count else shape
    library = f"{kernels}/{n}x{k}{'-groups' if count else ''}.so"
    configs = [f"{library}:{config}" for config in configs_of(m, bool(count))]
    rows = bench(problem, configs, None, False, 7)["rows"]
    timed = sorted((row["median_us"], config) for row, config in zip(rows, configs)
                   if "median_us" in row)
    fastest = [config for _, config in timed[:2]]
    ours = run("best", problem, *KIND, "--from", best, "--export", "config").stdout.strip()
    pair = bench(problem, fastest[:1], ours, False)
    line = {"problem": text, "deepgemm": fastest[0].rpartition(":")[2],
            "deepgemm_us": pair["rows"][0]["median_us"], "ours": ours,
            "ours_us": pair["rows"][1]["median_us"], "ratio_deepgemm": pair["rows"][1]["ratio"],
            "ratio_deepgemm_ci": pair["rows"][1]["ratio_ci"]}
    if not count:  # cuBLASLt has no groups with scales
        three = bench(problem, fastest, ours, True)
        if three["baseline"]["name"].startswith("cublasLt"):
            line |= {"cublaslt_us": three["baseline"]["median_us"],
                     "ratio_cublaslt": three["rows"][-1]["ratio"],
                     "ratio_cublaslt_ci": three["rows"][-1]["ratio_ci"]}
    print(text, *(f"{key} {value}" for key, value in line.items() if key.startswith("ratio")))
    with open(out, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
