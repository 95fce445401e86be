/** Connections over TCP by Netty: epoll on Linux, NIO elsewhere. */
@NullMarked
package dev.granary.net.netty;

import org.jspecify.annotations.NullMarked;
