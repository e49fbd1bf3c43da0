"""What tensors print: width, precision, summaries, wrapping, suffixes; and dtypes."""

from tests.twin.registry import add, case

REPRS = """
tensor(3) | tensor(3.0) | tensor(-0.5) | tensor(True) | tensor(1e10) | tensor(1e-7) | tensor(0.1)
tensor([]) | tensor([[]]) | zeros(0,3) | zeros(2,0) | tensor([],dtype=T.int64) | tensor([1,2,3])
tensor([1.0,2.0]) | tensor([1.5,2.25]) | tensor([1.0,-2.0]) | tensor([0.1,0.2])
tensor([1e10,1.0]) | tensor([1e-5,1.0]) | tensor([1e-3,1.0]) | tensor([1e-4,1e4])
tensor([1e5,1e-5]) | tensor([1e8]) | tensor([1e8,1.0]) | tensor([99999.0]) | tensor([100000.5])
tensor([123456.789,0.001]) | tensor([1000.0,2000.5]) | tensor([float('nan'),1.0])
tensor([float('inf'),-1.0]) | tensor([float('-inf'),float('nan')])
tensor([float('nan'),1.5,-2.25]) | tensor(float('nan')) | tensor(float('inf'))
tensor([float('inf'),1e10]) | tensor([True,False]) | tensor([[True,False],[False,True]])
tensor([-1,10,100]) | tensor([[1,-2],[30,4]]) | tensor([[1.0,2.0],[3.0,4.0]])
tensor([[1.5,-2.0],[3.0,40.25]]) | tensor([[[1,2],[3,4]],[[5,6],[7,8]]]) | zeros(2,3)
ones(3,2,dtype=T.float64) | tensor([1.0],dtype=T.float64) | tensor([0.1],dtype=T.float64)
tensor([1,2],dtype=T.float32) | arange(5) | arange(5).float() | arange(1000) | arange(1001)
arange(2000).float() | arange(30) | arange(30).float() | arange(40).float()/7
arange(100).view(10,10) | arange(60).view(2,30).float() | arange(10000).view(100,100)
arange(2000).view(2,1000) | arange(2000).view(1000,2) | zeros(1001) | zeros(11,11,11)
arange(4000).view(10,20,20) | ones(2,2,2,2) | zeros(1,1) | zeros(1,1,1) | full((3,),1e-8)
full((3,),1e20) | tensor([1e-45]) | tensor([3.4e38]) | tensor([0.0,-0.0])
tensor([1.0,float('nan')]) | tensor([1e3,1e-3]) | tensor([12345678]) | tensor([123456789012])
tensor([16777216.0]) | tensor([1.0,1e8]) | tensor([0.00001234]) | tensor([5.5],requires_grad=True)
tensor(5.5,requires_grad=True) | ones(2,2,requires_grad=True)
tensor([0.1],dtype=T.float64,requires_grad=True) | ones(2,requires_grad=True)*2
ones(2,requires_grad=True).sum() | ones(2,requires_grad=True).double()
(ones(2,3,requires_grad=True)*1.5).t() | arange(30).float().requires_grad_()
(arange(30).float().requires_grad_()*1.5) | arange(16).float().requires_grad_()
arange(17).float().requires_grad_() | arange(14).double().requires_grad_().exp()
arange(6).view(2,3)[:,1] | ones(4).expand(2,4) | arange(3)>1 | tensor([0.5])[0]
arange(6).view(2,3).float().t() | ones(2,requires_grad=True)[0]
ones(1,requires_grad=True).view(1,1) | zeros(0,requires_grad=True)
ones(2,requires_grad=True).detach() | tensor([1.00005,2.0]) | tensor([1.99999,2.0])
tensor([9999.9999]) | tensor([0.99999]) | tensor([1e-4]) | tensor([9.9e-5]) | tensor([1.0,1000.1])
tensor([1.0,1001.1e0]) | tensor([[1e-9,1.0],[100.0,-3.0]]) | tensor([[float('nan')]])
tensor([1e15,1e16]) | arange(1200).view(30,40).float()/3
"""


def spoken(code):
    return lambda mg, out: speak(mg, out, code)


def speak(mg, out, code):
    space = {name: getattr(mg, name) for name in ("tensor", "zeros", "ones", "full", "arange")}
    value = eval(code, space | {"T": mg})
    out("repr", repr(value))
    out("str", str(value) == repr(value))
    out("dtype and shape", [str(value.dtype), list(value.shape)])


for row in filter(None, map(str.strip, REPRS.replace("\n", " | ").split(" | "))):
    add(f"repr {row}", "tensor reprs", spoken(row))


