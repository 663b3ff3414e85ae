# Copies of this checkout, each with a folder and an output base of its own, for scripts that build artifacts in several of them. Such
# a script stands in the repository's root, lists labels in `targets`, and sources this file.
#
# Only exports are at stake: the program that exports is built first, with the caches that user.bazelrc names or with the folder
# MODELPORT_DISK_CACHE as a disk cache. Without either, each clone compiles it. After that a build uses the caches of its flags alone.

scratch=$(mktemp -d)
at_exit=()  # commands that run before the folder goes

cleanup() {
  local command base
  for command in "${at_exit[@]}"; do $command || true; done
  for base in "$scratch"/*.base; do stop "$(basename "$base" .base)" || true; done
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
}
trap cleanup EXIT

# in_clone CLONE ARGUMENT...: runs Bazel there. The output is in CLONE.out.
in_clone() {
  local clone=$1
  shift
  (cd "$scratch/$clone" && ./bazelw --output_base="$scratch/$clone.base" "$@") >"$scratch/$clone.out" 2>&1
}

# Ends the clone's Bazel server, which holds its memory for hours otherwise.
stop() { in_clone "$1" shutdown; }

# must CLONE COMMAND...: runs a command; if it fails, prints what Bazel said in the clone and ends the script.
must() {
  local clone=$1
  shift
  "$@" && return
  cat "$scratch/$clone.out"
  echo "FAILED: $*"
  exit 1
}

# copy_clone CLONE: makes a clone in which nothing is built.
copy_clone() {
  mkdir "$scratch/$1"
  tar -c --exclude-vcs --exclude='./bazel-*' . | tar -x -C "$scratch/$1"
}

# new_clone CLONE: makes a clone in which nothing is left to compile.
new_clone() {
  copy_clone "$1"
  must "$1" in_clone "$1" build ${MODELPORT_DISK_CACHE:+"--disk_cache=$MODELPORT_DISK_CACHE"} //tools/export:export_action
}

# build CLONE FLAG...: builds the targets.
build() {
  local clone=$1
  shift
  in_clone "$clone" build --disk_cache= --remote_cache= --build_event_json_file="$scratch/$clone.events" "$@" "${targets[@]}"
}

# Deletes the artifacts of a clone, so that its next build exports or fetches them.
forget() { find -L "$scratch/$1/bazel-bin/models" -name '*.pt' -delete; }

# Prints what the build event log says of a clone's last build, such as "4 processes: 3 remote cache hit, 1 internal."
processes() {
  local contents
  contents=$(sed -nE 's/.*"name":"process stats","contents":"([^"]*)".*/\1/p' "$scratch/$1.events")
  base64 -d <<<"$contents"
}

# Prints how many actions of a clone's last build ran, that is, were neither taken from a cache nor done inside Bazel.
actions_run() { processes "$1" | grep -oE '[0-9]+ [a-z -]+' | awk '!/process|internal|cache hit/ { n += $1 } END { print n + 0 }'; }

# Prints how many actions of a clone's last build came from a cache.
actions_fetched() { processes "$1" | grep -oE '[0-9]+ remote cache hit' | grep -oE '[0-9]+' || echo 0; }

# Prints how many artifacts a clone has.
artifacts() { find -L "$scratch/$1/bazel-bin/models" -name '*.pt' | wc -l; }

# Prints the hashes of a clone's artifacts and manifests.
hashes() { (cd "$scratch/$1/bazel-bin/models" && find . -name '*.pt' -o -name '*.manifest.json' | sort | xargs sha256sum); }

# expect WHAT WANTED FOUND: ends the script unless the two are equal.
expect() {
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s: wants\n%s\nhas\n%s\n' "$1" "$2" "$3"
  exit 1
}
