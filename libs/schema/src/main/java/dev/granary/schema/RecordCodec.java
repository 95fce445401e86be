package dev.granary.schema;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.UUID;

/**
 * Writes and reads a record, which must be public: one component after another, in the order of its declaration. So the
 * declaration is the only description of its bytes (ADR 0223).
 *
 * <pre>
 *  {@literal @}U8, {@literal @}U16, {@literal @}I32 int           1, 2, 4 bytes
 *  long                            8 bytes
 *  boolean                         1 byte, 0 or 1
 *  UUID                            16 bytes
 *  String, {@literal @}LongText String       size in 2, 4 bytes, UTF-8
 *  byte[]                          size in 4 bytes, bytes
 *  List{@literal <T>}                         count in 4 bytes, items
 *  {@literal @}U16 int {@literal @}U8 []                count in 1 byte, items
 *  enum that is {@link Coded}            1 byte
 *  record                          its components
 *  {@literal @}Nullable                       1 byte, 0 or 1; behind 1 the value
 * </pre>
 *
 * @param <T> the record
 */
public final class RecordCodec<T extends Record> implements Codec<T> {

    private static final ClassValue<RecordCodec<?>> ALL = new ClassValue<>() {
        @Override
        protected RecordCodec<?> computeValue(Class<?> type) {
            return new RecordCodec<>(type.asSubclass(Record.class));
        }
    };

    private final Class<T> type;
    private final RecordComponent[] components;
    private final List<Codec<Object>> codecs;
    private final Encoding<T> encoding;
    private final int minBytes;

    private RecordCodec(Class<T> type) {
        this.type = type;
        components = type.getRecordComponents();
        codecs = Arrays.stream(components)
                .map(component -> codecOf(component.getAnnotatedType(), component))
                .toList();
        try {
            encoding = RecordClass.encoding(type, codecs);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " is not public", e);
        }
        minBytes = codecs.stream().mapToInt(Codec::minBytes).sum();
    }

    /**
     * The codec of a record, made when it is asked for the first time.
     *
     * @throws IllegalStateException when a component has a type that has no layout
     */
    @SuppressWarnings("unchecked") // as computeValue makes them
    public static <T extends Record> RecordCodec<T> of(Class<T> type) {
        return (RecordCodec<T>) ALL.get(type);
    }

    /** Appends a record. */
    @SuppressWarnings("unchecked") // the codec is that of its class
    public static void writeRecord(Record value, Sink out) {
        ((RecordCodec<Record>) ALL.get(value.getClass())).write(value, out);
    }

    @Override
    public void write(T value, Sink out) {
        encoding.write(value, out);
    }

    @Override
    public T read(Source in) {
        return encoding.read(in);
    }

    @Override
    public Encoding<T> encoding() {
        return encoding;
    }

    @Override
    public int minBytes() {
        return minBytes;
    }

    @Override
    public String layout() {
        return Layouts.nameOf(type);
    }

    /** The names of the components in their order, each with what the page of a format calls its type. */
    public SequencedMap<String, String> fields() {
        SequencedMap<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < components.length; i++) {
            fields.put(components[i].getName(), codecs.get(i).layout());
        }
        return fields;
    }

    @SuppressWarnings("unchecked") // each codec is that of its type
    private static Codec<Object> codecOf(AnnotatedType annotated, RecordComponent component) {
        Type type = annotated.getType();
        Codec<?> codec =
                switch (annotated) {
                    case AnnotatedArrayType array
                    when type == int[].class && array.isAnnotationPresent(U8.class) ->
                        Codecs.shortArrayOf(numberOf(array.getAnnotatedGenericComponentType(), component));
                    case AnnotatedParameterizedType list
                    when ((ParameterizedType) type).getRawType() == List.class ->
                        Codecs.listOf(codecOf(list.getAnnotatedActualTypeArguments()[0], component));
                    default -> plainOf(annotated, (Class<?>) type, component);
                };
        return (Codec<Object>) (annotated.isAnnotationPresent(Nullable.class) ? Codecs.optional(codec) : codec);
    }

    private static Codec<?> plainOf(AnnotatedType annotated, Class<?> type, RecordComponent component) {
        if (type == int.class || type == Integer.class) {
            return numberOf(annotated, component);
        } else if (type == long.class || type == Long.class) {
            return Codecs.I64;
        } else if (type == boolean.class) {
            return Codecs.FLAG;
        } else if (type == String.class) {
            return annotated.isAnnotationPresent(LongText.class) ? Codecs.LONG_TEXT : Codecs.TEXT;
        } else if (type == UUID.class) {
            return Codecs.ID;
        } else if (type == byte[].class) {
            return Codecs.BYTES;
        } else if (type.isRecord()) {
            return of(type.asSubclass(Record.class));
        } else if (type.isEnum() && Coded.class.isAssignableFrom(type)) {
            return Codecs.codesOf(type);
        }
        throw new IllegalStateException(component + " of " + component.getDeclaringRecord() + " has no layout");
    }

    private static Codec<Integer> numberOf(AnnotatedType annotated, RecordComponent component) {
        if (annotated.isAnnotationPresent(U8.class)) {
            return Codecs.U8;
        } else if (annotated.isAnnotationPresent(U16.class)) {
            return Codecs.U16;
        } else if (annotated.isAnnotationPresent(I32.class)) {
            return Codecs.I32;
        }
        throw new IllegalStateException(component + " of " + component.getDeclaringRecord() + " has no width");
    }
}
