# How .ci/run and .ci/full run their steps. Sourced from the root of the checkout, with the arrays steps (their order),
# commands and limit_minutes (both by step), beside (by step, those that begin with it and run beside it and its
# successors) and simulated: the steps that run on virtual time, from a copy of the programs, with what all others
# leave of the processors. Steps beside must not measure time.

# run_steps [STEP]...: runs these steps one after the other; without arguments all steps, some of them beside the others
# once the first one has built everything. Prints the time of each and ends with 'N passed, N failed'; returns 1 when
# one failed.
run_steps() {
    local wanted=("$@") step started=$SECONDS
    report=() passed=0 failed=0 failures=()
    declare -gA lanes=() # by the step with which they began, the process
    logs=$(mktemp -d)
    for step in "${wanted[@]}"; do
        if [ -z "${commands[$step]:-}" ]; then
            echo "unknown step '$step'; there are: ${!commands[*]}" >&2
            rmdir "$logs"
            return 2
        fi
    done
    trap 'end_lanes; rm -rf "$logs"' EXIT
    trap 'exit 130' INT TERM
    if [ ${#wanted[@]} -gt 0 ]; then
        for step in "${wanted[@]}"; do run_step "$step"; done
    else
        rm -rf target/ci && mkdir -p target/ci
        for step in "${steps[@]}"; do
            [[ " ${beside[*]} " != *" $step "* ]] || continue
            [ -z "${beside[$step]:-}" ] || begin_lane "$step"
            run_step "$step"
        done
        for step in "${steps[@]}"; do
            [ -z "${lanes[$step]:-}" ] || join_lane "$step"
        done
    fi
    echo "=== all steps, $((SECONDS - started)) s"
    printf '%s\n' "${report[@]}"
    tell_failures
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

run_step() {
    local started=$SECONDS before code=0
    echo "=== $1: ${commands[$1]}"
    count_processor_seconds && before=$processor_seconds
    # Not in a pipe, whose processor time would be another shell's. What the step prints is seen as it comes.
    run_command "$1" > >(exec tee "$logs/$1.log") 2>&1 || code=$?
    count_processor_seconds
    note_result "$1" $((SECONDS - started)) "$code" $((processor_seconds - before))
}

# Sets processor_seconds to the processor time of the processes that this shell has waited for. The work of daemons,
# such as Docker, is not in it.
count_processor_seconds() {
    local file
    file=$(mktemp)
    times > "$file" # in a pipe, another shell would report its own times
    processor_seconds=$(awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' "$file")
    rm -f "$file"
}

run_command() {
    # shellcheck disable=SC2086 # a command is words
    timeout --kill-after=60 "$((limit_minutes[$1] * 60))" ${commands[$1]}
}

# note_result STEP SECONDS CODE PROCESSOR_SECONDS
note_result() {
    local result="FAILED (exit code $3)"
    [ "$3" -ne 124 ] || result="FAILED (longer than ${limit_minutes[$1]} minutes)"
    if [ "$3" -eq 0 ]; then
        passed=$((passed + 1))
        result=passed
    else
        failed=$((failed + 1))
        failures+=("$1")
    fi
    report+=("$(printf '%-24s %5d s  %5s s of processors  %s' "$1" "$2" "$4" "$result")")
}

# Repeats at the end, where a reader looks first, what each step that failed said of it: the lines of Maven's errors and
# of checks that failed, or else the last that it printed. The whole output of a run has more than 10,000 lines.
tell_failures() {
    local step said
    [ ${#failures[@]} -gt 0 ] || return 0
    for step in "${failures[@]}"; do
        echo "=== what $step said of its failure"
        said=$(grep -aE '^\[ERROR\]|FAIL|Tests run:.*(Failures|Errors): [1-9]|violation' "$logs/$step.log" |
            grep -avE ' 0 (violations|failed)|Help 1|re-run Maven|^\[ERROR\] *$')
        # Steps on Kubernetes begin their lines with how they ended; what was seen stands below.
        said+=$'\n'$(grep -aE -A 5 '^(failed|not run) +[0-9]' "$logs/$step.log" | grep -avE '^--$|^(passed|prepared) ')
        said=$(cut -c1-300 <<< "$said" | awk 'NF && !seen[$0]++')
        [ -n "$said" ] || said=$(tail -n 20 "$logs/$step.log" | cut -c1-300)
        head -n 15 <<< "$said"
        [ "$(wc -l <<< "$said")" -le 15 ] || tail -n 15 <<< "$said"
    done
}

# begin_lane STEP: begins the steps that run beside this one, one after the other, in a session of their own. Their
# output goes to target/ci.
begin_lane() {
    export -f run_lane run_command count_processor_seconds give_way
    # Not a child of this shell: its processor time would be that of the step that runs when it ends.
    lanes[$1]=$(
        LANE_STEPS=${beside[$1]} LANE_ARRAYS=$(declare -p commands limit_minutes simulated) LANE_LOGS=$PWD/target/ci \
            setsid bash -c run_lane > /dev/null 2>&1 &
        echo $!
    )
}

run_lane() {
    eval "${LANE_ARRAYS//declare -/declare -g -}"
    local step started before code
    for step in $LANE_STEPS; do
        started=$SECONDS code=0
        count_processor_seconds && before=$processor_seconds
        (give_way "$step" && run_command "$step") > "$LANE_LOGS/$step.log" 2>&1 || code=$?
        count_processor_seconds
        echo "$((SECONDS - started)) $code $((processor_seconds - before))" > "$LANE_LOGS/$step.result"
    done
}

# give_way STEP: lets others go first. Simulated clusters run from a copy of the programs, because other steps may build
# them anew.
give_way() {
    local nice=5
    if [[ " ${simulated[*]} " == *" $1 "* ]]; then
        nice=19
        local copy=target/ci/checkout
        rm -rf "$copy" && mkdir -p "$copy/cli/target" "$copy/tools/target"
        ./granary --version && cp -a granary build .ci "$copy" && cp -a cli/target/dist "$copy/cli/target" &&
            cp -a tools/target/dist "$copy/tools/target" && cd "$copy" || return
        export GRANARY_BUILD=never
        chrt --idle -p 0 "$BASHPID" 2> /dev/null || true
    fi
    # Where the kernel groups sessions, the nice value of a process alone says nothing.
    { echo "$nice" > /proc/self/autogroup; } 2> /dev/null || true
    renice -n "$nice" "$BASHPID" > /dev/null
}

# join_lane STEP: waits for the steps beside this one, prints their output, and notes their results.
join_lane() {
    local step seconds code used
    echo "=== waiting for the steps beside: ${beside[$1]}"
    tail --pid="${lanes[$1]}" -f /dev/null # 'wait' is for children
    unset "lanes[$1]"
    for step in ${beside[$1]}; do
        echo "=== $step, beside: ${commands[$step]}"
        tee "$logs/$step.log" < "target/ci/$step.log" || true
        # A lane that was killed has left no result.
        read -r seconds code used 2> /dev/null < "target/ci/$step.result" || { seconds=0 && code=125 && used=0; }
        note_result "$step" "$seconds" "$code" "$used"
    done
}

# Ends the lanes, so that nothing is left behind when the run ends early.
end_lanes() {
    local lane
    for lane in "${lanes[@]}"; do pkill -s "$lane" || true; done
}
