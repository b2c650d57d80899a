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
library_folder=$(dirname "$(find "$prefix" -name 'libtactus.*' -not -path '*/python/*' | head -n 1)")
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

echo "== Python"
python_folder=$(find "$prefix" -type d -path '*/tactus/python')
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        # from elsewhere, so that it is not the package of the sources that is found
        (cd "$place" && env -u TACTUS_LIBRARY PYTHONPATH="$python_folder" "$python" -B -c "
import tactus
assert tactus.__file__.startswith('$python_folder'), tactus.__file__
assert tactus.__version__ == '$version'
world = tactus.parse('<tactus version=\"1\"><Points positions=\"0 0 0\"/><UniformMass/></tactus>').world()
world.advance(1)
print('tactus', tactus.__version__, 'in Python')")
        break
    fi
done

echo "== nothing names the place it was installed to or built in"
if grep -rl -e "$place/first" -e "$TACTUS_BUILD" "$library_folder/cmake" "$library_folder/pkgconfig"; then
    exit 1
fi
