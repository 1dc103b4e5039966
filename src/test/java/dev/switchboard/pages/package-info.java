/** The two pages in a real Chromium, against a whole server. */
package dev.switchboard.pages;
