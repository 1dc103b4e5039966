/** The WebSocket: one terminal of one person for each connection, from the bytes to the actors and back. */
package dev.switchboard.socket;
