"""compile.py FOLDER: compiles the kernel of block_matmul.py for sm_90, without a GPU, and writes the
cubins and the manifest triton_fp8.yaml that tilewright --harness takes."""

import concurrent.futures
import itertools
import pathlib
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from block_matmul import block_matmul

AXES = ["BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages"]
# What vLLM launches for a product that has no file.
DEFAULT = dict(zip(AXES, (64, 128, 128, 32, 4, 2)))
POINTERS = {"a_ptr": ("*fp8e4nv", "a"), "b_ptr": ("*fp8e4nv", "b"), "d_ptr": ("*bf16", "d"),
            "scale_a_ptr": ("*fp32", "scale_a"), "scale_b_ptr": ("*fp32", "scale_b")}
NUMBERS = {"M": "m", "N": "n", "K": "k", "lda": "lda", "ldb": "ldb", "ldd": "ldd"}
ALIGNED = [*POINTERS, "K", "lda", "ldb", "ldd"]  # multiples of 16


def configs():
    """The default, then tiles for few rows, some and many."""
    blocks = [
        # BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M, num_warps, num_stages
        ([16], [32, 64, 128], [1], [4], [3, 4, 5]),
        ([32], [32, 64, 128], [1], [4], [3, 4, 5]),
        ([32], [64, 128], [16], [4], [3, 4]),
        ([64], [32, 64, 128], [1, 16, 32], [4], [2, 3, 4]),
        ([64], [64, 128], [1], [4, 8], [5]),
        ([128], [64, 128], [1, 16, 32], [4, 8], [3, 4]),
        ([256], [64, 128], [1, 16], [8], [3, 4]),
    ]
    listed = [DEFAULT]
    for block in blocks:
        for m, n, group, warps, stages in itertools.product(*block):
            listed.append(dict(zip(AXES, (m, n, 128, group, warps, stages))))
    return [config for i, config in enumerate(listed) if config not in listed[:i]]


def compiled(config):
    names = block_matmul.arg_names
    kinds = {name: kind for name, (kind, _) in POINTERS.items()} | dict.fromkeys(NUMBERS, "i32")
    source = ASTSource(block_matmul, {name: kinds.get(name, "constexpr") for name in names},
                       constexprs={name: config[name] for name in AXES[:4]},
                       attrs={(names.index(name),): [["tt.divisibility", 16]] for name in ALIGNED})
    options = {"num_warps": config["num_warps"], "num_stages": config["num_stages"]}
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    if kernel.metadata.global_scratch_size or kernel.metadata.profile_scratch_size:
        sys.exit(f"{config}: the kernel needs scratch memory, which this manifest does not have")
    return kernel.asm["cubin"], kernel.metadata.name, kernel.metadata.shared


def flow(config):
    return ", ".join(f"{axis}: {value}" for axis, value in config.items())


def argument(kind, name, value):
    return f"      - {{{kind}: {value}{', divisible_by: 16' if name in ALIGNED else ''}}}"


def main(folder):
    listed = configs()
    with concurrent.futures.ProcessPoolExecutor() as pool:
        kernels = list(pool.map(compiled, listed))
    entries = []
    for number, (config, (cubin, entry, shared)) in enumerate(zip(listed, kernels)):
        (folder / f"block_matmul-{number}.cubin").write_bytes(cubin)
        when = " && ".join(f"{axis} == {value}" for axis, value in config.items())
        entries.append(f"      - {{when: {when}, cubin: block_matmul-{number}.cubin, "
                       f"entry: {entry}, block: {32 * config['num_warps']}, "
                       f"shared_memory: {shared}}}")
    axes = [f"  {axis}: {list(dict.fromkeys(config[axis] for config in listed))}" for axis in AXES]
    arguments = [argument("pointer", name, operand) for name, (_, operand) in POINTERS.items()]
    arguments += [argument("i32", name, value) for name, value in NUMBERS.items()]
    arguments += ["      - {u64: 0}"] * 2  # Triton's global and profile scratch; both unused
    lines = "\n".join
    (folder / "triton_fp8.yaml").write_text(f"""schema: tilewright.cubins/1
about: Products of fp8 operands with block scales, in the order of scales that vLLM and SGLang have.
name: triton_fp8
compiler: triton {triton.__version__}
op: [gemm]
dtype: [e4m3]
out_dtype: [bf16]
epilogue: ["scale_a=block:1x128@k", "scale_b=block:128x128"]
needs: ["scale_a=block:1x128@k", "scale_b=block:128x128"]
axes:
{lines(axes)}
configs:
{lines(f"  - {{{flow(config)}}}" for config in listed)}
default: {{{flow(DEFAULT)}}}
let:
  tiles_m: ceil_div(m, BLOCK_SIZE_M)
  tiles_n: ceil_div(n, BLOCK_SIZE_N)
  in_group: GROUP_SIZE_M * tiles_n
launches:
  - grid: tiles_m * tiles_n
    kernels:
{lines(entries)}
    arguments:
{lines(arguments)}
mapping:  # tile_of() of block_matmul.py
  tile: [BLOCK_SIZE_M, BLOCK_SIZE_N]
  slots: tiles_m * tiles_n
  m: slot / in_group * GROUP_SIZE_M +
     slot % in_group % min(tiles_m - slot / in_group * GROUP_SIZE_M, GROUP_SIZE_M)
  n: slot % in_group / min(tiles_m - slot / in_group * GROUP_SIZE_M, GROUP_SIZE_M)
""")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
