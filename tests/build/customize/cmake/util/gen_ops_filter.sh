#!/bin/bash
echo '{' > "$2/npu_supported_ops.json"
cat "$1"/*.ini | sed -n 's/^\[\(.*\)\]/  "\1": {"isGray": false},/p' | sort -u | sed '$s/,$//' >> "$2/npu_supported_ops.json"
echo '}' >> "$2/npu_supported_ops.json"
