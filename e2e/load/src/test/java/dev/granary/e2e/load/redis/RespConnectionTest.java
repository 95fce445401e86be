package dev.granary.e2e.load.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.e2e.load.redis.RespConnection.RedisError;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RespConnectionTest {

    @Test
    void call_repliesOfEachKind_areRead() throws Exception {
        try (PlayedDoor door = new PlayedDoor();
                RespConnection connection = RespConnection.to(door.address(), Access.OPEN)) {
            assertThat(connection.call("GET", "a")).isNull();
            assertThat(connection.call("SET", "a", "b c")).isEqualTo("OK");
            assertThat(connection.call("GET", "a")).isEqualTo("b c");
            String port = door.address().substring(door.address().lastIndexOf(':') + 1);
            assertThat(connection.call("CLUSTER", "SLOTS"))
                    .isEqualTo(List.of(List.of("0", "16383", List.of("127.0.0.1", port))));
        }
    }

    @Test
    void call_error_isThrownAndTheConnectionGoesOn() throws Exception {
        try (PlayedDoor door = new PlayedDoor();
                RespConnection connection = RespConnection.to(door.address(), Access.OPEN)) {
            door.next("MOVED 7 10.0.0.1:6379");
            assertThatThrownBy(() -> connection.call("GET", "a"))
                    .isInstanceOfSatisfying(
                            RedisError.class, error -> assertThat(error.kind()).isEqualTo("MOVED"))
                    .hasMessage("MOVED 7 10.0.0.1:6379");
            assertThat(connection.call("GET", "a")).isNull();
        }
    }

    @Test
    void call_connectionIsClosed_isNoError() throws Exception {
        try (PlayedDoor door = new PlayedDoor();
                RespConnection connection = RespConnection.to(door.address(), Access.OPEN)) {
            door.nextSets(PlayedDoor.CLOSE);
            assertThatThrownBy(() -> connection.call("SET", "a", "b")).isInstanceOf(EOFException.class);
            assertThat(door.values()).containsEntry("a", "b");
        }
    }

    @Test
    void to_passwordWasTakenAway_logsInWithTheNext() throws Exception {
        Access access = Access.of(null, "app:first,second");
        try (PlayedDoor door = new PlayedDoor()) {
            door.next("WRONGPASS invalid username-password pair");
            RespConnection.to(door.address(), access).close();
            assertThat(door.requests()).containsExactly("AUTH app first", "AUTH app second");
        }
    }

    @Test
    void to_allPasswordsAreWrong_isRefused() throws Exception {
        Access access = Access.of(null, "app:first,second");
        try (PlayedDoor door = new PlayedDoor()) {
            door.next("WRONGPASS the first", "WRONGPASS the second");
            assertThatThrownBy(() -> RespConnection.to(door.address(), access)).hasMessage("WRONGPASS the second");
        }
    }

    @Test
    void to_nobodyListens_isRefused() throws Exception {
        // Holds the port, so that nobody else listens there, and does not listen itself.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThatThrownBy(() -> RespConnection.to("127.0.0.1:" + bound.getLocalPort(), Access.OPEN))
                    .isInstanceOf(ConnectException.class);
        }
    }
}
