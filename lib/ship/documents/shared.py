"""Products that several GPUs share, one process a GPU: what test.py and bench.py do under torchrun."""
import ctypes
import json
import math
import os
import time

from _c_interface import PARALLELS, Communicator, call_bytes, default_call
from epilogue import BF16, F16, Epilogue, torch_type
from test import is_good, launch, operand, why
from timing import compared, compared_text

GATHER = PARALLELS["all-gather"]
ROTATED_BYTES = 256e6
MAX_DELAY_CLOCKS = 2_000_000
ALONE = "product alone"
HOLD_CLOCKS = 8_000_000  # some milliseconds, in which the host enqueues a fused operation


class Ranks:
    """The processes of torchrun. Ranks that outnumber the GPUs share them; then gloo carries what the
    test compares, since NCCL refuses that."""

    def __init__(self, torch):
        import torch.distributed as dist

        self.torch, self.dist = torch, dist
        self.rank, self.gpus = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        count = torch.cuda.device_count()
        torch.cuda.set_device(self.rank % count)
        self.has_nccl = count >= self.gpus
        device = torch.device("cuda", self.rank) if self.has_nccl else None
        dist.init_process_group("nccl" if self.has_nccl else "gloo", device_id=device)
        if self.has_nccl:  # registers PyTorch's fused operations
            import torch.distributed._symmetric_memory as symmetric

            symmetric.enable_symm_mem_for_group(dist.group.WORLD.group_name)

    def say(self, text):
        if self.rank == 0:
            print(text, flush=True)

    def gathered(self, tensor, dim):
        """The tensors of all ranks, one after the other along a dimension."""
        torch = self.torch
        own = tensor.contiguous().view(torch.uint8)
        own = own if self.has_nccl else own.cpu()
        parts = [torch.empty_like(own) for _ in range(self.gpus)]
        self.dist.all_gather(parts, own)
        return torch.cat([part.cuda().view(tensor.dtype) for part in parts], dim)

    def largest(self, values):
        """For each number the largest of all ranks."""
        parts = [None] * self.gpus
        self.dist.all_gather_object(parts, values)
        return [max(several) for several in zip(*parts)]

    def own_rows(self, rows):
        """The rows that so many GPUs share."""
        return [row for row in rows if row[6].get("gpus", 1) == self.gpus]


