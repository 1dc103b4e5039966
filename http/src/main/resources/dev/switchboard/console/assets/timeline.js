/**
 * The messages of one conversation on screen: grouped by day and sender, with ticks at one's own, posts that wait for an
 * answer at the end, older pages above. Keeps the reader's place when something is added.
 */
import { clockText, dayText, entryText, errorText, fullTimeText, sizeText } from './words.js';
import { h, icon } from './ui.js';

const NEAR_END_PX = 60;
const SAME_SENDER_MS = 3 * 60_000;
const TICK_WORDS = {
  sending: 'Sending',
  spooled: 'Kept by the server, not saved yet',
  accepted: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  refused: 'Not sent',
};

export class Timeline {
  /**
   * @param {HTMLElement} scroller the element that scrolls
   * @param {object} options
   * @param {import('./session.js').Session} options.session
   * @param {string[]} options.mediaHosts hosts whose pictures may be loaded
   * @param {(post: object) => void} options.editAgain puts a refused post's text back into the composer
   * @param {() => void} options.reachedEnd told when the newest entry is in view
   */
  constructor(scroller, { session, mediaHosts, editAgain, reachedEnd }) {
    this.scroller = scroller;
    this.session = session;
    this.mediaHosts = mediaHosts ?? [];
    this.editAgain = editAgain;
    this.reachedEnd = reachedEnd;
    this.conv = undefined;
    this.ticks = [];
    this.missed = 0;
    this.older = h('button', {
      type: 'button',
      class: 'quiet older',
      text: 'Earlier messages',
      onclick: () => this.#older(),
    });
    this.list = h('ol', { class: 'messages', role: 'log', 'aria-label': 'Messages', 'aria-live': 'polite' });
    this.unsent = h('ol', { class: 'messages unsent', 'aria-label': 'Not sent yet' });
    this.typing = h('p', { class: 'typing', role: 'status' });
    this.jump = h('button', { type: 'button', class: 'jump', hidden: true, onclick: () => this.toEnd() });
    scroller.replaceChildren(this.older, this.list, this.unsent, this.typing, this.jump);
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
  }

  /** Shows another conversation; null for one that isn't open yet. */
  show(conv) {
    this.conv = conv;
    this.missed = 0;
    this.render();
    this.toEnd();
  }

  /** Draws everything anew, at the same place. */
  render() {
    const log = this.#log();
    this.last = null;
    this.ticks = [];
    this.firstUnread = this.#firstUnread();
    this.list.setAttribute('aria-busy', 'true');
    this.list.replaceChildren();
    for (const entry of log?.entries ?? []) {
      this.#append(entry);
    }
    this.list.removeAttribute('aria-busy');
    this.older.hidden = !log?.hasOlder;
    this.renderUnsent();
    this.renderTyping();
  }

  /** Entries that came to the end. */
  append(entries) {
    const atEnd = this.atEnd;
    for (const entry of entries) {
      this.#append(entry);
    }
    this.older.hidden = !this.#log()?.hasOlder;
    if (atEnd || entries.some((entry) => this.session.isMe(entry.from))) {
      this.toEnd();
    } else {
      this.missed = this.missed + entries.filter((entry) => entry.kind === 'message').length;
      this.#showJump();
    }
  }

