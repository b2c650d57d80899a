#!/bin/sh
# SPDX-FileCopyrightText: The Tactus authors
# SPDX-License-Identifier: MIT
#
# Checks exports with the real programs: `make real` runs it.
#   real_programs.sh install FOLDER                        installs Blender and ParaView where they are missing
#   real_programs.sh check FOLDER TACTUS [RECORDING...]    exports recordings into FOLDER, opens and compares them
#
# Without recordings it makes two: the first example, and one with everything that is unusual (see sample.py). What the
# programs show is compared with what real_programs/recording.py reads from the recording, which knows the format from
# its document alone. A program that is missing is named and skipped. The exit status is 1 when a check fails, 2 when
# neither Blender nor ParaView could check anything, 3 for wrong usage.
#
# Installing never removes a package. python3-paraview cannot be installed beside python3-vtk9: where that is, ParaView's
# modules are unpacked into FOLDER instead.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/real_programs
export PYTHONDONTWRITEBYTECODE=1

usage() {
    echo "usage: real_programs.sh install FOLDER | real_programs.sh check FOLDER TACTUS [RECORDING...]" >&2
    exit 3
}

# --- installing ----------------------------------------------------------------------------------------------------

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status} ' "$1" 2>/dev/null | cut -d' ' -f1)" = installed ]
}

apt() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@"
}

unpack_modules() {
    [ -x "$folder/paraview/usr/bin/pvpython" ] && return 0
    echo "real: python3-vtk9 is installed, which python3-paraview would remove: unpacking that into $folder/paraview"
    rm -rf "$folder/download" "$folder/paraview.new"
    mkdir -p "$folder/download" || return 1
    (cd "$folder/download" && apt-get -q download python3-paraview) || return 1
    dpkg -x "$folder"/download/python3-paraview_*.deb "$folder/paraview.new" || return 1
    rm -rf "$folder/download" "$folder/paraview"
    mv "$folder/paraview.new" "$folder/paraview"
}

install() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "real: this is not a Debian system; install Blender 3.4 or newer and ParaView 5.11 or newer yourself" >&2
        return 0
    fi
    wanted="blender paraview"
    installed python3-vtk9 || wanted="$wanted python3-paraview"
    missing=
    for package in $wanted; do
        installed "$package" || missing="$missing $package"
    done
    if [ -n "$missing" ]; then
        echo "real: missing, and to be installed (about 1.5 GB with what they need):$missing"
        apt update || echo "real: the lists of packages could not be renewed; trying with the old ones" >&2
        # shellcheck disable=SC2086 # a list of names
        apt install --no-install-recommends --no-remove $missing || return 1
    fi
    case $wanted in
    *python3-paraview*) ;;
    *) unpack_modules ;;
    esac
}

# --- checking ------------------------------------------------------------------------------------------------------

failed=0 checked=0

report() { # what, status
    if [ "$2" -eq 0 ]; then echo "ok      $1"; else echo "FAILED  $1"; failed=1; fi
}

# Runs a check, shows what it found, and all it said where it failed.
run_check() { # name, command...
    name=$1
    shift
    "$@" >"$folder/log" 2>&1
    status=$?
    if [ "$status" -eq 0 ]; then grep '^  ' "$folder/log"; else cat "$folder/log"; fi
    report "$name" "$status"
}

check_recording() { # recording
    stem=$folder/exports/$(basename "$1" .tacrec)
    echo "$1"
    "$tactus" export -q "$1" -o "$stem.obj" -o "$stem.pvd" -o "$stem.usda" -o "$stem.csv" -o "$stem-frames/" || {
        report "export of $1" 1
        return
    }
    run_check "CSV and OBJ frames of $1" python3 "$scripts/files_check.py" "$1" "$stem.csv" "$stem-frames"
    if command -v blender >/dev/null; then
        checked=$((checked + 1))
        run_check "Blender, OBJ and PC2 of $1" blender -b --factory-startup --python-exit-code 1 \
            --python "$scripts/blender_check.py" -- "$1" "$stem.obj" "$stem-frames"
    fi
    if [ -n "$pvpython" ]; then
        checked=$((checked + 1))
        run_check "ParaView, PVD and VTU of $1" env PARAVIEW_PYTHON="$modules" QT_QPA_PLATFORM=offscreen \
            "$pvpython" "$scripts/paraview_check.py" "$1" "$stem.pvd"
    fi
    if command -v usdcat >/dev/null; then
        run_check "USD, USDA of $1" usdcat --loadOnly "$stem.usda"
    fi
}

check() {
    rm -rf "$folder/exports"
    mkdir -p "$folder/exports"
    if [ $# -eq 0 ]; then
        set -- "$folder/jelly.tacrec" "$folder/sample.tacrec"
        "$tactus" run -q "$here/../examples/first/jelly.tac" --time 2 --fps 30 -o "$1" || exit 1
        python3 "$scripts/sample.py" "$2" || exit 1
    fi
    pvpython=$(command -v pvpython) modules=
    if [ -z "$pvpython" ] && [ -x "$folder/paraview/usr/bin/pvpython" ]; then
        pvpython=$folder/paraview/usr/bin/pvpython
        modules=$folder/paraview/usr/lib/python3/dist-packages
    fi
    command -v blender >/dev/null || echo "missing blender: OBJ and PC2 are not opened"
    [ -n "$pvpython" ] || echo "missing pvpython: PVD and VTU are not opened"
    command -v usdcat >/dev/null || echo "missing usdcat: USDA is not opened (its grammar is checked by record_export_test)"
    for recording in "$@"; do check_recording "$recording"; done
    [ "$failed" -eq 0 ] || exit 1
    [ "$checked" -gt 0 ] || exit 2
}

[ $# -ge 2 ] || usage
what=$1
mkdir -p "$2" || exit 1
folder=$(cd "$2" && pwd)
shift 2
case $what in
install) [ $# -eq 0 ] || usage; install ;;
check) [ $# -ge 1 ] || usage; tactus=$1; shift; check "$@" ;;
*) usage ;;
esac
