/**
 * One connection to Switchboard that keeps itself alive: signs in, answers pings, notices a dead line, waits with a
 * growing and scattered delay and signs in again with what it has, so that the server sends only what is missing.
 *
 * It knows frames, not conversations: `session.js` builds those on top. It uses nothing but the public protocol
 * (subprotocol `switchboard.v1.json`) and runs in any browser, and in any JavaScript that has WebSocket and EventTarget.
 *
 * Events (each a CustomEvent):
 *   `link`   detail {state, …}: `connecting`, `online`, `waiting` {retryAt, reason}, `ended` {code, reason}, `stopped`
 *   `frame`  detail is the frame: every push, the `welcome` included, in the order of their arrival
 */

export const SUBPROTOCOL = 'switchboard.v1.json';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 15_000;
const SIGN_IN_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;
const DEFAULT_HEARTBEAT_MS = 25_000;
const RENEW_BEFORE_MS = 60_000;
/** Fresh tokens tried in a row without one that the server takes. */
const MAX_RENEWALS = 2;

/** `bye` codes after which signing in again by itself can't help, whatever the frame says. */
const FINAL_CODES = new Set(['replaced', 'unauthorized', 'forbidden', 'protocol', 'too-large']);
/** Codes that mean: this token won't do any more. */
const TOKEN_CODES = new Set(['unauthorized', 'token-expired', 'expired']);

/** A request that was answered by an error, or not at all (code `no-answer`: it may have been done or not). */
export class RequestError extends Error {
  constructor(frame) {
    super(frame.message || frame.code);
    this.name = 'RequestError';
    this.code = frame.code;
    this.retryable = frame.retryable === true;
    this.retryAfterMs = frame.retryAfterMs;
    this.frame = frame;
  }
}

export class SwitchboardClient extends EventTarget {
  /**
   * @param {object} options
   * @param {string} options.url the socket's address; `http` and `https` are turned into `ws` and `wss`
   * @param {string} options.token signed token, or a development token
   * @param {string} [options.terminal] this device's name, unique within the person
   * @param {() => Array<{conv: string, after: number, log?: string}>} [options.resume] what it has, asked at each sign-in
   * @param {() => Promise<string>} [options.renewToken] gives a fresh token before or after the old one's end
   */
  constructor({ url, token, terminal, resume, renewToken }) {
    super();
    this.url = String(url).replace(/^http/, 'ws');
    this.token = token;
    this.terminal = terminal;
    this.resume = resume ?? (() => []);
    this.renewToken = renewToken;
    this.state = 'stopped';
    this.welcome = null;
    this.heartbeatMs = DEFAULT_HEARTBEAT_MS;
    this.pending = new Map();
    this.lastId = 0;
    this.failures = 0;
    this.timers = new Map();
    this.renewals = 0;
    this.wakeUp = () => this.#wakeUp();
  }

  get online() {
    return this.state === 'online';
  }

  start() {
    if (this.state !== 'stopped' && this.state !== 'ended') {
      return;
    }
    globalThis.addEventListener?.('online', this.wakeUp);
    globalThis.document?.addEventListener('visibilitychange', this.wakeUp);
    this.failures = 0;
    this.#connect();
  }

  stop() {
    this.#leave();
    this.#drop();
    this.#become('stopped', {});
  }

  /** Signs in at once instead of at the end of the wait. */
  retryNow() {
    if (this.state === 'waiting') {
      this.#connect();
    }
  }

  /** Puts a fresh token in the place of the old one; while online the server is told. */
  async setToken(token) {
    this.token = token;
    if (this.online) {
      await this.request('token', { token });
      this.#armRenewal();
    } else if (this.state === 'ended') {
      this.start();
    } else {
      this.retryNow();
    }
  }

  /** Sends a frame that has no answer. Returns false when there is no connection: nothing is kept for later. */
  send(type, fields = {}) {
    return this.online && this.#write({ type, ...fields });
  }