  renderUnsent() {
    const atEnd = this.atEnd;
    const posts = this.conv === undefined ? [] : this.session.outbox.of(this.conv);
    this.unsent.replaceChildren(...posts.map((post) => this.#unsentItem(post)));
    this.unsent.hidden = posts.length === 0;
    if (atEnd) {
      this.toEnd();
    }
  }

  renderTyping() {
    const atEnd = this.atEnd;
    const typist = this.session.conversations.get(this.conv)?.typist;
    this.typing.replaceChildren(
      ...(typist
        ? [
            h('span', { class: 'typing-dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')),
            `${typist.id ?? 'Somebody'} is typing…`,
          ]
        : []),
    );
    if (atEnd) {
      this.toEnd();
    }
  }

  /** The other side got further: only ticks that can still change are looked at. */
  renderTicks() {
    const peer = this.session.conversations.get(this.conv)?.peer;
    const open = [];
    for (const item of peer ? this.ticks : []) {
      const state = tickState(item.seq, peer);
      if (item.place.dataset.state !== state) {
        const fresh = tick(state);
        item.place.replaceWith(fresh);
        item.place = fresh;
      }
      if (state !== 'read') {
        open.push(item);
      }
    }
    this.ticks = open;
  }

  get atEnd() {
    const s = this.scroller;
    return s.scrollHeight - s.scrollTop - s.clientHeight < NEAR_END_PX;
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.missed = 0;
    this.#showJump();
    this.reachedEnd?.();
  }

  #log() {
    return this.session.conversations.get(this.conv)?.log;
  }

  #firstUnread() {
    const c = this.session.conversations.get(this.conv);
    const unread = c?.log.entries.find(
      (entry) => entry.seq > c.read && entry.kind === 'message' && !this.session.isMe(entry.from),
    );
    return unread && unread.seq > c.log.low ? unread.seq : null;
  }

