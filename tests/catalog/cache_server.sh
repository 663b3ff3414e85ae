# A cache of tools/cache for scripts that have sourced clones.sh: its address is $address, its folder $cache, and the flags $remote use it.

cache=$scratch/cache
address=127.0.0.1:$((20000 + RANDOM % 10000))
remote=(--config=remote --remote_cache="http://$address")

answers() { (exec 3<>"/dev/tcp/${address/://}") 2>/dev/null; }

# start_cache: starts it, with the entries of before.
start_cache() {
  chmod 711 "$scratch"  # nginx gives up root's rights
  tools/cache/serve "$cache" "$address" >>"$scratch/cache.out" 2>&1 &
  server=$!
  at_exit=(stop_cache)
  until answers; do
    kill -0 $server 2>/dev/null || { cat "$scratch/cache.out"; exit 1; }
    sleep 0.1
  done
}

stop_cache() {
  kill -CONT $(cache_processes)
  kill $server
  wait $server || true
  at_exit=()
}

# Prints the numbers of its processes: the one that reads the configuration and those that answer.
cache_processes() { echo $server; ps -o pid= --ppid $server; }

# configure_cache EXPRESSION: edits its configuration with sed and starts it anew.
configure_cache() {
  stop_cache
  sed -i "$1" "$cache/nginx.conf"
  start_cache
}
