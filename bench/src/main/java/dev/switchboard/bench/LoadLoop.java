package dev.switchboard.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * One thread that serves every socket of a load: a selector, no locks, no allocation per message. What {@link #run} and
 * {@link #call} are given runs on its thread; everything else of a load belongs to that thread alone. Frames written
 * while a batch of sockets is read leave together at the batch's end.
 */
final class LoadLoop implements AutoCloseable {
    private record Timer(long dueNs, Runnable task) {}

    private final InetSocketAddress server;
    private final Selector selector;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>((one, other) -> Long.compare(one.dueNs() - other.dueNs(), 0));
    private final FrameScan scan = new FrameScan();
    private List<LoadConnection> dirty = new ArrayList<>();
    private List<LoadConnection> flushing = new ArrayList<>();
    private volatile boolean stopped;

    LoadLoop(InetSocketAddress server) throws IOException {
        this.server = server;
        this.selector = Selector.open();
        this.thread = new Thread(this::loop, "load");
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs on the loop's thread, soon. Any thread may call it. */
    void run(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    /** Runs on the loop's thread and waits for the result. Any other thread may call it. */
    <T> T call(Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        run(() -> {
            try {
                result.complete(task.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        return result.join();
    }

    /** Runs after that time. The loop's thread only. */
    void after(long millis, Runnable task) {
        timers.add(new Timer(System.nanoTime() + millis * 1_000_000, task));
    }

    /** Opens a WebSocket. The loop's thread only. */
    void connect(LoadConnection.Person person) {
        SocketChannel channel = null;
        LoadConnection connection = null;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            connection = new LoadConnection(this, channel, person);
            connection.registered(channel.register(selector, SelectionKey.OP_CONNECT, connection));
            channel.connect(server);
        } catch (IOException e) {
            if (connection != null) {
                connection.end("can't connect: " + e.getMessage());
            } else {
                throw new IllegalStateException("can't open a socket: " + e.getMessage(), e);
            }
        }
    }

    void dirty(LoadConnection connection) {
        dirty.add(connection);
    }

    private void loop() {
        String host = server.getHostString() + ":" + server.getPort();
        try {
            while (!stopped) {
                flushAll();
                select();
                for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext(); ) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    serve(key, (LoadConnection) key.attachment(), host);
                }
                runDue();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the load's selector failed", e);
        }
    }

    private void select() throws IOException {
        Timer next = timers.peek();
        if (!tasks.isEmpty()) {
            selector.selectNow();
        } else if (next == null) {
            selector.select();
        } else {
            long waitMs = (next.dueNs() - System.nanoTime()) / 1_000_000;
            if (waitMs > 0) {
                selector.select(waitMs);
            } else {
                selector.selectNow();
            }
        }
    }

    private void serve(SelectionKey key, LoadConnection connection, String host) {
        try {
            if (key.isConnectable()) {
                connection.connected(host);
            }
            if (key.isReadable()) {
                connection.read(scan);
            }
            if (key.isValid() && key.isWritable()) {
                dirty(connection);
            }
        } catch (IOException e) {
            connection.end(e.getMessage());
        } catch (CancelledKeyException e) {
            connection.end("closed");
        }
    }

    private void runDue() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        while (!timers.isEmpty() && timers.peek().dueNs() - System.nanoTime() <= 0) {
            timers.poll().task().run();
        }
    }

    private void flushAll() {
        List<LoadConnection> now = dirty;
        dirty = flushing;
        flushing = now;
        for (LoadConnection connection : now) {
            try {
                connection.flush();
            } catch (IOException e) {
                connection.end(e.getMessage());
            }
        }
        now.clear();
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        selector.wakeup();
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (SelectionKey key : selector.keys()) {
            key.channel().close();
        }
        selector.close();
    }
}