  #scrolled() {
    if (this.atEnd) {
      this.missed = 0;
      this.#showJump();
      this.reachedEnd?.();
    }
    if (this.scroller.scrollTop < 40 && this.#log()?.hasOlder) {
      this.#older();
    }
  }

  #showJump() {
    this.jump.hidden = !this.missed;
    if (this.missed) {
      this.jump.replaceChildren(icon('down'), this.missed === 1 ? '1 new message' : `${this.missed} new messages`);
    }
  }

  async #older() {
    if (this.loadingOlder) {
      return;
    }
    const conv = this.conv;
    this.loadingOlder = true;
    this.older.textContent = 'Loading…';
    try {
      const added = await this.session.loadOlder(conv);
      if (conv === this.conv && added.length > 0) {
        const fromEnd = this.scroller.scrollHeight - this.scroller.scrollTop;
        this.render();
        this.scroller.scrollTop = this.scroller.scrollHeight - fromEnd;
      }
    } catch {
      // the button stays
    } finally {
      this.loadingOlder = false;
      this.older.textContent = 'Earlier messages';
      this.older.hidden = !this.#log()?.hasOlder;
    }
  }

  #append(entry) {
    const when = new Date(entry.ts);
    const date = when.toDateString();
    if (this.last?.date !== date) {
      this.list.append(h('li', { class: 'day' }, h('time', { datetime: entry.ts, text: dayText(entry.ts) })));
    }
    if (entry.seq === this.firstUnread) {
      this.list.append(h('li', { class: 'unread-line' }, h('span', { text: 'New' })));
    }
    const plain = entry.kind === 'message' || entry.kind === 'note';
    const sender = plain ? `${entry.kind} ${entry.from?.role}:${entry.from?.id}` : null;
    const joined =
      sender !== null &&
      this.last?.sender === sender &&
      this.last.date === date &&
      when - this.last.when < SAME_SENDER_MS;
    this.list.append(plain ? this.#message(entry, joined) : this.#event(entry));
    this.last = { date, sender, when };
  }

  #event(entry) {
    return h(
      'li',
      { class: `event event-${entry.kind}`, 'data-seq': entry.seq },
      h('span', { text: entryText(entry, this.session.me) }),
      ' ',
      h('time', { datetime: entry.ts, title: fullTimeText(entry.ts), text: clockText(entry.ts) }),
    );
  }

  #message(entry, joined) {
    const mine = this.session.isMe(entry.from);
    const note = entry.kind === 'note';
    const meta = h(
      'span',
      { class: 'meta' },
      h('time', { datetime: entry.ts, title: fullTimeText(entry.ts), text: clockText(entry.ts) }),
    );
    if (mine && !note) {
      const state = tickState(entry.seq, this.session.conversations.get(this.conv).peer);
      const place = tick(state);
      meta.append(place);
      if (state !== 'read') {
        this.ticks.push({ seq: entry.seq, place });
      }
    }
    const who = mine ? 'You' : (entry.from?.id ?? 'Switchboard');
    return h(
      'li',
      {
        class: ['message', mine ? 'mine' : 'theirs', joined && 'joined', note && 'note'].filter(Boolean).join(' '),
        'data-seq': entry.seq,
      },
      h('span', {
        class: joined || (mine && !note) ? 'who hidden-text' : 'who',
        text: note ? `Note by ${mine ? 'you' : who}` : who,
      }),
      h('div', { class: 'bubble' }, this.#body(entry.body ?? { type: 'text', text: '' }), meta),
    );
  }

  #unsentItem(post) {
    const refused = post.state === 'refused';
    const state = refused ? 'refused' : post.state === 'spooled' ? 'spooled' : 'sending';
    return h(
      'li',
      { class: `message mine pending ${state}`, 'data-id': post.clientMsgId },
      h('span', { class: 'who hidden-text', text: 'You' }),
      h(
        'div',
        { class: 'bubble' },
        this.#body(post.body),
        h('span', { class: 'meta' }, !refused && clockText(post.at), tick(state)),
      ),
      refused &&
        h(
          'div',
          { class: 'refusal' },
          h('span', { text: `Not sent. ${errorText(post.error)}` }),
          h('button', {
            type: 'button',
            class: 'quiet',
            text: 'Try again',
            onclick: () => this.session.outbox.retry(post.clientMsgId),
          }),
          h('button', {
            type: 'button',
            class: 'quiet',
            text: 'Edit',
            onclick: () => this.editAgain(this.session.outbox.discard(post.clientMsgId)),
          }),
          h('button', {
            type: 'button',
            class: 'quiet',
            text: 'Delete',
            onclick: () => this.session.outbox.discard(post.clientMsgId),
          }),
        ),
    );
  }

  /** A body as text and links. Nothing is rendered as HTML; pictures load from allowed hosts only. */
  #body(body) {
    const box = h('div', { class: 'body', dir: 'auto' });
    if (body.type !== 'text' && body.type !== 'markdown') {
      const url = webAddress(body.url);
      if (body.type === 'image' && url?.protocol === 'https:' && this.mediaHosts.some((host) => isHost(url, host))) {
        box.append(h('img', { src: url.href, alt: body.text || body.name || 'Picture', loading: 'lazy' }));
      }
      const kind = { image: 'Picture', file: 'File' }[body.type] ?? 'Attachment';
      const label = [`${kind}: ${body.name ?? url?.hostname ?? ''}`, sizeText(body.size)].filter(Boolean).join(', ');
      box.append(url ? link(url.href, label) : h('span', { text: label }), body.text ? h('br') : '');
    }
    box.append(...withLinks(body.text ?? ''));
    return box;
  }
}

function tickState(seq, peer) {
  return seq <= peer.read ? 'read' : seq <= peer.delivered ? 'delivered' : 'accepted';
}

function tick(state) {
  return h(
    'span',
    { class: `tick tick-${state}`, 'data-state': state, title: TICK_WORDS[state] },
    icon(state === 'spooled' ? 'sending' : state),
    h('span', { class: 'hidden-text', text: TICK_WORDS[state] }),
  );
}

function webAddress(text) {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** The same rule as the policy's: a host, any below it, with a port if one is named. */
function isHost(url, pattern) {
  const [host, port] = pattern.split(':');
  const fits = host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host;
  return fits && (url.port || '443') === (port ?? '443');
}

function link(href, label) {
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow', text: label });
}

/** The text, with web addresses as links that show exactly where they lead. */
function* withLinks(text) {
  let end = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/gu)) {
    const url = webAddress(match[0]);
    if (url) {
      yield text.slice(end, match.index);
      yield link(url.href, match[0]);
      end = match.index + match[0].length;
    }
  }
  yield text.slice(end);
}
