"""A stand-in for ssh that runs the script here, in another HOME, and a project to send."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from opforge.release import __version__
from opforge.remote import job as remote_job

SPEC = Path(__file__).resolve().parents[2] / "examples" / "vector_add" / "opforge.yaml"

# $THERE/break lists the connections that break, $THERE/calls counts them, $THERE/refuse is the message of all. With
# $THERE/asks, it wants the password `secret`, on the terminal; $THERE/open is the connection that has it, $THERE/asked
# has the answers.
SSH = """#!/bin/sh
all=$*
while [ "$1" != -- ]; do shift; done
shift 2
case $all in *BatchMode=yes* | *ControlMaster=* | *"-O exit"*) ;; *) echo 'it would ask' >&2; exit 3 ;; esac
case $all in
*"-O exit"*) rm "$THERE/open"; exit 0 ;;
*ControlMaster=*)
  printf "me@npu's password: " > /dev/tty; read -r answer < /dev/tty; echo "$answer" >> "$THERE/asked"
  [ "$answer" = secret ] && : > "$THERE/open" && exit 0
  echo 'me@npu: Permission denied (password).' >&2; exit 255 ;;
*ControlPath=*) ;;
*) [ -f "$THERE/asks" ] && { echo 'me@npu: Permission denied (publickey,password).' >&2; exit 255; } ;;
esac
[ -f "$THERE/asks" ] && [ ! -f "$THERE/open" ] && { echo 'me@npu: Permission denied (password).' >&2; exit 255; }
echo x >> "$THERE/calls"; n=$(wc -l < "$THERE/calls")
[ -f "$THERE/refuse" ] && { cat "$THERE/refuse" >&2; exit 255; }
HOME=$THERE/home sh -c "$1" > "$THERE/answer.$n.$$"; code=$?
if grep -qx "$n" "$THERE/break" 2>/dev/null; then head -c 30 "$THERE/answer.$n.$$"; rm -f "$THERE/open"; exit 255; fi
cat "$THERE/answer.$n.$$"; exit $code
"""

# It answers as `python -m opforge` does; the project's file `slow` keeps it waiting, `fails` makes it fail, `fills`
# fills a disk.
PYTHON = """#!/bin/sh
[ "$3" = --version ] && { echo "opforge VERSION"; exit 0; }
echo ran >> "$THERE/runs"
echo "compiling in $PWD" >&2
i=0; while [ -f slow ] && [ ! -f "$THERE/go" ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
for word; do
  case $word in --junitxml=*) mkdir -p build/reports; echo "<testsuites/>" > "${word#*=}" ;; esac
done
mkdir -p build/logs; echo log > build/logs/build.log
[ -f fills ] && cat /dev/zero > fill
[ -f fails ] && { echo "1 failed"; echo "error: $PWD/op_host/a.cpp:3" >&2; exit 4; }
mkdir -p dist; find . -type f ! -path './dist/*' ! -path './build/*' | sort > dist/a.run; echo wheel > dist/a.whl
echo "$@"
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "there"
    (folder / "home").mkdir(parents=True)
    for name, text in (("ssh", SSH), ("python", PYTHON.replace("VERSION", __version__))):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("THERE", str(folder))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(remote_job, "_PAUSES", (0, 0))
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "mein Projekt ü"
    for name in ("op_host/a b.cpp", ".opforge/lock.json", "build/x.o", "dist/old.run", "ignored.log", ".gitignore"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("*.log\n")
    shutil.copy(SPEC, root)
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.chdir(root)
    return root
