"""The compiled adapter and glue under torch_npu: what reaches aclnn, what comes back, and that all is given back.

The operator package is a fake that notes its arguments; real ones run in the end-to-end tests.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from torch_projects import (
    GATE_OPS,
    KINDS,
    LIBRARIES,
    PRODUCT_OPS,
    SITE_PACKAGES,
    adapter,
    compiled,
    render,
    site,
    spec_of,
    write,
)

from opforge.toolkit.simulator_layout import read_sources

pytestmark = [pytest.mark.npu, pytest.mark.torch, pytest.mark.compiler]

CODE = """
import ctypes, sys, time
import torch, torch_npu
sys.path.insert(0, {site!r})
import gate_ops
from gate_ops._opforge import _runtime

fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/gate_ops/op_api/lib/libcust_opapi.so"))
fake.fake_log.restype = ctypes.c_char_p

def settled():
    torch.npu.synchronize()
    return fake.fake_live(), fake.fake_executed()

def error_of(call, kind=RuntimeError):
    try:
        call()
        for _ in range(100):  # torch_npu empties its queue first, and tells of the error a moment later
            torch.npu.synchronize()
            time.sleep(0.01)
    except RuntimeError as error:
        assert type(error) is kind, error
        return str(error)
    raise AssertionError("no error")

x = torch.empty(4, 6, device="npu", dtype=torch.float16)[1:, ::2].t()
gate = torch.empty(1, 3, device="npu", dtype=torch.float16)
y, larger = gate_ops.gated_pair(x, gate, 0.25, 7)
assert y.shape == larger.shape == (3, 3) and y.is_contiguous() and y.dtype == torch.float16
assert settled() == (0, 1), settled()
five = [torch.empty(2, device="npu")] * 5
gate_ops.long_names(*five, text="a b", flag=False)
assert settled() == (0, 2), settled()
print(fake.fake_log().decode())

before = fake.fake_log()
gate_ops.gated_pair(torch.empty(0, 3, device="npu", dtype=torch.float16), gate)
assert fake.fake_log() == before, "nothing to compute, and a kernel was asked for"

for what in (1, 4, 8, 9, 10, 12, 13):
    fake.fake_fail(what)
    print(what, error_of(lambda: gate_ops.gated_pair(x, gate)).splitlines()[0])
    assert settled() == (0, 2), (what, settled())
fake.fake_fail(3)
message = error_of(lambda: gate_ops.gated_pair(x, gate), torch.OutOfMemoryError)
print(message[:message.index("NPU out")])
assert settled() == (0, 2), settled()
fake.fake_fail(0)
print("missing:", error_of(lambda: gate_ops.one_way(five[0])).splitlines()[0])

def fails_before_another():
    gate_ops.gated_pair(x, gate)
    for _ in range(1000):
        gate_ops.long_names(*five)
        time.sleep(0.001)

fake.fake_fail(2)
message = error_of(fails_before_another)  # with a task queue, at a call of the other mostly
assert "aclnnGatedPair" in message and "aclnnLongNames failed" not in message, message
quiet = 0
for _ in range(1000):  # what was queued behind it begins and is given back a moment later; of one call torch_npu may
    quiet = quiet + 1 if fake.fake_live() in (0, 7) else 0  # keep what it holds: six tensors and an executor
    if quiet == 20:
        break
    time.sleep(0.01)
assert quiet == 20, fake.fake_live()
kept = fake.fake_live()
fake.fake_fail(0)
begun = settled()[1]

other = torch.empty(1, 3, device="npu:1", dtype=torch.float16)
print("devices:", error_of(lambda: gate_ops.gated_pair(x, other)).splitlines()[0])
assert gate_ops.gated_pair(other, other)[0].device.index == 1
assert torch.npu.current_device() == 0
torch.npu.synchronize(1)
print("end", fake.fake_live() - kept, fake.fake_executed() - begun)
"""

EXPECTED = """\
x [3,3] dtype 1 strides [2,6] offset 6 format 2 storage [24] somewhere
gate [1,3] dtype 1 strides [3,1] offset 0 format 2 storage [3] somewhere
alpha 0.250000 beta 7
y [3,3] dtype 1 strides [3,1] offset 0 format 2 storage [9] somewhere
larger [3,3] dtype 1 strides [3,1] offset 0 format 2 storage [9] somewhere
attribute 0.100000 text a b false

