package dev.switchboard.api;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.delivery.Standing;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.ExceptionHandler;
import org.apache.pekko.http.javadsl.server.MethodRejection;
import org.apache.pekko.http.javadsl.server.Rejection;
import org.apache.pekko.http.javadsl.server.RejectionHandler;
import org.apache.pekko.http.javadsl.server.Route;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the routes of a port together, with problem documents for whatever none of them takes. Stateless. */
final class WholeRoute extends AllDirectives {
    private static final Logger LOG = LoggerFactory.getLogger(WholeRoute.class);

    private WholeRoute() {}

    /** The routes one after the other; a call that takes too long, fails or fits none is answered as a problem. */
    static Route of(HttpSettings settings, Route first, Route... others) {
        return new WholeRoute().wrap(settings, first, others);
    }

    /** The route; its answers leave only while this node may speak. */
    static Route whileStanding(Standing standing, Route inner) {
        return new WholeRoute()
                .mapResponse(
                        answer -> standing.holds()
                                ? answer
                                : Answers.problem(Refusal.of(
                                        ErrorCode.SHUTTING_DOWN, "this node stood still and may have been replaced")),
                        () -> inner);
    }

    private Route wrap(HttpSettings settings, Route first, Route... others) {
        HttpResponse tooLate = Answers.problem(Refusal.of(
                ErrorCode.TIMEOUT,
                "the call took longer than " + settings.requestTimeout().toSeconds() + " s"));
        return withRequestTimeoutResponse(
                request -> tooLate,
                () -> handleExceptions(
                        exceptions(), () -> handleRejections(rejections(), () -> concat(first, others))));
    }

    private ExceptionHandler exceptions() {
        return ExceptionHandler.newBuilder()
                .matchAny(failure -> {
                    LOG.error("a request failed", failure);
                    return complete(Answers.problem(
                            Refusal.of(ErrorCode.INTERNAL, "the server made a mistake; it is in the log")));
                })
                .build();
    }

    private RejectionHandler rejections() {
        return RejectionHandler.newBuilder()
                .handleAll(MethodRejection.class, this::otherMethods)
                .handle(
                        Rejection.class,
                        rejection -> complete(
                                Answers.problem(Refusal.of(ErrorCode.MALFORMED, "the request can't be taken"))))
                .handleNotFound(complete(Answers.problem(Refusal.of(ErrorCode.NOT_FOUND, "there is no such address"))))
                .build();
    }

    private Route otherMethods(List<MethodRejection> rejections) {
        String allowed = rejections.stream()
                .map(rejection -> rejection.supported().value())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return complete(Answers.problem(Refusal.of(ErrorCode.METHOD_NOT_ALLOWED, "this address takes " + allowed)
                .withFact("allow", allowed)));
    }
}