class Case:
    """A row, with this rank's operands in `sets` and its calls."""

    def __init__(self, ranks, library, row, set_count=1):
        torch = self.torch = ranks.torch
        self.ranks, self.library, self.row = ranks, library, row
        op, self.kind, self.out_kind, self.layout, uplo, [(self.m, self.n, self.k)], fields = row
        self.gathers = fields["parallel"] == GATHER
        self.shared = {name: fields[name] for name in ("parallel", "gpus")}
        gpus = ranks.gpus
        m, n, k = self.m, self.n, self.k
        # The product whose D this rank has, and the lines and columns of its operands.
        own = (m, n // gpus, k) if self.gathers else (m // gpus, n, k)
        self.a_size = (m // gpus, k) if self.gathers else (m, k // gpus)
        self.b_size = (n // gpus, k) if self.gathers else (n, k // gpus)
        others = {name: value for name, value in fields.items() if name not in self.shared}
        self.own_row = (op, self.kind, self.out_kind, self.layout, uplo, [own], others)
        torch.manual_seed(1)  # a bias is the same on all ranks
        self.epilogue = Epilogue(torch, self.own_row, [own[0]])
        torch.manual_seed(2 + ranks.rank)
        self.along_k = self.layout in (0, 3), self.layout in (0, 1)
        self.sets = [self.operands(own[0]) for _ in range(set_count)]

    def name(self):
        what = "all-gather" if self.gathers else "reduce-scatter"
        kind = ("", " f16", "", " e4m3", " e5m2")[self.kind] + ("", " nn", " nt", " tt")[self.layout]
        return f"{self.m}x{self.n}x{self.k}{kind}, {what} over {self.ranks.gpus}"

    def operands(self, rows):
        def stored(size, along_k):
            return operand(self.torch, *(size if along_k else size[::-1]), self.kind)

        d = self.torch.full((rows, self.epilogue.columns), math.nan, device="cuda")
        return (*map(stored, (self.a_size, self.b_size), self.along_k), d.to(torch_type(self.torch, self.out_kind)))

    def bare_call(self):
        """The call without operands."""
        call = default_call()
        call.op, call.type, call.out_type, call.layout = 0, self.kind, self.out_kind, self.layout
        call.m, call.n, call.k = self.m, self.n, self.k
        for name, value in self.shared.items():
            setattr(call, name, value)
        self.epilogue.set_fields(call)
        call.a = call.b = call.d = 256  # only the alignment matters
        return call

    def call(self, index, comm):
        call = self.bare_call()
        call.a, call.b, call.d = (tensor.data_ptr() for tensor in self.sets[index])
        call.comm = comm.pointer
        call.stream = self.torch.cuda.current_stream().cuda_stream
        return call

    def lines(self, index):
        """A and B of a set with k along columns."""
        return [own if along else own.t() for own, along in zip(self.sets[index], self.along_k)]

    def reference(self):
        """This rank's D of set 0 in float64."""
        a, b = self.lines(0)
        a = self.ranks.gathered(a, 0 if self.gathers else 1)
        if not self.gathers:
            rows = self.m // self.ranks.gpus
            a = a[self.ranks.rank * rows :][:rows]
            b = self.ranks.gathered(b, 1)
        return self.epilogue.d(a, b[None])[0]


def communicator(ranks, library, rows):
    """One that serves all rows."""
    return Communicator(max(call_bytes(Case(ranks, library, row, 0).bare_call()) for row in rows))


def why_not_given_up(ranks, case):
    """The last rank launches nothing: the others must end behind the limit and name it. What is wrong;
    empty if nothing is."""
    last = ranks.gpus - 1
    comm = Communicator(call_bytes(case.bare_call()), limit_ms=300)
    begin = time.monotonic()
    if ranks.rank != last:
        keep = launch(case.library, case.call(0, comm), ranks.torch)
        ranks.torch.cuda.synchronize()
        del keep
    seconds, lost = time.monotonic() - begin, comm.lost()
    ranks.dist.barrier()
    comm.close()
    if ranks.rank == last:
        return ""
    return "" if lost == last and seconds < 30 else f"rank {ranks.rank} named {lost} after {seconds:.1f} s"


def why_not_refused(ranks):
    """More memory than any GPU has must be refused, and leave the GPU usable."""
    try:
        Communicator(1 << 39).close()
        return "a terabyte was allocated"
    except RuntimeError:
        return "" if ranks.torch.ones(4, device="cuda").sum().item() == 4 else "the GPU is not usable"


def test(torch, library, rows):
    """Compares every row that so many GPUs share with float64, three times, behind random delays."""
    ranks = Ranks(torch)
    if library.@NAME@_prepare(torch.cuda.current_device()) != 0:
        print(library.@NAME@_error().decode())
        return 1
    rows = ranks.own_rows(rows)
    if not ranks.has_nccl:
        # Copies within one GPU run on its multiprocessors, which a waiting kernel fills.
        ranks.say("the ranks share GPUs: no all-gather is run")
        rows = [row for row in rows if row[6]["parallel"] != GATHER]
    if not rows:
        ranks.say(f"no row is shared by {ranks.gpus} GPUs")
        return 0
    comm, failed = communicator(ranks, library, rows), 0
    for row in rows:
        case = Case(ranks, library, row)
        call, d = case.call(0, comm), case.sets[0][2]
        results = []
        for _ in range(3):
            d.fill_(math.nan)
            torch.cuda._sleep(int(torch.rand(()).item() * MAX_DELAY_CLOCKS))
            keep = launch(library, call, torch)
            torch.cuda.synchronize()
            del keep
            results.append(d.clone())
        want = case.reference()
        error = ((results[0].double() - want).norm() / want.norm()).item()
        differ = not all(torch.equal(results[0], other) for other in results[1:])
        error, differ = ranks.largest([error if error == error else math.inf, differ])
        good = is_good(row, error) and not differ
        failed += not good
        bits = "its bits differ from run to run; " if differ else ""
        ranks.say(f"{'ok    ' if good else 'WRONG '} {case.name()} error {error:.2e}; {bits}{why(library, call)}")
    lost = comm.lost()
    if lost is not None:
        print(f"rank {ranks.rank} waited in vain for rank {lost}", flush=True)
        failed += 1
    for what, why_not in (
        ("a rank that never launches is named", why_not_given_up(ranks, Case(ranks, library, rows[0]))),
        ("a communicator without room is refused", why_not_refused(ranks)),
    ):
        wrong = ranks.largest([why_not])[0]
        failed += wrong != ""
        ranks.say(f"WRONG  {what}: {wrong}" if wrong else f"ok     {what}")
    ranks.say(f"{len(rows) + 2 - failed} passed, {failed} failed")
    ranks.dist.barrier()
    comm.close()
    ranks.dist.destroy_process_group()
    return 1 if failed else 0


class Contenders:
    """What is timed of a case: functions of a launch's index, this library first."""

    def __init__(self, case, comm):
        self.case, self.torch, self.dist = case, case.torch, case.ranks.dist
        self.side = self.torch.cuda.Stream()
        self.all, self.keep = [], []
        self.add_own(comm)
        plain = case.kind == case.out_kind and case.kind in (BF16, F16) and case.epilogue.is_plain()
        if not plain:
            return
        self.operands = [(a, b.t(), d) for (a, b), (_, _, d) in zip(map(case.lines, range(len(case.sets))), case.sets)]
        self.add(ALONE, self.product())
        self.add("torch, NCCL", self.chunked(1))
        for chunks in (2, 4):
            if case.m % (case.ranks.gpus * chunks) == 0:
                self.add(f"in {chunks} chunks", self.chunked(chunks))
        self.add("torch, fused", self.fused())

    def add(self, name, work):
        self.all.append((name, work))

    def add_own(self, comm):
        case, calls = self.case, []
        for index in range(len(case.sets)):
            calls.append(case.call(index, comm))
            self.keep.append(launch(case.library, calls[-1], self.torch))

        def run(i):
            if case.library.@NAME@_gemm(ctypes.byref(calls[i % len(calls)])) != 0:
                raise RuntimeError(case.library.@NAME@_error().decode())

        self.add("@NAME@", run)

    def product(self):
        """This rank's product by PyTorch, which sends nothing: what no exchange can be faster than."""
        case = self.case
        columns = case.n // case.ranks.gpus if case.gathers else case.n
        result = self.torch.empty(case.m, columns, dtype=torch_type(self.torch, case.kind), device="cuda")
        lefts = [a for a, _, _ in self.operands]
        if case.gathers:
            lefts = [a.repeat(case.ranks.gpus, 1) for a in lefts]
        return lambda i: self.torch.matmul(lefts[i % len(lefts)], self.operands[i % len(lefts)][1], out=result)

    def chunked(self, chunks):
        """The product and the collective in parts of the rows; the collective on another stream."""
        torch, dist, case, gpus = self.torch, self.dist, self.case, self.case.ranks.gpus
        rows = case.m // gpus // chunks
        columns = case.n // gpus if case.gathers else case.n
        wide = case.k if case.gathers else columns
        new = lambda lines, width: torch.empty(  # noqa: E731
            lines, width, dtype=torch_type(torch, case.kind), device="cuda"
        )
        between = [new(gpus * rows, wide) for _ in range(chunks)]
        events = [torch.cuda.Event() for _ in range(chunks)]
        if case.gathers:
            parts = [[a[j * rows :][:rows] for j in range(chunks)] for a, _, _ in self.operands]
            results = [new(gpus * rows, columns) for _ in range(chunks)]
        else:
            # The rows of a chunk lie together, as whoever made A would have to leave them.
            parts = [
                [a.view(gpus, chunks, rows, -1)[:, j].reshape(gpus * rows, -1) for j in range(chunks)]
                for a, _, _ in self.operands
            ]
        side = self.side if chunks > 1 else None

        def run(i):
            set_ = i % len(self.operands)
            _, b, d = self.operands[set_]
            main = torch.cuda.current_stream()
            other = side or main
            other.wait_stream(main)
            for j in range(chunks):
                if case.gathers:
                    with torch.cuda.stream(other):
                        dist.all_gather_into_tensor(between[j], parts[set_][j])
                        events[j].record(other)
                    continue
                torch.matmul(parts[set_][j], b, out=between[j])
                events[j].record(main)
                with torch.cuda.stream(other):
                    events[j].wait(other)
                    dist.reduce_scatter_tensor(d[j * rows :][:rows], between[j])
            if case.gathers:
                for j in range(chunks):
                    events[j].wait(main)
                    torch.matmul(between[j], b, out=results[j])
            main.wait_stream(other)

        return run

    def fused(self):
        torch = self.torch
        group = self.dist.group.WORLD.group_name
        if self.case.gathers:
            return lambda i: torch.ops.symm_mem.fused_all_gather_matmul(
                self.operands[i % len(self.operands)][0], [self.operands[i % len(self.operands)][1]], 0, group
            )
        return lambda i: torch.ops.symm_mem.fused_matmul_reduce_scatter(
            *self.operands[i % len(self.operands)][:2], "sum", 0, group
        )

    def run_all_once(self):
        """Runs each; removes and prints those that refuse, on any rank."""
        left = []
        for name, work in self.all:
            refused = ""
            try:
                work(0)
                self.torch.cuda.synchronize()
            except Exception as reason:  # noqa: BLE001: another library may refuse in any way
                if name == "@NAME@":
                    raise
                refused = f"{type(reason).__name__}: {str(reason).splitlines()[0][:100]}"
            if self.case.ranks.largest([refused])[0]:
                self.case.ranks.say(f"{self.case.name()} {name}: {refused}")
            else:
                left.append((name, work))
        self.all = left


class MeetingClock:
    """Times launches on all GPUs, in microseconds: they meet, and the last one's time counts."""

    def __init__(self, ranks):
        self.ranks, self.torch = ranks, ranks.torch
        self.word = ranks.torch.zeros(1, device="cuda")

    def begin(self):
        """Holds the GPU until the host has enqueued what follows, then meets the others."""
        torch = self.torch
        torch.cuda._sleep(HOLD_CLOCKS)
        self.ranks.dist.all_reduce(self.word)
        events = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        events[0].record()
        return events

    def time(self, work, first, count):
        events = self.begin()
        for i in range(first, first + count):
            work(i)
        events[1].record()
        self.torch.cuda.synchronize()
        return events[0].elapsed_time(events[1]) * 1000 / count


def bursts(clock, contenders, rounds, _):
    times = [[] for _ in contenders]
    for round_ in range(rounds + 2):
        for own, (_, work) in zip(times, contenders):
            time.sleep(0.01)
            us = clock.time(work, round_, 1)
            if round_ >= 2:
                own.append(us)
    return times


def sustained(clock, contenders, rounds, seconds):
    once = clock.ranks.largest([clock.time(work, 0, 4) for _, work in contenders])
    counts = [max(4, math.ceil(seconds * 1e6 / us)) for us in once]
    times = [[] for _ in contenders]
    for round_ in range(rounds + 1):
        for own, (_, work), count in zip(times, contenders, counts):
            us = clock.time(work, round_ * count, count)
            if round_ >= 1:
                own.append(us)
    return times


REGIMES = {"bursts": bursts, "sustained": sustained}


def report(case, regime, contenders, times, out):
    """Prints one line per contender; returns the least ratio of the others."""
    least = None
    for (name, _), own in zip(contenders, times):
        line = {"problem": case.name(), "regime": regime, "contender": name, **compared(own, times[0])}
        case.ranks.say(f"{case.name():44} {regime:9} {name:14} {compared_text(line)}")
        if out:
            out.write(json.dumps(line) + "\n")
        if name not in ("@NAME@", ALONE):
            least = line["ratio"] if least is None else min(line["ratio"], least)
    return least


def bench(torch, library, rows, options, conditions):
    """Times the rows that so many GPUs share; `conditions` begin the JSON file."""
    ranks = Ranks(torch)
    if not ranks.has_nccl:
        ranks.say(f"{ranks.gpus} ranks, and fewer GPUs: nothing was timed")
        return 0
    library.@NAME@_prepare(torch.cuda.current_device())
    rows = ranks.own_rows(rows)
    if not rows:
        ranks.say(f"no row is shared by {ranks.gpus} GPUs")
        return 0
    comm = communicator(ranks, library, rows)
    clock = MeetingClock(ranks)
    out = open(options.json, "a") if options.json and ranks.rank == 0 else None
    if out:
        out.write(json.dumps({**conditions, "launches": 1, "gpus": ranks.gpus}) + "\n")
    ratios = {regime: [] for regime in REGIMES if options.regime in (regime, "both")}
    for row in rows:
        (m, n, k), bytes_ = row[5][0], 1 if row[1] > F16 else 2
        share = (m * k + n * k) * bytes_ / ranks.gpus + m * n * 2 / ranks.gpus
        case = Case(ranks, library, row, min(8, math.ceil(ROTATED_BYTES / share)))
        if options.only and options.only not in case.name():
            continue
        contenders = Contenders(case, comm)
        contenders.run_all_once()
        for regime in ratios:
            times = REGIMES[regime](clock, contenders.all, options.rounds, options.seconds)
            flat = ranks.largest([us for own in times for us in own])
            times = [flat[i * len(times[0]) :][: len(times[0])] for i in range(len(times))]
            least = report(case, regime, contenders.all, times, out)
            if least:
                ratios[regime].append(least)
    for regime, values in ratios.items():
        if values:
            middle = math.exp(sum(map(math.log, values)) / len(values))
            ranks.say(
                f"{regime}: the fastest other's time over this library's, {len(values)} rows: "
                f"geometric mean {middle:.3f}, from {min(values):.3f} to {max(values):.3f}"
            )
    ranks.dist.barrier()
    comm.close()
    ranks.dist.destroy_process_group()
    return 0
