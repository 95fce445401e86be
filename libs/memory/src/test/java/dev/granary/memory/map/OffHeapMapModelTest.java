package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.os.Vmb;
import dev.granary.memory.paged.MemoryTests;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random operations against a hash map. The verifier looks in between. */
class OffHeapMapModelTest {

    /** How values are drawn. */
    enum Values {
        SAME,
        TINY,
        MIXED,
        LARGE
    }

    @ParameterizedTest
    @CsvSource({
        "1,SAME,4,150000,false",
        "2,TINY,4,100000,false",
        "3,MIXED,4,15000,false",
        "4,MIXED,64,20000,true",
        "5,LARGE,4,300,true",
        "6,LARGE,8,1000,false",
        "7,TINY,16,20000,true",
        "8,SAME,64,50000,true",
        "9,MIXED,8,50,true"
    })
    void randomOperations_againstAHashMap_behaveTheSame(
            long seed, Values values, int capacityMebibytes, int keys, boolean expiry) {
        System.out.println("seed " + seed + " values " + values + " MiB " + capacityMebibytes + " keys " + keys);
        int open = Vmb.openCount();
        Run run = new Run(new Random(seed), values, keys, capacityMebibytes, expiry);
        try (OffHeapMap map = run.map) {
            int steps = MemoryTests.steps(16_000);
            for (int i = 0; i < steps; i++) {
                run.step();
                if (i % 2000 == 0) {
                    OffHeapMapTests.assertSound(map);
                }
            }
            run.compareAll();
            OffHeapMapTests.assertSound(map);
            run.removeAll();
            OffHeapMapTests.assertSound(map);
            assertThat(map.statistics().payloadBytes()).isZero();
            assertThat(map.statistics().groupBytes()).isZero();
            System.out.println("refused for want of memory: " + run.refused);
        }
        assertThat(Vmb.openCount()).isEqualTo(open);
    }

    private static final class Expected {
        private final byte[] value;
        private final long expiry;

        Expected(byte[] value, long expiry) {
            this.value = value;
            this.expiry = expiry;
        }
    }

    private static final class Run {
        private final AtomicLong now = new AtomicLong(1_780_000_000_000L);
        private final OffHeapMap map;
        private final Random random;
        private final Values values;
        private final int keys;
        private final boolean expiry;
        private final Map<ByteBuffer, Expected> model = new HashMap<>();
        private final Map<ByteBuffer, Expected> replica = new HashMap<>();
        private int refused;
        private boolean growing = true;

        Run(Random random, Values values, int keys, int capacityMebibytes, boolean expiry) {
            this.random = random;
            this.values = values;
            this.keys = keys;
            this.expiry = expiry;
            OffHeapMapConfig config = OffHeapMapConfig.of((long) capacityMebibytes << 20)
                    .withHugePages(false)
                    .withSeed(random.nextLong())
                    .withListener(this::follow);
            map = OffHeapMap.open(expiry ? config.withClock(now::get) : config);
        }

        void step() {
            if (random.nextInt(6000) == 0) {
                growing = !growing;
            }
            if (expiry && random.nextInt(50) == 0) {
                now.addAndGet(random.nextInt(5000));
                model.values().removeIf(each -> each.expiry != 0 && each.expiry <= now.get());
            }
            int kind = random.nextInt(100);
            try {
                if (kind < (growing ? 50 : 15)) {
                    put();
                } else if (kind < (growing ? 55 : 50)) {
                    remove();
                } else if (kind < 60) {
                    putIfAbsent();
                } else if (kind < 65) {
                    replace();
                } else if (kind < 68) {
                    changeExpiry();
                } else if (kind < 70) {
                    batch();
                } else if (kind < 72) {
                    map.expire(random.nextInt(5));
                } else if (kind < 82) {
                    update();
                } else {
                    compare(key());
                }
            } catch (OffHeapMapException.OutOfMemory e) {
                refused++;
                if (refused % 50 == 1) {
                    OffHeapMapTests.assertSound(map);
                }
                removeSome();
            }
        }

        private byte[] key() {
            int number = random.nextInt(keys);
            // Of different lengths, equal for equal numbers.
            byte[] key = new byte[number % 97 == 0 ? 1500 : 4 + number % 13];
            ByteBuffer.wrap(key).putInt(number);
            return key;
        }

        private byte[] value() {
            int size =
                    switch (values) {
                        case SAME -> 32;
                        case TINY -> random.nextInt(20);
                        case MIXED -> random.nextInt(20) == 0 ? random.nextInt(5000) : random.nextInt(300);
                        case LARGE -> random.nextInt(20) == 0 ? random.nextInt(700_000) : random.nextInt(20_000);
                    };
            return MemoryTests.random(random, size);
        }

