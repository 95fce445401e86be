package dev.granary.bench.compare.stores;

import dev.granary.bench.stores.StoreWorkload;
import java.util.Properties;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** A core workload of YCSB. It draws operations, objects and new values. */
final class YcsbRequests implements Requests {

    private static final double PERCENT = 100;

    private final CoreWorkload core;
    private final ObjectSet objects;
    private final StoreWorkload workload;

    /** @param objects which are loaded */
    YcsbRequests(StoreWorkload workload, ObjectSet objects) {
        this.workload = workload;
        this.objects = objects;
        Properties properties = properties(workload, objects.count());
        // A workload takes the one object with measurements of the process when it is made.
        Measurements.setProperties(properties);
        core = new CoreWorkload();
        try {
            core.init(properties);
        } catch (WorkloadException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The workload in the words of YCSB. */
    static Properties properties(StoreWorkload workload, long objects) {
        StoreWorkload.Mix mix = workload.mix();
        Properties properties = new Properties();
        set(properties, "recordcount", objects);
        // How many inserts may come; zipfian draws from that many more numbers, and draws again what is not there.
        set(properties, "operationcount", objects);
        set(properties, "fieldcount", workload.fields());
        set(properties, "fieldlength", workload.fieldBytes());
        set(properties, "fieldlengthdistribution", "constant");
        set(properties, "writeallfields", true);
        set(properties, "readproportion", mix.read() / PERCENT);
        set(properties, "updateproportion", mix.update() / PERCENT);
        set(properties, "insertproportion", mix.insert() / PERCENT);
        set(properties, "scanproportion", mix.scan() / PERCENT);
        set(properties, "readmodifywriteproportion", mix.readModifyWrite() / PERCENT);
        set(properties, "requestdistribution", mix.distribution());
        set(properties, "maxscanlength", StoreWorkload.MOST_SCANNED);
        // Names of objects carry their numbers; popular ones are spread over all of them nevertheless.
        set(properties, "insertorder", "ordered");
        return properties;
    }

    private static void set(Properties properties, String name, Object value) {
        properties.setProperty(name, String.valueOf(value));
    }

    @Override
    public Step begin(ComparedClient.Session session) {
        StoreDb db = new StoreDb(session, objects, workload);
        Object state = new Object();
        return () -> {
            core.doTransaction(db, state);
            return 1;
        };
    }
}
