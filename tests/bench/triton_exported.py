#!/usr/bin/env python3
"""triton_exported.py PROGRAM MxNxK [--from BEST]: runs the exported Triton configs.

Imports the list that `PROGRAM best MxNxK --export triton` writes and runs each of its configs in a
kernel that takes the parameters of Triton's matrix-product tutorial: blocks of M, N and K, and a
group of block rows. Checks every product against torch.matmul and prints a row per config: its time
and torch's time divided by it. Needs an NVIDIA GPU, PyTorch and Triton; exits with 4 and a sentence
where one is missing, with 5 where a product is wrong.
"""
import argparse
import importlib.util
import pathlib
import subprocess
import sys
import tempfile


def missing(what):
    print(f'triton_exported: {what}', file=sys.stderr)
    sys.exit(4)


try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    missing(f'{error.name} is not installed: python3 -m pip install torch triton')
if not torch.cuda.is_available():
    missing('PyTorch sees no GPU')


@triton.jit
def product(a, b, d, M, N, K, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
            BLOCK_SIZE_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    """D = A B^T: A is MxK, B NxK, D MxN, each with its last size contiguous."""
    rows, columns = tl.cdiv(M, BLOCK_SIZE_M), tl.cdiv(N, BLOCK_SIZE_N)
    strip = GROUP_SIZE_M * columns
    first = tl.program_id(0) // strip * GROUP_SIZE_M
    tall = min(rows - first, GROUP_SIZE_M)
    within = tl.program_id(0) % strip
    m = (first + within % tall) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    n = within // tall * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    k = tl.arange(0, BLOCK_SIZE_K)
    a_at = a + (m % M)[:, None] * K + k[None, :]
    b_at = b + (n % N)[None, :] * K + k[:, None]
    sums = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for begin in range(0, K, BLOCK_SIZE_K):
        a_tile = tl.load(a_at, mask=k[None, :] < K - begin, other=0.0)
        b_tile = tl.load(b_at, mask=k[:, None] < K - begin, other=0.0)
        sums = tl.dot(a_tile, b_tile, sums)
        a_at += BLOCK_SIZE_K
        b_at += BLOCK_SIZE_K
    at = d + m[:, None] * N + n[None, :]
    tl.store(at, sums.to(d.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def exported_configs(program, shape, best):
    command = [program, 'best', shape, '--export', 'triton'] + (['--from', best] if best else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        missing(f'{" ".join(command)} ended with {done.returncode}: {done.stderr.strip()}')
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'exported.py'
        path.write_text(done.stdout)
        spec = importlib.util.spec_from_file_location('exported', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module.configs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('shape', help='MxNxK, layout tn, bf16')
    parser.add_argument('--from', dest='best', help='best.yaml with the winner')
    options = parser.parse_args()
    m, n, k = (int(size) for size in options.shape.split('x'))
    a = torch.randn(m, k, device='cuda', dtype=torch.bfloat16)
    b = torch.randn(n, k, device='cuda', dtype=torch.bfloat16)
    d = torch.empty(m, n, device='cuda', dtype=torch.bfloat16)
    expected = a @ b.T
    print(f'torch {torch.__version__}, triton {triton.__version__}, {torch.cuda.get_device_name()}')
    runs = {}
    for config in exported_configs(options.program, options.shape, options.best):
        def run(config=config):
            blocks = (triton.cdiv(m, config.kwargs['BLOCK_SIZE_M'])
                      * triton.cdiv(n, config.kwargs['BLOCK_SIZE_N']))
            product[(blocks,)](a, b, d, m, n, k, **config.kwargs, num_stages=config.num_stages,
                               num_warps=config.num_warps)
        d.fill_(float('nan'))
        run()
        try:
            torch.testing.assert_close(d, expected, rtol=2e-2, atol=2e-2 * k**0.5)
        except AssertionError as error:
            print(f'{config}: wrong: {error}', file=sys.stderr)
            sys.exit(5)
        runs[str(config)] = run
    torch_us = 1e3 * triton.testing.do_bench(lambda: torch.matmul(a, b.T, out=d), rep=200)
    for name, run in runs.items():
        us = 1e3 * triton.testing.do_bench(run, rep=200)
        print(f'{us:9.2f} us  torch {torch_us:9.2f} us  ratio {torch_us / us:.3f}  {name}')


if __name__ == '__main__':
    main()
