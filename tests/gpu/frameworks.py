#!/usr/bin/env python3
"""frameworks.py FOLDER NAME: checks the promises of a shipped folder's Python package on a GPU.

`ship ... --name NAME` wrote FOLDER. Calls the package with arrays of PyTorch, CuPy and JAX, each on
its own stream behind a slow producer, in graphs that are replayed after all else was overwritten,
compiled, in ten threads, and with wrong arguments. Prints a line per check, then the host time of a
call; ends with 1 if a check failed. A framework that is not installed is skipped with the reason,
and so is a type for which the library has no kernel.
"""
import os
import pathlib
import shutil
import sys
import threading
import time
import traceback

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
FOLDER, NAME = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
sys.path.insert(0, str(FOLDER / "python"))
package = __import__(NAME)

failed = 0


class Skip(Exception):
    pass


def check(work):
    """Runs a check at once; prints its function's name and the text that it returns."""
    global failed
    name = work.__name__.replace("_", " ")
    try:
        print(f"ok     {name}: {work() or 'as it should be'}", flush=True)
    except Skip as reason:
        print(f"skip   {name}: {reason}", flush=True)
    except Exception as error:
        failed += 1
        where = traceback.extract_tb(error.__traceback__)[-1]
        words = " ".join(str(error).split())[:400]
        print(f"FAILED {name}: {type(error).__name__}: {words} ({where.name}:{where.lineno})", flush=True)
    return work


def need(holds, words):
    if not holds:
        raise AssertionError(words)


def raises(kinds, work):
    try:
        work()
    except kinds:
        return
    except Exception as error:
        raise AssertionError(f"raised {type(error).__name__} instead: {error}") from error
    raise AssertionError(f"nothing was raised where {kinds} is due")


def answered(*arguments, **named):
    try:
        return package.why(*arguments, **named)
    except RuntimeError as none:
        raise Skip(none) from none


try:
    import torch

    need(torch.cuda.is_available(), "no GPU")
except (ImportError, AssertionError) as missing:
    print(f"PyTorch with a GPU is needed: {missing}")
    sys.exit(77)
torch.manual_seed(1)
package.prepare(0)
BF16 = torch.bfloat16
TOLERANCE = {torch.bfloat16: 5e-3, torch.float16: 1e-3, torch.float32: 1e-4}


def random(*shape, dtype=BF16):
    return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)


def same(got, want, words=""):
    """Compares with `want`, which is float64; a NaN fails too."""
    error = ((got.double() - want).norm() / want.norm().clamp_min(1e-30)).item()
    need(error < TOLERANCE[got.dtype], f"{words}: relative error {error}")


def wide(*tensors):
    return [tensor.double() for tensor in tensors]


def product(a, b):
    return a.double() @ b.double()


def sleep_ms(milliseconds):
    torch.cuda._sleep(int(milliseconds * 1.7e6))


@check
def torch_products_of_all_layouts_and_views():
    count = 0
    for m, n, k in ((1, 1, 1), (7, 5, 3), (64, 4096, 4096), (300, 200, 100), (1024, 1000, 2048), (1, 512, 512),
                    (513, 1, 257), (128, 128, 8192)):
        for turn_a in (False, True):
            for turn_b in (False, True):
                a = random(k, m).t() if turn_a else random(m, k)
                b = random(n, k).t() if turn_b else random(k, n)
                same(package.matmul(a, b), product(a, b), f"{m}x{n}x{k} {turn_a} {turn_b}")
                # Rows with gaps, at an odd offset, between numbers that must not change.
                room = torch.full((m + 2, n + 9), 7.0, dtype=BF16, device="cuda")
                out = room[1:-1, 3:3 + n]
                a_apart = random(m + 1, k + 5)[1:, 2:2 + k]
                same(package.matmul(a_apart, b, out=out), product(a_apart, b), "views")
                out.fill_(7.0)
                need(bool((room == 7.0).all()), f"{m}x{n}x{k}: something beside out was written")
                count += 2
    return f"{count} products"


