#!/usr/bin/env bash
# Installs what is missing of the Debian packages that building, testing and running mdgp need.
# Says nothing where nothing is missing, so every make target can afford to call it.
set -euo pipefail

# Debian package | what it is, with the least version that is known to work | what it is for
needed=(
  'g++                     | a C++20 compiler: GCC 12       | compiles everything'
  'cmake                   | CMake 3.25                     | configures the build'
  'ninja-build             | Ninja 1.11                     | runs the build'
  'ccache                  | ccache 4.7                     | makes rebuilding fast'
  'libeigen3-dev           | Eigen 3.4                      | matrices'
  'libopenblas-dev         | OpenBLAS 0.3.21                | BLAS and LAPACK'
  'libopenblas-pthread-dev | OpenBLAS built with pthreads   | the variant that mdgp is tested with'
  'liblbfgspp-dev          | LBFGS++ 0.1                    | L-BFGS'
  'librandom123-dev        | Random123 1.14                 | counter-based random numbers'
  'nlohmann-json3-dev      | nlohmann-json 3.11             | model files, reference cases'
  'libtomlplusplus-dev     | toml++ 3.3                     | configuration files'
  'zlib1g-dev              | zlib 1.2                       | gzipped tables'
  'libsvm-dev              | libsvm 3.24                    | yardstick of experiments'
  'libxgboost-dev          | XGBoost 1.7                    | random forest baseline'
  'libzip-dev              | libzip 1.7                     | .npz tables'
  'libfmt-dev              | fmt 9.1                        | messages'
  'libcli11-dev            | CLI11 2.1                      | command line'
  'libgtest-dev            | GoogleTest 1.12                | tests'
  'libbenchmark-dev        | Google Benchmark 1.7           | benchmarks'
  'clang                   | Clang 14                       | fuzzing the readers'
  'libclang-rt-14-dev      | its sanitizers and libFuzzer   | fuzzing the readers'
)

packages=()
for line in "${needed[@]}"; do
  packages+=("${line%% *}")
done

list_needed() {
  local package what reason
  for line in "${needed[@]}"; do
    IFS='|' read -r package what reason <<<"$line"
    printf '  %-26s %-32s %s\n' "${package// /}" "${what# }" "${reason# }" >&2
  done
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  {
    echo 'setup.sh: this system has no apt, so nothing was installed.'
    echo 'mdgp needs these (Debian package, least version, what for); install them, then use CMake:'
    echo
  } >&2
  list_needed
  printf '\n  cmake --preset release && cmake --build --preset release\n' >&2
  exit 1
fi

# One call for all of them; it fails where a package was never heard of, which is an answer too.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  case $'\n'"$installed"$'\n' in
    *$'\n'"installed $package"$'\n'*) ;;
    *) missing+=("$package") ;;
  esac
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=(env DEBIAN_FRONTEND=noninteractive)
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: these packages are missing and installing them needs root: ${missing[*]}" >&2
    echo "Run as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo "${as_root[@]}")
fi

echo "setup.sh: installing ${missing[*]}" >&2
apt_get=("${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300)
# A source that does not answer need not matter here: where it does, the installation says so.
"${apt_get[@]}" update || echo 'setup.sh: apt-get update failed; trying with the lists there are' >&2
if ! "${apt_get[@]}" install -y --no-install-recommends "${missing[@]}"; then
  {
    echo
    echo "setup.sh: apt-get could not install: ${missing[*]}"
    echo 'mdgp needs these, as in Debian 12 (package, least version, what for):'
  } >&2
  list_needed
  exit 1
fi
