#!/usr/bin/env bash
# The shortest way through opforge, said aloud: `make demo` runs it with .venv activated.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$here/.demo
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
plain() { printf '\n%s\n' "$*"; }
[ -t 1 ] || say() { plain "$@"; }
show() {
    printf '  $ %s\n' "$*"
    "$@"
}

rm -rf "$folder"
mkdir "$folder"
cd "$folder"

say "1. One command makes a complete operator project: VectorAdd, z = x + y."
show opforge new VectorAdd --inputs x,y
cd vector_add

say "2. Build it: the run package that CANN installs, and a wheel for Python."
echo "   Where there is no CANN, the very first build makes the simulated Ascend toolkit as well: about a minute."
show opforge build
show ls dist

say "3. Install both into .venv. opforge loads the package and calls the op before it says so."
show opforge install

say "4. Run the tests that came with the project: every dtype, odd sizes, views, gradients, wrong input."
show opforge test

say "5. Call it from PyTorch on device='npu', and compare with the golden reference."
cat > "$folder/call.py" <<'PY'
import torch
import torch_npu
import vector_add

print("device        ", torch.npu.get_device_name(0))
torch.manual_seed(0)
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.randn(1_000_003, dtype=dtype)
    y = torch.randn(1_000_003, dtype=dtype)
    z = vector_add.vector_add(x.npu(), y.npu())
    assert z.device.type == "npu", z.device
    golden = vector_add.vector_add(x, y)
    worst = (z.cpu().float() - golden.float()).abs().max().item()
    print(f"{dtype!s:14}  z[:3] = {z[:3].cpu().tolist()}  largest difference from the golden: {worst}")
    assert torch.equal(z.cpu(), golden), "the kernel and the golden disagree"
print("the same on npu and in the golden, in every dtype")
PY
show opforge run -- python "$folder/call.py"

say "6. Take it away again: nothing of it stays in .venv."
cd "$folder/vector_add"
show opforge uninstall

say "Done. The project stays in .demo/vector_add; its README.md says what is where. To go on:"
echo "  source .venv/bin/activate && cd .demo/vector_add"
echo "  opforge inspect plan"
echo "  opforge install && opforge run -- python ../call.py"
