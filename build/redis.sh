# Shell functions: a real Redis 7.0 of the distribution, the test suite in its source package, Tcl, which runs that
# suite, and other stores to compare with. What is missing is downloaded by apt-get into the user's cache and unpacked
# there; nothing is installed. Sourced; each find_ function ends the script with a message when it finds nothing.

redis_cache=${XDG_CACHE_HOME:-$HOME/.cache}/granary-redis
# The source of 7.0.15 as its authors published it: a package of the distribution adds patches beside it.
redis_source=redis_7.0.15.orig.tar.gz
redis_source_sha256=4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982

redis_fail() {
    echo "error: $*" >&2
    exit 1
}

# unpack_packages PACKAGE...: unpacks Debian packages into the cache. Others may do the same at the same time.
unpack_packages() {
    mkdir -p "$redis_cache" && unpacking=$(mktemp -d "$redis_cache/unpacking.XXXXXX") || exit 1
    (
        cd "$unpacking" || exit 1
        apt-get download -qq "$@" || { apt-get update -qq && apt-get download -qq "$@"; } || exit 1
        for package in *.deb; do
            dpkg -x "$package" "$redis_cache/root" || exit 1
        done
    )
    unpacked=$?
    rm -rf "$unpacking"
    return $unpacked
}

# write_starter NAME PROGRAM [VARIABLE=VALUE]...: a script in the cache that starts an unpacked program with its
# libraries.
write_starter() {
    name=$1 program=$2
    shift 2
    {
        echo "#!/bin/sh"
        for variable in "$@"; do
            echo "export $variable"
        done
        echo "export LD_LIBRARY_PATH=\$(echo '$redis_cache/root/usr/lib/'*-linux-gnu)"
        echo "exec '$redis_cache/root/$program' \"\$@\""
    } >"$redis_cache/$name.$$"
    chmod +x "$redis_cache/$name.$$" && mv "$redis_cache/$name.$$" "$redis_cache/$name"
}

# Unpacks redis-server, redis-cli and redis-benchmark into the cache.
unpack_redis() {
    [ ! -x "$redis_cache/redis-server" ] || [ ! -x "$redis_cache/redis-cli" ] ||
        [ ! -x "$redis_cache/redis-benchmark" ] || return 0
    unpack_packages redis-server redis-tools libatomic1 libjemalloc2 liblua5.1-0 liblzf1 lua-cjson lua-bitop || return 1
    write_starter redis-cli usr/bin/redis-cli
    write_starter redis-benchmark usr/bin/redis-benchmark
    write_starter redis-server usr/bin/redis-server
}

# Sets REDIS_SERVER, unless it is set, to a redis-server 7.0.
find_redis_server() {
    if [ -z "${REDIS_SERVER:-}" ]; then
        unpack_redis || redis_fail "apt-get finds no redis-server; set REDIS_SERVER to the executable of a Redis 7.0"
        REDIS_SERVER=$redis_cache/redis-server
    fi
    case $("$REDIS_SERVER" --version) in
        *"v=7.0."*) ;;
        *) redis_fail "$REDIS_SERVER is no Redis 7.0: $("$REDIS_SERVER" --version)" ;;
    esac
}

# Sets REDIS_CLI, unless it is set, to a redis-cli.
find_redis_cli() {
    [ -z "${REDIS_CLI:-}" ] || return 0
    unpack_redis || redis_fail "apt-get finds no redis-cli; set REDIS_CLI to the executable of a Redis 7.0"
    REDIS_CLI=$redis_cache/redis-cli
}

# apt_apart DIRECTORY EXPRESSION ARGUMENT...: runs apt-get with the sources of packages that this machine knows, changed
# by an expression of sed, with all files of its own in the directory. The machine's configuration stays as it is.
apt_apart() {
    directory=$1 expression=$2
    shift 2
    mkdir -p "$directory/sources" "$directory/lists/partial" "$directory/archives/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed -e "$expression" "$file" >"$directory/sources/$(basename "$file")"
    done
    apt-get -qq -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$directory/sources" \
        -o Dir::State::Lists="$directory/lists" -o Dir::Cache="$directory" -o APT::Sandbox::User=root "$@"
}

# apt_sources DIRECTORY ARGUMENT...: runs apt-get for source packages.
apt_sources() {
    directory=$1
    shift
    apt_apart "$directory" 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$@"
}

# apt_backports DIRECTORY ARGUMENT...: runs apt-get with the backports of the distribution beside its release.
apt_backports() {
    directory=$1
    shift
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")
    apt_apart "$directory" "s/^\\(Suites:.*\\)\\b$codename\\( .*\\)\\{0,1\\}\$/\\1$codename $codename-backports\\2/" "$@"
}