@case("shapes print as torch.Size, dtypes by name, in f-strings and containers")
def case_repr_others(mg, out):
    x = mg.ones(2, 3)
    out(
        "shape",
        [repr(x.shape), str(x.shape), repr(x.size()), x.size(0), x.shape[1], x.shape == (2, 3)],
    )
    out("0-d", [repr(mg.tensor(1.0).shape), mg.tensor(1.0).dim(), mg.tensor(1.0).numel()])
    out("dtype", [repr(x.dtype), str(mg.int64), repr(mg.bool), repr(mg.float64)])
    out("device", [str(x.device), repr(x.device)])
    out("in a list", repr([mg.tensor(1.0), mg.tensor([1, 2])]))
    out("in a dict", repr({"a": mg.ones(2, 2)}))
    out("f-string", [f"{mg.tensor(1.5):.2f}", f"{mg.tensor([1.5])}", f"{x.shape}"])
    out("format 0-d", f"{mg.tensor(2)}")
    out("type", [type(x).__name__, repr(type(x)), repr(type(x.shape))])
    out("sizes", [x.nbytes, x.ndim, x.numel(), x.dim(), x.stride(), len(x)])
    out("storage bytes", x.untyped_storage().nbytes())
    out("parameter", repr(mg.nn.Parameter(mg.ones(2))))
    out("parameter, 0-d", repr(mg.nn.Parameter(mg.tensor(0.5))))
    a = mg.ones(2, requires_grad=True)
    out("grad", repr(a.grad))
    (a * 3).sum().backward()
    out("grad then", repr(a.grad))
    with mg.no_grad():
        out("a view under no_grad", repr(a.view(1, 2)))
        out("a result under no_grad", repr(a * 2))
    out("operator names", repr((a.view(2, 1) + 1).grad_fn.next_functions[0][0]))


DTYPES = """
i+f | i+i | b+i | b+b | f+d | i/i | i/2 | i*2.5 | i+1 | b+1 | b*2.0 | f+d0 | f0+d | i+f0 | i0+f
f*i0 | d0*f | i.sum() | b.sum() | b.float() | f.double() | i.float().mean() | i.exp() | i.sqrt()
i.tanh() | b.exp() | i.float() | f>1 | i==2 | f.argmax() | i.max() | b.max() | i**2 | 2**i | f**2
i-1 | 1-i | i.cumsum(0) | b.cumsum(0) | i.abs() | -i | i@i | f@f | d@d | f.to(T.int64)
d.to(T.float32) | b.to(T.float32) | i.to(T.bool) | i.double() | T.zeros(2) | T.arange(3)
T.arange(3.0) | T.arange(0,1,0.25) | T.arange(1,7,2) | T.full((2,),3) | T.full((2,),3.0)
T.full((2,),True) | T.tensor([1,2.5]) | T.tensor([True,2]) | T.tensor(3) | T.ones(2,dtype=T.bool)
T.zeros_like(i) | T.ones_like(b) | T.full_like(f,2) | T.zeros_like(f,dtype=T.int64)
T.where(b,f,d) | T.where(b,i,i) | T.where(b,f,0.0) | T.where(b,1.0,0.0) | T.cat([i,f])
T.stack([f,f]) | T.maximum(i,i) | i.mean() | i<f | f!=f | T.tensor([1,2])[T.tensor([0])] | f[b]
i.clamp(min=2) | f.clamp(0,1) | i.relu() | f.max(0).indices | T.equal(i,i) | T.allclose(f,f)
f.view(3,1).expand(3,2) | i.tolist() | f.tolist() | T.tensor([[1,2],[3]]) | T.tensor([1.0]).item()
T.tensor([3]).item() | T.tensor([True]).item() | f+True | i+True | T.tensor(f.tolist())
T.tensor([f0,f0])
"""


def typed(code):
    return lambda mg, out: out_type(mg, out, code)


def out_type(mg, out, code):
    numbers = [1, 2, 3]
    space = {
        "T": mg,
        "i": mg.tensor(numbers),
        "f": mg.tensor([0.5, 1.5, 2.5]),
        "d": mg.tensor([0.5, 1.5, 2.5], dtype=mg.float64),
        "b": mg.tensor([True, False, True]),
        "i0": mg.tensor(2),
        "f0": mg.tensor(2.5),
        "d0": mg.tensor(2.5, dtype=mg.float64),
    }
    out.error("ends", lambda: eval(code, dict(space)))
    try:
        out("value", eval(code, dict(space)))
    except Exception:
        return


for row in filter(None, map(str.strip, DTYPES.replace("\n", " | ").split(" | "))):
    add(f"dtype {row}", "dtype promotion and factories", typed(row))
