# How .ci/run and .ci/full run their steps. Sourced from the root of the checkout, with the arrays steps (their order),
# commands and limit_minutes (both by step).

# run_steps [STEP]...: these steps, or all. Prints the time of each and ends with 'N passed, N failed';
# returns 1 when one failed.
run_steps() {
    local wanted=("$@") report=() passed=0 failed=0 step started code result
    [ ${#wanted[@]} -gt 0 ] || wanted=("${steps[@]}")
    for step in "${wanted[@]}"; do
        if [ -z "${commands[$step]:-}" ]; then
            echo "unknown step '$step'; there are: ${!commands[*]}" >&2
            return 2
        fi
    done
    for step in "${wanted[@]}"; do
        echo "=== $step: ${commands[$step]}"
        started=$SECONDS
        # shellcheck disable=SC2086 # a command is words
        if timeout --kill-after=60 "$((limit_minutes[$step] * 60))" ${commands[$step]}; then
            passed=$((passed + 1))
            result=passed
        else
            code=$?
            failed=$((failed + 1))
            result="FAILED (exit code $code)"
            [ "$code" -ne 124 ] || result="FAILED (longer than ${limit_minutes[$step]} minutes)"
        fi
        report+=("$(printf '%-24s %5d s  %s' "$step" $((SECONDS - started)) "$result")")
    done
    echo "=== all steps"
    printf '%s\n' "${report[@]}"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
