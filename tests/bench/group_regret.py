#!/usr/bin/env python3
"""group_regret.py PROGRAM [--tuned FILE] [--device DEVICE] [--seed N] [--print]: is the right kernel
chosen for groups whose routing was not tuned?

Draws twelve routings that were not tuned: even ones, Zipf's, one expert with most of the rows,
empty groups, of several layers. Gets the answer of `PROGRAM best --among FILE` for each, times it
with `PROGRAM bench` beside every other config of FILE that is legal there, and prints a row per
routing: how much slower the answer is than the fastest. With a preset as DEVICE the times are the
model's. --print writes only the bench commands.
"""
import argparse
import json
import math
import random
import re
import shlex
import subprocess
import sys


def even(random_, groups, rows):
    return [rows // groups] * groups


def zipf(random_, groups, rows):
    shares = [1 / (i + 1) for i in range(groups)]
    return routed(random_, shares, rows)


def heavy(random_, groups, rows):
    """One group has nine of ten rows."""
    shares = [1.0] * groups
    shares[random_.randrange(groups)] = 9.0 * groups
    return routed(random_, shares, rows)


def sparse(random_, groups, rows):
    """Two of three groups have no rows."""
    shares = [1.0 if i % 3 == 0 else 0.0 for i in range(groups)]
    random_.shuffle(shares)
    return routed(random_, shares, rows)


def routed(random_, shares, rows):
    counts = [0] * len(shares)
    for group in random_.choices(range(len(shares)), weights=shares, k=rows):
        counts[group] += 1
    return counts


# Distribution of the rows; number of groups, rows in total, N, K.
CASES = [
    (even, 8, 2048, 2880, 2880), (even, 16, 512, 1536, 4096), (even, 32, 16384, 4096, 2048),
    (zipf, 16, 4096, 6144, 2048), (zipf, 32, 1024, 2048, 4096), (zipf, 128, 8192, 1536, 3072),
    (heavy, 8, 4096, 4096, 4096), (heavy, 64, 2048, 2048, 7168), (heavy, 64, 8192, 1024, 1024),
    (sparse, 64, 1024, 4096, 1536), (sparse, 128, 256, 7168, 2048), (sparse, 16, 16384, 2816, 2048),
]


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def whole(config):
    """The config with the keys that a file's config omits and a bench would otherwise choose."""
    for key, value in (('group_schedule', 'device-only'), ('problem_order', 'given')):
        if f'{key}=' not in config:
            config += f',{key}={value}'
    return config


def tuned_configs(options):
    with open(options.tuned, encoding='utf-8') as file:
        problems = re.findall(r'^  - problem: "([^"]+)"', file.read(), re.MULTILINE)
    configs = []
    for problem in problems:
        status, text, said = run([options.program, 'best', problem, '--from', options.tuned])
        if status != 0:
            sys.exit(f'group_regret: {said}')
        if whole(text.strip()) not in configs:
            configs.append(whole(text.strip()))
    return configs


def legal(options, problem, config):
    return run([options.program, 'bench', problem, '--config', config, '--device', 'h200'])[0] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('program')
    parser.add_argument('--tuned', default='presets/tuned/h200-grouped.yaml')
    parser.add_argument('--device', default='auto')
    parser.add_argument('--seed', type=int, default=20261125)
    parser.add_argument('--print', action='store_true')
    options = parser.parse_args()
    dealer = random.Random(options.seed)
    configs = tuned_configs(options)
    regrets = []
    print('how; groups; rows; NxK; us of the answer; of the fastest; regret; fastest', flush=True)
    for how, groups, rows, n, k in CASES:
        problem = ','.join(f'{m}x{n}x{k}' for m in how(dealer, groups, rows))
        status, text, said = run([options.program, 'best', problem, '--among', options.tuned])
        if status != 0:
            sys.exit(f'group_regret: {said}')
        answer = whole(text.strip())
        others = [c for c in configs if c != answer and legal(options, problem, c)]
        command = [options.program, 'bench', problem, '--device', options.device, '--format', 'json']
        for config in [answer] + others:
            command += ['--config', config]
        if options.print:
            print(shlex.join(command))
            continue
        status, text, said = run(command)
        if status != 0:
            sys.exit(f'group_regret: bench ended with {status}: {said}')
        times = [row.get('median_us', row.get('predicted_us')) for row in json.loads(text)['rows']]
        fastest = min(times)
        regrets.append(times[0] / fastest)
        print(f'{how.__name__}; {groups}; {rows}; {n}x{k}; {times[0]:.1f}; {fastest:.1f}; '
              f'{regrets[-1]:.3f}; {([answer] + others)[times.index(fastest)]}', flush=True)
    if regrets:
        mean = math.exp(sum(math.log(r) for r in regrets) / len(regrets))
        print(f'geometric mean {mean:.4f}, worst {max(regrets):.3f}')


if __name__ == '__main__':
    main()
