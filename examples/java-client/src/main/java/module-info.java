/** Reads the client's module and no other: neither messages nor Netty are needed to compile against it. */
module example.orders {
    requires dev.granary.client;
}
