# shellcheck shell=bash
# Sourced by the other scripts: what Heddle needs, how it is installed, built and tested.
#   install_missing <group...>              groups: build, test, lint, clang
#   build <directory> <target> <cmake arguments...>
#   run_tests <directory> <size> <ctest arguments...>

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Packages of Debian 12: group, package, why.
packages='
build  g++                  the C++17 compiler
build  cmake                configures the build
build  ninja-build          runs the build on all cores
build  pkg-config           finds SystemC
build  git                  names the revision in every result
build  libsystemc-dev       SystemC and TLM-2.0, the simulation kernel
build  libboost-log-dev     the log of the program
build  libyaml-cpp-dev      reads platforms, workloads and experiments
build  libcli11-dev         the command line
build  nlohmann-json3-dev   writes statistics
build  libfmt-dev           formats text
build  liblzma-dev          reads traces through xz
build  liblz4-dev           packs waveforms; takes PTX out of CUDA programs, compressed one way
build  libzstd-dev          and the other; keeps captured programs small
build  libxxhash-dev        tells their data apart
build  zlib1g-dev           reads traces of requests that gzip has packed
build  libsqlite3-dev       keeps the results of campaigns
build  python3              tabulates results
build  python3-matplotlib   plots results
test   libgtest-dev         the test framework
test   libgmock-dev         mocked neighbours in tests
test   libbenchmark-dev     the benchmarks
test   ccache               makes rebuilding quick
test   slurmctld            campaigns are submitted to it: the controller of Slurm,
test   slurmd               its nodes
test   slurm-client         and its commands
test   munge                the credentials that Slurm goes by
test   chromium             opens reports as a reader does
test   valgrind             counts the host instructions of a run
test   gtkwave              reads waveforms back
test   verilator            makes the libraries of RTL blocks
test   iverilog             reads the blocks of stimuli/rtl, too
lint   clang-format         checks the layout of the sources
lint   clang-tidy           the linter
lint   flake8               the linter of Python
clang  clang                the other compiler; makes the PTX of the kernels
'

# What is looked for where apt does not rule: programs, and modules of pkg-config.
declare -A programs=([build]='c++ cmake ninja pkg-config git python3' [test]='fst2vcd vcd2fst verilator iverilog' [lint]='clang-format clang-tidy' [clang]='clang++')
declare -A modules=([build]='systemc tlm yaml-cpp fmt liblzma liblz4 libzstd libxxhash zlib sqlite3' [test]='gtest gmock benchmark' [lint]='' [clang]='')

say() { printf '%s\n' "$*"; }
fail() { say "$*" >&2; exit 2; }
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "scripts/${0##*/}"; }  # the comment at the top of a script

# Runs a command; shows what it printed only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || { cat "$log"; say "failed ($status): $*"; } >&2
  rm -f "$log"
  return "$status"
}

