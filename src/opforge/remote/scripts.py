"""The shell scripts that run on the other machine. They need sh, tar, flock, setsid and sha256sum."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

_ALIVE = '[ -f job/pid ] && [ ! -f job/status ] && kill -0 "-$(cat job/pid)" 2>/dev/null'

_START = """
umask 077
mkdir -p "$dir" && cd "$dir" || {{ echo folder; exit 0; }}
for tool in tar flock setsid sha256sum; do
  command -v "$tool" >/dev/null || {{ echo "tool $tool"; exit 0; }}
done
[ -d "$py" ] && py=$py/bin/python
version=$("$py" -m opforge --version 2>&1) || {{ echo "missing $version"; exit 0; }}
[ "$version" = "$want" ] || {{ echo "version $version"; exit 0; }}
exec 9>lock; flock 9
if {alive}; then
  [ "$(cat job/key)" = "$key" ] && echo attached || echo busy
  exit 0
fi
rm -rf incoming && mkdir -p incoming project && tar -xzf - -C incoming || {{ echo unpack; exit 0; }}
[ -f files ] && (cd project && xargs -0 rm -f -- < ../files)
cp -a incoming/project/. project/ && mv incoming/files files && rm -rf incoming job && mkdir job &&
  printf %s "$key" > job/key || {{ echo unpack; exit 0; }}
: > job/log; : > job/out
export py
setsid sh -c "$job" sh "$@" </dev/null >/dev/null 2>&1 9>&- &
echo $! > job/pid
echo started
"""

_JOB = """
cd project; "$py" -m opforge "$@" >../job/out 2>../job/log; code=$?; cd ..
if [ "$code" = 0 ]; then
  (cd project && find dist -type f) > job/names 2>/dev/null
  tar -cf job/parcel -C job out -C ../project -T job/names
else
  tar -cf job/parcel -C job out
fi || code=74
sha256sum < job/parcel | cut -c1-64 > job/digest
echo "$code" > job/status.new && mv job/status.new job/status
"""

_FOLLOW = """
cd "$dir" || exit 1
i=0
while {alive} && [ "$(wc -c < job/log)" -le {seen} ] && [ $i -lt 60 ]; do sleep 0.3; i=$((i + 1)); done
if {alive}; then echo running; elif [ -f job/status ]; then echo "ended $(cat job/status) $(cat job/digest)"
else echo lost; fi
pwd
tail -c +{next} job/log
"""


def _script(folder: str, body: str, variables: dict[str, str], arguments: Sequence[str] = ()) -> str:
    directory = f'"$HOME"/{shlex.quote(folder)}' if not folder.startswith("/") else shlex.quote(folder)
    lines = [f"dir={directory}", *(f"{name}={shlex.quote(value)}" for name, value in variables.items()), body]
    return shlex.join(["sh", "-c", "\n".join(lines), "sh", *arguments])


def start_script(folder: str, python: str, version: str, key: str, arguments: Sequence[str]) -> str:
    """Reads the project's parcel from stdin and starts the job, or says why it does not."""
    variables = {"py": python, "want": version, "key": key, "job": _JOB}
    return _script(folder, _START.format(alive=_ALIVE), variables, arguments)


def follow_script(folder: str, seen: int) -> str:
    """Waits until the log is longer than ``seen`` bytes or the job ends; prints state, folder and new bytes."""
    return _script(folder, _FOLLOW.format(alive=_ALIVE, seen=seen, next=seen + 1), {})


def parcel_script(folder: str) -> str:
    """Prints the parcel of the job that ended."""
    return _script(folder, 'cat "$dir/job/parcel"', {})


def stop_script(folder: str, key: str) -> str:
    """Ends the job with all its processes, if it is the one with this key; waits for a start that goes on."""
    body = 'cd "$dir" && exec 9>lock && flock 9 && [ "$(cat job/key)" = "$key" ] && kill -TERM "-$(cat job/pid)"'
    return _script(folder, body, {"key": key})
