package dev.switchboard.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * The houses and the arrows between them. A class uses only its own house, the houses below, and the libraries that its
 * house names; the list says which package names those are, since a jar is not what the compiler sees.
 */
@AnalyzeClasses(
        packages = "dev.switchboard",
        importOptions = {ImportOption.DoNotIncludeTests.class, HousesTest.NoTestClasses.class})
final class HousesTest {
    private HousesTest() {}

    /** Class folders of a build that isn't Maven's hold tests beside the rest. */
    static final class NoTestClasses implements ImportOption {
        @Override
        public boolean includes(com.tngtech.archunit.core.importer.Location location) {
            return !location.contains("/test/dev/switchboard/");
        }
    }

    private static final String[] ACTORS = {
        "dev.switchboard.conversation..",
        "dev.switchboard.desk..",
        "dev.switchboard.routing..",
        "dev.switchboard.delivery..",
        "dev.switchboard.ports.."
    };
    private static final String DISPATCHER = "dev.switchboard.dispatcher..";
    private static final String[] PERSISTENCE = {
        "dev.switchboard.journal..",
        "dev.switchboard.serialization..",
        "dev.switchboard.directory..",
        "dev.switchboard.spool..",
        "dev.switchboard.schema.."
    };
    private static final String[] HTTP = {
        "dev.switchboard.api..",
        "dev.switchboard.socket..",
        "dev.switchboard.webhook..",
        "dev.switchboard.auth..",
        "dev.switchboard.console.."
    };
    private static final String SERVER = "dev.switchboard.server..";

    private static final String[] EVERYWHERE = {
        "java..", "javax.crypto..", "org.slf4j..", "com.google.errorprone.annotations.."
    };

    /** What the actors stand on: Pekko's actors, typed persistence and sharding, and what those show in their types. */
    private static final String[] PEKKO_OF_ACTORS = {
        "org.apache.pekko",
        "org.apache.pekko.actor..",
        "org.apache.pekko.annotation..",
        "org.apache.pekko.dispatch..",
        "org.apache.pekko.event..",
        "org.apache.pekko.japi..",
        "org.apache.pekko.pattern..",
        "org.apache.pekko.persistence",
        "org.apache.pekko.persistence.typed..",
        "org.apache.pekko.cluster..",
        "org.apache.pekko.util..",
        "org.apache.pekko.serialization..",
        "com.typesafe.config..",
        "scala.."
    };

    @ArchTest
    static final ArchRule everyClassBelongsToAHouse =
            classes().should().resideInAnyPackage(join(ACTORS, PERSISTENCE, HTTP, new String[] {DISPATCHER, SERVER}));

    @ArchTest
    static final ArchRule theDispatcherStandsAlone = classes()
            .that()
            .resideInAPackage(DISPATCHER)
            .should()
            .onlyDependOnClassesThat(in(join(EVERYWHERE, new String[] {
                DISPATCHER,
                "org.apache.pekko.actor..",
                "org.apache.pekko.dispatch..",
                "org.apache.pekko.event..",
                "org.apache.pekko.util..",
                "com.typesafe.config..",
                "scala..",
                "org.jctools..",
                "org.HdrHistogram.."
            })))
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule actorsUsePekkoAlone = classes()
            .that()
            .resideInAnyPackage(ACTORS)
            .should()
            .onlyDependOnClassesThat(in(join(EVERYWHERE, ACTORS, PEKKO_OF_ACTORS)));

    @ArchTest
    static final ArchRule persistenceUsesActorsAndDatabases = classes()
            .that()
            .resideInAnyPackage(PERSISTENCE)
            .should()
            .onlyDependOnClassesThat(in(join(EVERYWHERE, ACTORS, PERSISTENCE, PEKKO_OF_ACTORS, new String[] {
                "javax.sql..",
                "javax.net.ssl..",
                "org.apache.pekko.persistence..",
                "org.apache.pekko.stream..",
                "slick..",
                "com.zaxxer.hikari..",
                "com.esotericsoftware.kryo..",
                "org.flywaydb..",
                "org.h2..",
                "org.postgresql.."
            })));

    @ArchTest
    static final ArchRule httpUsesActorsAndTheEdgesLibraries = classes()
            .that()
            .resideInAnyPackage(HTTP)
            .should()
            .onlyDependOnClassesThat(in(join(EVERYWHERE, ACTORS, HTTP, PEKKO_OF_ACTORS, new String[] {
                "org.apache.pekko.http..", "org.apache.pekko.stream..",
                "com.fasterxml.jackson..", "com.nimbusds.."
            })));

    @ArchTest
    static final ArchRule httpKeepsAwayFromStoredState = noClasses()
            .that()
            .resideInAnyPackage(HTTP)
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.apache.pekko.persistence..", "java.sql.."));

    @ArchTest
    static final ArchRule nobodyUsesTheServer =
            noClasses().that(not(resideInAPackage(SERVER))).should().dependOnClassesThat(resideInAPackage(SERVER));

    @ArchTest
    static final ArchRule nobodyStopsAThreadWithoutADeadline = noClasses()
            .that()
            .resideInAnyPackage(ACTORS)
            .should()
            .callMethod(Thread.class, "sleep", long.class)
            .orShould()
            .callMethod(java.util.concurrent.CompletableFuture.class, "join")
            .orShould()
            .callMethod(java.util.concurrent.CompletableFuture.class, "get");

    private static DescribedPredicate<JavaClass> in(String... packages) {
        // An array is its element's business.
        return resideInAnyPackage(packages)
                .or(new DescribedPredicate<>("arrays and primitives") {
                    @Override
                    public boolean test(JavaClass type) {
                        return type.isPrimitive() || type.isArray();
                    }
                })
                .as("their house's own packages and libraries");
    }

    private static String[] join(String[]... parts) {
        return java.util.Arrays.stream(parts).flatMap(java.util.Arrays::stream).toArray(String[]::new);
    }
}
