/** Terminals that are HTTP endpoints: what a webhook gets, how it is signed, and to which addresses it may go. */
package dev.switchboard.webhook;
