/** The desk's side: offers with their countdown, one's own conversations with unread counts, and who waits. */
import { agoText, clockText, entryText, offerEndText, statusText } from './words.js';
import { $, avatar, fill, h, notice, say } from './ui.js';

const WAITING_EVERY_MS = 5_000;

export class OfferList {
  /** @param {{session: object, clockSkewMs: number, accept: Function, decline: Function}} options */
  constructor({ session, clockSkewMs, accept, decline }) {
    this.session = session;
    this.now = () => Date.now() + clockSkewMs;
    this.accept = accept;
    this.decline = decline;
    this.busy = new Set();
    this.totals = new Map();
    this.timer = setInterval(() => this.#tick(), 250);
  }

  stop() {
    clearInterval(this.timer);
  }

  get first() {
    return [...this.session.offers.values()].find((offer) => !this.busy.has(offer.offer));
  }

  changed({ made, ended, offer }) {
    if (made) {
      const seconds = this.#secondsLeft(made);
      this.totals.set(made.offer, Math.max(1, seconds));
      say(
        `Offer: ${who(made)}, ${seconds} seconds. ${made.preview?.text ?? ''} Press A to accept, D to decline.`,
        true,
      );
    }
    if (ended) {
      this.busy.delete(ended.offer);
      this.totals.delete(ended.offer);
      const text = offer && offerEndText(ended.reason, who(offer));
      if (text) {
        notice(text);
      }
    }
    this.draw();
  }

  draw() {
    const offers = [...this.session.offers.values()].sort((a, b) => Date.parse(a.deadline) - Date.parse(b.deadline));
    $('offers-section').hidden = offers.length === 0;
    $('offers-count').textContent = offers.length;
    fill($('offers'), ...offers.map((offer, index) => this.#card(offer, index === 0)));
    this.#tick();
  }

  #card(offer, first) {
    const preview = offer.preview ?? {};
    const busy = this.busy.has(offer.offer);
    const act = (how) => async () => {
      this.busy.add(offer.offer);
      this.draw();
      await how(offer);
      this.busy.delete(offer.offer);
      this.draw();
    };
    return h(
      'article',
      { class: 'offer', 'data-key': offer.offer, 'data-conv': offer.conv, 'aria-label': `Offer: ${who(offer)}` },
      h(
        'div',
        { class: 'offer-head' },
        avatar(who(offer)),
        h(
          'div',
          {},
          h('strong', { text: who(offer) }),
          h('div', {
            class: 'hint',
            text: [preview.queue, preview.since && `waiting ${agoText(preview.since, this.now())}`]
              .filter(Boolean)
              .join(' · '),
          }),
        ),
        h('span', { class: 'offer-time', role: 'timer' }),
      ),
      preview.text && h('blockquote', { dir: 'auto', text: preview.text }),
      h('progress', { max: this.totals.get(offer.offer) ?? 1, value: this.#secondsLeft(offer), 'aria-hidden': 'true' }),
      h(
        'div',
        { class: 'offer-actions' },
        h(
          'button',
          { type: 'button', class: 'primary', 'data-part': 'accept', disabled: busy, onclick: act(this.accept) },
          'Accept',
          first && h('kbd', { 'aria-hidden': 'true', text: 'A' }),
        ),
        h(
          'button',
          { type: 'button', 'data-part': 'decline', disabled: busy, onclick: act(this.decline) },
          'Decline',
          first && h('kbd', { 'aria-hidden': 'true', text: 'D' }),
        ),
      ),
    );
  }

  #secondsLeft(offer) {
    return Math.max(0, Math.ceil((Date.parse(offer.deadline) - this.now()) / 1000));
  }

  #tick() {
    for (const card of $('offers').children) {
      const offer = this.session.offers.get(card.dataset.key);
      if (offer) {
        const left = this.#secondsLeft(offer);
        card.querySelector('.offer-time').textContent = `${left} s`;
        card.querySelector('progress').value = left;
      }
    }
  }
}

function who(offer) {
  return offer.preview?.customer ?? offer.conv;
}

/** One's own conversations: unread ones show their count, those that ended stay until they are dismissed. */
export function drawMine(session, selected, select) {
  const all = mineInOrder(session);
  $('mine-count').textContent = all.filter((c) => !c.gone).length;
  $('mine-none').hidden = all.length > 0;
  fill($('mine'), ...all.map((c) => mineRow(session, c, c.conv === selected, select)));
}

export function mineInOrder(session) {
  return [...session.conversations.values()]
    .filter((c) => c.log.loaded || c.owner === session.me.id)
    .sort((a, b) => Number(a.gone) - Number(b.gone) || since(a) - since(b));
}

/** The order is that of becoming one's own: it doesn't jump while one writes. */
function since(c) {
  const assigned = c.log.entries.findLast?.((entry) => entry.kind === 'assigned');
  return Date.parse(assigned?.ts ?? c.openedAt ?? 0) || 0;
}

function mineRow(session, c, isSelected, select) {
  const unread = session.unread(c);
  const latest = c.log.entries.findLast?.((entry) => entry.kind !== 'label');
  const text = c.typist
    ? 'is typing…'
    : !latest
      ? ''
      : latest.kind === 'message'
        ? `${session.isMe(latest.from) ? 'You: ' : ''}${latest.body?.text ?? latest.body?.name ?? ''}`
        : latest.kind === 'note'
          ? `Note: ${latest.body?.text ?? ''}`
          : entryText(latest, session.me);
  const name = c.customer ?? c.conv;
  const words = unread.count > 0 ? `, ${unread.count} unread` : '';
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: ['row', unread.count > 0 && 'has-unread', c.gone && 'gone'].filter(Boolean).join(' '),
        'data-key': c.conv,
        'aria-current': isSelected ? 'true' : null,
        'aria-label': `${name}${words}. ${c.gone ? goneText(c) : statusText(c.status)}. ${text}`,
        onclick: () => select(c.conv),
      },
      avatar(name),
      h(
        'span',
        { class: 'row-text' },
        h('strong', { text: name }),
        h('span', { class: 'hint', text: c.gone ? goneText(c) : text }),
      ),
      h(
        'span',
        { class: 'row-side' },
        latest && h('span', { text: clockText(latest.ts) }),
        unread.count > 0 &&
          h('span', {
            class: 'count unread',
            'data-unread': unread.count,
            text: `${unread.count}${unread.atLeast ? '+' : ''}`,
          }),
      ),
    ),
  );
}

