#!/bin/bash
# Builds the run package in build_out/, which is emptied first: CANN's CMake functions pack what an older build has left.
set -e
cd "$(dirname "$0")"
if [ -z "$ASCEND_HOME_PATH" ]; then
    echo "ASCEND_HOME_PATH is not set: source set_env.sh of CANN first" >&2
    exit 1
fi
{% for folder in include %}
export CPATH="$PWD/{{ folder }}${CPATH:+:$CPATH}"
{% endfor %}
rm -rf build_out
cmake --preset=default
cmake --build build_out --target binary -j"$(nproc)"
cmake --build build_out -j"$(nproc)"
cmake --build build_out --target package