@check
def torch_nothing_to_add_or_to_write():
    need(package.matmul(random(5, 0), random(0, 3)).eq(0).all().item(), "K = 0 is not 0")
    for a, b in (((0, 8), (8, 4)), ((4, 8), (8, 0)), ((0, 0), (0, 0))):
        need(package.matmul(random(*a), random(*b)).numel() == 0, "empty")


@check
def torch_wrong_arguments_raise():
    a, b = random(64, 32), random(32, 16)
    cases = [
        (TypeError, lambda: package.matmul(a.float(), b.float())),
        (TypeError, lambda: package.matmul(a, b.half())),
        (TypeError, lambda: package.matmul(a, None)),
        (TypeError, lambda: package.matmul(a, [1])),
        (TypeError, lambda: package.matmul(a, b, out=torch.empty(64, 16, device="cuda"), out_dtype=BF16)),
        (ValueError, lambda: package.matmul(a, random(31, 16))),
        (ValueError, lambda: package.matmul(a[None], b)),
        (ValueError, lambda: package.matmul(a.cpu(), b.cpu())),
        (ValueError, lambda: package.matmul(a, b.cpu())),
        (ValueError, lambda: package.matmul(a[:, ::2], random(16, 16))),
        (ValueError, lambda: package.matmul(a[:1].expand(64, 32), b)),
        (ValueError, lambda: package.matmul(a, b, out=torch.empty(64, 17, dtype=BF16, device="cuda"))),
        (ValueError, lambda: package.matmul(a, b, out=torch.empty(16, 64, dtype=BF16, device="cuda").t())),
        (ValueError, lambda: package.matmul(a, b, out=a[:, :16])),
        (ValueError, lambda: package.matmul(a, b, out=b.view(-1)[:1].expand(64, 16))),
        (RuntimeError, lambda: package.matmul(a.clone().requires_grad_(), b)),
        (ValueError, lambda: package.syrk(a, uplo="left")),
        (ValueError, lambda: package.her2k(a, a)),
        (ValueError, lambda: package.grouped_mm_sizes(a, b[None], [1, 2])),
        (ValueError, lambda: package.grouped_mm_sizes(a, b[None], [63])),
    ]
    for kinds, work in cases:
        raises(kinds, work)
    x = random(256, 512)
    # Column ranges of one matrix share rows, but no element.
    left, right = x[:, :256], x[:, 256:]
    w = random(256, 256)
    want = product(left, w)
    same(package.matmul(left, w, out=right), want, "columns beside a")
    return f"{len(cases)} wrong calls"


@check
def torch_stream_behind_a_slow_producer():
    for m, n, k in ((64, 4096, 4096), (256, 256, 16384), (1000, 1000, 1001)):
        a, b = random(m, k), random(n, k).t()
        package.matmul(a, b)
        new = random(m, k)
        stream = torch.cuda.Stream()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        with torch.cuda.stream(stream):
            sleep_ms(80)
            a.copy_(new)
            d = package.matmul(a, b)
            host_ms = (time.perf_counter() - begin) * 1e3
            need(not stream.query(), "the host waited for the stream")
        torch.cuda.synchronize()
        same(d, product(new, b), f"{m}x{n}x{k}")
        need(host_ms < 60, f"the host took {host_ms:.0f} ms")


