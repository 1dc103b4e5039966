package dev.switchboard.server.doctor;

import java.util.Locale;

/** Numbers as people read them. Stateless. */
final class Wording {
    private Wording() {}

    /** As many digits as say something: 0.03, 4.2, 57, 12 300. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "unknown";
        }
        double size = Math.abs(value);
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,.0f", value).replace(',', ' ');
        }
        return String.format(Locale.ROOT, size >= 20 ? "%.0f" : size >= 1 ? "%.1f" : "%.2f", value);
    }

    static String percent(double share) {
        return Double.isNaN(share) ? "unknown" : String.format(Locale.ROOT, "%.0f %%", share * 100);
    }
}