        private long expiry() {
            if (!expiry || random.nextInt(3) == 0) {
                return OffHeapMap.NEVER;
            }
            return switch (random.nextInt(40)) {
                case 0 -> OffHeapMap.MAX_EXPIRY_MILLIS - random.nextInt(5);
                case 1 -> 1 + random.nextInt(5);
                case 2, 3 -> now.get() + random.nextLong(1L << random.nextInt(20, 50));
                default -> now.get() + random.nextInt(300_000) - 500;
            };
        }

        private void put() {
            byte[] key = key();
            byte[] value = value();
            long expires = expiry();
            boolean inserted = map.put(key, value, expires);
            assertThat(inserted).isEqualTo(!model.containsKey(ByteBuffer.wrap(key)));
            note(key, value, expires);
        }

        private void putIfAbsent() {
            byte[] key = key();
            byte[] value = value();
            boolean absent = !model.containsKey(ByteBuffer.wrap(key));
            assertThat(map.putIfAbsent(key, value)).isEqualTo(absent);
            if (absent) {
                note(key, value, OffHeapMap.NEVER);
            }
        }

        private void replace() {
            byte[] key = key();
            Expected present = model.get(ByteBuffer.wrap(key));
            byte[] guess = present == null || random.nextInt(4) == 0 ? value() : present.value;
            byte[] value = value();
            boolean same = present != null && Arrays.equals(present.value, guess);
            assertThat(map.replace(segment(key), segment(guess), segment(value), 0))
                    .isEqualTo(same);
            if (same) {
                note(key, value, OffHeapMap.NEVER);
            }
        }

        private void changeExpiry() {
            byte[] key = key();
            Expected present = model.get(ByteBuffer.wrap(key));
            long expires = expiry();
            assertThat(map.expireAt(segment(key), 0, key.length, expires)).isEqualTo(present != null);
            if (present != null) {
                note(key, present.value, expires);
            }
        }

        private void update() {
            byte[] key = key();
            Expected present = model.get(ByteBuffer.wrap(key));
            int what = random.nextInt(6);
            byte[] value = value();
            long expires = what == 0 ? (present == null ? OffHeapMap.NEVER : present.expiry) : expiry();
            OffHeapMapUpdate function = (shown, decision) -> {
                assertThat(shown == null ? null : shown.value()).isEqualTo(present == null ? null : present.value);
                assertThat(shown == null ? 0 : shown.expiryMillis()).isEqualTo(present == null ? 0 : present.expiry);
                switch (what) {
                    case 0, 1, 2 -> decision.put(value, expires);
                    case 3 -> decision.expireAt(expires);
                    case 4 -> decision.remove();
                    default -> {
                        decision.put(value, expires);
                        throw new UnsupportedOperationException("not this time");
                    }
                }
            };
            if (what == 5) {
                assertThatThrownBy(() -> map.update(key, function)).hasMessage("not this time");
                return;
            }
            assertThat(map.update(key, function)).isEqualTo(what < 3 || present != null);
            if (what == 4) {
                model.remove(ByteBuffer.wrap(key));
            } else if (what < 3) {
                note(key, value, expires);
            } else if (present != null) {
                note(key, present.value, expires);
            }
        }

        /** Does as a log would that is told of changes. */
        private void follow(OffHeapMapListener.Change change, OffHeapMapView entry) {
            ByteBuffer key = ByteBuffer.wrap(entry.key());
            Expected before = replica.get(key);
            switch (change) {
                case PUT -> replica.put(key, new Expected(entry.value(), entry.expiryMillis()));
                case EXPIRY -> {
                    assertThat(before).isNotNull();
                    assertThat(entry.value()).isEqualTo(before.value);
                    replica.put(key, new Expected(before.value, entry.expiryMillis()));
                }
                case REMOVED, EXPIRED, EVICTED -> {
                    assertThat(before).isNotNull();
                    boolean expired = before.expiry != 0 && before.expiry <= now.get();
                    assertThat(expired).isEqualTo(change == OffHeapMapListener.Change.EXPIRED);
                    replica.remove(key);
                }
            }
        }

        /** The replica has what the map has, and expired entries until they are swept. */
        private void compareReplica() {
            assertThat(replica).hasSize((int) map.size());
            model.forEach((key, wanted) -> {
                Expected told = replica.get(key);
                assertThat(told).isNotNull();
                assertThat(told.value).isEqualTo(wanted.value);
                assertThat(told.expiry).isEqualTo(wanted.expiry);
            });
        }

        private void note(byte[] key, byte[] value, long expires) {
            if (expires == 0 || expires > now.get()) {
                model.put(ByteBuffer.wrap(key), new Expected(value, expires));
            } else {
                model.remove(ByteBuffer.wrap(key));
            }
        }

        private void remove() {
            byte[] key = key();
            assertThat(map.remove(key)).isEqualTo(model.remove(ByteBuffer.wrap(key)) != null);
        }

