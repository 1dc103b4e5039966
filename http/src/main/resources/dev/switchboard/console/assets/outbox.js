/**
 * Posts that have no final answer yet. Each is kept in the browser under its own key, so that several tabs of one person
 * don't overwrite each other, and is sent again, marked as a repeat and under the same id, until it is answered: after a
 * lost connection, a reload or a restart of the browser. The server answers a repeat like the first time, so each is
 * accepted once.
 *
 * One post of a conversation is in flight at a time: that, and `after`, keep their order.
 */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** Answers that mean: not now. Everything else that isn't marked as retryable is final. */
const NOT_NOW = new Set(['offline', 'no-answer']);

export class Outbox {
  /**
   * @param {string} person `role:id`
   * @param {Storage} storage
   * @param {(post: object, sentBefore: boolean, after: ?string) => Promise<object>} send
   * @param {() => void} changed told after every change
   */
  constructor(person, storage, send, changed) {
    this.prefix = `switchboard.unsent.${person}.`;
    this.storage = storage;
    this.send = send;
    this.changed = changed;
    this.posts = [];
    this.lastAccepted = new Map();
    this.sending = new Set();
    this.retryTimers = new Map();
    this.#load();
  }

  /** Keeps a post and sends it as soon as it can be sent. `conv` is null for a conversation that isn't open yet. */
  add(conv, body) {
    const post = { clientMsgId: newId(), conv, body, at: this.#nextTime(), tries: 0, state: 'sending' };
    this.posts.push(post);
    this.#keep(post);
    this.changed();
    this.flush();
    return post;
  }

  /** The posts of a conversation in their order. */
  of(conv) {
    return this.posts.filter((post) => post.conv === conv || (post.conv === null && conv !== undefined));
  }

  get unsentCount() {
    return this.posts.length;
  }

  /** Sends what waits; call it when a connection has been signed in. */
  flush() {
    for (const post of this.posts) {
      if (post.state === 'spooled') {
        post.state = 'sending'; // what became of it may have been said while nobody listened
      }
    }
    for (const lane of new Set(this.posts.map((post) => post.conv))) {
      this.#next(lane);
    }
  }

  /** Tries a refused post again under the same id. */
  retry(clientMsgId) {
    const post = this.posts.find((candidate) => candidate.clientMsgId === clientMsgId);
    if (post && post.state === 'refused') {
      post.state = 'sending';
      delete post.error;
      this.#keep(post);
      this.changed();
      this.#next(post.conv);
    }
  }

  /** Forgets a post; gives it back. */
  discard(clientMsgId) {
    const post = this.posts.find((candidate) => candidate.clientMsgId === clientMsgId);
    if (post) {
      this.#remove(post);
      this.changed();
      this.#next(post.conv);
    }
    return post;
  }

  /** The server says that this person's message is in the log: whatever the answer was, it is accepted. */
  accepted(clientMsgId, conv) {
    const post = this.posts.find((candidate) => candidate.clientMsgId === clientMsgId);
    if (post) {
      this.lastAccepted.set(conv, clientMsgId);
      this.#remove(post);
      this.changed();
    }
  }

  /** A spooled post was refused after all. */
  refused(clientMsgId, error) {
    const post = this.posts.find((candidate) => candidate.clientMsgId === clientMsgId);
    if (post) {
      this.#refuse(post, error);
    }
  }

  /** Forgets all posts of the person. */
  clear() {
    for (const post of [...this.posts]) {
      this.#remove(post);
    }
    this.stop();
    this.changed();
  }

  stop() {
    for (const timer of this.retryTimers.values()) {
      clearTimeout(timer);
    }
    this.retryTimers.clear();
  }

  /** The time, but later than that of every post before: it is what they are ordered by after a reload. */
  #nextTime() {
    return this.posts.reduce((latest, post) => Math.max(latest, post.at + 1), Date.now());
  }

  async #next(lane) {
    const post = this.posts.find((candidate) => candidate.conv === lane && candidate.state === 'sending');
    if (!post || this.sending.has(lane)) {
      return;
    }
    clearTimeout(this.retryTimers.get(lane));
    this.sending.add(lane);
    const sentBefore = post.tries > 0;
    post.tries++;
    this.#keep(post); // before it leaves: a crash in between must not lose that it may have been sent
    let delay = 0;
    try {
      this.#answered(post, await this.send(post, sentBefore, this.#before(post)));
    } catch (error) {
      if (error.retryable || NOT_NOW.has(error.code)) {
        if (error.code === 'offline') {
          post.tries = sentBefore ? post.tries : 0;
          this.#keep(post);
          delay = Infinity; // flush() comes with the next connection
        } else {
          delay = error.retryAfterMs ?? Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(post.tries - 1, 10));
          post.waiting = error.code;
        }
      } else {
        this.#refuse(post, { code: error.code ?? 'internal', frame: error.frame, message: error.message });
      }
    } finally {
      this.sending.delete(lane);
    }
    this.changed();
    if (delay === 0) {
      this.#next(lane);
      if (post.conv !== lane) {
        this.#next(post.conv);
      }
    } else if (Number.isFinite(delay)) {
      this.retryTimers.set(
        lane,
        setTimeout(() => this.#next(lane), delay),
      );
    }
  }

  #answered(post, reply) {
    delete post.waiting;
    this.lastAccepted.set(reply.conv, post.clientMsgId);
    if (reply.state === 'spooled') {
      post.state = 'spooled';
      this.#adopt(post, reply.conv);
      this.#keep(post);
    } else {
      const lane = post.conv;
      this.#remove(post);
      if (lane === null) {
        // the conversation is known now: what waited for it belongs to it
        for (const other of this.posts.filter((candidate) => candidate.conv === null)) {
          this.#adopt(other, reply.conv);
          this.#keep(other);
        }
        post.conv = reply.conv;
      }
    }
  }

  #adopt(post, conv) {
    if (post.conv === null) {
      post.conv = conv;
    }
  }

  /** The id that must have been accepted before this post. */
  #before(post) {
    let before = this.lastAccepted.get(post.conv) ?? null;
    for (const other of this.posts) {
      if (other === post) {
        break;
      }
      if (other.conv === post.conv && other.state === 'spooled') {
        before = other.clientMsgId;
      }
    }
    return before;
  }

  #refuse(post, error) {
    post.state = 'refused';
    post.error = { code: error.code, message: error.message, ...pickFacts(error.frame) };
    this.#keep(post);
    this.changed();
  }

  #load() {
    for (const key of Object.keys(this.storage)) {
      if (key.startsWith(this.prefix)) {
        try {
          const post = JSON.parse(this.storage.getItem(key));
          post.tries = Math.max(1, post.tries ?? 1);
          this.posts.push(post);
        } catch {
          this.storage.removeItem(key);
        }
      }
    }
    this.posts.sort((a, b) => a.at - b.at);
  }

  #keep(post) {
    try {
      this.storage.setItem(this.prefix + post.clientMsgId, JSON.stringify(post));
    } catch {
      // storage is full or forbidden: the post lives as long as the page
    }
  }

  #remove(post) {
    this.posts = this.posts.filter((candidate) => candidate !== post);
    this.storage.removeItem(this.prefix + post.clientMsgId);
  }
}

/** An id that no one else makes; `crypto.randomUUID` exists on secure origins only. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pickFacts(frame) {
  return frame ? { owner: frame.owner, epoch: frame.epoch } : {};
}
