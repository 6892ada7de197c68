#!/usr/bin/env python3
"""Times lib@NAME@ beside PyTorch, DeepGEMM and QuACK: one process, the same operands, one protocol.

A CUDA graph holds 20 launches. Rounds are interleaved: each round times every contender once. The
ratio of a contender is the median over the rounds of its time divided by this library's; above 1
this library is faster. The interval of a ratio holds the true median with 95 % confidence. Two
regimes:

  bursts     the GPU rests before each graph, four times as long as the graph takes
  sustained  no rests: every contender runs for --seconds per round, after a warm-up of all of them;
             SM clock and power are means of NVML's readings in the later half of that time

The launches of a graph rotate through sets of operands that fill 256 MB, so that a launch finds
none of its operands in the L2 cache. Needs PyTorch and a GPU; DeepGEMM and QuACK are timed if they
are installed.

torchrun --nproc-per-node GPUS bench.py times the rows that so many GPUs share, beside PyTorch's product
and NCCL one after the other, the same in chunks on two streams, and PyTorch's fused operation. The
GPUs meet before each timed launch, and its time is that of the last GPU."""
import argparse
import ctypes
import importlib
import importlib.metadata
import json
import math
import os
import random
import statistics
import sys
import time

from epilogue import BF16, E4M3, F16, GEGLU, GELU, RELU, SILU, SWIGLU, TENSOR, Epilogue, torch_type
from test import ROWS, launch, operand
from _c_interface import POLICIES, default_call, load
from timing import LAUNCHES, REGIMES, Clock, Nvml, compared, compared_text, graph_of

ROTATED_BYTES = 256e6
GEMM, SYRK, SYR2K, HER2K = range(4)
RACED_CALLS = 64  # a race is over by then, and graphs capture the winner
# QuACK's names of the activations that it has.
QUACK_ACTIVATIONS = {
    0: None,
    RELU: "relu",
    GELU: "gelu_tanh_approx",
    SILU: "silu",
    SWIGLU: "swiglu",
    GEGLU: "geglu",
}


