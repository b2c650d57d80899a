#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
#
# Installs what was built into a temporary place, moves it, and builds and runs a program outside of the house
# against it: by pkg-config and by CMake's find_package. ctest sets TACTUS_BUILD and TACTUS_SOURCE.

set -euo pipefail

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
outside=$TACTUS_SOURCE/tests/install

cmake --install "$TACTUS_BUILD" --prefix "$place/first" >"$place/log" || { cat "$place/log"; exit 1; }
mv "$place/first" "$place/moved"
prefix=$place/moved
library_folder=$(dirname "$(find "$prefix" -name 'libtactus.*' | head -n 1)")
export LD_LIBRARY_PATH=$library_folder

echo "== the command"
"$prefix/bin/tactus" --version

echo "== what the command brings along"
test "$("$prefix/bin/tactus" demo --folder)" = "$(realpath "$prefix/share/tactus/examples")"
(cd "$place" && "$prefix/bin/tactus" demo chain --headless --time 0.05 | tee "$place/output")
grep -q "moved/share/tactus/examples/springs/chain.tac" "$place/output"
grep -q "^.SH COMMANDS" "$prefix/share/man/man1/tactus.1"
bash -n "$prefix/share/bash-completion/completions/tactus"
grep -q "^#compdef tactus" "$prefix/share/zsh/site-functions/_tactus"

echo "== pkg-config"
export PKG_CONFIG_PATH=$library_folder/pkgconfig
version=$(pkg-config --modversion tactus)
# shellcheck disable=SC2046 # flags are words
cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$outside/outside.c" -o "$place/by_pkg_config" \
    $(pkg-config --cflags --libs tactus)
"$place/by_pkg_config" | tee "$place/output"
grep -q "tactus $version, from outside" "$place/output"

echo "== find_package"
cmake -S "$outside" -B "$place/build" -DCMAKE_PREFIX_PATH="$prefix" >"$place/log" || { cat "$place/log"; exit 1; }
cmake --build "$place/build" >"$place/log" || { cat "$place/log"; exit 1; }
"$place/build/outside"

echo "== nothing names the place it was installed to or built in"
if grep -rl -e "$place/first" -e "$TACTUS_BUILD" "$library_folder/cmake" "$library_folder/pkgconfig"; then
    exit 1
fi
