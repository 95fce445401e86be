# Shell functions of scripts that compare with a real Redis. Sourced with $root set to the checkout.

redis_packages="redis-server redis-tools libatomic1 libjemalloc2 liblua5.1-0 liblzf1 lua-cjson lua-bitop"
redis_cache=${XDG_CACHE_HOME:-$HOME/.cache}/granary-redis

# Unpacks Debian's redis-server into the cache, with a script that starts it with its libraries.
unpack_redis() {
    [ -x "$redis_cache/redis-server" ] && return
    rm -rf "$redis_cache/packages" && mkdir -p "$redis_cache/packages" && cd "$redis_cache/packages" || exit 1
    # shellcheck disable=SC2086 # one word for each package
    apt-get download -qq $redis_packages || { apt-get update -qq && apt-get download -qq $redis_packages; } || {
        echo "$0: apt-get finds no redis-server; set REDIS_SERVER to the executable of a Redis 7.0" >&2
        exit 1
    }
    for package in *.deb; do
        dpkg -x "$package" "$redis_cache/root" || exit 1
    done
    {
        echo "#!/bin/sh"
        echo "LD_LIBRARY_PATH=\$(echo '$redis_cache/root/usr/lib/'*-linux-gnu)" \
            "exec '$redis_cache/root/usr/bin/redis-server' \"\$@\""
    } >"$redis_cache/redis-server"
    chmod +x "$redis_cache/redis-server"
}

# Sets REDIS_SERVER to the executable of a Redis 7.0 if nothing else has.
find_redis() {
    if [ -z "${REDIS_SERVER:-}" ]; then
        (unpack_redis) || exit 1
        REDIS_SERVER=$redis_cache/redis-server
    fi
    case $("$REDIS_SERVER" --version) in
        *"v=7.0."*) ;;
        *)
            echo "$0: $REDIS_SERVER is no Redis 7.0: $("$REDIS_SERVER" --version)" >&2
            exit 1
            ;;
    esac
}
