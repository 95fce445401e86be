package dev.granary.schema;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What the pages of formats say of records and of the codes of enums. */
public final class Layouts {

    private static final Comparator<Class<?>> BY_NAME = Comparator.comparing(Layouts::nameOf);

    private Layouts() {}

    /** The name of a type; a type that is declared in a record has that record's name in front. */
    public static String nameOf(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return outer != null && outer.isRecord()
                ? outer.getSimpleName() + "." + type.getSimpleName()
                : type.getSimpleName();
    }

    /** The codes of an enum, each with its constant. */
    public static String codesOf(Class<?> type) {
        return Arrays.stream(type.getEnumConstants())
                .map(constant -> ((Coded) constant).code() + " " + constant)
                .collect(Collectors.joining(", "));
    }

    /** The given records, and the records and enums of which they consist, sorted by name. */
    public static List<Class<?>> withParts(Collection<? extends Class<?>> records) {
        TreeSet<Class<?>> all = new TreeSet<>(BY_NAME);
        records.forEach(each -> add(each, all));
        return List.copyOf(all);
    }

    private static void add(Class<?> type, Set<Class<?>> all) {
        if (!(type.isRecord() || type.isEnum()) || !all.add(type)) {
            return;
        }
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                add(component.getType(), all);
                if (component.getGenericType() instanceof ParameterizedType list) {
                    for (Type item : list.getActualTypeArguments()) {
                        add((Class<?>) item, all);
                    }
                }
            }
        }
    }
}