def replay(make, renew, want, words):
    """Captures make(), frees and overwrites all else, and replays 100 times on new contents."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        make()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        d = make()
    trash = [torch.full((1 << 20,), 255, dtype=torch.uint8, device="cuda") for _ in range(64)]
    del trash
    torch.cuda.empty_cache()
    trash = [torch.full((1 << 22,), 255, dtype=torch.uint8, device="cuda") for _ in range(64)]
    for turn in range(100):
        renew()
        d.fill_(float("nan"))
        graph.replay()
        if turn % 10 == 0:
            same(d, want(), f"{words}, replay {turn}")
    torch.cuda.synchronize()
    del trash


@check
def torch_graphs_replayed_on_new_contents():
    for m, n, k in ((64, 4096, 4096), (256, 256, 65536), (333, 517, 1029), (4096, 4096, 512)):
        a, b = random(m, k), random(n, k).t()
        replay(lambda: package.matmul(a, b), lambda: a.copy_(random(m, k)), lambda: product(a, b), f"{m}x{n}x{k}")


@check
def torch_compiled_for_any_m():
    graphs = []

    def count(module, inputs):
        graphs.append(module)
        return module

    b = random(512, 256).t()
    # Inductor compiles a launcher in C.
    for backend in (count, "inductor") if shutil.which("gcc") or shutil.which("cc") else (count,):
        torch._dynamo.reset()
        work = torch.compile(lambda a: package.matmul(a, b) + 1, backend=backend, dynamic=True, fullgraph=True)
        for m in (2, 3, 64, 65, 1000):
            a = random(m, 256)
            same(work(a), product(a, b) + 1, f"m {m}")
    need(len(graphs) == 1, f"{len(graphs)} graphs were made")
    torch.library.opcheck(getattr(torch.ops, NAME).matmul.default, (random(8, 256), b, None, None, None, None))


@check
def torch_inductor_times_it_beside_its_own():
    if not (shutil.which("gcc") or shutil.which("cc")):
        raise Skip("Inductor needs a C compiler")
    from torch._inductor import config

    package.register()
    package.register()
    need(len([f for f in config.external_matmul if f.__name__ == f"{NAME}_matmul"]) == 1, "registered twice")
    calls = []
    front = sys.modules[f"{NAME}._torch"]
    real = front.gemm
    front.gemm = lambda *given: (calls.append(1), real(*given))[1]
    try:
        torch._dynamo.reset()
        with config.patch(max_autotune=True, force_disable_caches=True):
            work = torch.compile(lambda a, b: torch.mm(a, b))
            a, b = random(1024, 2048), random(1024, 2048).t()
            same(work(a, b), product(a, b))
            timed = len(calls)
            work(a, b)
            chosen = len(calls) > timed
    finally:
        front.gemm = real
        config.external_matmul.clear()
    need(timed > 0, "Inductor never called it")
    return f"it was timed, and {'chosen' if chosen else 'another was faster'}"


@check
def torch_ten_threads():
    shapes = [(64, 1024, 1024), (128, 512, 4096), (33, 65, 129), (256, 256, 16384), (500, 500, 500)]
    wrong = []

    def work(seed):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                generator = torch.Generator("cuda").manual_seed(seed)
                for turn in range(60):
                    m, n, k = shapes[(seed + turn) % len(shapes)]
                    a = torch.randn(m, k, device="cuda", generator=generator).to(BF16)
                    b = torch.randn(k, n, device="cuda", generator=generator).to(BF16)
                    same(package.matmul(a, b), product(a, b), f"thread {seed}")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]
    return "600 products"


@check
def torch_bias_and_types():
    done = []
    cases = [
        ("bf16 with a bias", dict(dtype=BF16, bias=True)),
        ("bf16 to f32", dict(dtype=BF16, out_dtype=torch.float32)),
        ("f16", dict(dtype=torch.float16)),
        ("fp8", dict(dtype=torch.float8_e4m3fn)),
        ("fp8 scaled", dict(dtype=torch.float8_e4m3fn, scaled=True)),
    ]
    for words, case in cases:
        m, n, k = 512, 768, 1024
        a, b = random(m, k, dtype=case["dtype"]), random(n, k, dtype=case["dtype"]).t()
        bias = random(n) if case.get("bias") else None
        scales = [torch.tensor(x, device="cuda") for x in (0.5, 3.0)] if case.get("scaled") else (None, None)
        want = product(a, b) * (1.5 if case.get("scaled") else 1.0)
        want = want if bias is None else want + bias.double()
        try:
            d = package.matmul(a, b, bias, scale_a=scales[0], scale_b=scales[1], out_dtype=case.get("out_dtype"))
        except RuntimeError as error:
            need("shipped" in str(error), error)
            continue
        same(d, want, words)
        done.append(words)
    return f"{', '.join(done) or 'none'}; no kernel is shipped for the other types of {len(cases)}"


def groups(sizes, n, k):
    a, w = random(sum(sizes), k), random(len(sizes), n, k)
    ends = torch.tensor(sizes, device="cuda").cumsum(0).to(torch.int32)
    return a, w.transpose(1, 2), ends


def grouped_product(a, b, sizes):
    parts, first = [], 0
    for size, matrix in zip(sizes, b):
        parts.append(product(a[first:first + size], matrix))
        first += size
    return torch.cat(parts)


ROUTINGS = ([128] * 8, [0, 300, 17, 1], [1] * 64, [2048] + [3] * 15, [0, 0, 64])


@check
def torch_groups_of_host_sizes():
    for sizes in ROUTINGS:
        a, b, _ = groups(sizes, 512, 256)
        same(package.grouped_mm_sizes(a, b, sizes), grouped_product(a, b, sizes), f"{sizes[:4]}")
    a, b, _ = groups([100, 28], 512, 256)
    replay(lambda: package.grouped_mm_sizes(a, b, [100, 28]), lambda: a.copy_(random(128, 256)),
           lambda: grouped_product(a, b, [100, 28]), "captured")
    stream = torch.cuda.Stream()
    new = random(128, 256)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        sleep_ms(80)
        a.copy_(new)
        d = package.grouped_mm_sizes(a, b, [60, 68])
        need(not stream.query(), "the host waited for the stream")
    torch.cuda.synchronize()
    same(d, grouped_product(new, b, [60, 68]), "behind a producer")


@check
def torch_groups_of_device_sizes():
    for sizes in ROUTINGS:
        a, b, ends = groups(sizes, 512, 256)
        d = package.grouped_mm(a, b, ends)
        same(d, grouped_product(a, b, sizes), f"{sizes[:4]}")
        if hasattr(torch, "_grouped_mm") and min(sizes) > 0:
            same(d, torch._grouped_mm(a, b, offs=ends).double(), "torch._grouped_mm")
    sizes = [100, 28]
    a, b, ends = groups(sizes, 512, 256)
    routings = [[28, 100], [0, 128], [64, 64], [128, 0]]

    def renew():
        sizes[:] = routings[renew.turn % 4]
        renew.turn += 1
        ends.copy_(torch.tensor(sizes).cumsum(0).to(torch.int32))
        a.copy_(random(128, 256))

    renew.turn = 0
    replay(lambda: package.grouped_mm(a, b, ends), renew, lambda: grouped_product(a, b, sizes), "captured")
    stream = torch.cuda.Stream()
    now = torch.tensor([1, 128], dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        sleep_ms(80)
        ends.copy_(now)
        d = package.grouped_mm(a, b, ends)
        need(not stream.query(), "the host waited for the stream")
    torch.cuda.synchronize()
    same(d, grouped_product(a, b, [1, 127]), "behind a producer")


@check
def torch_rank_k_updates():
    done = []
    for op in ("syrk", "syr2k", "her2k"):
        for uplo in ("lower", "upper", "full"):
            for n, k in ((256, 128), (1000, 72), (2048, 1024)):
                planes = (2,) if op == "her2k" else ()
                a, b = random(*planes, n, k), random(*planes, n, k)
                x, y = wide(a, b)
                if op == "syrk":
                    want, work = x @ x.t(), lambda: package.syrk(a, uplo=uplo)
                elif op == "syr2k":
                    want, work = x @ y.t() + y @ x.t(), lambda: package.syr2k(a, b, uplo=uplo)
                else:
                    p, q = torch.complex(*x), torch.complex(*y)
                    full = p @ q.conj().t() + q @ p.conj().t()
                    want, work = torch.stack([full.real, full.imag]), lambda: package.her2k(a, b, uplo=uplo)
                try:
                    d = work()
                except RuntimeError as error:
                    need("shipped" in str(error), error)
                    continue
                cut = {"lower": torch.tril, "upper": torch.triu, "full": lambda x: x}[uplo]
                same(cut(d), cut(want), f"{op} {uplo} {n}x{k}")
                done.append(f"{op} {uplo}")
    return ", ".join(dict.fromkeys(done)) or "no kernel is shipped for any"


def element_type():
    """CuPy's bfloat16 where it exists, else float16."""
    import cupy

    try:
        return cupy.dtype("bfloat16"), "bfloat16"
    except TypeError:
        return cupy.dtype("float16"), "float16"