  /** Sends a request and gives its reply, or throws {@link RequestError}. */
  request(type, fields = {}, timeoutMs = REQUEST_TIMEOUT_MS) {
    if (!this.online) {
      return Promise.reject(new RequestError({ code: 'offline', message: 'not connected', retryable: true }));
    }
    const id = `r${++this.lastId}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new RequestError({ code: 'no-answer', message: 'no answer in time', retryable: true }));
      }, timeoutMs);
      this.pending.set(id, { resolve, reject, timer });
      this.#write({ type, id, ...fields });
    });
  }

  #connect() {
    this.#drop();
    this.#become('connecting', {});
    this.farewell = null;
    let socket;
    try {
      socket = new WebSocket(this.url, [SUBPROTOCOL]);
    } catch (error) {
      this.#waitAndRetry(String(error.message ?? error));
      return;
    }
    this.socket = socket;
    const current = (handler) => (event) => {
      if (this.socket === socket) {
        handler(event);
      }
    };
    socket.addEventListener(
      'open',
      current(() => this.#hello()),
    );
    socket.addEventListener(
      'message',
      current((event) => this.#receive(event.data)),
    );
    socket.addEventListener(
      'close',
      current(() => this.#closed()),
    );
    this.#arm('signIn', SIGN_IN_TIMEOUT_MS, () => this.#dead('the server did not answer'));
  }

  #hello() {
    const hello = { type: 'hello', token: this.token };
    if (this.terminal) {
      hello.terminal = this.terminal;
    }
    const resume = this.resume();
    if (resume.length > 0) {
      hello.resume = resume;
    }
    this.#write(hello);
  }

  #write(frame) {
    if (this.socket?.readyState !== 1) {
      return false;
    }
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  #receive(data) {
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return; // a server that sends no JSON isn't ours; the heartbeat decides
    }
    this.#armHeartbeat();
    switch (frame.type) {
      case 'ping':
        this.#write({ type: 'pong' });
        return;
      case 'pong':
        this.#disarm('probe');
        return;
      case 'welcome':
        this.#signedIn(frame);
        break;
      case 'bye':
        this.farewell = frame;
        break;
      case 'reply':
        this.#settle(frame, (request) => request.resolve(frame));
        return;
      case 'error':
        if (frame.id !== undefined) {
          this.#settle(frame, (request) => request.reject(new RequestError(frame)));
          return;
        }
        if (!this.welcome) {
          this.farewell = { ...frame, reason: frame.message, reconnect: frame.retryable === true };
        }
        break;
      default:
    }
    this.dispatchEvent(new CustomEvent('frame', { detail: frame }));
  }

  #settle(frame, how) {
    const request = this.pending.get(frame.id);
    if (request) {
      this.pending.delete(frame.id);
      clearTimeout(request.timer);
      how(request);
    }
  }

  #signedIn(frame) {
    this.welcome = frame;
    this.heartbeatMs = frame.heartbeatMs ?? DEFAULT_HEARTBEAT_MS;
    this.failures = 0;
    this.renewals = 0;
    this.#disarm('signIn');
    this.#armHeartbeat();
    this.#armRenewal();
    this.#become('online', { welcome: frame });
  }

  /** The server pings each `heartbeatMs`; two missed ones and some patience mean that nobody is there. */
  #armHeartbeat() {
    this.#arm('heartbeat', this.heartbeatMs * 2 + 5_000, () => this.#dead('the connection went silent'));
  }

  /** Back from sleep or from another network: ask at once if the line still lives. */
  #wakeUp() {
    if (globalThis.document?.visibilityState === 'hidden') {
      return;
    }
    if (this.state === 'waiting') {
      this.retryNow();
    } else if (this.online && !this.timers.has('probe')) {
      this.#write({ type: 'ping' });
      this.#arm('probe', PROBE_TIMEOUT_MS, () => this.#dead('the connection went silent'));
    }
  }

  #dead(reason) {
    this.farewell ??= { reason, reconnect: true };
    this.#closed();
  }

  #closed() {
    const bye = this.farewell;
    this.#drop();
    if (this.state === 'stopped' || this.state === 'ended') {
      return;
    }
    const needsToken = bye && TOKEN_CODES.has(bye.code);
    if (needsToken && this.renewToken && this.renewals < MAX_RENEWALS) {
      this.#renewThenConnect(bye);
    } else if (bye && (needsToken || bye.reconnect === false || FINAL_CODES.has(bye.code))) {
      this.#leave();
      this.#become('ended', { code: bye.code, reason: bye.reason, needsToken: Boolean(needsToken) });
    } else {
      this.#waitAndRetry(bye?.reason ?? '', bye?.code, bye?.retryAfterMs);
    }
  }

  /** Full jitter: a crowd that lost the same server comes back spread over the whole window. */
  #waitAndRetry(reason, code, hintMs) {
    const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures++);
    const own = ceiling / 4 + Math.random() * ceiling * 0.75;
    const delay = Number.isFinite(hintMs) ? Math.max(hintMs, 0) + Math.random() * 250 : own;
    this.#become('waiting', { retryAt: Date.now() + delay, reason, code });
    this.#arm('retry', delay, () => this.#connect());
  }

  async #renewThenConnect(bye) {
    this.renewals++;
    this.#become('connecting', {});
    try {
      this.token = await this.renewToken();
      this.#connect();
    } catch {
      this.#leave();
      this.#become('ended', { code: bye.code, reason: bye.reason, needsToken: true });
    }
  }

  #armRenewal() {
    const endsAt = tokenEnd(this.token);
    if (!endsAt || !this.renewToken) {
      return;
    }
    const delay = Math.max(1_000, endsAt - RENEW_BEFORE_MS - Date.now());
    if (delay < 2 ** 31) {
      this.#arm('renew', delay, async () => {
        try {
          await this.setToken(await this.renewToken());
        } catch {
          // the server will say `expired`, and then there is another chance
        }
      });
    }
  }

  /** Forgets the connection and answers what waits on it: nobody knows if those requests were done. */
  #drop() {
    const socket = this.socket;
    this.socket = null;
    this.welcome = null;
    this.#disarm(...this.timers.keys());
    socket?.close();
    const unanswered = [...this.pending.values()];
    this.pending.clear();
    for (const request of unanswered) {
      clearTimeout(request.timer);
      request.reject(new RequestError({ code: 'no-answer', message: 'the connection ended', retryable: true }));
    }
  }

  #leave() {
    globalThis.removeEventListener?.('online', this.wakeUp);
    globalThis.document?.removeEventListener('visibilitychange', this.wakeUp);
  }

  #become(state, detail) {
    this.state = state;
    this.dispatchEvent(new CustomEvent('link', { detail: { state, ...detail } }));
  }

  #arm(name, delayMs, action) {
    this.#disarm(name);
    this.timers.set(
      name,
      setTimeout(() => {
        this.timers.delete(name);
        action();
      }, delayMs),
    );
  }

  #disarm(...names) {
    for (const name of names) {
      clearTimeout(this.timers.get(name));
      this.timers.delete(name);
    }
  }
}

/** When a signed token ends, in ms since 1970; null for development tokens and for tokens without an end. */
export function tokenEnd(token) {
  const claims = tokenClaims(token);
  return claims && Number.isFinite(claims.exp) ? claims.exp * 1000 : null;
}

/** The claims of a token, unverified: good for showing a name, not for trusting one. Null when it has none to read. */
export function tokenClaims(token) {
  const development = /^dev:([a-z]+):(.+)$/.exec(token ?? '');
  if (development) {
    return { role: development[1], sub: development[2] };
  }
  try {
    const payload = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (c) => c.codePointAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