        private void batch() {
            int count = random.nextInt(150);
            byte[][] wanted = new byte[count][];
            int[] offsets = new int[count];
            int[] lengths = new int[count];
            int used = 0;
            for (int i = 0; i < count; i++) {
                wanted[i] = key();
                offsets[i] = used;
                lengths[i] = wanted[i].length;
                used += lengths[i];
            }
            byte[] all = new byte[used];
            for (int i = 0; i < count; i++) {
                System.arraycopy(wanted[i], 0, all, offsets[i], lengths[i]);
            }
            int room = random.nextInt(20_000);
            byte[] target = new byte[room + 3];
            int[] sizes = new int[count];
            long written = map.getBatch(segment(all), offsets, lengths, 0, count, segment(target), 3, room, sizes);
            int at = 3;
            for (int i = 0; i < count; i++) {
                Expected present = model.get(ByteBuffer.wrap(wanted[i]));
                if (present == null) {
                    assertThat(sizes[i]).isEqualTo(OffHeapMap.ABSENT);
                } else if (present.value.length > room + 3 - at) {
                    assertThat(sizes[i]).isEqualTo(OffHeapMap.DOES_NOT_FIT);
                } else {
                    assertThat(sizes[i]).isEqualTo(present.value.length);
                    assertThat(Arrays.copyOfRange(target, at, at + sizes[i])).isEqualTo(present.value);
                    at += sizes[i];
                }
            }
            assertThat(written).isEqualTo(at - 3);
            putBatch(wanted, all, offsets, lengths);
        }

        private void putBatch(byte[][] wanted, byte[] all, int[] offsets, int[] lengths) {
            int count = Math.min(wanted.length, 40);
            byte[] value = value();
            long expires = expiry();
            Set<ByteBuffer> absent = new HashSet<>();
            for (int i = 0; i < count; i++) {
                if (!model.containsKey(ByteBuffer.wrap(wanted[i]))) {
                    absent.add(ByteBuffer.wrap(wanted[i]));
                }
            }
            if ((expires != 0 && expires <= now.get()) || (long) count * value.length > 1 << 20) {
                return;
            }
            int[] zeros = new int[count];
            int[] sizes = new int[count];
            Arrays.fill(sizes, value.length);
            int before = model.size();
            try {
                int inserted =
                        map.putBatch(segment(all), offsets, lengths, segment(value), zeros, sizes, 0, count, expires);
                assertThat(inserted).isEqualTo(absent.size());
                List.of(wanted).subList(0, count).forEach(key -> note(key, value, expires));
                assertThat(model).hasSize(before + absent.size());
            } catch (OffHeapMapException.OutOfMemory e) {
                // Those before the one that was refused are in the map.
                for (int i = 0; i < count; i++) {
                    byte[] present = map.get(wanted[i]);
                    if (present != null && Arrays.equals(present, value)) {
                        note(wanted[i], value, map.expiryOf(segment(wanted[i]), 0, wanted[i].length));
                    }
                }
                throw e;
            }
        }

        private void compare(byte[] key) {
            Expected present = model.get(ByteBuffer.wrap(key));
            assertThat(map.get(key)).isEqualTo(present == null ? null : present.value);
            assertThat(map.containsKey(key)).isEqualTo(present != null);
            assertThat(map.expiryOf(segment(key), 0, key.length))
                    .isEqualTo(present == null ? OffHeapMap.ABSENT : present.expiry);
        }

        void compareAll() {
            compareReplica();
            Map<ByteBuffer, Expected> seen = new HashMap<>();
            map.forEach((key, value, expires) -> {
                Expected entry = new Expected(value.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), expires);
                Expected before =
                        seen.put(ByteBuffer.wrap(key.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)), entry);
                assertThat(before).isNull();
            });
            assertThat(seen.keySet()).isEqualTo(model.keySet());
            seen.forEach((key, entry) -> {
                Expected wanted = model.get(key);
                assertThat(wanted).isNotNull();
                assertThat(entry.value).isEqualTo(wanted.value);
                assertThat(entry.expiry).isEqualTo(wanted.expiry);
            });
            model.keySet().forEach(key -> compare(bytes(key)));
            while (map.expire(1000) > 0) {
                // Until a sweep finds nothing.
            }
        }

        private void removeSome() {
            List<ByteBuffer> some =
                    model.keySet().stream().limit(model.size() / 4 + 1).toList();
            for (ByteBuffer key : some) {
                assertThat(map.remove(bytes(key))).isTrue();
                model.remove(key);
            }
        }

        void removeAll() {
            for (ByteBuffer key : Set.copyOf(model.keySet())) {
                assertThat(map.remove(bytes(key))).isTrue();
            }
            map.clear();
            assertThat(map.size()).isZero();
            assertThat(replica).isEmpty();
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static MemorySegment segment(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }
}
