#!/usr/bin/env python3
"""torch_grouped.py PROGRAM [--from BEST] [PROBLEMS]: our groups beside torch._grouped_mm.

For each group of PROBLEMS (presets/problems/grouped.yaml) both run in turns: torch._grouped_mm in a
graph of launches over rotated operands, timed by events around it, and `PROGRAM bench` with the
config that BEST has, timed by CUPTI, which leaves the half to one microsecond between two launches
out. Prints a row a group: both times and torch's over ours, from the medians of all turns. That is
two protocols: the graph is replayed for 0.2 s and more, in which the clock falls where the power limit
decides, and bench runs in bursts. Compare such groups in clock cycles, or both in bursts. Needs an
NVIDIA GPU, PyTorch with torch._grouped_mm and PyYAML; exits with 4 and a sentence where one is
missing, as on machines that hold a driver and the CUDA libraries alone.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TURNS = 3
LAUNCHES = 20  # of a graph
REPLAYS = 15
ROTATED_BYTES = 180 << 20  # three times the L2 of an H200


def missing(what):
    print(f'torch_grouped: {what}', file=sys.stderr)
    sys.exit(4)


def load_torch():
    try:
        import torch
    except ImportError:
        missing('PyTorch is not installed: python3 -m pip install torch')
    if not torch.cuda.is_available():
        missing('PyTorch sees no GPU')
    if not hasattr(torch, '_grouped_mm'):
        missing(f'PyTorch {torch.__version__} has no torch._grouped_mm')
    return torch


def load_groups(path):
    try:
        import yaml
    except ImportError:
        missing('PyYAML is not installed: python3 -m pip install pyyaml')
    groups = []
    for problem in yaml.safe_load(path.read_text())['problems']:
        shapes = [tuple(int(size) for size in text.split('x')) for text in problem['group']]
        groups.append(shapes)
    return groups


def operand_sets(torch, shapes):
    rows = sum(m for m, _, _ in shapes)
    n, k = shapes[0][1:]
    ends = torch.tensor([sum(m for m, _, _ in shapes[:i + 1]) for i in range(len(shapes))],
                        dtype=torch.int32, device='cuda')
    bytes_of_set = 2 * (rows * k + len(shapes) * n * k + rows * n)
    count = max(2, -(-ROTATED_BYTES // bytes_of_set))
    uniform = lambda *sizes: (torch.rand(*sizes, device='cuda', dtype=torch.float32) * 2
                              - 1).to(torch.bfloat16)
    return [(uniform(rows, k), uniform(len(shapes), n, k).transpose(1, 2), ends)
            for _ in range(count)]


class TorchGroup:
    """A graph of launches over all operand sets."""

    def __init__(self, torch, shapes):
        self.torch = torch
        self.sets = operand_sets(torch, shapes)
        self.launches = -(-LAUNCHES // len(self.sets)) * len(self.sets)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for operands in self.sets:
                self.launch(operands)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for i in range(self.launches):
                self.launch(self.sets[i % len(self.sets)])

    def launch(self, operands):
        a, b, ends = operands
        return self.torch._grouped_mm(a, b, offs=ends)

    def times_us(self):
        times = []
        for _ in range(REPLAYS):
            begin = self.torch.cuda.Event(enable_timing=True)
            end = self.torch.cuda.Event(enable_timing=True)
            begin.record()
            self.graph.replay()
            end.record()
            end.synchronize()
            times.append(1e3 * begin.elapsed_time(end) / self.launches)
        return times


def our_time_us(program, shapes, best):
    text = ',\n  '.join('x'.join(map(str, shape)) for shape in shapes)
    with tempfile.NamedTemporaryFile('w', suffix='.yaml') as problem:
        problem.write(f'schema: tilewright.problems/1\nproblems:\n- group: [{text}]\n')
        problem.flush()
        # This process holds the GPU beside it, and is idle meanwhile.
        command = [program, 'bench', f'@{problem.name}', '--device', 'cuda:0', '--shared',
                   '--format', 'json']
        choices = [['--from', best]] if best else []
        # A group that BEST does not hold runs with the model's config.
        for choice in choices + [['--config', 'family=sm90']]:
            done = subprocess.run(command + choice, capture_output=True, text=True, check=False)
            if done.returncode != 2:
                break
    if done.returncode != 0:
        missing(f'{" ".join(command)} ended with {done.returncode}: {done.stderr.strip()}')
    answer = json.loads(done.stdout)
    result = answer['problems'][0] if 'problems' in answer else answer
    return result['rows'][0]['median_us'], result['rows'][0]['effective']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('problems', nargs='?', type=pathlib.Path,
                        default=ROOT / 'presets/problems/grouped.yaml')
    parser.add_argument('--from', dest='best', help='best.yaml with the configs; else the model\'s')
    options = parser.parse_intermixed_args()
    torch = load_torch()
    print(f'torch {torch.__version__}, {torch.cuda.get_device_name()}')
    print('torch: a graph replayed for 0.2 s, sustained; ours: bursts: no ratio of groups that power bounds')
    print(f'{"group":<44}{"torch us":>10}{"ours us":>10}{"ratio":>8}  config')
    for shapes in load_groups(options.problems):
        group = TorchGroup(torch, shapes)
        theirs, ours, config = [], [], ''
        for _ in range(TURNS):
            theirs += group.times_us()
            us, config = our_time_us(options.program, shapes, options.best)
            ours.append(us)
        rows = [m for m, _, _ in shapes]
        name = f'{len(shapes)} of {min(rows)} to {max(rows)} rows, {shapes[0][1]}x{shapes[0][2]}'
        their_us, our_us = statistics.median(theirs), statistics.median(ours)
        print(f'{name:<44}{their_us:>10.2f}{our_us:>10.2f}{their_us / our_us:>8.3f}  {config}',
              flush=True)
        del group
        torch.cuda.empty_cache()


if __name__ == '__main__':
    main()