def load(name):
    try:
        return __import__(name)
    except ImportError as missing:
        raise Skip(missing) from missing


def to_torch(array, name):
    """Copies an array of another framework to a tensor."""
    import numpy

    host = numpy.asarray(array.get() if hasattr(array, "get") else array).astype(numpy.float32)
    return torch.from_numpy(host).to("cuda", torch.bfloat16 if name == "bfloat16" else torch.float16)


@check
def cupy_products():
    cupy = load("cupy")
    kind, name = element_type()
    done = []
    for turned, layout in ((False, "tt"), (True, "tn")):
        try:
            answered(300, 200, 104, name, layout)
        except Skip as reason:
            none = reason
            continue
        done.append(layout)
        a = (cupy.random.rand(300, 104) * 2 - 1).astype(kind)
        b = (cupy.random.rand(200, 104) * 2 - 1).astype(kind).T if turned else (cupy.random.rand(104, 200) * 2 - 1).astype(kind)
        d = package.matmul(a, b)
        x, y = to_torch(a, name), to_torch(b, name)
        same(to_torch(d, name), product(x, y), layout)
        need(torch.equal(to_torch(d, name), package.matmul(x, y.t().contiguous().t() if turned else y)),
             "other bits than PyTorch's call gives")
    if not done:
        raise none
    raises(ValueError, lambda: package.matmul(a, a))
    raises(TypeError, lambda: package.matmul(a, to_torch(b, name)))
    raises(ValueError, lambda: package.matmul(a, b, out=a[:, :4]))
    return f"{name} {' '.join(done)}"


