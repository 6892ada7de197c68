"""Times of CUDA graphs of launches, with the SM clock and the power meanwhile."""
import ctypes
import math
import statistics
import time

LAUNCHES = 20


class Nvml:
    """SM clock (MHz) and power (W) of a device; None where there is no NVML."""

    class Field(ctypes.Structure):
        _fields_ = [
            ("id", ctypes.c_uint),
            ("scope", ctypes.c_uint),
            ("timestamp", ctypes.c_longlong),
            ("latency", ctypes.c_longlong),
            ("type", ctypes.c_uint),
            ("status", ctypes.c_uint),
            ("value", ctypes.c_uint),
            ("rest", ctypes.c_uint),
        ]

    def __init__(self, torch):
        self.device = ctypes.c_void_p()
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            self.library = None
            return
        self.library.nvmlInit_v2()
        place = torch.cuda.get_device_properties(torch.cuda.current_device())
        bus = f"{place.pci_domain_id:08x}:{place.pci_bus_id:02x}:{place.pci_device_id:02x}.0"
        if self.library.nvmlDeviceGetHandleByPciBusId_v2(bus.encode(), ctypes.byref(self.device)):
            self.library = None

    def read(self):
        if self.library is None:
            return None, None
        clock = ctypes.c_uint()
        if self.library.nvmlDeviceGetClockInfo(self.device, 1, ctypes.byref(clock)):
            return None, None
        power = self.Field(id=186)  # the present power; id 0 is the mean of one second
        self.library.nvmlDeviceGetFieldValues(self.device, 1, ctypes.byref(power))
        return clock.value, power.value / 1000 if power.status == 0 else None


def mean(values):
    """The mean of the values that are not None; None without any."""
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def graph_of(torch, work):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for i in range(3):
            work(i)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for i in range(LAUNCHES):
            work(i)
    return graph


class Clock:
    """Times one graph, in microseconds per launch."""

    def __init__(self, torch, nvml):
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.nvml = nvml

    def time(self, graph, replays=1):
        self.begin.record()
        for _ in range(replays):
            graph.replay()
        self.end.record()
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1000 / LAUNCHES / replays

    def watched(self, graph, replays):
        """The time, and the clock and the power in the later half of the time."""
        self.begin.record()
        for _ in range(replays):
            graph.replay()
        self.end.record()
        seen = []
        while not self.end.query():
            seen.append(self.nvml.read())
            time.sleep(0.001)
        late = seen[len(seen) // 2 :]
        us = self.begin.elapsed_time(self.end) * 1000 / LAUNCHES / replays
        return us, mean([clock for clock, _ in late]), mean([power for _, power in late])


def bursts(clock, graphs, rounds, _):
    rests = [min(max(4e-6 * LAUNCHES * clock.time(graph), 0.002), 0.2) for graph in graphs]
    times = [[] for _ in graphs]
    for round_ in range(rounds + 2):
        for i, graph in enumerate(graphs):
            time.sleep(rests[i])
            us = clock.time(graph)
            if round_ >= 2:
                times[i].append((us, None, None))
    return times


def sustained(clock, graphs, rounds, seconds):
    replays = [max(1, math.ceil(seconds * 1e6 / LAUNCHES / clock.time(graph))) for graph in graphs]
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        for graph, count in zip(graphs, replays):
            clock.time(graph, count)
    times = [[] for _ in graphs]
    for _ in range(rounds):
        for i, graph in enumerate(graphs):
            times[i].append(clock.watched(graph, replays[i]))
    return times


REGIMES = {"bursts": bursts, "sustained": sustained}


def median_interval(values):
    """The median's interval by order statistics: at least 95 %, or all values if they are few."""
    values = sorted(values)
    n = len(values)
    below, low = 0.0, 0
    for k in range(n // 2):
        below += math.comb(n, k) / 2**n
        if below > 0.025:
            break
        low = k
    return values[low], values[n - 1 - low]


def compared(times, base):
    """The median of the times, and that of their ratios to `base` of the same rounds, with its interval."""
    ratios = [us / own for us, own in zip(times, base)]
    low, high = median_interval(ratios)
    numbers = {"ratio": statistics.median(ratios), "low": low, "high": high}
    return {"us": round(statistics.median(times), 3), **{key: round(one, 4) for key, one in numbers.items()}}


def compared_text(line):
    return f"{line['us']:9.2f} us  {line['ratio']:.3f} ({line['low']:.3f} to {line['high']:.3f})"
