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

say "1. One command makes a complete operator project: SwiGLU, y = silu(x @ w_gate) * (x @ w_up)."
show opforge new SwiGLU --inputs x,w_gate,w_up
cd swiglu

say "2. Build it, forward and backward, in three dtypes: the run package that CANN installs, and a wheel for Python."
echo "   Where there is no CANN, the very first build makes the simulated Ascend toolkit as well: half a minute to a minute."
show opforge build
show ls dist

say "3. Install both into .venv. opforge loads the package and calls the kernels before it says so."
show opforge install

say "4. Run the tests that came with the project: every dtype, odd sizes, views, gradients, wrong input."
show opforge test

say "5. Train LLaMA MLP blocks on device='npu': nn.Linear, the same model after swiglu.fuse(model), the module swiglu.SwiGLU under autocast
   and torch.compile. The losses fall, and are the same."
show opforge run -- python "$here/examples/swiglu/llama_mlp/llama_mlp.py"

say "6. Measure it: the operator against PyTorch's own on the same inputs, and its precision under three standards."
show opforge bench --quick
show opforge verify --quick --dtype float32

say "7. Take it away again: nothing of it stays in .venv."
show opforge uninstall

say "Done. The project stays in .demo/swiglu; its README.md says what is where. To go on:"
echo "  source .venv/bin/activate && cd .demo/swiglu"
echo "  opforge inspect plan"
echo "  opforge install && opforge run -- python -i -c 'import torch, torch_npu, swiglu'"
