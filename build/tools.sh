# Shell functions of the entry scripts: where the JDK and Maven are. Sourced with $root set to the checkout.

# Sets JAVA_HOME to a JDK of version 25 or newer, or says how to get one.
find_jdk() {
    for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* \
        /opt/java/* /opt/jdk* /Library/Java/JavaVirtualMachines/*/Contents/Home /usr/local/opt/openjdk*/; do
        if [ -n "$candidate" ] && [ -x "$candidate/bin/javac" ] && [ "$(java_version "$candidate")" -ge 25 ]; then
            JAVA_HOME=$candidate
            export JAVA_HOME
            return
        fi
    done
    on_path=$(command -v javac 2>/dev/null)
    if [ -n "$on_path" ]; then
        candidate=$(dirname "$(dirname "$(readlink -f "$on_path")")")
        if [ "$(java_version "$candidate")" -ge 25 ]; then
            JAVA_HOME=$candidate
            export JAVA_HOME
            return
        fi
    fi
    cat >&2 <<'EOF'
granary: no JDK 25 or newer was found in JAVA_HOME, on the PATH or in the usual folders.
Install one, for example:
  Debian, Ubuntu   apt-get install temurin-25-jdk (Adoptium's packages) or openjdk-25-jdk where there is one
  Fedora           dnf install java-25-openjdk-devel
  macOS            brew install openjdk@25
  anywhere         sdk install java 25-tem (SDKMAN)
or set JAVA_HOME to one that is unpacked somewhere else.
EOF
    exit 1
}

# The feature version of a JDK from its release file, 0 when it has none.
java_version() {
    version=0
    # Without a process of its own for each JDK: every command comes by here.
    while read -r line; do
        case $line in JAVA_VERSION=*) version=${line#JAVA_VERSION=\"} && version=${version%%[!0-9]*} ;; esac
    done 2>/dev/null <"$1/release"
    echo "${version:-0}"
}

# Sets MAVEN to a Maven of version 3.8 or newer; installs the system's package where that is possible.
find_maven() {
    MAVEN=$(command -v mvn 2>/dev/null)
    if [ -z "$MAVEN" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "granary: installing Maven by apt-get ..." >&2
        apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends maven >/dev/null
        MAVEN=$(command -v mvn 2>/dev/null)
    fi
    if [ -z "$MAVEN" ]; then
        echo "granary: Maven (mvn) 3.8 or newer is needed: apt-get install maven, dnf install maven or brew install maven" >&2
        exit 1
    fi
    share_processors
    # Where all is built, Maven ends before the C2 compiler pays back. A test that has changed nevertheless is compiled
    # all the same, more slowly.
    if ! out_of_date "$root/cli/target/dist/built"; then
        MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1"
        export MAVEN_OPTS
    fi
}

# Has Maven keep Error Prone loaded from one module to the next (ADR 0342). A build without it is right as well, and
# takes twice as long.
share_processors() {
    case $root in *' '*) return 0 ;; esac # MAVEN_OPTS is split at spaces
    loader=$root/build/javac/SharedProcessorLoader.java
    classes=$root/target/javac
    if [ -z "$(find "$classes" -name '*.class' -newer "$loader" 2>/dev/null)" ]; then
        # Two builds may do this at once: a class is there as a whole or not at all.
        rm -rf "$classes.$$"
        "$JAVA_HOME/bin/javac" -d "$classes.$$" "$loader" || return 0
        rm -rf "$classes"
        mv "$classes.$$" "$classes" 2>/dev/null || rm -rf "$classes.$$"
    fi
    MAVEN_OPTS="${MAVEN_OPTS:-} -Xbootclasspath/a:$classes"
    export MAVEN_OPTS
}

# Whether a source is newer than what was built from it.
out_of_date() {
    [ -f "$1" ] || return 0
    [ -n "$(find "$root/pom.xml" "$root/libs" "$root/client" "$root/storage-node" "$root/super-peer" \
        "$root/e2e/simulation" "$root/bench" "$root/cli" "$root/tools" \
        \( -name target -o -path '*/src/test' \) -prune -o \( -path '*/src/main/*' -o -name pom.xml \) -type f -newer "$1" -print 2>/dev/null | head -n 1)" ]
}

# remove_distribution: removes what ./granary runs, so that the next build has no jars that are gone from the sources.
remove_distribution() {
    rm -rf "$root/cli/target/dist" "$root/tools/target/dist" "$root"/*/target/dist/lib/granary-*-classpath.jar
    mkdir -p "$root/target" && touch "$root/target/distribution-begun"
}

# note_distribution: gives the built distribution the time at which its build began: later changes are newer.
note_distribution() {
    touch -r "$root/target/distribution-begun" "$root/cli/target/dist/built"
}

# Builds the command line and the two processes into cli/target/dist, and the commands that no image has into
# tools/target/dist. If two terminals build at once, the second one finds everything built.
build_distribution() {
    mkdir -p "$root/target"
    (
        if command -v flock >/dev/null; then
            flock 9
            out_of_date "$root/cli/target/dist/built" || exit 0
        fi
        remove_distribution
        cd "$root" || exit 1
        if "$MAVEN" --batch-mode --no-transfer-progress -DskipTests -pl tools -am package >target/build.log 2>&1; then
            note_distribution
        else
            grep -E 'ERROR' target/build.log | head -n 20 >&2
            echo "granary: the build failed; the whole log is in $root/target/build.log" >&2
            exit 1
        fi
    ) 9>"$root/target/build.lock"
}

# Whether the libraries of comparisons are missing, or older than their sources.
comparison_out_of_date() {
    built=$root/bench/compare/target/dist/built
    [ -f "$built" ] || return 0
    [ -n "$(find "$root/pom.xml" "$root/libs" "$root/client" "$root/bench" \
        \( -name target -o -path '*/src/test' \) -prune -o \( -path '*/src/main/*' -o -name pom.xml \) -type f -newer "$built" -print 2>/dev/null | head -n 1)" ]
}

# Builds bench/compare into bench/compare/target/dist: other stores for comparison, and JMH. Nothing else needs them.
build_comparison() {
    mkdir -p "$root/target"
    (
        if command -v flock >/dev/null; then
            flock 9
            comparison_out_of_date || exit 0
        fi
        rm -rf "$root/bench/compare/target/dist"
        cd "$root" || exit 1
        if "$MAVEN" --batch-mode --no-transfer-progress -DskipTests -pl bench/compare -am package >target/build-compare.log 2>&1; then
            touch bench/compare/target/dist/built
        else
            grep -E 'ERROR' target/build-compare.log | head -n 20 >&2
            echo "granary: the build failed; the whole log is in $root/target/build-compare.log" >&2
            exit 1
        fi
    ) 9>"$root/target/build.lock"
}
