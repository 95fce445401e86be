package dev.granary.bench.compare.stores;

import net.rubyeye.xmemcached.transcoders.CachedData;
import net.rubyeye.xmemcached.transcoders.CompressionMode;
import net.rubyeye.xmemcached.transcoders.Transcoder;

/** Values as they are. Those of the client itself have compression and classes. */
final class PlainTranscoder implements Transcoder<Object> {

    @Override
    public CachedData encode(Object value) {
        return new CachedData(0, (byte[]) value);
    }

    @Override
    public Object decode(CachedData data) {
        return data.getData();
    }

    @Override
    public void setPrimitiveAsString(boolean primitiveAsString) {
        // There are no primitives.
    }

    @Override
    public void setPackZeros(boolean packZeros) {
        // There are no numbers.
    }

    @Override
    public void setCompressionThreshold(int threshold) {
        // Nothing is compressed.
    }

    @Override
    public boolean isPrimitiveAsString() {
        return false;
    }

    @Override
    public boolean isPackZeros() {
        return false;
    }

    @Override
    public void setCompressionMode(CompressionMode mode) {
        // Nothing is compressed.
    }
}
