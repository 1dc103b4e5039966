package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.BulkRetries;
import dev.switchboard.ports.BulkRetries.Asked;
import dev.switchboard.ports.BulkRetries.Job;
import dev.switchboard.ports.BulkRetries.Progress;
import dev.switchboard.ports.BulkRetries.Request;
import dev.switchboard.ports.Directory.Rows;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.apache.pekko.http.javadsl.model.HttpResponse;

/**
 * The calls that retry many dead letters at once. Thread-safe. Operators retry all, supervisors those of their queues, and
 * each supervisor sees the jobs of its own. A call only reads and writes the database: one node of the cluster carries the
 * jobs out.
 */
final class BulkRetryCalls {
    private static final int MAX_CAP = 10_000;
    private static final int USUAL_CAP = 1_000;
    private static final int MAX_PACE = 200;
    private static final int USUAL_PACE = 10;
    private static final int MAX_IDS = 1_000;
    private static final Pattern LETTER_ID = Pattern.compile("[^\\p{Cntrl}]{1,512}");
    private static final Duration COME_AGAIN = Duration.ofSeconds(30);

    private final Edge edge;

    BulkRetryCalls(Edge edge) {
        this.edge = edge;
    }

    RouteTable addTo(RouteTable table) {
        return table.add("POST", "/dead-letters/retry", this::ask)
                .add("GET", "/dead-letters/retry/jobs", this::list)
                .add("GET", "/dead-letters/retry/jobs/{job}", this::show)
                .add("POST", "/dead-letters/retry/jobs/{job}/stop", this::stop);
    }

    private BulkRetries retries() {
        return edge.services().storage().bulkRetries();
    }

    private CompletionStage<HttpResponse> ask(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        Request request = request(call);
        return retries()
                .ask(request, edge.services().bulkRetries().maxOpen(), Instant.now())
                .thenApplyAsync(BulkRetryCalls::answer, edge.executor());
    }

    private static Request request(Call call) {
        JsonFields fields = call.fields();
        // Which letters is never left to a forgotten field: an empty filter says all.
        JsonFields filter = fields.requiredObject("filter");
        return new Request(
                call.principal(),
                call.requiredIdempotencyKey(),
                filter.matching("queue", ConversationIds.QUEUE),
                filter.text("conv", 255),
                filter.texts("ids", MAX_IDS, LETTER_ID),
                (int) fields.integer("cap", 1, MAX_CAP, USUAL_CAP),
                (int) fields.integer("pace", 1, MAX_PACE, USUAL_PACE));
    }

    private static HttpResponse answer(Asked asked) {
        if (asked instanceof Asked.Created created) {
            return job(202, created.job(), false);
        }
        if (asked instanceof Asked.Known known) {
            return job(200, known.job(), true);
        }
        return Answers.problem(
                asked instanceof Asked.Full
                        ? Refusal.of(ErrorCode.OVERLOAD, "As many bulk retries as may be are not finished.")
                                .retryAfter(COME_AGAIN)
                        : Refusal.of(ErrorCode.ID_REUSED, "The same key asked for another bulk retry."));
    }

    private CompletionStage<HttpResponse> list(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        Principal who = call.principal();
        String creator = who.role() == Role.OPERATOR ? null : who.person().key();
        CompletionStage<Rows<Job>> rows;
        try {
            rows = retries().jobs(creator, call.query("cursor"), call.limit());
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid("cursor", "was not given by this list");
        }
        return rows.thenApplyAsync(
                found -> Answers.object(200, out -> {
                    out.writeArrayFieldStart("items");
                    for (Job job : found.items()) {
                        out.writeStartObject();
                        writeFields(out, job);
                        out.writeEndObject();
                    }
                    out.writeEndArray();
                    WireJson.writeText(out, "cursor", found.cursor().orElse(null));
                }),
                edge.executor());
    }

    private CompletionStage<HttpResponse> show(Call call) {
        return visible(call).thenApplyAsync(job -> job(200, job, false), edge.executor());
    }

    private CompletionStage<HttpResponse> stop(Call call) {
        String by = call.principal().person().key();
        return visible(call)
                .thenCompose(job -> retries().stop(job.id(), by, Instant.now()))
                .thenApplyAsync(job -> job(200, found(job), false), edge.executor());
    }

    /** The job that the path names, if the caller may see it. */
    private CompletionStage<Job> visible(Call call) {
        call.requireRole(Role.SUPERVISOR, Role.OPERATOR);
        Principal who = call.principal();
        return retries()
                .job(call.pathText("job"))
                .thenApply(job -> found(job.filter(
                        one -> who.role() == Role.OPERATOR || one.by().person().equals(who.person()))));
    }

    private static Job found(Optional<Job> job) {
        return job.orElseThrow(
                () -> new RefusedException(Refusal.of(ErrorCode.NOT_FOUND, "There is no such bulk retry.")));
    }

    private static HttpResponse job(int status, Job job, boolean duplicate) {
        return Answers.object(status, out -> {
            writeFields(out, job);
            if (duplicate) {
                out.writeBooleanField("duplicate", true);
            }
        });
    }

    private static void writeFields(JsonGenerator out, Job job) throws IOException {
        out.writeStringField("id", job.id());
        out.writeStringField("state", job.state().wireName());
        out.writeFieldName("by");
        WireJson.writePerson(out, job.by().person());
        out.writeStringField("at", WireJson.time(job.at()));
        out.writeObjectFieldStart("filter");
        WireJson.writeText(out, "queue", job.queue());
        WireJson.writeText(out, "conv", job.conv());
        if (job.ids() > 0) {
            out.writeNumberField("ids", job.ids());
        }
        out.writeEndObject();
        out.writeNumberField("cap", job.cap());
        out.writeNumberField("pace", job.pace());
        if (job.stoppedBy() != null) {
            out.writeFieldName("stoppedBy");
            WireJson.writePerson(out, Person.ofKey(job.stoppedBy()));
            out.writeStringField("stoppedAt", WireJson.time(job.stoppedAt()));
        }
        if (job.finishedAt() != null) {
            out.writeStringField("finishedAt", WireJson.time(job.finishedAt()));
        }
        Progress progress = job.progress();
        out.writeObjectFieldStart("progress");
        out.writeNumberField("total", progress.total());
        out.writeNumberField("waiting", progress.waiting());
        out.writeNumberField("sent", progress.sent());
        out.writeNumberField("delivered", progress.delivered());
        out.writeNumberField("failed", progress.failed());
        out.writeNumberField("skipped", progress.skipped());
        out.writeEndObject();
    }
}
