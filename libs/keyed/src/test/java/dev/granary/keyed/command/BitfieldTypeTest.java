package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BitfieldTypeTest {

    @Test
    void sum_numbersThatTheTypeHas_overflowsJustWhenItDoesNotFit() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            boolean signed = random.nextBoolean();
            int bits = 1 + random.nextInt(signed ? 64 : 63);
            BitfieldType type = new BitfieldType(signed, bits);
            byte[] bytes = new byte[8];
            random.nextBytes(bytes);
            long value = type.get(bytes, 0);
            long increment = random.nextLong() >> random.nextInt(64);

            BigInteger least = signed ? BigInteger.TWO.pow(bits - 1).negate() : BigInteger.ZERO;
            BigInteger most = BigInteger.TWO.pow(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
            BigInteger exact = BigInteger.valueOf(value).add(BigInteger.valueOf(increment));
            BigInteger wrapped =
                    exact.subtract(least).mod(BigInteger.TWO.pow(bits)).add(least);

            assertThat(type.sum(value, increment))
                    .as("%s: %d + %d", type, value, increment)
                    .isEqualTo(new BitfieldType.Sum(
                            !exact.equals(exact.max(least).min(most)),
                            wrapped.longValueExact(),
                            exact.max(least).min(most).longValueExact()));
        }
    }
}
