"""Table E: one row per expression. What is its node, what does it save, may it run twice?

A row is (leaves that need a gradient, code); `code` is an expression, or statements that set `y`.
Every row reports values, repr, graph, saved tensors, bytes, gradients and a second backward.
"""

from tests.twin import probes
from tests.twin.registry import add

DATA = {
    "a": [0.5, 1.5, 2.0],
    "b": [2.0, 0.25, 1.0],
    "s": [-1.0, 0.0, 2.0],
    "ties": [2.0, 0.25, 2.0],
    "z": 3.0,
    "one": [[0.5, 1.5, 2.0]],
    "col": [[1.0], [2.0], [-0.5]],
    "M": [[0.5, -1.0, 2.0, 0.25], [1.0, 0.5, -0.5, 2.0], [0.0, 1.5, 1.0, -2.0]],
    "N": [[1.0, 0.5], [2.0, -1.0], [0.25, 0.5], [-0.5, 1.0]],
    "v": [1.0, -0.5, 2.0, 0.25],
    "B": [[[1.0, 2.0, 0.5, -1.0]] * 3, [[0.5, -0.5, 1.0, 2.0]] * 3],
    "K": [[[1.0, 0.5], [2.0, -1.0], [0.25, 0.5], [-0.5, 1.0]], [[0.5, 1.0]] * 4],
    "W": [[0.5, 1.0, -1.0, 0.25], [2.0, 0.5, 0.5, -0.5]],
    "bias": [0.5, -1.0],
}

