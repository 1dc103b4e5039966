package dev.switchboard.dispatcher;

import com.typesafe.config.ConfigFactory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;

/** An actor system with one affinity dispatcher, for tests. */
final class Switchyard implements AutoCloseable {
    final ActorSystem system;
    final AffinityDispatcher dispatcher;
    private final String name;

    Switchyard(String name, String affinity) {
        this(name, affinity, "1s");
    }

    Switchyard(String name, String affinity, String shutdownTimeout) {
        this.name = name;
        this.system = ActorSystem.create(name, ConfigFactory.parseString("""
                                pekko.loglevel = OFF
                                pekko.log-dead-letters = off
                                pekko.stdout-loglevel = OFF
                                lanes {
                                  type = "dev.switchboard.dispatcher.AffinityDispatcherConfigurator"
                                  throughput = 32
                                  shutdown-timeout = %s
                                  affinity { %s }
                                }
                                sessions { mailbox-type = "dev.switchboard.dispatcher.SessionMailbox" }
                                bounded {
                                  mailbox-type = "org.apache.pekko.dispatch.NonBlockingBoundedMailbox"
                                  mailbox-capacity = 1000
                                }
                                """.formatted(shutdownTimeout, affinity)));
        this.dispatcher = (AffinityDispatcher) system.dispatchers().lookup("lanes");
    }

    ActorRef session(String session, Props props) {
        return system.actorOf(props.withDispatcher("lanes").withMailbox("sessions"), session);
    }

    /** How many threads of lanes live now. */
    long threads() {
        return Thread.getAllStackTraces().keySet().stream().filter(this::isLane).count();
    }

    /** The processor time that all lanes' threads have had. */
    Duration cpuOfLanes() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (isLane(thread)) {
                sum += Math.max(0, threads.getThreadCpuTime(thread.getId()));
            }
        }
        return Duration.ofNanos(sum);
    }

    /** Whether all lanes' threads sleep. */
    boolean asleep() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(this::isLane)
                .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    private boolean isLane(Thread thread) {
        return thread.getName().startsWith(name + "-lanes-") && thread.getName().contains("-lane-");
    }

    @Override
    public void close() {
        system.terminate();
        try {
            system.getWhenTerminated().toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
            throw new AssertionError("the actor system did not end", e);
        }
    }
}