class Case:
    """One problem and its sets of operands. `contenders` is [(name, function)], this library first;
    a function takes the index of a launch and launches on torch's current stream."""

    def __init__(self, torch, library, row, others, races):
        self.torch, self.library, self.others, self.races = torch, library, others, races
        self.op, self.kind, self.out_kind, self.layout, self.uplo, self.shapes, _ = row
        self.rows = [shape[0] for shape in self.shapes]
        self.epilogue = Epilogue(torch, row, self.rows)
        self.m = sum(self.rows)
        _, self.n, self.k = self.shapes[0]
        self.out_type = torch_type(torch, self.out_kind)
        self.a_along_k, self.b_along_k = self.layout in (0, 3), self.layout in (0, 1)
        self.same_types = self.kind == self.out_kind and self.kind in (BF16, F16)
        self.keep, self.contenders = [], []
        self.make_operands()
        if len(self.shapes) > 1:
            self.grouped()
        elif self.op == GEMM:
            self.product()
        else:
            self.update()

    def name(self):
        kind = ("", " f16", "", " e4m3", " e5m2")[self.kind] + ("", " nn", " nt", " tt")[self.layout]
        kind += "".join(f" {name}={value}" for name, value in self.epilogue.fields.items() if value is not True)
        if len(self.shapes) > 1:
            rows = self.rows[0] if len(set(self.rows)) == 1 else f"{self.m} in all"
            return f"{len(self.shapes)}x({rows},{self.n},{self.k})" + kind
        if self.op == GEMM:
            return f"{self.m}x{self.n}x{self.k}" + kind
        triangle = ("lower", "upper", "full")[self.uplo]
        return f"{('', 'syrk', 'syr2k', 'her2k')[self.op]} {self.n}x{self.k} {triangle}" + kind

    def make_operands(self):
        """Makes `sets`, each with A, B and D in their memory layout."""
        m, n, k = self.m, self.n, self.k
        planes, groups = 2 if self.op == HER2K else 1, len(self.shapes)
        bytes_ = (m * k + n * k * groups) * (1 if self.kind >= E4M3 else 2) + m * n * 2
        self.sets = []
        for _ in range(max(1, min(LAUNCHES, math.ceil(ROTATED_BYTES / planes / bytes_)))):
            a = (m, k) if self.a_along_k else (k, m)
            b = (n, k) if self.b_along_k else (k, n)
            self.sets.append(
                (
                    operand(self.torch, planes * a[0], a[1], self.kind),
                    operand(self.torch, planes * groups * b[0], b[1], self.kind),
                    self.empty(planes * m, self.epilogue.columns),
                )
            )

    def empty(self, rows, columns):
        return self.torch.empty(rows, columns, dtype=self.out_type, device="cuda")

    def add(self, name, work):
        """Adds a contender: `work` takes A, B and D of a set."""
        self.contenders.append((name, lambda i: work(*self.sets[i % len(self.sets)])))

    def add_own(self, function, **fields):
        """Adds this library; `fields` are the call's fields besides operands and sizes."""
        calls = []
        for a, b, d in self.sets:
            call = default_call()
            call.op, call.type, call.out_type = self.op, self.kind, self.out_kind
            call.layout, call.uplo = self.layout, self.uplo
            call.m, call.n, call.k = self.m, self.n, self.k
            call.a, call.b, call.d = a.data_ptr(), b.data_ptr(), d.data_ptr()
            self.epilogue.set_fields(call)
            for field, value in fields.items():
                setattr(call, field, value)
            calls.append(call)
            self.keep.append(launch(self.library, call, self.torch))

        def run(i):
            call = calls[i % len(calls)]
            call.stream = self.torch.cuda.current_stream().cuda_stream
            if function(ctypes.byref(call)) != 0:
                raise RuntimeError(self.library.@NAME@_error().decode())

        for i in range(RACED_CALLS if self.races else 0):
            run(i)
            self.torch.cuda.synchronize()
        self.contenders.append(("@NAME@", run))

    def product(self):
        torch = self.torch
        self.add_own(self.library.@NAME@_gemm)
        left = (lambda a: a) if self.a_along_k else (lambda a: a.t())
        right = (lambda b: b.t()) if self.b_along_k else (lambda b: b)
        if self.kind == E4M3:
            self.scaled_product(left, right)
        if not self.epilogue.is_plain():
            self.quack_epilogue(left, right)
            return self.eager(left, right)
        if not self.same_types:
            return
        self.add("torch.matmul", lambda a, b, d: torch.matmul(left(a), right(b), out=d))
        if "deep_gemm" in self.others and self.layout == 0 and self.kind == BF16:
            self.add("DeepGEMM", self.others["deep_gemm"].bf16_gemm_nt)
        if "quack" in self.others:
            quack = self.others["quack"]
            self.add("QuACK", lambda a, b, d: quack.gemm(left(a), right(b), out=d))

    def quack_epilogue(self, left, right):
        """Adds QuACK's product with this epilogue: an activation, a bias along n, C with factor 1."""
        epilogue = self.epilogue
        fields_are_known = set(epilogue.fields) <= {"activation", "bias", "c", "beta"}
        if "quack" not in self.others or not self.same_types or not fields_are_known:
            return
        if epilogue.activation not in QUACK_ACTIVATIONS or (epilogue.c is not None and epilogue.beta != 1):
            return
        quack, activation = self.others["quack"], QUACK_ACTIVATIONS[epilogue.activation]
        fields = {"C": epilogue.c, "bias": epilogue.bias, "activation": activation, "store_preact": False}
        self.add(
            "QuACK",
            lambda a, b, d: quack.gemm_act(left(a), right(b), postact_out=d, **fields),
        )

    def scaled_product(self, left, right):
        """Adds torch._scaled_mm if the fields are scales only; it refuses orders that it lacks."""
        torch, epilogue = self.torch, self.epilogue
        if not epilogue.has_scales_only("accumulation"):
            return
        one = torch.ones((), device="cuda")
        scales = [one if own is None else own for own in epilogue.scale_arrays()]
        form = epilogue.fields.get("scale_a_form", TENSOR)
        fast = form <= 1 and not epilogue.fields.get("accumulation")
        options = {"out_dtype": self.out_type, "use_fast_accum": fast}
        self.add(
            "torch._scaled_mm",
            lambda a, b, d: torch._scaled_mm(left(a), right(b), *scales, out=d, **options),
        )

    def eager(self, left, right):
        """Adds torch.matmul and the epilogue's other operations; operands that have scales are
        multiplied by them, in the type of C, before the time is taken."""
        torch, epilogue = self.torch, self.epilogue
        if self.kind >= E4M3:
            multiplied = []
            for a, b, d in self.sets:
                wide_a, wide_b = left(a).to(epilogue.addend), right(b).t().to(epilogue.addend)
                wide_a, wide_b = epilogue.scaled(wide_a, wide_b[None])
                multiplied.append((wide_a, wide_b[0].t(), d))
            product = lambda i: torch.matmul(*multiplied[i % len(multiplied)][:2])  # noqa: E731
        else:
            product = lambda i: torch.matmul(  # noqa: E731
                left(self.sets[i % len(self.sets)][0]), right(self.sets[i % len(self.sets)][1])
            )
        self.contenders.append(("torch, op by op", lambda i: epilogue.finished(product(i))))

    def grouped(self):
        torch, groups = self.torch, len(self.rows)
        begins = torch.tensor([0] + self.rows).cumsum(0).to(torch.int32).cuda()
        rows = (ctypes.c_int64 * groups)(*self.rows)
        self.keep += [begins, rows]
        self.add_own(
            self.library.@NAME@_grouped_gemm,
            groups=groups,
            group_rows=ctypes.cast(rows, ctypes.c_void_p),
            offsets=begins.data_ptr(),
        )
        if self.layout != 0 or not self.same_types or not self.epilogue.is_plain():
            return
        ends = begins[1:].contiguous()
        wide = lambda b: b.view(groups, self.n, self.k)  # noqa: E731
        self.add(
            "torch._grouped_mm",
            lambda a, b, d: torch._grouped_mm(a, wide(b).transpose(1, 2), offs=ends),
        )
        if "deep_gemm" in self.others and self.kind == BF16:
            self.deep_groups(self.others["deep_gemm"])
        if "quack" in self.others:
            quack = self.others["quack"]
            self.add(
                "QuACK",
                lambda a, b, d: quack.gemm(a, wide(b).transpose(1, 2), out=d, cu_seqlens_m=begins),
            )

    def deep_groups(self, deep):
        """Adds DeepGEMM's two forms: a group's rows padded to blocks of 128 or to the longest."""
        torch, groups = self.torch, len(self.rows)
        room = [-(-rows // 128) * 128 for rows in self.rows]
        index = torch.full((sum(room),), -1, dtype=torch.int32)
        padded, wide = [], []
        for a, b, _ in self.sets:
            parts = a.split(self.rows)
            packed = torch.zeros(sum(room), self.k, dtype=a.dtype, device="cuda")
            first = 0
            for group, part in enumerate(parts):
                packed[first : first + len(part)] = part
                index[first : first + len(part)] = group
                first += room[group]
            b = b.view(groups, self.n, self.k)
            padded.append((packed, b, self.empty(sum(room), self.n)))
            if max(room) * groups <= 8 * self.m + 128 * groups:  # otherwise it is mostly padding
                slots = torch.zeros(groups, max(room), self.k, dtype=a.dtype, device="cuda")
                for group, part in enumerate(parts):
                    slots[group, : len(part)] = part
                out = self.empty(groups * max(room), self.n).view(groups, max(room), self.n)
                wide.append((slots, b, out))
        index = index.cuda()
        self.contenders.append(
            (
                "DeepGEMM contiguous",
                lambda i: deep.m_grouped_bf16_gemm_nt_contiguous(
                    *padded[i % len(padded)], index, ensure_zero_padding=False
                ),
            )
        )
        if not wide:
            return
        counts = torch.tensor(self.rows, dtype=torch.int32, device="cuda")
        expected = -(-self.m // groups)
        self.contenders.append(
            (
                "DeepGEMM masked",
                lambda i: deep.m_grouped_bf16_gemm_nt_masked(
                    *wide[i % len(wide)], counts, expected
                ),
            )
        )

    def update(self):
        torch = self.torch
        self.add_own(self.library.@NAME@_rank_k)
        if not self.same_types:
            return
        if self.op == SYRK:
            self.add("torch.matmul", lambda a, b, d: torch.matmul(a, a.t(), out=d))
            if "quack" in self.others:
                quack = self.others["quack"]
                self.add("QuACK symmetric", lambda a, b, d: quack.gemm_symmetric(a, a.t(), out=d))
        elif self.op == SYR2K:

            def two(a, b, d):
                torch.matmul(a, b.t(), out=d)
                torch.addmm(d, b, a.t(), out=d)

            self.add("torch.addmm", two)


def found(names):
    """The installed other libraries by name; prints which are missing."""
    modules = {"deep_gemm": "deep_gemm", "quack": "quack.gemm_interface"}
    others = {}
    for name in names:
        try:
            others[name] = importlib.import_module(modules[name])
        except Exception as reason:  # noqa: BLE001: an import may fail in any way
            print(f"without {name}: {type(reason).__name__}: {reason}".splitlines()[0])
    return others


def conditions(torch, options, others):
    """The first line of a JSON file: device, versions and date."""
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda}
    packages = {"deep_gemm": "sgl-deep-gemm", "quack": "quack-kernels"}
    for name in others:
        try:
            versions[name] = importlib.metadata.version(packages[name])
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "?"
    return {
        "device": torch.cuda.get_device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "versions": versions,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "launches": LAUNCHES,
        "rotated_mb": ROTATED_BYTES / 1e6,
        "seed": options.seed if options.random else None,
    }


def random_rows(count, seed):
    """Products whose sizes are multiples of 8 from 16 to 8192, uniform in their logarithm."""
    draw = random.Random(seed)
    size = lambda: max(16, round(2 ** draw.uniform(4, 13) / 8) * 8)  # noqa: E731
    return [(GEMM, BF16, BF16, 0, 0, [(size(), size(), size())], {}) for _ in range(count)]


def case_graphs(case):
    """One graph per contender; removes and prints the contenders that refuse the problem."""
    graphs, left = [], []
    for name, work in case.contenders:
        try:
            graphs.append(graph_of(case.torch, work))
            left.append((name, work))
        except Exception as reason:  # noqa: BLE001: another library may refuse in any way
            if name == "@NAME@":
                raise
            first_line = (str(reason).splitlines() or [""])[0]
            print(f"{case.name():26} {name}: {type(reason).__name__}: {first_line[:100]}")
    case.contenders = left
    return graphs


def report(case, regime, times, out):
    """Prints one line per contender and writes it as JSON; returns the ratio of PyTorch's fastest."""
    base = [turn[0] for turn in times[0]]
    ratio_of_torch = None
    for (name, _), turns in zip(case.contenders, times):
        times_us = [turn[0] for turn in turns]
        line = {"problem": case.name(), "regime": regime, "contender": name, **compared(times_us, base)}
        for key, column in (("mhz", 1), ("watts", 2)):
            seen = [turn[column] for turn in turns if turn[column] is not None]
            if seen:
                line[key] = round(statistics.median(seen))
        power = f"; {line['mhz']} MHz, {line.get('watts', '?')} W" if "mhz" in line else ""
        print(f"{line['problem']:26} {regime:9} {name:20} {compared_text(line)}{power}", flush=True)
        if out:
            out.write(json.dumps(line) + "\n")
            out.flush()
        if name.startswith("torch"):
            ratio_of_torch = line["ratio"] if ratio_of_torch is None else min(line["ratio"], ratio_of_torch)
    return ratio_of_torch


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="TEXT", help="only rows whose names contain this text")
    parser.add_argument("--regime", choices=[*REGIMES, "both"], default="both")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each contender (15)")
    parser.add_argument("--seconds", type=float, default=0.05, help="of a sustained round (0.05)")
    parser.add_argument(
        "--beside",
        metavar="NAMES",
        default="deep_gemm,quack",
        help="libraries to time beside PyTorch: deep_gemm, quack (both)",
    )
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        default="plain",
        help="what answers products that nobody tuned, as in --random: see README.md (plain)",
    )
    parser.add_argument("--random", type=int, metavar="COUNT", help="number of random products, instead of the rows")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random products (1)")
    parser.add_argument("--json", metavar="FILE", help="also writes one JSON line for each number to this file")
    return parser.parse_args()


