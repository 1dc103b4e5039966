/**
 * One signed-in person: the connection, the conversations with their logs, what was acknowledged and read, and the posts
 * that wait for an answer. Both pages stand on this; it has no DOM but reads the page's visibility through its owner.
 *
 * Events (CustomEvents): `link` (see switchboard-client.js), `conversations` (the list or a fact of one changed, detail
 * {conv}), `entries` (detail {conv, fresh, reset}), `typing`, `outbox`, `offers`, `desk`, `problem` (detail {code, …}).
 */
import { ConversationLog } from './conversation-log.js';
import { Outbox, newId } from './outbox.js';
import { SwitchboardClient, tokenClaims } from './switchboard-client.js';

const PAGE = 50;
const FILL_PAGE = 200;
const ACK_DELAY_MS = 150;
const TYPING_EVERY_MS = 3_000;
const TYPING_LASTS_MS = 6_000;
const HISTORY_RETRY_MS = 2_000;

export class Session extends EventTarget {
  /**
   * @param {object} options
   * @param {string} options.base the server's address, without a slash at its end
   * @param {string} options.token
   * @param {string} options.terminal
   * @param {Storage} options.storage where unsent posts, drafts and read marks are kept
   */
  constructor({ base, token, terminal, storage }) {
    super();
    const claims = tokenClaims(token) ?? {};
    this.base = base;
    this.me = { role: claims.role ?? '', id: claims.sub ?? '' };
    this.person = `${this.me.role}:${this.me.id}`;
    this.storage = storage;
    this.conversations = new Map();
    this.offers = new Map();
    this.availability = null;
    /** The queue in which a customer's first post opens the conversation; null: the server's default. */
    this.openIn = null;
    this.client = new SwitchboardClient({
      url: `${base}/api/v1/socket`,
      token,
      terminal,
      resume: () => this.#resume(),
    });
    this.outbox = new Outbox(
      this.person,
      storage,
      (post, sentBefore, after) => this.#sendPost(post, sentBefore, after),
      () => this.#tell('outbox'),
    );
    this.client.addEventListener('link', (event) => this.#link(event.detail));
    this.client.addEventListener('frame', (event) => this.#frame(event.detail));
  }

  get online() {
    return this.client.online;
  }

  start() {
    this.client.start();
  }

  stop() {
    this.client.stop();
    this.outbox.stop();
    for (const c of this.conversations.values()) {
      clearTimeout(c.ackTimer);
      clearTimeout(c.typingTimer);
    }
  }

  isMe(from) {
    return from?.role === this.me.role && from?.id === this.me.id;
  }

  // ---- what people do ----

  post(conv, text) {
    return this.outbox.add(conv, { type: 'text', text: wellFormed(text) });
  }

  request(type, fields, timeoutMs) {
    return this.client.request(type, fields, timeoutMs);
  }

  /**
   * A request that must not get lost: repeated under its `clientMsgId` while there is no answer, also over new
   * connections, so that it happens once.
   */
  async ask(type, fields, forMs = 60_000) {
    const until = Date.now() + forMs;
    const clientMsgId = newId();
    for (let tries = 0; ; tries++) {
      try {
        return await this.client.request(type, { ...fields(), clientMsgId });
      } catch (error) {
        const again = error.code === 'no-answer' || error.code === 'offline' || error.code === 'timeout';
        if (!again || Date.now() > until) {
          throw error;
        }
        await this.#nextChance(1_000 + 500 * Math.min(tries, 8));
      }
    }
  }

  #nextChance(delayMs) {
    return new Promise((resolve) => {
      if (this.online) {
        setTimeout(resolve, delayMs);
        return;
      }
      const wait = (event) => {
        if (event.detail.state === 'online' || event.detail.state === 'ended' || event.detail.state === 'stopped') {
          this.removeEventListener('link', wait);
          resolve();
        }
      };
      this.addEventListener('link', wait);
    });
  }

  /** The epoch that this agent writes under; nothing for others. */
  epochOf(conv) {
    return this.me.role === 'agent' ? { epoch: this.conversations.get(conv)?.epoch ?? 0 } : {};
  }

  typing(conv) {
    const c = this.conversations.get(conv);
    if (c && this.online && Date.now() - (c.typingSentAt ?? 0) > TYPING_EVERY_MS) {
      c.typingSentAt = Date.now();
      this.client.send('typing', { conv });
    }
  }

  /** Everything up to the log's end has been seen by a person. */
  markRead(conv) {
    const c = this.conversations.get(conv);
    if (!c || !c.log.loaded) {
      return;
    }
    const seq = Math.min(c.log.head, Math.max(c.log.highestPushed, c.lastSeq));
    if (seq > c.read) {
      c.read = seq;
      this.storage.setItem(this.#readKey(conv), String(seq));
      this.#tell('conversations', { conv });
    }
    this.#scheduleAck(c);
  }

  /** Messages of others that nobody here has read; `atLeast` when older ones aren't loaded. */
  unread(c) {
    let count = 0;
    for (const entry of c.log.entries) {
      if (entry.seq > c.read && entry.kind === 'message' && !this.isMe(entry.from)) {
        count++;
      }
    }
    return { count, atLeast: c.log.hasOlder && c.log.low > c.read + 1 };
  }

  async loadOlder(conv) {
    const c = this.conversations.get(conv);
    if (!c || !c.log.loaded || !c.log.hasOlder || c.loadingOlder) {
      return [];
    }
    c.loadingOlder = true;
    try {
      const page = await this.client.request('history', { conv, before: c.log.low, limit: PAGE });
      return c.log.prepend(page.entries, page.hasMore);
    } finally {
      c.loadingOlder = false;
    }
  }

  /** A call of the HTTP API; throws an object with `code` and `message` when it is refused. */
  async http(method, path, body, headers = {}) {
    let response;
    try {
      response = await fetch(`${this.base}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.client.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        cache: 'no-store',
        credentials: 'omit',
      });
    } catch {
      throw { code: 'offline', message: 'not connected', retryable: true };
    }
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) {
      throw {
        code: answer.code ?? `http-${response.status}`,
        message: answer.detail ?? response.statusText,
        ...answer,
      };
    }
    return answer;
  }

  // ---- drafts ----

  draft(conv) {
    return this.storage.getItem(this.#draftKey(conv)) ?? '';
  }

  keepDraft(conv, text) {
    if (text) {
      this.storage.setItem(this.#draftKey(conv), text);
    } else {
      this.storage.removeItem(this.#draftKey(conv));
    }
  }

  /** Leaves nothing of this person in the browser. */
  forget() {
    this.outbox.clear();
    for (const key of Object.keys(this.storage)) {
      if (key.startsWith(`switchboard.draft.${this.person}.`) || key.startsWith(`switchboard.read.${this.person}.`)) {
        this.storage.removeItem(key);
      }
    }
  }

  #draftKey(conv) {
    return `switchboard.draft.${this.person}.${conv ?? ''}`;
  }

  #readKey(conv) {
    return `switchboard.read.${this.person}.${conv}`;
  }

  // ---- the connection ----

  #link(detail) {
    if (detail.state === 'online') {
      this.#welcome(detail.welcome);
    } else {
      for (const c of this.conversations.values()) {
        clearTimeout(c.ackTimer);
        c.ackTimer = null;
        this.#notTyping(c);
      }
      if (this.offers.size > 0) {
        this.offers.clear(); // those that still stand are made again after signing in
        this.#tell('offers');
      }
    }
    this.#tell('link', detail);
  }

  #resume() {
    return [...this.conversations.values()]
      .filter((c) => c.log.loaded && !c.gone)
      .map((c) => ({ conv: c.conv, after: c.log.head, ...(c.logName ? { log: c.logName } : {}) }));
  }

  #welcome(frame) {
    const listed = new Set();
    for (const item of frame.conversations ?? []) {
      listed.add(item.conv);
      const c = this.#conversation(item.conv);
      const restored = c.logName !== undefined && item.log !== undefined && c.logName !== item.log;
      const wasLoaded = c.log.loaded;
      c.logName = item.log ?? c.logName;
      c.gone = false;
      this.#facts(c, item);
      if (restored || (item.recovered === false && wasLoaded)) {
        c.log.reset();
        c.read = item.read ?? 0;
        c.ackedSeq = 0;
        this.#tell('entries', { conv: c.conv, fresh: [], reset: true });
      }
      c.ackedSeq = Math.min(c.ackedSeq, c.log.head);
      this.#loadNewest(c);
      this.#describe(c);
    }
    for (const c of this.conversations.values()) {
      if (!listed.has(c.conv) && this.me.role === 'agent' && !c.gone) {
        this.#askOwner(c); // a server that has just started may not know all of them yet
      }
    }
    if (frame.availability) {
      this.availability = frame.availability;
      this.#tell('desk', { availability: frame.availability });
    }
    this.#tell('conversations', {});
    this.outbox.flush();
  }

  #frame(frame) {
    switch (frame.type) {
      case 'entry':
        this.#entry(frame);
        break;
      case 'receipt':
        this.#receipt(frame);
        break;
      case 'typing':
        this.#othersType(frame);
        break;
      case 'queued': {
        const c = this.#conversation(frame.conv);
        c.position = frame.position;
        c.eta = frame.etaSeconds ?? null;
        this.#tell('conversations', { conv: frame.conv });
        break;
      }
      case 'state':
        this.#messageState(frame);
        break;
      case 'offer':
        this.offers.set(frame.offer, frame);
        this.#tell('offers', { made: frame });
        break;
      case 'offer-ended': {
        const offer = this.offers.get(frame.offer);
        this.offers.delete(frame.offer);
        this.#tell('offers', { ended: frame, offer });
        break;
      }
      case 'presence':
        this.#presence(frame);
        break;
      case 'error':
        if (frame.code !== 'bad-ack') {
          this.#tell('problem', frame);
        }
        break;
      default: // unknown pushes are for newer pages
    }
  }

  #conversation(conv) {
    let c = this.conversations.get(conv);
    if (!c) {
      c = {
        conv,
        log: new ConversationLog(),
        logName: undefined,
        status: 'waiting',
        epoch: 0,
        owner: null,
        customer: null,
        queue: null,
        labels: [],
        attributes: {},
        lastSeq: 0,
        read: Number(this.storage.getItem(this.#readKey(conv)) ?? 0),
        ackedSeq: 0,
        readSent: 0,
        peer: { delivered: 0, read: 0 },
        position: null,
        eta: null,
        typist: null,
        gone: false,
        goneBecause: null,
      };
      this.conversations.set(conv, c);
    }
    return c;
  }

  /** Takes over what a view of the conversation says; watermarks only grow. */
  #facts(c, view) {
    for (const name of ['status', 'customer', 'queue', 'labels', 'attributes', 'openedAt']) {
      if (view[name] !== undefined) {
        c[name] = view[name];
      }
    }
    if (view.epoch !== undefined && view.epoch >= c.epoch) {
      c.epoch = view.epoch;
      if ('owner' in view || 'customer' in view) {
        c.owner = view.owner ?? null;
      }
    }
    c.lastSeq = Math.max(c.lastSeq, view.lastSeq ?? 0);
    c.read = Math.max(c.read, view.read ?? 0);
    c.readSent = Math.max(c.readSent, view.read ?? 0);
    this.#peerMoved(c, view.peer ?? {});
    if (c.status !== 'waiting' && c.status !== 'offered') {
      c.position = null;
    }
  }

  #peerMoved(c, mark) {
    c.peer.read = Math.max(c.peer.read, mark.read ?? 0);
    c.peer.delivered = Math.max(c.peer.delivered, mark.delivered ?? 0, c.peer.read);
  }

  async #describe(c) {
    try {
      this.#facts(c, await this.http('GET', `/conversations/${encodeURIComponent(c.conv)}`));
      this.#tell('conversations', { conv: c.conv });
    } catch {
      // the entries tell most of it too
    }
  }

  /** Keeps or lets go of a conversation that the welcome didn't name. */
  async #askOwner(c) {
    try {
      const view = await this.http('GET', `/conversations/${encodeURIComponent(c.conv)}`);
      this.#facts(c, view);
      if (view.owner !== this.me.id) {
        this.#letGo(c);
      }
    } catch (error) {
      if (error.code === 'not-found' || error.code === 'forbidden') {
        this.#letGo(c);
      }
    }
  }

  // ---- the log ----

  async #loadNewest(c) {
    if (c.log.loaded || c.loading || !this.online) {
      return;
    }
    c.loading = true;
    try {
      const page = await this.client.request('history', { conv: c.conv, limit: PAGE });
      this.#took(c, c.log.load(page.entries, page.hasMore), true);
    } catch (error) {
      this.#historyFailed(c, error, () => this.#loadNewest(c));
    } finally {
      c.loading = false;
    }
    this.#fillGap(c);
  }

  async #fillGap(c) {
    if (c.filling || c.log.gap === null || !this.online) {
      return;
    }
    c.filling = true;
    let again = true;
    try {
      const since = c.log.gap;
      const page = await this.client.request('history', { conv: c.conv, since, limit: FILL_PAGE });
      this.#took(c, c.log.fill(page.entries), false);
      again = page.entries.length > 0;
    } catch (error) {
      again = false;
      this.#historyFailed(c, error, () => this.#fillGap(c));
    } finally {
      c.filling = false;
    }
    if (again) {
      this.#fillGap(c);
    }
  }

  #historyFailed(c, error, retry) {
    if (error.retryable && error.code !== 'offline' && this.online) {
      setTimeout(retry, error.retryAfterMs ?? HISTORY_RETRY_MS);
    } else if (!error.retryable) {
      this.#tell('problem', { code: error.code, message: error.message, conv: c.conv });
    }
  }

  #entry(frame) {
    const c = this.#conversation(frame.conv);
    if (c.gone && frame.kind === 'assigned' && frame.owner === this.me.id) {
      // it comes back after it was somebody else's: what happened in between is in the history
      c.gone = false;
      c.log.reset();
    }
    if (!c.log.loaded && !c.loading) {
      this.#loadNewest(c);
      this.#describe(c);
    }
    this.#took(c, c.log.push(frame), false);
    this.#fillGap(c);
  }

  #took(c, fresh, reset) {
    for (const entry of fresh) {
      this.#apply(c, entry);
    }
    if (this.me.role === 'agent' && c.epoch > 0 && fresh.length > 0) {
      if (c.owner === this.me.id) {
        c.gone = false;
      } else {
        this.#letGo(c);
      }
    }
    if (fresh.length > 0 || reset) {
      this.#tell('entries', { conv: c.conv, fresh, reset });
      this.#tell('conversations', { conv: c.conv });
      this.#scheduleAck(c);
    }
  }

  #apply(c, entry) {
    c.lastSeq = Math.max(c.lastSeq, entry.seq);
    if (entry.clientMsgId && this.isMe(entry.from)) {
      this.outbox.accepted(entry.clientMsgId, c.conv);
    }
    if (entry.kind === 'message' && entry.from?.role === 'customer') {
      c.customer ??= entry.from.id;
    }
    if (entry.kind === 'message' && c.typist && c.typist.id === entry.from?.id) {
      this.#notTyping(c);
    }
    if (entry.kind === 'label') {
      const labels = new Set(c.labels);
      entry.add?.forEach((label) => labels.add(label));
      entry.remove?.forEach((label) => labels.delete(label));
      c.labels = [...labels].sort();
    }
    if (entry.epoch && entry.epoch >= c.epoch) {
      c.epoch = entry.epoch;
      c.owner = entry.owner ?? null;
      c.queue = entry.queue ?? c.queue;
      c.status = entry.kind === 'closed' ? 'closed' : entry.owner ? 'assigned' : 'waiting';
      c.position = c.status === 'waiting' ? c.position : null;
      c.goneBecause = c.owner === this.me.id ? null : entry;
    }
  }

  /** This agent became the owner, says an answer: the entries may come a moment later. */
  own(conv, reply, preview = {}) {
    const c = this.#conversation(conv);
    c.customer ??= preview.customer ?? null;
    c.queue ??= preview.queue ?? null;
    if ((reply.epoch ?? 0) >= c.epoch) {
      if (c.gone) {
        c.log.reset();
      }
      c.epoch = reply.epoch ?? c.epoch;
      c.owner = this.me.id;
      c.status = 'assigned';
      c.gone = false;
      c.goneBecause = null;
    }
    c.lastSeq = Math.max(c.lastSeq, reply.lastSeq ?? 0);
    this.#loadNewest(c);
    this.#describe(c);
    this.#tell('conversations', { conv });
  }

  /** This agent gave it away, says an answer: the server may tell nothing more of it. */
  lost(conv, epoch, because) {
    const c = this.conversations.get(conv);
    if (c && !c.gone && c.epoch === epoch) {
      c.status = because.kind === 'closed' ? 'closed' : 'waiting';
      c.owner = null;
      c.goneBecause = because;
      this.#letGo(c);
    }
  }

  /** An agent sees a conversation only while it is the owner. */
  #letGo(c) {
    if (this.me.role === 'agent' && !c.gone) {
      c.gone = true;
      this.#tell('conversations', { conv: c.conv });
    }
  }

  /** Forgets a conversation that ended for this agent. */
  dismiss(conv) {
    this.conversations.delete(conv);
    this.#tell('conversations', {});
  }

  /** Acks are cumulative, so one for a burst is enough; a read implies it. */
  #scheduleAck(c) {
    const due = c.log.acknowledgeable > c.ackedSeq || c.read > c.readSent;
    if (due && !c.ackTimer && this.online && !c.gone) {
      c.ackTimer = setTimeout(() => {
        c.ackTimer = null;
        const seq = c.log.acknowledgeable;
        if (c.read > c.readSent && this.client.send('read', { conv: c.conv, seq: c.read })) {
          c.readSent = c.read;
          c.ackedSeq = Math.max(c.ackedSeq, c.read);
        }
        if (seq > c.ackedSeq && this.client.send('ack', { conv: c.conv, seq })) {
          c.ackedSeq = seq;
        }
      }, ACK_DELAY_MS);
    }
  }

  // ---- the others ----

  #receipt(frame) {
    if (this.isMe(frame.by)) {
      return;
    }
    if (this.me.role !== 'customer' && frame.by?.role && frame.by.role !== 'customer') {
      return; // ticks at an agent's message tell how far the customer is
    }
    const c = this.#conversation(frame.conv);
    this.#peerMoved(c, frame);
    this.#tell('conversations', { conv: frame.conv });
  }

  #othersType(frame) {
    const c = this.#conversation(frame.conv);
    const from = frame.from ?? frame.who;
    if (this.isMe(from)) {
      return;
    }
    clearTimeout(c.typingTimer);
    c.typist = from ?? {};
    c.typingTimer = setTimeout(() => this.#notTyping(c), TYPING_LASTS_MS);
    this.#tell('typing', { conv: c.conv });
  }

  #notTyping(c) {
    clearTimeout(c.typingTimer);
    if (c.typist) {
      c.typist = null;
      this.#tell('typing', { conv: c.conv });
    }
  }

  #presence(frame) {
    const who = frame.who ?? frame.from;
    if (frame.conv && who && !this.isMe(who)) {
      this.#conversation(frame.conv).presence = { ...who, online: frame.online ?? frame.what === 'online' };
      this.#tell('conversations', { conv: frame.conv });
    }
  }

  #messageState(frame) {
    if (frame.state === 'accepted') {
      this.outbox.accepted(frame.clientMsgId, frame.conv);
    } else if (frame.state === 'refused') {
      this.outbox.refused(frame.clientMsgId, { code: frame.reason ?? 'refused', message: frame.reason });
    } else if (frame.state === 'dead') {
      this.#tell('problem', { code: 'undelivered', conv: frame.conv, message: frame.reason });
    }
  }

  async #sendPost(post, sentBefore, after) {
    if (post.conv === null && this.openIn) {
      await this.client.request('open', { queue: this.openIn });
    }
    const c = post.conv === null ? null : this.conversations.get(post.conv);
    return this.client.request('post', {
      ...(post.conv === null ? {} : { conv: post.conv }),
      clientMsgId: post.clientMsgId,
      body: post.body,
      ...(after ? { after } : {}),
      ...(sentBefore ? { repeat: true } : {}),
      ...(this.me.role === 'agent' ? { epoch: c?.epoch ?? 0 } : {}),
    });
  }

  #tell(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

/** Half a surrogate pair has no form on the wire. */
function wellFormed(text) {
  return text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, (found) =>
    found.length === 2 ? found : '\uFFFD',
  );
}
