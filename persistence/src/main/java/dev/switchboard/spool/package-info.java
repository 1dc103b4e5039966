/** Customers' posts on this node's own disk while the journal is away, in a file of H2's MVStore. */
package dev.switchboard.spool;
