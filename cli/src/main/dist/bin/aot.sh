# For the scripts of the programs, with $here set: find_aot_cache NAME sets $aot to the option for the AOT cache of this
# name and $quiet to what keeps the JVM silent about it, or both to nothing when there is no cache that fits.
# find_aot_cache NAME LIST: the list of the jars of its training is another one than aot/jars.
find_aot_cache() {
    aot='' quiet='' list=${2:-jars}
    [ -f "$here/aot/$1.aot" ] && [ -f "$here/aot/$list" ] || return 0
    # Beside these the JVM takes no cache, but ends.
    case "${GRANARY_JVM_OPTIONS:-} ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} ${_JAVA_OPTIONS:-}" in
        *-Xshare* | *-XX:AOT* | *Shared* | *ArchiveClassesAtExit* | *DumpLoadedClassList*) return 0 ;;
    esac
    # Not every JVM notices that jars are others than in training (JDK-8377932): it would run classes that are gone.
    if [ "$(list_jars)" = "$(cat "$here/aot/$list")" ]; then
        aot=-XX:AOTCache=$here/aot/$1.aot
        quiet='-Xlog:aot*=off'
    fi
}

# The options of short commands, and of the training of their cache. Most commands end before the second compiler would
# pay: without it they take a third less processor time. Netty's events for Flight Recorder, its way to memory without
# Unsafe, pools of 4 MiB for each thread, and handles for methods that are called once take a fifth (ADR 0375).
short_options='-XX:TieredStopAtLevel=1 -Dio.netty.jfr.enabled=false --sun-misc-unsafe-memory-access=allow
    -Dio.netty.allocator.maxOrder=5 -Djdk.reflect.useNativeAccessorOnly=true'

# Prints the jars by name, size and time, one a line.
list_jars() {
    cd "$here/lib" && LC_ALL=C && export LC_ALL &&
        { stat -c '%n %s %Y' -- *.jar || stat -f '%N %z %m' -- *.jar; } 2>/dev/null
}