# Unpacks valkey-server into the cache: that of the release, or of its backports.
unpack_valkey() {
    [ ! -x "$redis_cache/valkey-server" ] || return 0
    mkdir -p "$redis_cache" && fetching=$(mktemp -d "$redis_cache/fetching.XXXXXX") || return 1
    (
        cd "$fetching" || exit 1
        apt_backports "$fetching" update
        # libssl3 and the like are on every machine that has apt-get.
        apt_backports "$fetching" download valkey-server valkey-tools libatomic1 libjemalloc2 liblzf1 || exit 1
        for package in *.deb; do
            dpkg -x "$package" "$redis_cache/root" || exit 1
        done
    )
    fetched=$?
    rm -rf "$fetching"
    [ $fetched -ne 0 ] || write_starter valkey-server usr/bin/valkey-server
    return $fetched
}

# Unpacks memcached into the cache.
unpack_memcached() {
    [ ! -x "$redis_cache/memcached" ] || return 0
    unpack_packages memcached libevent-2.1-7 libsasl2-2 || return 1
    write_starter memcached usr/bin/memcached
}

# offer VARIABLE NAME UNPACK: sets the variable to an executable in the cache, unless it is set. Without one it stays
# unset.
offer() {
    eval "[ -z \"\${$1:-}\" ]" || return 0
    if ! "$3" >>"$redis_cache/download.log" 2>&1; then
        echo "granary: the distribution has no $2 that can be downloaded (the log is in $redis_cache/download.log)" >&2
        return 0
    fi
    eval "$1=\$redis_cache/$2 && export $1"
}

# Sets REDIS_SERVER, REDIS_BENCHMARK, VALKEY_SERVER and MEMCACHED_SERVER, unless they are set, to what there is.
offer_compared_stores() {
    mkdir -p "$redis_cache" || exit 1
    offer REDIS_SERVER redis-server unpack_redis
    offer REDIS_BENCHMARK redis-benchmark unpack_redis
    offer VALKEY_SERVER valkey-server unpack_valkey
    offer MEMCACHED_SERVER memcached unpack_memcached
}

# Sets REDIS_SUITE, unless it is set, to the unpacked source of Redis 7.0.15, with its test suite.
find_redis_suite() {
    [ -z "${REDIS_SUITE:-}" ] || return 0
    REDIS_SUITE=$redis_cache/redis-7.0.15
    [ ! -f "$REDIS_SUITE/tests/test_helper.tcl" ] || return 0
    mkdir -p "$redis_cache" && fetching=$(mktemp -d "$redis_cache/fetching.XXXXXX") || exit 1
    (
        cd "$fetching" || exit 1
        apt_sources "$fetching" update && apt_sources "$fetching" --download-only source redis || exit 1
        echo "$redis_source_sha256  $redis_source" | sha256sum --check --quiet || exit 1
        tar -xzf "$redis_source"
        [ -d "$REDIS_SUITE" ] || mv redis-7.0.15 "$REDIS_SUITE"
    )
    fetched=$?
    rm -rf "$fetching"
    [ $fetched -eq 0 ] ||
        redis_fail "apt-get finds no source of Redis 7.0.15; set REDIS_SUITE to the unpacked source of that version"
}

# Sets TCLSH, unless it is set, to a Tcl 8.6.
find_tclsh() {
    [ -z "${TCLSH:-}" ] || return 0
    TCLSH=$(command -v tclsh8.6 || command -v tclsh) && return 0
    TCLSH=$redis_cache/tclsh
    [ ! -x "$TCLSH" ] || return 0
    unpack_packages tcl8.6 libtcl8.6 || redis_fail "apt-get finds no Tcl; set TCLSH to a tclsh 8.6"
    write_starter tclsh usr/bin/tclsh8.6 "TCL_LIBRARY='$redis_cache/root/usr/share/tcltk/tcl8.6'"
}

# Sets REDIS_EXPORTER and REDIS_EXPORTER_DASHBOARD, unless they are set, to the exporter of metrics for Prometheus and
# to its dashboard for Grafana.
find_redis_exporter() {
    [ -z "${REDIS_EXPORTER:-}" ] || [ -z "${REDIS_EXPORTER_DASHBOARD:-}" ] || return 0
    exporter=$redis_cache/root/usr/bin/prometheus-redis-exporter
    [ -x "$exporter" ] || unpack_packages prometheus-redis-exporter ||
        redis_fail "apt-get finds no redis_exporter; set REDIS_EXPORTER and REDIS_EXPORTER_DASHBOARD"
    REDIS_EXPORTER=${REDIS_EXPORTER:-$exporter}
    documents=$redis_cache/root/usr/share/doc/prometheus-redis-exporter
    REDIS_EXPORTER_DASHBOARD=${REDIS_EXPORTER_DASHBOARD:-$documents/examples/grafana_prometheus_redis_dashboard.json}
}