ARITHMETIC = """
ab a+b | a a+b | b a+b | a a+1 | a 1.5+a | ab a-b | a 1-a | a a-1 | a b-a | a 0.5-a
ab a*b | a a*b | a b*a | a a*5 | a 5*a | a a*2.5 | a a*a | a a+a | a a-a
ab a/b | a a/b | b a/b | a a/5 | a 5/a | a a/a | a -a | a a.neg() | a 0.5/a
a a**2 | a a**1 | a a**0 | a a**3 | a a**0.5 | a a**-1 | s s**2
ab a**b | a a**b | b a**b | a 2**a | a a.pow(2) | a a.reciprocal()
"""
COMBINED = """
M mg.fliplr(M) | M M.unfold(1,2,1) | M mg.diff(M,2,0) | M mg.tensordot(M+9,M+9,0) | a a.inner(a)
M mg.tensordot(M,M,([0,1],[0,1])) | M mg.tensordot(M,M,([1,0],[1,0]))
M M.flipud() | M mg.tile(M,(2,)) | a a.tile(2,3) | s (s*1).sign_()
"""
ELEMENTWISE = """
a a.exp() | a a.log() | a a.sqrt() | s s.tanh() | s s.sigmoid() | s s.relu() | s s.abs()
s s.sin() | s s.cos() | a a.clone() | s s.clamp(min=0) | s s.clamp(0,1) | s s.clamp(max=0.5)
s s.floor() | a a.ceil() | a mg.round(a*3) | a (a*1).floor_() | a (a*3).round_() | a (a*1).ceil_()
s s%2 | ab a%b | a a%b | b a%b | ab a.fmod(b) | s s.fmod(2)
a (a*1).remainder_(2) | b (b*1).fmod_(a) | a (a*1).floor_divide_(2)
ab a.div(b,rounding_mode="floor") | a a.div(2,rounding_mode="trunc") | b a.div(b,rounding_mode=None)
ab (a*1).div_(b,rounding_mode="floor") | a a//2 | ab a//b | a 5//a | a 5%a
a mg.add(1,a) | a mg.sub(1,a) | a mg.mul(2,a) | a mg.div(1,a) | a mg.div(7,a,rounding_mode="floor")
s s.sigmoid().logit() | s s.sigmoid().logit(0.3)
a a.log1p() | s s.sign() | a a.rsqrt() | a a.clamp_min(1) | Mv F.prelu(M,v) | ab F.prelu(a-1,b[0:1])
ab mg.maximum(a,b) | a mg.maximum(a,b) | b mg.maximum(a,b) | ab mg.maximum(a,a) | s mg.relu(s)
ab mg.where(a>b,a,b) | a mg.where(a>b,a,b) | s mg.where(s>0,s,s*2) | s mg.exp(s) | s F.relu(s)
"""
SHRINKING = """
s F.celu(s,0.5) | s F.celu(s*2,0.5,True) | s F.softshrink(s,0.25) | s s.hardshrink()
s F.threshold(s,0.5,2) | s F.threshold(s*2,0.5,2,True) | s F.celu_(s*2) | s F.threshold_(s*2,0,-1)
ab mg.logaddexp(a,b) | a mg.logaddexp(a,b) | b a.logaddexp(b) | M M.logcumsumexp(0)
z z.logcumsumexp(0) | a a.logcumsumexp(-1) | M M.take_along_dim(mg.tensor([[0],[1],[-1]]),1)
M (M*1).fill_diagonal_(3) | M (M*1)[:,:2].fill_diagonal_(3) | N (N*1).t().fill_diagonal_(3,True)
v (v*1).expand(4,4).clone().fill_diagonal_(2) | M M.take_along_dim(mg.tensor([1,1]))
v v.view(1,4).take_along_dim(mg.tensor([[5],[1]]),1)
"""
MATMUL = """
MN M@N | M M@N | N M@N | MN mg.mm(M,N) | MN mg.matmul(M,N) | MN M.mm(N) | M M@M.t()
Mv M@v | M M@v | v M@v | ab a@b | a a@b | a a@a | aM a@M | M a@M | a a@M
BN B@N | B B@N | N B@N | BK B@K | B B@K | K B@K
Wbias F.linear(M,W,bias) | WbiasM F.linear(M,W,bias) | M F.linear(M,W,bias) | W F.linear(M,W)
bias F.linear(M,W,bias) | WM F.linear(M,W) | Wbias F.linear(v,W,bias) | Wbiasv F.linear(v,W,bias)
Wbias F.linear(B,W,bias) | WbiasB F.linear(B,W,bias) | B F.linear(B,W) | v F.linear(v,W)
"""
REDUCE = """
M M.sum() | M M.sum(0) | M M.sum((0,1)) | M M.sum(1,keepdim=True) | M M.sum(dim=1) | M M.mean()
M M.cumprod(1) | a a.cumprod(0) | s s.cumprod(0) | M M.logsumexp(1) | z z.logsumexp(0)
B B.logsumexp((0,2),keepdim=True) | M F.normalize(M) | MW mg.cdist(M,W) | W mg.cdist(M,W)
MW F.pairwise_distance(M,W[0]) | W mg.pairwise_distance(M,W[:1],1.0,0.0,True)
vM mg.cosine_similarity(v,M) | a F.cosine_similarity(a,b,0,2.0)
ab F.cosine_similarity(a,b.double(),0)
M M.mean(0) | M M.mean(1,keepdim=True) | M M.max() | M M.max(1).values | M M.max(0)[0] | z z.sum()
M M.amax() | M M.amax(-1) | B B.amin((0,2),True) | ties ties.amax(0) | z z.amin(0) | B B.amax(())
ties ties.max() | M M.cumsum(0) | M M.cumsum(1) | M M.softmax(1) | M M.log_softmax(1) | z z.mean()
M M.softmax(0) | a a.softmax(0) | M mg.softmax(M,1) | ab F.mse_loss(a,b) | a F.mse_loss(a,b)
b F.mse_loss(a,b) | M mg.sum(M) | M M.t().sum(0) | M M.max(1,keepdim=True).values | B B.sum((0,2))
"""
SHAPES = """
M M.view(-1) | M M.view(2,6) | M M.reshape(-1) | M M.t().reshape(-1) | M M.t() | M M.T
M M.transpose(0,1) | M M.permute(1,0) | B B.permute(2,0,1) | one one.squeeze() | one one.squeeze(0)
a a.unsqueeze(0) | a a.unsqueeze(1) | a a.expand(2,3) | col col.expand(3,2) | M M.flatten()
B B.flatten(1) | B B.flatten(0,1) | a a.view_as(b) | M M.t().contiguous() | a a[0] | a a[0:2]
a a[::2] | M M[:,0] | M M[1:,2:] | M M[1,2] | a a[[0,2]] | a a[mg.tensor([0,0,2])] | a a[a>1]
a a[None] | a a[...] | M M[...,0] | M M[:,None] | M M[-1] | a a.narrow(0,0,2) | a a.select(0,1)
a a.unbind()[1] | M M.unbind(1)[3] | a a.chunk(2)[0] | a a.chunk(2)[1] | M M.chunk(2,1)[1]
ab mg.cat([a,b]) | a mg.cat([a,b]) | M mg.cat([M,M],1) | ab mg.stack([a,b]) | a mg.stack([a,a],1)
a a.to(mg.float64) | a a.double() | a a.double().float() | z z.expand(3) | z z.view(1,1)
a a.view(3,1) | M M.T.flatten() | M M[[0,2]] | M M[mg.tensor([0,1]),mg.tensor([3,2])]
"""
BROADCAST = """
aM a+M.t()[0:1].sum() | acol a+col | acol a*col | acol a-col | acol a/col | vM v*M | v v*M | M v*M
za z*a | z z*a | a z*a | zM z+M | z z-M | zM M/z | zM z/M | acol mg.maximum(a,col) | z z**a
acol mg.where(a>col,a,col) | zv z**2*v | onea one+a | onecol one*col | Mcol M*col | col col*M
"""
INPLACE = """
a h=a.clone();y=h.add_(1) | ab h=a.clone();y=h.add_(b) | a h=a.clone();y=h.mul_(2)
a h=a.clone();y=h.mul_(b) | ab h=a.clone();y=h.mul_(b) | a h=a.clone();y=h.sub_(b)
a h=a.clone();y=h.div_(b) | a h=a.clone();y=h.div_(4) | a h=a.clone();y=h.exp_()
s h=s.clone();y=h.relu_() | a h=a.clone();y=h.zero_() | a h=a.clone();y=h.fill_(1)
ab h=a.clone();y=h.copy_(b) | b h=a.clone();y=h.copy_(b) | a h=a.clone();h+=1;y=h
a h=a.clone();h*=b;y=h | a h=a.clone();h-=b;y=h | a h=a.clone();h/=b;y=h | b h=a.clone();y=h.mul_(b)
a h=a.clone();h[0]=1;y=h | ab h=a.clone();h[0]=b[1];y=h | b h=mg.zeros(3);h[0]=b[1];y=h
ab h=a.clone();h[0:2]=b[1:];y=h | b h=mg.zeros(2,3);h[1]=b;y=h | a h=a.clone();h[0]=1;y=h*h
b h=mg.zeros(3);h.add_(b);y=h | b h=mg.zeros(3);h.copy_(b);y=h
a h=a+1;h.exp_();y=h
"""
GROUPS = {
    "arithmetic": ARITHMETIC, "combined": COMBINED, "elementwise": ELEMENTWISE,
    "shrinking": SHRINKING, "matmul": MATMUL,
    "reduce": REDUCE, "shapes": SHAPES, "broadcast": BROADCAST, "in place": INPLACE,
}  # fmt: skip


