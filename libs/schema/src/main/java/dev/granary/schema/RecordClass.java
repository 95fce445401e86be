package dev.granary.schema;

import static java.lang.constant.ConstantDescs.BSM_CLASS_DATA_AT;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.DEFAULT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;

/**
 * Makes the class that writes and reads a record as one would by hand. Numbers and flags go from accessor to sink and
 * from source to constructor without an object for each; other components go by their encodings, which are constants of
 * the class.
 *
 * <pre>
 *  write(value, out)   out.putLong(((R) value).term()); Codecs.putU16(out, ((R) value).nid()); ENCODING.write(...) ...
 *  read(in)            return new R(in.getLong(), in.getShort(), (String) ENCODING.read(in), ...)
 * </pre>
 */
final class RecordClass {

    private static final ClassDesc CODECS = describe(Codecs.class);
    private static final ClassDesc ENCODING = describe(Encoding.class);
    private static final ClassDesc SINK = describe(Sink.class);
    private static final ClassDesc SOURCE = describe(Source.class);
    private static final MethodTypeDesc WRITE = MethodTypeDesc.of(CD_void, CD_Object, SINK);
    private static final MethodTypeDesc READ = MethodTypeDesc.of(CD_Object, SOURCE);

    private final ClassDesc type;
    private final RecordComponent[] components;
    private final List<? extends Codec<?>> codecs;

    private RecordClass(Class<?> type, List<? extends Codec<?>> codecs) {
        this.type = describe(type);
        this.components = type.getRecordComponents();
        this.codecs = codecs;
    }

    /**
     * Makes the encoding of a record.
     *
     * @param codecs those of its components, in their order
     * @throws ReflectiveOperationException when the record is not public
     */
    @SuppressWarnings("unchecked") // the class is made as the encoding of this type
    static <T> Encoding<T> encoding(Class<T> type, List<? extends Codec<?>> codecs)
            throws ReflectiveOperationException {
        Class<?>[] types = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        // Refuses what the class below could not link.
        MethodHandles.publicLookup().findConstructor(type, MethodType.methodType(void.class, types));
        RecordClass.class.getModule().addReads(type.getModule());
        List<? extends Encoding<?>> constants =
                codecs.stream().map(Codec::encoding).toList();
        MethodHandles.Lookup made = MethodHandles.lookup()
                .defineHiddenClassWithClassData(new RecordClass(type, codecs).bytes(), constants, true);
        return (Encoding<T>) made.lookupClass().getDeclaredConstructor().newInstance();
    }

    private static ClassDesc describe(Class<?> type) {
        return type.describeConstable().orElseThrow();
    }

    private byte[] bytes() {
        ClassDesc self = ClassDesc.of(RecordClass.class.getPackageName(), "Encoded");
        return ClassFile.of().build(self, made -> made.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SYNTHETIC)
                .withInterfaceSymbols(ENCODING)
                .withMethodBody(INIT_NAME, MTD_void, 0, code -> code.aload(0)
                        .invokespecial(CD_Object, INIT_NAME, MTD_void)
                        .return_())
                .withMethodBody("write", WRITE, ClassFile.ACC_PUBLIC, this::write)
                .withMethodBody("read", READ, ClassFile.ACC_PUBLIC, this::read));
    }

    private void write(CodeBuilder code) {
        int value = code.parameterSlot(0);
        int out = code.parameterSlot(1);
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            boolean primitive = component.getType().isPrimitive();
            if (primitive) {
                code.aload(out);
            } else {
                code.loadConstant(constant(i));
            }
            ClassDesc of = describe(component.getType());
            code.aload(value).checkcast(type).invokevirtual(type, component.getName(), MethodTypeDesc.of(of));
            if (primitive) {
                code.invokestatic(CODECS, "put" + primitiveName(i), MethodTypeDesc.of(CD_void, SINK, of));
            } else {
                code.aload(out).invokeinterface(ENCODING, "write", WRITE);
            }
        }
        code.return_();
    }

    private void read(CodeBuilder code) {
        int in = code.parameterSlot(0);
        code.new_(type).dup();
        for (int i = 0; i < components.length; i++) {
            ClassDesc of = describe(components[i].getType());
            if (of.isPrimitive()) {
                code.aload(in).invokestatic(CODECS, "get" + primitiveName(i), MethodTypeDesc.of(of, SOURCE));
            } else {
                code.loadConstant(constant(i))
                        .aload(in)
                        .invokeinterface(ENCODING, "read", READ)
                        .checkcast(of);
            }
        }
        List<ClassDesc> types =
                Arrays.stream(components).map(each -> describe(each.getType())).toList();
        code.invokespecial(type, INIT_NAME, MethodTypeDesc.of(CD_void, types)).areturn();
    }

    private static DynamicConstantDesc<Object> constant(int index) {
        return DynamicConstantDesc.ofNamed(BSM_CLASS_DATA_AT, DEFAULT_NAME, ENCODING, index);
    }

    /** The ending of the names of those methods of {@link Codecs} that are for a primitive component. */
    private String primitiveName(int index) {
        Codec<?> codec = codecs.get(index);
        if (codec == Codecs.U8) {
            return "U8";
        } else if (codec == Codecs.U16) {
            return "U16";
        } else if (codec == Codecs.I32) {
            return "I32";
        } else if (codec == Codecs.I64) {
            return "I64";
        } else if (codec == Codecs.FLAG) {
            return "Flag";
        }
        throw new IllegalStateException(components[index] + " has no layout");
    }
}
