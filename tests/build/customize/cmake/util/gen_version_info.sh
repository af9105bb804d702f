#!/bin/bash
echo "custom_opp_compiler_version=$(grep -w Version "$1/compiler/version.info" | cut -d= -f2)" > "$2/version.info"
