#!/usr/bin/env python3
"""Times the products of lib@NAME@ beside torch.matmul on the same operands, in interleaved rounds.

Every round launches both, in turn, in a CUDA graph of 20 launches; the ratio of a product is the
median of the rounds' ratios, torch's time over this library's: above 1 this library is faster. Says
the SM clock and the power beside each. Needs PyTorch and a GPU."""
import statistics
import sys

from test import ROWS, Call, launch, load, operand, why  # noqa: F401

LAUNCHES = 20
ROUNDS = 30


def graph_of(torch, work):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        work(stream)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(LAUNCHES):
            work(stream)
    return graph


def time_of(torch, graph):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / LAUNCHES


def main():
    try:
        import torch
    except ImportError:
        print("no PyTorch here: nothing was timed")
        return 0
    if not torch.cuda.is_available():
        print("no GPU here: nothing was timed")
        return 0
    import ctypes

    library = load()
    print("problem; us; torch us; ratio (quartiles)")
    for op, kind, out_kind, layout, _, shapes in ROWS:
        if op or len(shapes) > 1 or layout or kind > 1 or out_kind != kind:
            continue
        m, n, k = shapes[0]
        a, b = operand(torch, m, k, kind), operand(torch, n, k, kind)
        d = torch.empty(m, n, dtype=a.dtype, device="cuda")
        other = torch.empty_like(d)
        call = library.@NAME@_default_call()
        call.type = call.out_type = kind
        call.m, call.n, call.k = m, n, k
        call.a, call.b, call.d = a.data_ptr(), b.data_ptr(), d.data_ptr()
        workspace = launch(library, call, torch)
        torch.cuda.synchronize()

        def ours(stream):
            call.stream = stream.cuda_stream
            if library.@NAME@_gemm(ctypes.byref(call)) != 0:
                raise RuntimeError(library.@NAME@_error().decode())

        graphs = [graph_of(torch, ours), graph_of(torch, lambda _: torch.matmul(a, b.t(), out=other))]
        times = [[time_of(torch, graph) for graph in graphs] for _ in range(ROUNDS + 3)][3:]
        ratios = [torch_us / our_us for our_us, torch_us in times]
        low, _, high = statistics.quantiles(ratios, n=4)
        print(
            f"{m}x{n}x{k}; {statistics.median(t[0] for t in times):.2f}; "
            f"{statistics.median(t[1] for t in times):.2f}; "
            f"{statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})",
            flush=True,
        )
        del workspace
    return 0


if __name__ == "__main__":
    sys.exit(main())