1 gate_ops.gated_pair: aclnnGatedPairGetWorkspaceSize failed with 161002 (an argument is not supported) on Ascend910B1 \
for float16[3, 3], float16[1, 3], float16[3, 3], float16[3, 3]: the fake was told to fail
4 gate_ops.gated_pair: aclnnGatedPairGetWorkspaceSize failed with 561003 (the installed operator package has no kernel \
for these dtypes on this chip; type `opforge build && opforge install` in the project) on Ascend910B1 for \
float16[3, 3], float16[1, 3], float16[3, 3], float16[3, 3]: the fake was told to fail
8 gate_ops.gated_pair: aclnnGatedPairGetWorkspaceSize failed with 161001 (a required argument is null) on Ascend910B1 \
for float16[3, 3], float16[1, 3], float16[3, 3], float16[3, 3]; CANN gave no further message
9 gate_ops.gated_pair: aclnnGatedPairGetWorkspaceSize failed with 561107 (a file of the operator package is missing; \
type `opforge install` in the project) on Ascend910B1 for float16[3, 3], float16[1, 3], float16[3, 3], float16[3, 3]: \
the fake was told to fail
10 aclCreateTensor failed for a tensor of shape [3, 3]
12 aclCreateTensor failed for a tensor of shape [3, 3]
13 aclCreateTensor failed for a tensor of shape [3, 3]
gate_ops.gated_pair: aclnnGatedPair needs 1125899906842624 bytes of workspace: \

missing: {opapi} has no aclnnOneWayGetWorkspaceSize. Build and install this package again.
devices: gated_pair: gate is on npu:1 and x is on npu:0; all arguments must be on one device
end 0 1
"""


PRODUCT_CODE = """
import ctypes, sys
import torch, torch_npu
sys.path.insert(0, {site!r})
import product_ops
from product_ops._opforge import _runtime

fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/product_ops/op_api/lib/libcust_opapi.so"))
fake.fake_log.restype = ctypes.c_char_p

def npu(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="npu")

y, z = product_ops.two_gates(npu(7, 2, 3).transpose(0, 1), npu(5, 7)[:3, ::2].narrow(1, 0, 4), npu(2, 7, 4), None, 1.5)
assert y.shape == z.shape == (2, 7, 4) and y.is_contiguous() and y.dtype == torch.float32
product_ops.two_gates(npu(0), npu(0, 4), npu(4), npu(4), 0.5)
torch.npu.synchronize()
assert (fake.fake_live(), fake.fake_executed()) == (0, 2)
print(fake.fake_log().decode())

before = fake.fake_log()
for rows, columns, terms in ((0, 4, 3), (2, 0, 3), (0, 0, 0)):
    made = product_ops.two_gates(npu(rows, terms), npu(terms, columns), npu(rows, columns), None, 1.5)
    assert made[0].shape == (rows, columns)
