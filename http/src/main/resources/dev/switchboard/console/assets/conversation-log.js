/**
 * What a client holds of one conversation: a stretch of its log without a hole.
 *
 * Invariants: `entries` are in order of `seq`, each once, and nothing that this reader may see is missing between the
 * first and the last. `head` is the last of them. An entry from the server is appended when its `prev` (the seq before
 * it that this reader may see) is not beyond `head`; otherwise something is missing, the entry waits, and `gap` names
 * the seq to ask the history from. Entries at or below `head` are repeats and change nothing.
 *
 * No DOM, no network: the session feeds it.
 */
const MAX_PARKED = 1000;

export class ConversationLog {
  constructor() {
    this.reset();
  }

  /** Forgets everything: the server can't continue from what was here. */
  reset() {
    this.entries = [];
    this.head = 0;
    this.loaded = false;
    this.hasOlder = false;
    this.highestPushed = 0;
    this.parked = new Map();
  }

  get low() {
    return this.entries.length > 0 ? this.entries[0].seq : this.head + 1;
  }

  /** A live entry. Returns those that became part of the log, in order. */
  push(entry) {
    this.highestPushed = Math.max(this.highestPushed, entry.seq);
    if (entry.seq <= this.head && this.loaded) {
      return [];
    }
    if (this.parked.size < MAX_PARKED) {
      this.parked.set(entry.seq, entry);
    } // beyond that it is simply missing, and the history brings it
    return this.loaded ? this.#unpark() : [];
  }

  /** The first page, the newest entries: live ones that came before it join now. */
  load(entries, hasMore) {
    this.loaded = true;
    this.hasOlder = Boolean(hasMore);
    const fresh = this.#append(entries);
    return [...fresh, ...this.#unpark()];
  }

  /** A page that follows `head`, asked for because of a gap. */
  fill(entries) {
    const fresh = this.#append(entries);
    return [...fresh, ...this.#unpark()];
  }

  /** A page before `low`. */
  prepend(entries, hasMore) {
    const low = this.low;
    const older = entries.filter((entry) => entry.seq < low);
    this.entries.unshift(...older);
    this.hasOlder = Boolean(hasMore) && entries.length > 0;
    return older;
  }

  /** The seq from which the history must be asked, or null when nothing is missing. */
  get gap() {
    return this.loaded && (this.parked.size > 0 || this.highestPushed > this.head) ? this.head + 1 : null;
  }

  /** Everything up to here has arrived, and was sent to this terminal: what may be acknowledged. */
  get acknowledgeable() {
    return this.loaded ? Math.min(this.head, this.highestPushed) : 0;
  }

  #append(entries) {
    const fresh = [];
    for (const entry of entries) {
      if (entry.seq > this.head) {
        this.entries.push(entry);
        this.head = entry.seq;
        fresh.push(entry);
      }
      this.parked.delete(entry.seq);
    }
    return fresh;
  }

  #unpark() {
    const fresh = [];
    for (const seq of [...this.parked.keys()].sort((a, b) => a - b)) {
      const entry = this.parked.get(seq);
      if (seq <= this.head) {
        this.parked.delete(seq);
      } else if ((entry.prev ?? seq - 1) <= this.head) {
        fresh.push(...this.#append([entry]));
      } else {
        break;
      }
    }
    return fresh;
  }
}
