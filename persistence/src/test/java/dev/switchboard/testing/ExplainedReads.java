package dev.switchboard.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Connections of a test database on which every statement that reads is also explained, with the parameters that it was
 * given: so tests hold the plans of exactly what is run. Thread-safe.
 */
public final class ExplainedReads {
    private static final Pattern H2_ROWS = Pattern.compile("scanCount: (\\d+)");
    private static final Pattern POSTGRES_ROWS = Pattern.compile("(?<!Bitmap Index )Scan.*actual .*rows=(\\d+)");
    private static final Pattern POSTGRES_REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");

    private final TestDatabase database;
    private final ConcurrentLinkedQueue<String> plans = new ConcurrentLinkedQueue<>();

    public ExplainedReads(TestDatabase database) {
        this.database = database;
    }

    /** The plan of the only statement since the last call, as the database tells it after it was run. */
    public String plan() {
        List<String> all = new ArrayList<>();
        for (String plan = plans.poll(); plan != null; plan = plans.poll()) {
            all.add(plan);
        }
        if (all.size() != 1) {
            throw new AssertionError("not one statement but " + all.size() + ": " + all);
        }
        return all.get(0);
    }

    /** True when a whole table was read through, or all of an index. */
    public boolean readsATableThrough(String plan) {
        return database.isH2() ? plan.contains("tableScan") : plan.contains("Seq Scan");
    }

    /** How many rows were touched for it. */
    public long rows(String plan) {
        long rows = 0;
        for (Pattern pattern : database.isH2() ? List.of(H2_ROWS) : List.of(POSTGRES_ROWS, POSTGRES_REMOVED)) {
            Matcher found = pattern.matcher(plan);
            while (found.find()) {
                rows += Long.parseLong(found.group(1));
            }
        }
        return rows;
    }

    public DataSource pool() {
        return proxy(DataSource.class, (self, method, arguments) -> {
            if (method.getName().equals("getConnection")) {
                return connection(database.connect());
            }
            throw new UnsupportedOperationException(method.getName());
        });
    }

    private Connection connection(Connection real) {
        return proxy(
                Connection.class,
                (self, method, arguments) -> method.getName().equals("prepareStatement")
                        ? statement(real, (String) arguments[0])
                        : call(real, method, arguments));
    }

    private PreparedStatement statement(Connection connection, String sql) throws Exception {
        PreparedStatement real = connection.prepareStatement(sql);
        Map<Integer, Object> parameters = new TreeMap<>();
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (method.getName().startsWith("set") && arguments.length == 2) {
                parameters.put((Integer) arguments[0], arguments[1]);
            } else if (method.getName().equals("executeQuery")) {
                plans.add(explain(connection, sql, parameters));
            }
            return call(real, method, arguments);
        });
    }

    private String explain(Connection connection, String sql, Map<Integer, Object> parameters) throws Exception {
        String how = database.isH2() ? "EXPLAIN ANALYZE " : "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ";
        try (PreparedStatement explain = connection.prepareStatement(how + sql)) {
            for (Map.Entry<Integer, Object> parameter : parameters.entrySet()) {
                explain.setObject(parameter.getKey(), parameter.getValue());
            }
            StringBuilder plan = new StringBuilder();
            try (ResultSet lines = explain.executeQuery()) {
                while (lines.next()) {
                    plan.append(lines.getString(1)).append('\n');
                }
            }
            return plan.toString();
        }
    }

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
