package io.microraft.impl.statemachine;

public final class NoOp {

    public static final NoOp INSTANCE = new NoOp();

    private NoOp() {
    }

}
