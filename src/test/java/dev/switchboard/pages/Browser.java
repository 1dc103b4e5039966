package dev.switchboard.pages;

import dev.switchboard.harness.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A Chromium of its own, without a window and with a new profile. For one thread at a time. Where there is no Chromium the
 * test is skipped and says so; with {@code CI=true} it fails.
 */
final class Browser implements AutoCloseable {
    /** How long anything on a page may take; much longer than it does, for machines that are busy. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The size of a small telephone. */
    static final int PHONE_WIDTH = 360;

    private static final int PHONE_HEIGHT = 700;

    private final ChromeDriver driver;
    private final Path profile;

    private Browser(ChromeOptions options, Path profile) {
        this.profile = profile;
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(program("SWITCHBOARD_CHROMEDRIVER", "/usr/bin/chromedriver")
                        .toFile())
                .build();
        this.driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(PATIENCE).scriptTimeout(PATIENCE);
    }

    /** A window of a desktop's size. */
    static Browser desktop() {
        return start(options -> options.addArguments("--window-size=1280,800"));
    }

    /** A window of a telephone's size, with touch. */
    static Browser phone() {
        return start(options -> options.setExperimentalOption(
                "mobileEmulation",
                Map.of(
                        "deviceMetrics",
                        Map.of(
                                "width",
                                PHONE_WIDTH,
                                "height",
                                PHONE_HEIGHT,
                                "pixelRatio",
                                2.0,
                                "touch",
                                true,
                                "mobile",
                                true))));
    }

    private static Browser start(java.util.function.Consumer<ChromeOptions> more) {
        Path chromium = program("SWITCHBOARD_CHROMIUM", "/usr/bin/chromium");
        Path profile = Folders.temporary("switchboard-chromium-");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--lang=en-GB",
                "--user-data-dir=" + profile);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        more.accept(options);
        return new Browser(options, profile);
    }

    private static Path program(String variable, String usual) {
        Path path = Path.of(System.getenv().getOrDefault(variable, usual));
        if (!Files.isExecutable(path)) {
            String reason = "no " + path + ": install chromium and chromium-driver, or set " + variable;
            if ("true".equals(System.getenv("CI"))) {
                Assertions.fail(reason);
            }
            Assumptions.abort(reason);
        }
        return path;
    }

    ChromeDriver driver() {
        return driver;
    }

    void open(String address) {
        driver.get(address);
    }

    /** Opens the address as a new visit even if only its fragment differs from the page's. */
    void openAnew(String address) {
        driver.get("about:blank");
        driver.get(address);
    }

    /** The value of an expression in the page. */
    Object evaluate(String expression, Object... arguments) {
        return driver.executeScript("return " + expression, arguments);
    }

    boolean is(String expression, Object... arguments) {
        return Boolean.TRUE.equals(evaluate("Boolean(" + expression + ")", arguments));
    }

    @SuppressWarnings("unchecked")
    List<String> texts(String selector) {
        return (List<String>)
                evaluate("[...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())", selector);
    }

    /** The text of the first element that fits; empty when there is none or it is hidden. */
    String text(String selector) {
        return (String) evaluate(
                "(() => { const e = document.querySelector(arguments[0]);"
                        + " return e && e.checkVisibility() ? e.textContent.trim() : ''; })()",
                selector);
    }

    boolean shows(String selector) {
        return is("[...document.querySelectorAll(arguments[0])].some((e) => e.checkVisibility())", selector);
    }

    void click(String selector) {
        await(selector + " can be clicked", () -> {
            driver.findElement(By.cssSelector(selector)).click();
            return true;
        });
    }

    /** Types into the element that fits. */
    void type(String selector, CharSequence... keys) {
        await(selector + " can be typed into", () -> {
            WebElement field = driver.findElement(By.cssSelector(selector));
            return field.isDisplayed() && field.isEnabled();
        });
        driver.findElement(By.cssSelector(selector)).sendKeys(keys);
    }

    /** Presses keys wherever the focus is. */
    void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Leaves the field that has the focus, so that single keys are shortcuts. */
    void leaveField() {
        press(Keys.ESCAPE);
        await("no field has the focus", () -> !is("/INPUT|TEXTAREA/.test(document.activeElement.tagName)"));
    }

    /** Waits until the condition holds; what a changing page throws meanwhile doesn't count. */
    void await(String what, Callable<Boolean> condition) {
        try {
            Awaitility.await(what)
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .ignoreExceptionsInstanceOf(WebDriverException.class)
                    .until(condition);
        } catch (RuntimeException e) {
            throw new AssertionError("did not happen: " + what + "; the page says:\n" + describe(), e);
        }
    }

    /** What the page reported that is no failed request: script errors, refused scripts and styles. */
    List<String> problems() {
        Stream<LogEntry> all = driver.manage().logs().get(LogType.BROWSER).getAll().stream();
        return all.filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .filter(message -> !message.contains("net::ERR_CONNECTION_REFUSED")
                        && !message.contains("WebSocket connection to")
                        && !message.contains("Failed to load resource"))
                .toList();
    }

    private String describe() {
        try {
            return evaluate("document.body.innerText") + "\n" + problems();
        } catch (WebDriverException e) {
            return "(nothing: " + e.getMessage() + ")";
        }
    }

    @Override
    public void close() {
        try {
            driver.quit();
        } finally {
            Folders.delete(profile);
        }
    }
}