def leaves_in(letters):
    """Split a row's first word into names of DATA, longest names first."""
    found = []
    while letters:
        name = next(n for n in sorted(DATA, key=len, reverse=True) if letters.startswith(n))
        found.append(name)
        letters = letters[len(name) :]
    return found


def run_row(mg, out, leaves, code):
    space = {name: mg.tensor(data) for name, data in DATA.items()}
    for name in leaves:
        space[name].requires_grad_()
    space.update(mg=mg, F=mg.nn.functional)
    operands = {id(space[name]): name for name in DATA}
    before = mg.memory_allocated()
    exec(code if "y=" in code else f"y={code}", space)
    y = space["y"]
    out("bytes of the forward", mg.memory_allocated() - before)
    describe(out, y, operands)
    weight = (mg.arange(y.numel()).view(y.shape) + 1).to(y.dtype)
    start = mg.memory_allocated()
    y.backward(weight, retain_graph=True)
    out("gradients", {name: space[name].grad for name in leaves})
    out("bytes after a retained backward", mg.memory_allocated() - start)
    y.backward(weight)
    out("bytes after backward", mg.memory_allocated() - start)
    out("saved after backward", probes.readable(y.grad_fn))
    out.error("one more backward", y.backward, weight)
    out("gradients at the end", {name: space[name].grad for name in leaves})


def describe(out, y, operands):
    node = y.grad_fn
    out("result", y)
    out("repr", repr(y))
    out("flags", [y.requires_grad, y.is_leaf, y.output_nr, y._version, y._is_view()])
    out("strides", [y.stride(), y.is_contiguous()])
    out("name", node.name())
    out("graph", probes.graph(node))
    out("saved", probes.saved(node))
    out("saved operands", saved_operands(node, operands))


def saved_operands(node, operands):
    values = {name: getattr(node, name) for name in probes.saved_names(node)}
    return {name: operands[id(v)] for name, v in values.items() if id(v) in operands}


def register():
    for group, rows in GROUPS.items():
        for row in filter(None, map(str.strip, rows.replace("\n", " | ").split(" | "))):
            letters, code = row.split(" ", 1)
            leaves = leaves_in(letters)
            name = f"e {code} [{','.join(leaves)}]"
            add(name, f"table E, {group}", function_for(leaves, code))


def function_for(leaves, code):
    return lambda mg, out: run_row(mg, out, leaves, code)


register()
