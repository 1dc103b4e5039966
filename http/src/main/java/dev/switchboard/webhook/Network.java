package dev.switchboard.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A range of addresses, as in {@code 10.0.0.0/8} or {@code fc00::/7}. Immutable.
 *
 * @param prefix the first address, 4 or 16 bytes
 * @param bits how many bits of it all have in common
 */
@SuppressWarnings("ArrayRecordComponent") // Never written after construction, and never compared.
record Network(byte[] prefix, int bits) {
    /** Digits and colons alone: a name would be looked up. */
    private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /** Reads an address, or an address and the number of its leading bits. Throws IllegalArgumentException. */
    static Network parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        try {
            if (!LITERAL.matcher(address).matches()) {
                throw new IllegalArgumentException("'" + text + "' is no network such as 10.0.0.0/8");
            }
            byte[] bytes = InetAddress.getByName(address).getAddress();
            int bits = slash < 0 ? bytes.length * 8 : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > bytes.length * 8) {
                throw new IllegalArgumentException("'" + text + "' has more leading bits than an address");
            }
            return new Network(bytes, bits);
        } catch (UnknownHostException | NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no network such as 10.0.0.0/8", e);
        }
    }

    boolean contains(byte[] address) {
        if (address.length != prefix.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += 8) {
            int mask = bits - bit >= 8 ? 0xFF : (0xFF << (8 - (bits - bit))) & 0xFF;
            if (((prefix[bit / 8] ^ address[bit / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
