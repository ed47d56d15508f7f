# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A package manager of our own for one run: what a script takes out of the distribution's packages needs no root and
# changes nothing of the machine's. Scripts source this; they have a function `say` and a folder $work.
# shellcheck shell=bash disable=SC2154

# The machine's sources as TYPE (deb or deb-src), with separate lists. $apt then holds the options.
private_apt() {
  local type=$1 root=$work/apt-$1 file list parts
  apt=(-qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$root/sources" -o Dir::State::Lists="$root/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="$(id -un)")
  [[ ! -d $root ]] || return 0
  mkdir -p "$root/sources" "$root/lists/partial"
  eval "$(apt-config shell list Dir::Etc::SourceList/f parts Dir::Etc::SourceParts/d)"
  for file in "$list" "$parts"*.list; do
    [[ -f $file ]] && sed -nE "s/^[[:space:]]*deb([[:space:]])/$type\1/p" "$file" >"$root/sources/${file##*/}"
  done
  for file in "$parts"*.sources; do
    [[ -f $file ]] && sed -E "s/^Types:.*/Types: $type/I" "$file" >"$root/sources/${file##*/}"
  done
  # An unrelated repository that does not answer must not stop us: the packages that we need may have come.
  apt-get "${apt[@]}" update >&2 || say "not every package source answered"
}

# fetch_source PACKAGE: puts the tarball of the package's upstream source into the folder that we are in.
fetch_source() {
  private_apt deb-src
  apt-get "${apt[@]}" source --download-only --tar-only "$1" >&2
}

# unpack_parts TARBALL DIR PART...: unpacks these parts of what a .tar.xz holds.
unpack_parts() {
  local tarball=$1 dir=$2
  shift 2
  # A pattern that ends at a directory's name takes the directory whole; * must not cross a slash here, or every
  # subproject's directory of that name would come along.
  tar -x -I 'xz -T0' -f "$tarball" -C "$dir" --strip-components=1 --wildcards --no-wildcards-match-slash "${@/#/*/}"
}
