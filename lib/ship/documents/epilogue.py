"""What the calls of a row have besides operands: scales, bias, C and the scaling of D. Makes random
ones and computes D in float64. A row's `fields` are those of the header's call; a pointer is True.
"""
import math

BF16, F16, F32, E4M3, E5M2 = range(5)
TENSOR, LINE, VECTOR, VECTOR_K, BLOCK, BLOCK_K4 = range(6)
RELU, GELU, GELU_ERF, SILU, SWIGLU, GEGLU, GEGLU_ERF = range(1, 8)
BLOCK_SIZE = 128
SCALE_D = 0.25


def up(size, unit):
    return -(-size // unit) * unit


def torch_type(torch, kind):
    types = (torch.bfloat16, torch.float16, torch.float32, torch.float8_e4m3fn, torch.float8_e5m2)
    return types[kind]


def addend_type(torch, kind):
    """The type of C and of the bias."""
    return torch_type(torch, BF16 if kind >= E4M3 else kind)


class Scales:
    """Random scales of one operand of `groups` x lines x k, in the order of a shipped_scale. Padding
    between them is NaN."""

    def __init__(self, torch, form, lines, k, groups=1):
        self.form, self.lines, self.k = form, lines, k
        blocks, of_128 = up(k, BLOCK_SIZE) // BLOCK_SIZE, up(lines, BLOCK_SIZE) // BLOCK_SIZE
        # Rows of scales that lie together, their number, and that with padding.
        self.shape = {
            TENSOR: (1, 1, 1),
            LINE: (1, lines, lines),
            VECTOR: (blocks, lines, up(lines, 4)),
            VECTOR_K: (lines, blocks, blocks),
            BLOCK: (of_128, blocks, blocks),
            BLOCK_K4: (of_128, blocks, up(blocks, 4)),
        }[form]
        self.groups = 1 if form == TENSOR else groups
        rows, used, pitch = self.shape
        self.memory = torch.full((self.groups, rows, pitch), math.nan, device="cuda")
        self.memory[:, :, :used] = torch.exp2(torch.rand(self.groups, rows, used, device="cuda") * 6 - 3)

    def lines_first(self):
        """True if the first dimension of the scales is that of the lines."""
        return self.form in (VECTOR_K, BLOCK, BLOCK_K4)

    def array(self, of_b):
        """The scales as PyTorch has them, in place: lines x blocks of k, of B the other way round."""
        if self.form == TENSOR:
            return self.memory.view(())
        own = self.memory[:, :, : self.shape[1]]
        own = own if self.lines_first() != of_b else own.transpose(1, 2)
        return own if self.groups > 1 else own[0]

    def wide(self):
        """The scale of each element: groups x lines x k, or sizes of 1 that stand for them."""
        own = self.memory[:, :, : self.shape[1]]
        if self.form in (TENSOR, LINE):
            return own.transpose(1, 2)
        if self.form == VECTOR:
            own = own.transpose(1, 2)
        if self.form in (BLOCK, BLOCK_K4):
            own = own.repeat_interleave(BLOCK_SIZE, 1)[:, : self.lines]
        return own.repeat_interleave(BLOCK_SIZE, 2)[:, :, : self.k]


def activated(torch, activation, stacked, sums):
    """The activation of the sums; a gated one halves the columns."""
    functional = torch.nn.functional
    curve = {
        0: lambda x: x,
        RELU: torch.relu,
        GELU: lambda x: functional.gelu(x, approximate="tanh"),
        GELU_ERF: functional.gelu,
        SILU: functional.silu,
        SWIGLU: functional.silu,
        GEGLU: lambda x: functional.gelu(x, approximate="tanh"),
        GEGLU_ERF: functional.gelu,
    }[activation]
    if activation < SWIGLU:
        return curve(sums)
    if stacked:
        gate, other = sums.chunk(2, -1)
    else:
        gate, other = sums[:, 0::2], sums[:, 1::2]
    return curve(gate) * other


class Epilogue:
    """The epilogue of a row. `rows` are those of its groups, or one number."""

    def __init__(self, torch, row, rows):
        _, self.kind, self.out_kind, _, _, shapes, self.fields = row
        self.torch, self.rows = torch, rows
        self.m, (_, self.n, self.k) = sum(rows), shapes[0]
        has = self.fields.get
        self.activation, self.stacked = has("activation", 0), bool(has("stacked"))
        self.columns = self.n // 2 if self.activation >= SWIGLU else self.n
        self.alpha, self.beta = has("alpha", 1.0), has("beta", 0.0)
        self.addend = addend_type(torch, self.kind)
        self.c = self.random(self.m, self.n) if has("c") else None
        self.bias = self.random(self.m if has("bias_along_m") else self.n) if has("bias") else None
        self.scale_a = self.scale_b = self.scaling = None
        if has("scale_a"):
            self.scale_a = Scales(torch, has("scale_a_form", TENSOR), self.m, self.k)
        if has("scale_b"):
            self.scale_b = Scales(torch, has("scale_b_form", TENSOR), self.n, self.k, len(rows))
        if has("scaling"):
            self.scaling = torch.tensor([SCALE_D, 0.0], device="cuda")

    def is_plain(self):
        return not self.fields

    def has_scales_only(self, *others):
        names = ("scale_a", "scale_b", "scale_a_form", "scale_b_form", *others)
        return all(field in names for field in self.fields)

    def scale_arrays(self):
        pair = ((self.scale_a, False), (self.scale_b, True))
        return [None if own is None else own.array(of_b) for own, of_b in pair]

    def random(self, *sizes):
        return (self.torch.rand(*sizes, device="cuda") * 2 - 1).to(self.addend)

    def set_fields(self, call):
        """Sets the call's fields, with the addresses of this epilogue's arrays."""
        for name, value in self.fields.items():
            if value is not True:
                setattr(call, name, value)
        for name in ("c", "bias", "scaling"):
            if getattr(self, name) is not None:
                setattr(call, name, getattr(self, name).data_ptr())
        for name in ("scale_a", "scale_b"):
            if getattr(self, name) is not None:
                setattr(call, name, getattr(self, name).memory.data_ptr())

    def scaled(self, a, b):
        """A (m x k) and B (groups x n x k) times their scales, in the type of `a`."""
        if self.scale_a is not None:
            a = a * self.scale_a.wide()[0].to(a.dtype)
        if self.scale_b is not None:
            b = b * self.scale_b.wide().to(b.dtype)
        return a, b

    def finished(self, sums):
        """D before its factor, of A B with scales; `sums` is m x n."""
        sums = sums * self.alpha if self.alpha != 1 else sums
        if self.c is not None:
            sums = sums + self.beta * self.c.to(sums.dtype)
        if self.bias is not None:
            bias = self.bias.to(sums.dtype)
            sums = sums + (bias[:, None] if self.fields.get("bias_along_m") else bias)
        return activated(self.torch, self.activation, self.stacked, sums)

    def d(self, a, b):
        """D in float64 and its largest magnitude before its factor; A m x k, B groups x n x k."""
        a, b = self.scaled(a.double(), b.double())
        parts = [part @ own.t() for part, own in zip(a.split(self.rows), b)]
        wide = self.finished(self.torch.cat(parts))
        most = wide.abs().max().item() if wide.numel() else 0.0
        if self.fields.get("uses_scale_d"):
            wide = wide * SCALE_D
        return (wide.clamp(-448, 448) if self.out_kind == E4M3 else wide), most

    def maximum_error(self, most):
        """The relative error of the absolute maximum that the last launch left."""
        if not self.fields.get("takes_absmax"):
            return 0.0
        return abs(self.scaling[1].item() - most) / max(most, 1e-30)
