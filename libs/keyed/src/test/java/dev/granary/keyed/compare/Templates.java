package dev.granary.keyed.compare;

import java.util.HashMap;
import java.util.Map;

/**
 * What arguments each command takes, in words that {@link RandomRequests} fills.
 *
 * <pre>
 *   S string key   H hash key   A any key   V value   F field   I whole number   X fraction   O offset   B bit
 *   T, M time to live in seconds, milliseconds    E, N time of expiry in seconds, milliseconds
 *   Y type of a bit field    W any other word stands for itself
 *   ?a:b  perhaps both arguments   *a:b|c  a and b, or c, one or more times   *1a|b  one of them
 *   any other word stands for itself
 * </pre>
 */
final class Templates {

    private static final String CONDITIONS = " ?NX ?XX ?GT ?LT";

    private Templates() {}

    /** Returns the templates by the names of commands. */
    static Map<String, String> all() {
        Map<String, String> all = new HashMap<>();
        strings(all);
        bitmaps(all);
        keys(all);
        hashes(all);
        keyspace(all);
        return all;
    }

    private static void strings(Map<String, String> all) {
        all.put("append", "S V");
        all.put("decr", "S");
        all.put("decrby", "S I");
        all.put("get", "S");
        all.put("getdel", "S");
        all.put("getex", "S ?EX:T ?PX:M ?EXAT:E ?PXAT:N ?PERSIST");
        all.put("getrange", "S O O");
        all.put("getset", "S V");
        all.put("incr", "S");
        all.put("incrby", "S I");
        all.put("incrbyfloat", "S X");
        all.put("lcs", "S S ?LEN ?IDX ?MINMATCHLEN:I ?WITHMATCHLEN");
        all.put("mget", "*A");
        all.put("mset", "*S:V");
        all.put("msetnx", "*S:V");
        all.put("psetex", "S M V");
        all.put("set", "S V ?NX ?XX ?GET ?KEEPTTL ?EX:T ?PX:M ?EXAT:E ?PXAT:N");
        all.put("setex", "S T V");
        all.put("setnx", "S V");
        all.put("setrange", "S O V");
        all.put("strlen", "S");
        all.put("substr", "S O O");
    }

    private static void bitmaps(Map<String, String> all) {
        all.put("bitcount", "S ?O:O ?BIT ?BYTE");
        all.put("bitfield", "S *GET:Y:O|SET:Y:O:L|INCRBY:Y:O:L|OVERFLOW:WRAP|OVERFLOW:SAT|OVERFLOW:FAIL");
        all.put("bitfield_ro", "S *GET:Y:O");
        all.put("bitop", "*1AND|OR|XOR|NOT S *S");
        all.put("bitpos", "S B ?O ?O ?BIT ?BYTE");
        all.put("getbit", "S O");
        all.put("setbit", "S O B");
    }

    private static void keys(Map<String, String> all) {
        all.put("copy", "A A ?REPLACE ?DB:0");
        all.put("del", "*A");
        all.put("dump", "A");
        all.put("exists", "*A");
        all.put("expire", "A T" + CONDITIONS);
        all.put("expireat", "A E" + CONDITIONS);
        all.put("expiretime", "A");
        all.put("persist", "A");
        all.put("pexpire", "A M" + CONDITIONS);
        all.put("pexpireat", "A N" + CONDITIONS);
        all.put("pexpiretime", "A");
        all.put("pttl", "A");
        all.put("rename", "A A");
        all.put("renamenx", "A A");
        all.put("restore", "A M D ?REPLACE ?ABSTTL ?IDLETIME:I ?FREQ:I");
        all.put("touch", "*A");
        all.put("ttl", "A");
        all.put("type", "A");
        all.put("unlink", "*A");
    }

    private static void hashes(Map<String, String> all) {
        all.put("hdel", "H *F");
        all.put("hexists", "H F");
        all.put("hget", "H F");
        all.put("hgetall", "H");
        all.put("hincrby", "H F I");
        all.put("hincrbyfloat", "H F X");
        all.put("hkeys", "H");
        all.put("hlen", "H");
        all.put("hmget", "H *F");
        all.put("hmset", "H *F:V");
        all.put("hrandfield", "H ?R ?WITHVALUES");
        all.put("hscan", "H C COUNT 100000 ?MATCH:G");
        all.put("hset", "H *F:V");
        all.put("hsetnx", "H F V");
        all.put("hstrlen", "H F");
        all.put("hvals", "H");
    }

    private static void keyspace(Map<String, String> all) {
        all.put("dbsize", "");
        all.put("flushall", "?ASYNC ?SYNC");
        all.put("flushdb", "?ASYNC ?SYNC");
        all.put("keys", "G");
        all.put("memory|usage", "A ?SAMPLES:I");
        all.put("object|encoding", "A");
        all.put("object|freq", "A");
        all.put("object|help", "");
        all.put("object|idletime", "A");
        all.put("object|refcount", "A");
        all.put("randomkey", "");
        all.put("scan", "C COUNT 100000 ?MATCH:G ?TYPE:string ?TYPE:Hash ?TYPE:list");
    }
}
