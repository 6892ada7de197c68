# app/run, tests/run and .ci/run source this file: it installs packages, configures and builds.
# All messages go to stderr, so that stdout belongs to the program started afterwards.

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
build="$root/build"
packages=(
  cmake
  doctest-dev
  fonts-inter
  g++
  libbenchmark-dev
  libcairo2-dev
  libcli11-dev
  libfmt-dev
  libxxhash-dev
  libyaml-cpp-dev
  ninja-build
  nlohmann-json3-dev
  pkg-config
  zlib1g-dev
)

say() { printf 'tilewright: %s\n' "$*" >&2; }

# die MESSAGE: ends the script with 4, the program's exit code for an environment error.
die() {
  say "$*"
  exit 4
}

# as_root COMMAND...: runs it as root or through sudo; fails where neither is possible.
as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif [[ -t 0 ]] && command -v sudo > /dev/null; then
    sudo "$@"
  else
    sudo -n "$@" 2> /dev/null
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "$@" < /dev/null >&2
}

# install_missing PACKAGE...: installs the missing packages, or ends the script with the command to
# run by hand.
install_missing() {
  local by_hand="sudo apt-get update && sudo apt-get install -y $*"
  command -v apt-get > /dev/null || die "needs Debian or Ubuntu; on another system install the equivalents of these packages: $*"
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2> /dev/null) == *' installed' ]] ||
      missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  by_hand="sudo apt-get update && sudo apt-get install -y ${missing[*]}"
  as_root true || die "cannot become root; run this command once: $by_hand"
  say "installing ${missing[*]}"
  # A fresh container has no package lists yet; elsewhere the existing ones suffice.
  apt_install "${missing[@]}" 2> /dev/null && return
  as_root apt-get update -q < /dev/null >&2 ||
    die "apt-get update failed: check the network, then run: $by_hand"
  apt_install "${missing[@]}" || die "apt-get failed (see above): remove the cause, then run: $by_hand"
}

# Without a CUDA Toolkit the build omits lib/gpu; a later installation triggers a new configuration.
cuda_state() {
  if command -v nvcc > /dev/null || [[ -x /usr/local/cuda/bin/nvcc ]]; then
    echo 'with CUDA'
  else
    echo 'without CUDA'
  fi
}

# The stamp is written after packages and cmake; it holds cuda_state as found then.
stamp="$build/set-up"
is_configured() {
  [[ -f $build/build.ninja && $stamp -nt $root/app/setup.sh && $(< "$stamp") == $(cuda_state) ]]
}

configure() {
  mkdir -p "$build" 2> /dev/null && [[ -w $build ]] ||
    die "cannot write $build: use a writable copy of the sources"
  install_missing "${packages[@]}"
  say "configuring $build $(cuda_state)"
  local options=()
  # A new build is quickest with united sources; an existing configuration keeps its options.
  [[ -f $build/CMakeCache.txt ]] || options+=(-DTILEWRIGHT_UNITY=ON)
  # cmake caches "not found", which is wrong once a toolkit has been installed.
  cmake -S "$root" -B "$build" -G Ninja -U 'CUDAToolkit_*' "${options[@]}" >&2 ||
    die 'cmake failed (see above)'
  cuda_state > "$stamp"
}

# set_up TARGET...: brings the targets up to date, or ends the script.
set_up() {
  if is_configured && [[ $(ninja -C "$build" -n "$@" 2> /dev/null) == *'no work to do'* ]]; then
    return
  fi
  is_configured || configure
  exec 9> "$build/lock"
  flock 9
  ninja -C "$build" -j "$(nproc)" "$@" >&2 || {
    rm -f "$stamp"
    die 'the build failed (see above)'
  }
  exec 9>&-
}
