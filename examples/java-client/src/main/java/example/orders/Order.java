package example.orders;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;

/** An object that writes its own fields into a chunk and reads them back. */
final class Order implements Exportable, Importable {

    private String customer;
    private int cents;

    /** To be filled from a chunk. */
    Order() {
        this("", 0);
    }

    Order(String customer, int cents) {
        this.customer = customer;
        this.cents = cents;
    }

    String customer() {
        return customer;
    }

    int cents() {
        return cents;
    }

    Order withCents(int newCents) {
        return new Order(customer, newCents);
    }

    @Override
    public int sizeBytes() {
        return Exporter.stringSizeBytes(customer) + Integer.BYTES;
    }

    @Override
    public void exportTo(Exporter out) {
        out.writeString(customer);
        out.writeInt(cents);
    }

    @Override
    public void importFrom(Importer in) {
        customer = in.readString();
        cents = in.readInt();
    }
}