def main():
    options = arguments()
    try:
        import torch
    except ImportError:
        print("no PyTorch here: nothing was timed")
        return 0
    if not torch.cuda.is_available():
        print("no GPU here: nothing was timed")
        return 0
    library = load()
    if int(os.environ.get("WORLD_SIZE", 1)) > 1:
        import shared

        return shared.bench(torch, library, ROWS, options, conditions(torch, options, {}))
    library.@NAME@_prepare(torch.cuda.current_device())
    library.@NAME@_set_policy(POLICIES[options.policy])
    others = found([name for name in options.beside.split(",") if name])
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
    clock = Clock(torch, Nvml(torch))
    out = open(options.json, "a") if options.json else None
    if out:
        out.write(json.dumps(conditions(torch, options, others)) + "\n")
    ratios = {regime: [] for regime in REGIMES if options.regime in (regime, "both")}
    own_rows = [row for row in ROWS if "parallel" not in row[6]]
    for row in random_rows(options.random, options.seed) if options.random else own_rows:
        case = Case(torch, library, row, others, options.policy != "plain")
        if options.only and options.only not in case.name():
            continue
        graphs = case_graphs(case)
        for regime in ratios:
            times = REGIMES[regime](clock, graphs, options.rounds, options.seconds)
            ratio = report(case, regime, times, out)
            if ratio:
                ratios[regime].append(ratio)
    for regime, values in ratios.items():
        if values:
            middle = math.exp(sum(map(math.log, values)) / len(values))
            print(
                f"{regime}: PyTorch's time over this library's, {len(values)} rows: "
                f"geometric mean {middle:.3f}, from {min(values):.3f} to {max(values):.3f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
