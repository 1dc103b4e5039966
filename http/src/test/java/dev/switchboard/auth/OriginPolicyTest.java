package dev.switchboard.auth;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class OriginPolicyTest {
    private final OriginPolicy own = new OriginPolicy(List.of());

    @Test
    void shouldPassWhatIsNoBrowser() {
        assertTrue(own.allows(null, "desk.example.com"));
        assertTrue(own.allows(null, null));
    }

    @Test
    void shouldPassTheOwnHost() {
        assertTrue(own.allows("http://localhost:8080", "localhost:8080"));
        assertTrue(own.allows("https://Desk.Example.com", "desk.example.com"));
        assertTrue(own.allows("https://desk.example.com", "desk.example.com:443"));
        assertTrue(own.allows("http://desk.example.com", "desk.example.com:80"));
    }

    @Test
    void shouldRefuseOthers() {
        assertFalse(own.allows("http://localhost:9090", "localhost:8080"));
        assertFalse(own.allows("https://evil.example.com", "desk.example.com"));
        assertFalse(own.allows("https://desk.example.com.evil.com", "desk.example.com"));
        assertFalse(own.allows("https://evil.com/desk.example.com", "desk.example.com"));
        assertFalse(own.allows("null", "desk.example.com"));
        assertFalse(own.allows("", "desk.example.com"));
        assertFalse(own.allows("https://desk.example.com", null));
        assertFalse(own.allows("file://desk.example.com", "desk.example.com"));
        assertFalse(own.allows("https://user@desk.example.com", "desk.example.com"));
    }

    @Test
    void shouldPassTheListed() {
        OriginPolicy listed = new OriginPolicy(List.of("https://desk.example.com", "http://localhost:3000"));
        assertTrue(listed.allows("https://desk.example.com", "api.example.com"));
        assertTrue(listed.allows("https://DESK.example.com:443", "api.example.com"));
        assertTrue(listed.allows("http://localhost:3000", "api.example.com"));
        assertFalse(listed.allows("http://desk.example.com", "api.example.com"));
        assertFalse(listed.allows("http://localhost:3001", "api.example.com"));
    }

    @Test
    void shouldPassAllOnlyWhenToldSo() {
        assertTrue(new OriginPolicy(List.of("*")).allows("https://anybody.example", "api.example.com"));
    }
}