assert fake.fake_log() == before, "nothing to write, and a kernel was asked for"
"""

PRODUCT_EXPECTED = """\
x [2,7,3] dtype 0 strides [3,6,1] offset 0 format 2 storage [42] somewhere
w_first [3,4] dtype 0 strides [7,2] offset 0 format 2 storage [35] somewhere
rest [2,7,4] dtype 0 strides [28,4,1] offset 0 format 2 storage [56] somewhere
no shift
scale 1.500000
y [2,7,4] dtype 0 strides [28,4,1] offset 0 format 2 storage [56] somewhere
z [2,7,4] dtype 0 strides [28,4,1] offset 0 format 2 storage [56] somewhere
x [0] dtype 0 strides [1] offset 0 format 2 storage [0] nowhere
w_first [0,4] dtype 0 strides [4,1] offset 0 format 2 storage [0] nowhere
rest [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere
shift [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere
scale 0.500000
y [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere
z [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere

"""


KINDS_CODE = """
import ctypes, sys
import torch, torch_npu
sys.path.insert(0, {site!r})
import kinds_ops as kinds
from kinds_ops._opforge import _runtime

fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/kinds_ops/op_api/lib/libcust_opapi.so"))
fake.fake_log.restype = ctypes.c_char_p

def npu(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="npu")

def settled():
    torch.npu.synchronize()
    return fake.fake_live(), fake.fake_executed()

assert kinds.concat([npu(2, 3), npu(1, 3).expand(2, 3)], npu(3)).shape == (2, 9)
y, n = kinds.lists(npu(4), [npu(4)], [3, -1], [0.25], 5, (), [7], [False, True], "text")
assert y.shape == (4,) and n.shape == (2, 2, 3) and n.dtype == torch.int32
kinds.lists(npu(4, dtype=torch.float16), None, [], None)
kinds.scaled(npu(4), 2, [1, True], None)
kinds.scaled(npu(4, dtype=torch.float16), 1.5, [], 0.5)
assert settled() == (0, 5), settled()
x = npu(6, 2)[:, 0]
version = x._version
r, s = kinds.add_into(x, x.view_as(x))
assert r is x and x._version > version
base = npu(5)
kinds.add_into(base[:4], base[1:])
print(fake.fake_log().decode())

for what in range(10, 15):  # each thing in turn that is made for a call cannot be made
    fake.fake_fail(what)
    try:
        kinds.concat([npu(3), npu(3)], npu(3))
        print(what, "works")
    except RuntimeError as error:
        print(what, str(error).splitlines()[0])
    assert settled()[0] == 0, (what, settled())
fake.fake_fail(0)
try:
    kinds.both(x, x)
except ValueError as error:
    print(str(error).splitlines()[0])
try:
    kinds.counted(npu(4, dtype=torch.int32), -(2**31) - 1)
except ValueError as error:
    print(str(error).splitlines()[0])
freed = npu(3)
freed.untyped_storage().resize_(4)
raw = torch.ops.kinds_ops
for call, kind in (
    (lambda: raw.scaled(npu(4, dtype=torch.float16), 1e30, [], None), ValueError),
    (lambda: raw.lists(npu(4), None, [], None, 4, [], [], [], "a\\0b"), ValueError),
    (lambda: raw.lists(npu(4), None, [1], None, -4), ValueError),
    (lambda: raw.concat([npu(3), freed], npu(3)), RuntimeError),
    (lambda: raw.apart(npu(3), npu(4, 2), npu(5), [npu(3)]), ValueError),
    (lambda: raw.apart(npu(3), npu(2), npu(5, 2), [npu(3)]), ValueError),
):
    try:
        call()
        print("no error")
    except kind as error:
        print(str(error).splitlines()[0])
y, u = raw.apart(npu(2, 3), npu(5, 4, 2), npu(5, 4), [npu(7), npu(1, 6)])
assert (y.shape, u.shape) == ((2, 3), (5, 4, 3))
assert settled()[0] == 0
"""

KINDS_EXPECTED = """\
xs 2 tensors
  [2,3] dtype 0 strides [3,1] offset 0 format 2 storage [6] somewhere
  [2,3] dtype 0 strides [0,1] offset 0 format 2 storage [3] somewhere
y [3] dtype 0 strides [1] offset 0 format 2 storage [3] somewhere
z [2,9] dtype 0 strides [9,1] offset 0 format 2 storage [18] somewhere
more 1 tensors axes {3,-1} w {0.250000} k 5 f {} i {7} b {0,1} s text
y [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere
n [2,2,3] dtype 3 strides [6,3,1] offset 0 format 2 storage [12] somewhere
more none axes {} w none k 4 f {0.500000} i {} b {1,0} s a
y [4] dtype 1 strides [1] offset 0 format 2 storage [4] somewhere
n [0,2,3] dtype 3 strides [6,3,1] offset 0 format 2 storage [0] nowhere
alpha 0x40000000 of dtype 0 betas 2 scalars c none
  0x3f800000 of dtype 0
  0x3f800000 of dtype 0
alpha 0x3e00 of dtype 1 betas 0 scalars c 0x3800 of dtype 1
xRef [6] dtype 0 strides [1] offset 0 format 2 storage [6] somewhere
y [6] dtype 0 strides [2] offset 0 format 2 storage [12] somewhere
s [6] dtype 0 strides [1] offset 0 format 2 storage [6] somewhere
xRef [4] dtype 0 strides [1] offset 0 format 2 storage [5] somewhere
y [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere
s [4] dtype 0 strides [1] offset 0 format 2 storage [4] somewhere

10 aclCreateTensor failed for a tensor of shape [3]
11 aclCreateTensor failed for a tensor of shape [3]
12 aclCreateTensorList failed
13 aclCreateTensor failed for a tensor of shape [3]
14 aclCreateTensor failed for a tensor of shape [9]
both: x and y are written in place, and share memory
counted: step must fit int32, which it is computed in, but it is -2147483649
scaled: alpha is 1e+30, which its dtype float16 does not hold
lists: s has a NUL character at 1, where it would end for aclnn
lists: n would have the shape [1, -2, 3]
concat: xs[1] needs 12 bytes of its storage, which has 4: was it freed?
apart: ...w is [4] in w of shape [4, 2] and [5] in v of shape [5]
apart: ...w is [] in w of shape [2] and [5, 2] in v of shape [5, 2]
"""


FOUND = """\
edition: 1
project: {name: found, package: found_ops, vendor: found_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  Found:
    inputs:
      x: {shape: [N], dtype: [float32]}
      limit: {dtype: [int32], scalar: true}
    outputs:
      y: {shape: [N], opdef: {OutputShapeDependOnCompute: ""}}
    reference: golden:found
"""

FOUND_CODE = """
import ctypes, sys
import torch, torch_npu
sys.path.insert(0, {site!r})
import found_ops
from found_ops._opforge import _runtime

fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/found_ops/op_api/lib/libcust_opapi.so"))
fake.fake_log.restype = ctypes.c_char_p
x = torch.empty(5, device="npu")
print(list(found_ops.found(x, 3).shape), fake.fake_log().decode())
raw = torch.ops.found_ops.found
for call in (
    lambda: raw(x, 2.5),
    lambda: raw(x, 2**31),
    lambda: found_ops.found(x.cpu(), 2.5),
    lambda: found_ops.found(x.cpu(), 2**31),
):
    try:
        print("no error", call())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
for what in (5, 6, 7, 2):
    fake.fake_fail(what)
    try:
        print("no error", found_ops.found(x, 3))
    except RuntimeError as error:
        print(what, str(error).splitlines()[0])
    fake.fake_fail(0)
"""

FOUND_EXPECTED = """\
[2] limit 0x3 of dtype 3
y [5] dtype 0 strides [1] offset 0 format 2 storage [5] somewhere

TypeError found: limit must be a whole number, as its dtype int32 is, but it is 2.5
ValueError found: limit is 2147483648, which its dtype int32 does not hold
TypeError found: limit must be a whole number, as its dtype int32 is, but it is 2.5
ValueError found: limit is 2147483648, which its dtype int32 does not hold
5 found_ops.found: the kernel gives y the shape [9], and opforge.yaml says at most [5]
6 found_ops.found: the kernel gives y the shape [2, 1], and opforge.yaml says at most [5]
7 found_ops.found: aclnnFound failed: aclGetViewShape failed with 161001
2 found_ops.found: aclnnFound failed: 507035: the fake was told to fail
"""


LOOKUPS_CODE = """
import ctypes, sys
import torch, torch_npu
sys.path.insert(0, {site!r})
import gate_ops
from gate_ops._opforge import _runtime

adapter = ctypes.CDLL(str(_runtime.FOLDER / "lib/torch-2.13/libadapter.so"))
fake = ctypes.CDLL(str(_runtime.FOLDER / "opp/vendors/gate_ops/op_api/lib/libcust_opapi.so"))
x = torch.empty(4, 3, device="npu")
counts = [adapter.counted_lookups()]
for calls in (1, 1, 100):
    for _ in range(calls):
        gate_ops.gated_pair(x, x)
    counts.append(adapter.counted_lookups())
gate_ops.long_names(x, x, x, x, x)
counts.append(adapter.counted_lookups())
torch.npu.synchronize()
assert fake.fake_executed() == 103
print(*counts)
"""


def with_fakes(text: str, project: Path, place: Path, toolkit_root: Path, library: Path | None = None) -> Path:
    """The package with a compiled adapter and glue, and an operator package that notes its arguments."""
    spec = spec_of(text)
    folder = site(project, spec, place, library or adapter(project), toolkit_sources=read_sources(toolkit_root))
    package = folder / spec.project.package
    torch, torch_npu = SITE_PACKAGES / "torch", SITE_PACKAGES / "torch_npu"
    includes = (torch / "include", torch_npu / "include", torch_npu / "include" / "third_party" / "acl" / "inc")
    glue = compiled(
        [project / "csrc" / "opforge" / "npu_glue.cpp"],
        *(f"-isystem{path}" for path in includes),
        *(f"-L{torch_npu / 'lib'}", "-ltorch_npu", f"-L{torch / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10"),
        "-Wl,--allow-shlib-undefined",
    )
    shutil.copy(glue, package / LIBRARIES / "libnpu_glue.so")
    tree = operator_package(folder, spec.project.package)
    (tree / "op_api" / "lib").mkdir(parents=True)
    shutil.copy(compiled([Path(__file__).with_name("fake_opapi.cpp")]), tree / "op_api" / "lib" / "libcust_opapi.so")
    (tree / "opforge.json").write_text(json.dumps({"schema": 1, "content_hash": "0"}), encoding="utf-8")
    return folder


def operator_package(folder: Path, package: str) -> Path:
    return folder / package / "opp" / "vendors" / package


@pytest.fixture(scope="session")
def fake_site(gate_project: Path, toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_fakes(GATE_OPS, gate_project, tmp_path_factory.mktemp("fake"), toolkit_root)


@pytest.mark.slow
def test_what_reaches_aclnn_of_products(
    product_project: Path, toolkit_root: Path, tmp_path: Path, npu_run: Callable[..., object]
) -> None:
    folder = with_fakes(PRODUCT_OPS, product_project, tmp_path, toolkit_root)
    tree = operator_package(folder, "product_ops")
    done = npu_run(PRODUCT_CODE.format(site=str(folder)), ASCEND_CUSTOM_OPP_PATH=str(tree))
    assert done.stdout == PRODUCT_EXPECTED


@pytest.mark.slow
def test_what_reaches_aclnn_of_every_kind(
    kinds_project: Path, toolkit_root: Path, tmp_path: Path, npu_run: Callable[..., object]
) -> None:
    folder = with_fakes(KINDS, kinds_project, tmp_path, toolkit_root)
    tree = operator_package(folder, "kinds_ops")
    done = npu_run(KINDS_CODE.format(site=str(folder)), ASCEND_CUSTOM_OPP_PATH=str(tree))
    assert done.stdout == KINDS_EXPECTED


@pytest.mark.slow
def test_a_shape_that_the_kernel_says(
    toolkit_root: Path, tmp_path: Path, npu_run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    project = write(render(spec_of(FOUND)), tmp_path / "project")
    golden = project / "python" / "found_ops" / "golden.py"
    golden.write_text("def found(x, limit):\n    return x[x > limit]\n", encoding="utf-8")
    folder = with_fakes(FOUND, project, tmp_path / "site", toolkit_root)
    tree = operator_package(folder, "found_ops")
    done = npu_run(FOUND_CODE.format(site=str(folder)), ASCEND_CUSTOM_OPP_PATH=str(tree))
    assert done.stdout == FOUND_EXPECTED


@pytest.mark.parametrize("queue", ["0", *(pytest.param(each, marks=pytest.mark.slow) for each in "12")])
def test_what_reaches_aclnn(queue: str, fake_site: Path, npu_run: Callable[..., object]) -> None:
    tree = operator_package(fake_site, "gate_ops")
    done = npu_run(
        CODE.format(site=str(fake_site)),
        ASCEND_CUSTOM_OPP_PATH=str(tree),
        TASK_QUEUE_ENABLE=queue,
        OPFORGE_SIM_DEVICES="2",
    )
    assert done.stdout == EXPECTED.format(opapi=tree / "op_api" / "lib" / "libcust_opapi.so")


@pytest.mark.slow
def test_symbols_are_looked_for_once(
    gate_project: Path, toolkit_root: Path, tmp_path: Path, npu_run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    counting = Path(__file__).with_name("counted_lookups.cpp")
    library = adapter(gate_project, counting, flags=["-Wl,--wrap=dlopen,--wrap=dlsym"])
    folder = with_fakes(GATE_OPS, gate_project, tmp_path, toolkit_root, library)
    tree = str(operator_package(folder, "gate_ops"))
    code = LOOKUPS_CODE.format(site=str(folder))
    alone = npu_run(code, ASCEND_CUSTOM_OPP_PATH=tree).stdout
    before, first, second, hundred_more, other = map(int, alone.split())
    assert before == 0
    assert first > 2
    assert first == second == hundred_more
    assert other == first + 2  # its two phases
    further = [tmp_path / name for name in ("one", "two")]
    for entry in further:
        (entry / "op_api" / "lib").mkdir(parents=True)
    assert npu_run(code, ASCEND_CUSTOM_OPP_PATH=":".join([*map(str, further), tree])).stdout == alone