wanted() {  # <group...>: package and why, a line each
  local group
  for group in "$@"; do sed -n "s/^$group  *//p" <<<"$packages"; done
}

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install_missing() {
  if ! command -v apt-get dpkg-query >/dev/null; then
    check_elsewhere "$@"
    return
  fi
  local missing=() package why
  while read -r package why; do
    is_installed "$package" && continue
    ((${#missing[@]})) || say "Missing packages:"
    printf '  %-20s %s\n' "$package" "$why"
    missing+=("$package")
  done < <(wanted "$@")
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || fail "To install them:
sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} packages ..."
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
  local install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
  # Lists that are absent or old name files the mirror does not have: fetch them and try again.
  if ! have_lists || ! "${install[@]}" >/dev/null 2>&1; then
    quietly "${apt[@]}" update
    quietly "${install[@]}"
  fi
}

have_lists() { [[ -n $(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null) ]]; }

check_elsewhere() {  # <group...>: here nothing is installed, only looked for
  local lacking=() group name package why
  for group in "$@"; do
    for name in ${programs[$group]}; do command -v "$name" >/dev/null || lacking+=("$name"); done
    for name in ${modules[$group]}; do pkg-config --exists "$name" 2>/dev/null || lacking+=("$name"); done
  done
  ((${#lacking[@]})) || return 0
  say "This machine has no apt-get, and it lacks: ${lacking[*]}" >&2
  say "Install what it calls these packages of Debian 12:" >&2
  wanted "$@" | while read -r package why; do printf '  %-20s %s\n' "$package" "$why" >&2; done
  exit 2
}

# A tree that was moved or copied with its build names files at the old place: it is configured from nothing.
forget_other_place() {  # <directory>
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null || true)
  [[ -z $home || $home == "$PWD" ]] && return
  say "$1 was configured in $home; it is configured anew."
  rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles" "$1/build.ninja" "$1/configured_as"
}

# Prints every tenth of the progress of ninja, whose other output goes to a log that is shown if it fails.
with_progress() {  # <directory> <target>
  local log status=0
  log=$(mktemp)
  NINJA_STATUS='[%p] ' ninja -C "$1" -j "$(nproc)" "$2" 2>&1 | tee "$log" |
    awk '/^\[ *[0-9]+%\]/ { split($0, part, /[][ %]+/); if (part[2] >= next_tenth) { print part[2] "% is built"; fflush()
         while (next_tenth <= part[2]) next_tenth += 10 } } BEGIN { next_tenth = 10 }' || status=$?
  ((status == 0)) || { grep -v '^\[ *[0-9]*%\]' "$log"; say "failed ($status): ninja -C $1 $2"; } >&2
  rm -f "$log"
  return "$status"
}

# Configures when nothing is there yet, or the arguments or the revision changed; CMake sees to its own files.
build() {
  local directory=$1 target=$2 key
  forget_other_place "$directory"
  key="${*:3} $(git describe --always --dirty --abbrev=12 2>/dev/null || true)"
  if [[ ! -f $directory/build.ninja || $(cat "$directory/configured_as" 2>/dev/null) != "$key" ]]; then
    say "Configuring $directory ..."
    quietly cmake -S . -B "$directory" -G Ninja "${@:3}"
    say "$key" >"$directory/configured_as"
  fi
  say "Building $directory ..."
  if [[ -t 1 ]]; then  # ninja then keeps its progress on one line
    ninja -C "$directory" -j "$(nproc)" "$target"
  else
    with_progress "$directory" "$target"
  fi
}

# The tests that look at the size, by the names of their files.
reduced_tests() {
  grep -rlE --include='*_test.cpp' '\b(full_size|cases)\(' tests | sed 's|.*/||; s|_test.cpp||' | sort | paste -sd ',' | sed 's/,/, /g'
}

# Prints a regular expression for ctest: of the tests whose names match, and of the suites with a case whose name matches.
tests_matching() {  # <directory> <regex>
  local suites
  suites=$(sed -n 's/^# //p' "$1"/tests/*_suites.cmake | grep -E -e "$2" | sed 's/[.].*//' | sort -u | paste -sd '|' || true)
  say "$2${suites:+|^($suites)\$}"
}

# Prints what the last run of ctest skipped: tests, and cases of suites that were not skipped as a whole.
skipped_tests() {  # <directory> <log of ctest>
  { sed -nE 's/^\t *[0-9]+ - (.*) \(Skipped\)$/\1/p' "$2"
    sed -nE 's/^\[  SKIPPED \] (.*) \([0-9]+ ms\)$/\1/p' "$1/Testing/Temporary/LastTest.log"; } |
    sort -u | awk -F. '!($1 in whole); NF == 1 { whole[$1] }' | paste -sd ',' | sed 's/,/, /g'
}

# Runs the tests at a size, short or full, and closes with what was skipped and the count of ctest, where a suite may be
# one test. Two tests share a core, because some of them only wait, for example for a node of Slurm.
run_tests() {
  local directory=$1 size=$2 log=$1/ctest.log status=0 skipped
  HEDDLE_TEST_SIZE=$size ctest --test-dir "$directory" -j "$((2 * $(nproc)))" --output-on-failure --no-tests=error "${@:3}" |
    tee "$log" | sed -u '/^The following tests did not run:/,/^$/d' || status=$?
  if [[ $size == short ]]; then
    say "at reduced size here, at full size in scripts/soak: $(reduced_tests)"
  fi
  skipped=$(skipped_tests "$directory" "$log")
  if [[ -n $skipped && $size == short ]]; then
    say "skipped here, run by scripts/soak: $skipped"
  elif [[ -n $skipped ]]; then
    say "skipped: $skipped"
  fi
  say "$(grep -c '^\[       OK \] ' "$directory/Testing/Temporary/LastTest.log" || true) cases of GoogleTest passed"
  grep -h '% tests passed' "$log" || true
  return "$status"
}
