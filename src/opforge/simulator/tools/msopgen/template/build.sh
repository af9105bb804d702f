#!/bin/bash
# Builds the run package from nothing: configures build_out afresh and makes the package there.
set -e
cd "$$(dirname "$$0")"
if [ -z "$$ASCEND_HOME_PATH" ]; then
    echo "ASCEND_HOME_PATH is not set: source set_env.sh of the toolkit first" >&2
    exit 1
fi
rm -rf build_out
cmake --preset=default -DCMAKE_PREFIX_PATH="$$ASCEND_HOME_PATH/lib64/cmake"
cmake --build build_out --target binary package -j"$$(nproc)"
