/** Who is calling: signed tokens, development tokens, revocation, and which pages may call from a browser. */
package dev.switchboard.auth;