@check
def cupy_stream_and_graph():
    cupy = load("cupy")
    kind, name = element_type()
    answered(256, 256, 16384, name, "tn")
    a = (cupy.random.rand(256, 16384) * 2 - 1).astype(kind)
    b = (cupy.random.rand(256, 16384) * 2 - 1).astype(kind).T
    new = (cupy.random.rand(256, 16384) * 2 - 1).astype(kind)
    slow = cupy.ones((1 << 28,), cupy.float32)
    package.matmul(a, b)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        for _ in range(60):
            slow += 1
        a[...] = new
        d = package.matmul(a, b)
        need(not stream.done, "the host waited for the stream")
    stream.synchronize()
    same(to_torch(d, name), product(to_torch(new, name), to_torch(b, name)), "behind a producer")
    out = cupy.empty((256, 256), kind)
    with stream:
        package.matmul(a, b, out=out)
        stream.begin_capture()
        package.matmul(a, b, out=out)
        graph = stream.end_capture()
        trash = [cupy.full((1 << 22,), 255, cupy.uint8) for _ in range(64)]
        for turn in range(100):
            a[...] = (cupy.random.rand(256, 16384) * 2 - 1).astype(kind)
            graph.launch(stream)
            if turn % 10 == 0:
                stream.synchronize()
                same(to_torch(out, name), product(to_torch(a, name), to_torch(b, name)), f"replay {turn}")
        need(bool((trash[0] == 255).all() and (trash[-1] == 255).all()), "a graph wrote what it does not own")
    return name


