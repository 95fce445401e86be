package dev.granary.tools.bench.network;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Asks Java processes of this user how many bytes of heap all their threads have taken. What asking takes itself is
 * counted, too: some kilobytes.
 */
final class ServerHeap implements AutoCloseable {

    private final List<JMXConnector> connectors = new ArrayList<>();

    /**
     * Attaches to processes.
     *
     * @throws UserException when one does not let this process do so
     */
    @SuppressWarnings("BanJNDI") // the address is that of an own process, which this has just asked for it
    static ServerHeap of(List<Long> pids) {
        ServerHeap heap = new ServerHeap();
        try {
            for (long pid : pids) {
                VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
                try {
                    JMXServiceURL url = new JMXServiceURL(machine.startLocalManagementAgent());
                    heap.connectors.add(JMXConnectorFactory.connect(url));
                } finally {
                    machine.detach();
                }
            }
            return heap;
        } catch (IOException | AttachNotSupportedException e) {
            heap.close();
            throw new UserException("a storage peer does not tell what it allocates: " + e.getMessage(), e);
        }
    }

    /** Bytes that all threads of all processes have taken since their start, those that have ended included. */
    long allocatedBytes() {
        try {
            long bytes = 0;
            for (JMXConnector connector : connectors) {
                MBeanServerConnection server = connector.getMBeanServerConnection();
                bytes += (Long) server.getAttribute(
                        ObjectName.getInstance("java.lang:type=Threading"), "TotalThreadAllocatedBytes");
            }
            return bytes;
        } catch (IOException | JMException e) {
            throw new UserException("a storage peer does not tell what it allocates: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        for (JMXConnector connector : connectors) {
            try {
                connector.close();
            } catch (IOException e) {
                // The process is gone, and the connection with it.
            }
        }
    }
}
