#!/bin/sh
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
#
# Installs the Debian packages that are missing: ./setup.sh [build] [test] [page] [fuzz] [peers]
#
# Prints what it installs. Does nothing, and needs neither network nor rights, when all is there. Uses sudo only
# when packages are missing and it does not run as root.

set -eu

# The one list of packages: who needs it, its name, why.
packages() {
    cat <<'LIST'
build  gcc              the compiler
build  libc6-dev        headers of the C library
build  cmake            describes the build
build  ninja-build      runs it
build  pkg-config       finds the libraries below
build  libxml2-dev      reads scenes, with line numbers for messages
build  zlib1g-dev       compresses recordings, reads compressed meshes
build  libcairo2-dev    draws plots and pictures
build  libsndfile1-dev  writes sounds
build  libsuitesparse-dev  orders sparse matrices for direct solves (AMD)
build  libwebsockets-dev  serves the live view
build  nodejs           bundles the page of the live view
build  npm              fetches what that page is made of
test   libcmocka-dev    unit tests
test   python3          tests of the command and of the house rules
test   python3-numpy    the Python package works on its arrays
test   clang-format     checks the format of the sources
page   chromium         tests of the live view's page
fuzz   clang            compiles for libFuzzer
fuzz   libclang-rt-dev  libFuzzer and the sanitizers of clang
peers  g++              compiles the programs of other libraries
peers  libccd-dev       convex shapes, for bench gjk
peers  libfcl-dev       convex shapes, for bench gjk
peers  libeigen3-dev    what FCL's headers are written with
peers  libode-dev       rigid bodies, for bench spheres
peers  libbullet-dev    rigid bodies, for bench spheres
peers  libmujoco-dev    rigid bodies, for bench spheres
peers  lammps           molecules, for bench lj
LIST
}

groups=${*:-build}
wanted=
for group in $groups; do
    case $group in
    build | test | page | fuzz | peers) ;;
    *)
        echo "setup: '$group' is not a group: use build, test, page, fuzz or peers" >&2
        exit 2
        ;;
    esac
    wanted="$wanted $(packages | awk -v group="$group" '$1 == group { print $2 }')"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    # shellcheck disable=SC2086 # a list of names
    echo "setup: this is not a Debian system; what is needed is, by its Debian names:" $wanted >&2
    exit 0
fi

# Node.js often comes from elsewhere, and then brings an npm that Debian's would be in the way of.
installed() {
    case $1 in
    nodejs) if command -v node >/dev/null; then return 0; fi ;;
    npm) if command -v npm >/dev/null; then return 0; fi ;;
    esac
    [ "$(dpkg-query -W -f='${db:Status-Status} ' "$1" 2>/dev/null | cut -d' ' -f1)" = installed ]
}

missing=
for package in $wanted; do
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "setup: missing, and to be installed:"
for package in $missing; do
    packages | awk -v package="$package" '$2 == package { $1 = $2 = ""; printf "  %-16s %s\n", package, substr($0, 3) }'
done

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: not root, and there is no sudo. As root, run: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@"
}

apt update || echo "setup: the lists of packages could not be renewed; trying with the old ones" >&2
# shellcheck disable=SC2086 # a list of names
apt install --no-install-recommends $missing