/** Why a conversation is no longer one's own. */
export function goneText(c) {
  switch (c.status) {
    case 'closed':
      return 'Closed';
    case 'assigned':
      return c.owner ? `With ${c.owner} now` : 'No longer yours';
    case 'waiting':
    case 'offered':
      return c.goneBecause?.kind === 'returned' ? 'Went back in line' : 'Passed on';
    default:
      return 'No longer yours';
  }
}

/** Who waits in the agent's queues: asked by HTTP while somebody looks. */
export class WaitingList {
  constructor({ session, take }) {
    this.session = session;
    this.take = take;
    this.items = [];
    this.busy = new Set();
    this.timer = setInterval(() => this.refresh(), WAITING_EVERY_MS);
    this.wanted = () => document.visibilityState === 'visible' && this.refresh();
    document.addEventListener('visibilitychange', this.wanted);
  }

  stop() {
    clearInterval(this.timer);
    document.removeEventListener('visibilitychange', this.wanted);
  }

  /** Asks again; calls that come while one is under way make one more afterwards. */
  async refresh() {
    if (!this.session.online || document.visibilityState === 'hidden') {
      return;
    }
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      const answer = await this.session.http('GET', '/conversations?status=waiting&limit=100');
      this.items = answer.items ?? [];
      this.more = Boolean(answer.cursor);
      this.failed = null;
    } catch (error) {
      this.failed = error.code === 'offline' ? this.failed : error;
    } finally {
      this.asking = false;
    }
    this.draw();
    if (this.again) {
      this.again = false;
      this.refresh();
    }
  }

  draw() {
    const mine = new Set([...this.session.conversations.values()].filter((c) => !c.gone).map((c) => c.conv));
    const items = this.items.filter((item) => !mine.has(item.conv));
    $('waiting-count').textContent = `${items.length}${this.more ? '+' : ''}`;
    $('waiting-none').hidden = items.length > 0;
    $('waiting-none').textContent = this.failed ? 'The list can’t be shown at the moment.' : 'Nobody waits.';
    fill($('waiting'), ...items.map((item) => this.#row(item)));
  }

  #row(item) {
    const name = item.customer ?? item.conv;
    const since = item.waitingSince ?? item.since ?? item.openedAt;
    return h(
      'li',
      { class: 'row', 'data-key': item.conv },
      avatar(name),
      h(
        'span',
        { class: 'row-text' },
        h('strong', { text: name }),
        h('span', { class: 'hint', text: [item.queue, since && agoText(since)].filter(Boolean).join(' · ') }),
      ),
      h('button', {
        type: 'button',
        'data-part': 'take',
        'aria-label': `Take ${name}`,
        text: 'Take',
        disabled: this.busy.has(item.conv),
        onclick: async () => {
          this.busy.add(item.conv);
          this.draw();
          await this.take(item.conv);
          this.busy.delete(item.conv);
          this.refresh();
        },
      }),
    );
  }
}