@check
def jax_products():
    jax = load("jax")
    import jax.numpy as jnp

    need(jax.default_backend() == "gpu", f"JAX runs on {jax.default_backend()}")
    keys = jax.random.split(jax.random.key(1), 3)

    def numbers(key, *shape):
        return jax.random.uniform(key, shape, jnp.float32, -1, 1).astype(jnp.bfloat16)

    for m, n, k in ((300, 200, 104), (64, 4096, 4096), (256, 256, 16384), (7, 5, 3)):
        a, b, w = numbers(keys[0], m, k), numbers(keys[1], k, n), numbers(keys[2], n, k)
        x, y, z = (to_torch(array, "bfloat16") for array in (a, b, w))
        same(to_torch(package.matmul(a, b), "bfloat16"), product(x, y), "eager")
        # In a jit, after slow work, in JAX's own stream.
        def work(a, b):
            slow = jax.lax.fori_loop(0, 50, lambda _, s: jnp.sin(s) + 1, jnp.ones((1 << 24,), jnp.float32))
            return package.matmul(a * (slow[0] > 0).astype(a.dtype), b)

        same(to_torch(jax.jit(work)(a, b), "bfloat16"), product(x, y), "jit")
        turned = jax.jit(lambda a, w: package.matmul(a, w.T, layout="tn"))
        d = turned(a, w)
        same(to_torch(d, "bfloat16"), product(x, z.t()), "tn")
        need(torch.equal(to_torch(d, "bfloat16"), package.matmul(x, z.t())), "other bits than PyTorch's call gives")
        text = turned.lower(a, w).compile().as_text()
        need("copy(" not in text and "transpose(" not in text, f"tn copies: {text[:600]}")
    raises(ValueError, lambda: package.matmul(a, a))
    raises(TypeError, lambda: package.matmul(a.astype(jnp.float32), b))
    raises(ValueError, lambda: jax.grad(lambda a: package.matmul(a, b).astype(jnp.float32).sum())(a))


@check
def jax_groups_and_updates():
    jax = load("jax")
    import jax.numpy as jnp

    sizes = [100, 28]
    a, b, ends = groups(sizes, 512, 256)
    b = b.contiguous()
    x = jnp.asarray(a.float().cpu().numpy()).astype(jnp.bfloat16)
    y = jnp.asarray(b.float().cpu().numpy()).astype(jnp.bfloat16)
    done = []
    for words, work, want in (
        ("sizes", lambda: package.grouped_mm_sizes(x, y, sizes), grouped_product(a, b, sizes)),
        ("offs", lambda: package.grouped_mm(x, y, jnp.asarray(ends.cpu().numpy())), grouped_product(a, b, sizes)),
        ("syrk", lambda: jnp.tril(package.syrk(x)), product(a, a.t()).tril()),
        ("syr2k", lambda: jnp.tril(package.syr2k(x, x)), 2 * product(a, a.t()).tril()),
    ):
        try:
            d = jax.block_until_ready(work())
        except RuntimeError as error:
            need("shipped" in str(error), error)
            continue
        same(to_torch(d, "bfloat16"), want, words)
        done.append(words)
    return f"{', '.join(done) or 'none'}; no kernel is shipped for the others"


def host_us(work):
    for _ in range(50):
        work()
    torch.cuda.synchronize()
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        for _ in range(20):
            work()
        times.append((time.perf_counter() - begin) / 20 * 1e6)
        torch.cuda.synchronize()
    return sorted(times)[len(times) // 2]


print("what a call costs the host, us, the median of 30 times 20 calls that the GPU does not keep up")
with torch.no_grad():
    for m, n, k in ((64, 256, 256), (256, 256, 4096), (256, 256, 65536), (64, 7168, 2048)):
        a, b, out = random(m, k), random(n, k).t(), random(m, n)
        print(f"matmul {m}x{n}x{k}: {host_us(lambda: package.matmul(a, b)):.2f}, "
              f"into out {host_us(lambda: package.matmul(a, b, out=out)):.2f}; torch.matmul "
              f"{host_us(lambda: torch.matmul(a, b)):.2f}, into out {host_us(lambda: torch.matmul(a, b, out=out)):.2f}")
    a, b, ends = groups([64] * 8, 512, 256)
    for words, work in (("grouped_mm_sizes", lambda: package.grouped_mm_sizes(a, b, [64] * 8)),
                        ("grouped_mm", lambda: package.grouped_mm(a, b, ends)),
                        ("torch._grouped_mm", lambda: torch._grouped_mm(a, b, offs=ends))):
        try:
            print(f"{words} 8x(64,512,256): {host_us(work):.2f}")
        except Exception as error:
            print(f"{words} 8x(64,512,256): {error}")
print("all passed" if failed == 0 else f"{failed} failed")
sys.exit(1 if failed else 0)
