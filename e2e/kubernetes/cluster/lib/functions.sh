# shellcheck shell=bash
# Small functions shared by the scripts of this folder. Source lib/settings.sh first.

say() { printf '%s %s\n' "$(date +%T)" "$*"; }

fail() {
    echo "error: $*" >&2
    exit 1
}

need_root() { [ "$(id -u)" = 0 ] || fail "${0##*/} makes namespaces and mounts: run it as root"; }

# start NAME COMMAND...: starts a process in a session of its own; its id goes to $RUN/NAME.pid, its output to $LOGS.
start() {
    local name=$1
    shift
    mkdir -p "$RUN" "$LOGS"
    setsid "$@" </dev/null >>"$LOGS/$name.log" 2>&1 &
    echo $! >"$RUN/$name.pid"
}

# is_ours PID: true when the process runs and its command line names our cache folder or this folder. So a process that
# has got the same id meanwhile is never killed.
is_ours() {
    local command
    command=$(tr '\0' ' ' <"/proc/$1/cmdline") 2>/dev/null || return 1
    case $command in *"$GRANARY_E2E_CACHE"* | *"$CLUSTER"*) return 0 ;; *) return 1 ;; esac
}

# cluster_is_up: true while the cluster's etcd runs.
cluster_is_up() { [ -f "$RUN/etcd.pid" ] && is_ours "$(cat "$RUN/etcd.pid")"; }

# stop NAME: ends what `start` has started; sends SIGKILL after three seconds.
stop() {
    local name=$1 pid tenths
    [ -f "$RUN/$name.pid" ] || return 0
    pid=$(cat "$RUN/$name.pid")
    if is_ours "$pid"; then
        kill "$pid" 2>/dev/null || true
        for ((tenths = 0; tenths < 30; tenths++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "$pid" 2>/dev/null || true
    fi
    rm -f "$RUN/$name.pid"
}

# wait_for WHAT SECONDS COMMAND...: repeats the command until it succeeds.
wait_for() {
    local what=$1 end=$((SECONDS + $2))
    shift 2
    while [ "$SECONDS" -lt "$end" ]; do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.2
    done
    echo "error: $what is not there after the time given; its log is in $LOGS" >&2
    return 1
}

# The names of the nodes that are powered on.
running_nodes() {
    local file
    for file in "$RUN"/*.init; do
        [ ! -f "$file" ] || basename "$file" .init
    done
}

# The cgroup folders of a node: one in each hierarchy (cgroup v1), or one (cgroup v2).
cgroup_roots() {
    if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
        echo /sys/fs/cgroup
    else
        find /sys/fs/cgroup -mindepth 1 -maxdepth 1 -type d
    fi
}
