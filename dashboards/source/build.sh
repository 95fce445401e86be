# Read in by dashboards/generate and dashboards/render: builds the program, finds and starts a Prometheus.
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$source_folder/target/dashboards
tools=${GRANARY_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/granary-e2e}/bin

find_go() {
    command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
    command -v go >/dev/null || {
        echo "no Go found: install Go 1.24 or newer (on PATH or under /usr/local/go)" >&2
        exit 1
    }
}

# -mod=readonly: the versions in go.mod and the sums in go.sum are fixed, and the build does not change them.
build_dashboards() {
    find_go
    mkdir -p "$source_folder/target"
    (cd "$source_folder" && go build -mod=readonly -trimpath -o "$program" .)
}

# The tests draw pictures with a real Prometheus.
test_dashboards() {
    (cd "$source_folder" && go vet -mod=readonly ./... && PATH=$PATH:$tools go test -mod=readonly ./...)
}

# start_prometheus DATA: serves a copy of the data at $address until this script ends.
start_prometheus() {
    local found port i
    found=$(PATH=$PATH:$tools command -v prometheus) || {
        echo "error: prometheus is neither on PATH nor in $tools; e2e/kubernetes/cluster/build prometheus makes it" >&2
        exit 1
    }
    copy=$(mktemp -d)
    trap 'kill "${server:-}" 2>/dev/null || true; wait; rm -rf "$copy"' EXIT
    cp -r "$1" "$copy/data"
    rm -f "$copy/data/lock"
    : >"$copy/prometheus.yaml"
    for i in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 10000))
        address=http://127.0.0.1:$port
        "$found" --config.file="$copy/prometheus.yaml" --storage.tsdb.path="$copy/data" \
            --storage.tsdb.retention.time=10y --web.listen-address="127.0.0.1:$port" >"$copy/log" 2>&1 &
        server=$!
        while kill -0 "$server" 2>/dev/null; do
            if curl -sf "$address/-/ready" >/dev/null; then
                return
            fi
            sleep 0.2
        done
    done
    cat "$copy/log" >&2
    exit 1
}
