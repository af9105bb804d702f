#!/usr/bin/env bash
# The shortest way through opforge, step by step: `make demo` runs it with .venv activated.
set -euo pipefail

# Warnings of PyTorch's own libraries: its deprecated functions, and a note of torch_npu's memory allocator.
export PYTHONWARNINGS=ignore::DeprecationWarning TORCH_CPP_LOG_LEVEL=ERROR

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

say "1. Create a complete operator project with one command: SwiGLU, y = silu(x @ w_gate) * (x @ w_up)."
show opforge new SwiGLU --inputs x,w_gate,w_up --features modules,fuse,aclnn
cd swiglu

say "2. Build it, forward and backward, in three dtypes. The results are a run package for CANN and a wheel for Python."
echo "   Without CANN, the first build on a machine also builds the simulated Ascend toolkit: about a minute."
show opforge build
show ls dist

say "3. Install both into .venv. opforge then loads the package and calls each kernel to check that it works."
show opforge install

say "4. Run the tests that opforge generated: every dtype, odd sizes, views, gradients, wrong input."
show opforge test

say "5. Train LLaMA MLP blocks on device='npu' in three ways: nn.Linear; the same model after swiglu.fuse(model);
   and the module swiglu.SwiGLU with autocast and torch.compile. The losses fall and agree."
show opforge run -- python "$here/examples/swiglu/llama_mlp/llama_mlp.py"

say "6. Measure the operator: compare it with PyTorch's own operators on the same inputs, and check its precision."
echo "   In the tables, 'custom' is the new operator and 'native' is PyTorch's own. Times are simulated, bytes are not."
show opforge bench --quick
show opforge verify --quick --dtype float32

say "7. Uninstall it: nothing of it stays in .venv."
show opforge uninstall

say "Done. The project is in .demo/swiglu; its README.md explains the files. Next, try:"
echo "  source .venv/bin/activate && cd .demo/swiglu"
echo "  opforge inspect plan"
echo "  opforge install && opforge run -- python -i -c 'import torch, torch_npu, swiglu'"
