"""compile.py FOLDER [--tutorial]: compiles the kernel of matmul.py for sm_90, without a GPU, in 80
configs or in the 8 of Triton's tutorial, and writes the cubins and the manifest triton_gemm.yaml or
triton_tutorial.yaml that tilewright --harness takes."""

import itertools
import multiprocessing
import pathlib
import sys

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from matmul import matmul

AXES = {"block_m": [64, 128], "block_n": [64, 128, 256], "block_k": [32, 64], "group_m": [8, 4],
        "stages": [3, 4], "warps": [4, 8]}
TUTORIAL = [(128, 256, 64, 8, 3, 8), (64, 256, 32, 8, 4, 4), (128, 128, 32, 8, 4, 4),
            (128, 64, 32, 8, 4, 4), (64, 128, 32, 8, 4, 4), (128, 32, 32, 8, 4, 4),
            (64, 32, 32, 8, 5, 2), (32, 64, 32, 8, 5, 2)]
ARGUMENTS = {"a_ptr": ("pointer", "a"), "b_ptr": ("pointer", "b"), "d_ptr": ("pointer", "d"),
             "M": ("i32", "m"), "N": ("i32", "n"), "K": ("i32", "k"), "stride_am": ("i32", "lda"),
             "stride_bn": ("i32", "ldb"), "stride_dm": ("i32", "ldd")}
ALIGNED = [name for name in ARGUMENTS if name not in ("M", "N")]  # multiples of 16
CONTIGUOUS = {"stride_ak": 1, "stride_bk": 1, "stride_dn": 1}


def all_configs():
    configs = [dict(zip(AXES, values)) for values in itertools.product(*AXES.values())]
    return [c for c in configs if (c["block_m"], c["block_n"]) != (64, 256)]


def compiled(config):
    """The cubin, its kernel's name and its bytes of shared memory."""
    constants = CONTIGUOUS | {name.upper(): config[name] for name in list(AXES)[:4]}
    kinds = {"pointer": "*bf16", "i32": "i32"}
    signature = {name: kinds[ARGUMENTS[name][0]] if name in ARGUMENTS else "constexpr"
                 for name in matmul.arg_names}
    attributes = {(matmul.arg_names.index(name),): [["tt.divisibility", 16]] for name in ALIGNED}
    source = ASTSource(matmul, signature, constexprs=constants, attrs=attributes)
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32),
                            options={"num_warps": config["warps"], "num_stages": config["stages"]})
    metadata = kernel.metadata
    if metadata.global_scratch_size or metadata.profile_scratch_size:
        sys.exit(f"{config}: the kernel needs scratch memory, which this manifest does not have")
    return kernel.asm["cubin"], metadata.name, metadata.shared


def main():
    folder = pathlib.Path(sys.argv[1])
    name, configs = "triton_gemm", all_configs()
    if "--tutorial" in sys.argv[2:]:
        name, configs = "triton_tutorial", [dict(zip(AXES, values)) for values in TUTORIAL]
    with multiprocessing.Pool() as pool:
        made = pool.map(compiled, configs, chunksize=1)
    kernels = []
    for number, (config, (cubin, entry, shared)) in enumerate(zip(configs, made)):
        file = f"{name}-{number}.cubin"
        (folder / file).write_bytes(cubin)
        when = " && ".join(f"{axis} == {value}" for axis, value in config.items())
        kernels.append(f"      - {{when: {when}, cubin: {file}, entry: {entry}, "
                       f"block: {32 * config['warps']}, shared_memory: {shared}}}")
    listed = "\n".join(f"  - {{{', '.join(f'{a}: {v}' for a, v in c.items())}}}" for c in configs)
    arguments = "\n".join(f"      - {{{kind}: {value}{', divisible_by: 16' if name in ALIGNED else ''}}}"
                          for name, (kind, value) in ARGUMENTS.items())
    axes = "\n".join(f"  {axis}: {list(dict.fromkeys(c[axis] for c in configs))}" for axis in AXES)
    nothing = "\n".join(["      - {u64: 0}"] * 2)  # Triton's global and profile scratch; both unused
    (folder / f"{name}.yaml").write_text(f"""schema: tilewright.cubins/1
about: The matrix product of Triton's tutorial, compiled by Triton {triton.__version__}.
name: {name}
op: [gemm]
dtype: [bf16]
axes:
{axes}
configs:
{listed}
let:
  tiles_m: ceil_div(m, block_m)
  tiles_n: ceil_div(n, block_n)
  in_group: group_m * tiles_n
launches:
  - grid: tiles_m * tiles_n
    kernels:
{chr(10).join(kernels)}
    arguments:
{arguments}
{nothing}
mapping:  # tile_of() of matmul.py
  tile: [block_m, block_n]
  slots: tiles_m * tiles_n
  m: slot / in_group * group_m + slot % in_group % min(tiles_m - slot / in_group * group_m, group_m)
  n: slot % in_group / min(tiles_m - slot / in_group * group_m, group_m)
""")


if __name__ == "__main__":
    main()
