/** The agent's desk. */
import { closeDialog, drawFacts, keysDialog, labelDialog, transferDialog } from './desk-dialogs.js';
import { OfferList, WaitingList, drawMine, goneText, mineInOrder } from './desk-lists.js';
import { Session } from './session.js';
import {
  BASE,
  connectionBadge,
  forgetToken,
  loadSite,
  renameTerminal,
  signIn,
  takeFromFragment,
  terminalName,
} from './sign-in.js';
import { Timeline } from './timeline.js';
import { errorText, linkText, statusText } from './words.js';
import { $, add, avatar, dialog, fill, grow, h, icon, isWatched, notice, say, themeButton } from './ui.js';

const PAGE = 'desk';
const KEYS_SETTING = 'switchboard.desk.single-keys';

const site = await loadSite();
let session;
let timeline;
let offers;
let waiting;
let link = { state: 'stopped' };
let linkTimer;
let current = null;
let noting = false;
const roomForFacts = matchMedia('(min-width: 80rem)');
let factsWanted = roomForFacts.matches;
let drawing = false;

themeButton($('theme'));
$('keys').append(icon('keys'));
$('send').append(icon('send'));
$('back').append(icon('back'));
$('do-facts').append(icon('more'));
wire();
await enter();

async function enter(because) {
  const token = await signIn({ page: PAGE, roles: ['agent'], site, because });
  session?.stop();
  offers?.stop();
  waiting?.stop();
  const s = new Session({ base: BASE, token, terminal: await terminalName(PAGE), storage: localStorage });
  session = s;
  timeline = new Timeline($('timeline'), {
    session,
    mediaHosts: site.mediaHosts,
    editAgain: (post) => write(post?.body.text ?? ''),
    reachedEnd: () => seen(),
  });
  offers = new OfferList({ session, clockSkewMs: site.clockSkewMs, accept, decline });
  waiting = new WaitingList({ session, take });
  current = null;
  listen(session);
  $('me').textContent = session.me.id;
  $('app').hidden = false;
  select(null);
  offers.draw();
  session.start();
}

function listen(s) {
  const on = (type, handler) => s.addEventListener(type, (event) => s === session && handler(event.detail));
  on('link', linkChanged);
  on('conversations', () => drawSoon());
  on('entries', ({ conv, fresh, reset }) => {
    if (conv === current) {
      if (reset) {
        timeline.show(conv);
      } else {
        timeline.append(fresh);
      }
      seen();
    }
    if (!reset && fresh.some((entry) => entry.epoch)) {
      waiting.refresh();
    }
    drawSoon();
  });
  on('typing', ({ conv }) => {
    if (conv === current) {
      timeline.renderTyping();
    }
    drawSoon();
  });
  on('outbox', () => {
    timeline.renderUnsent();
    drawSoon();
  });
  on('offers', (detail) => {
    offers.changed(detail);
    if (detail.ended) {
      waiting.refresh();
    }
    drawTitle();
  });
  on('desk', ({ availability }) => showAvailability(availability));
  on('problem', (problem) => notice(errorText(problem), { error: true }));
}

// ---- the connection and the desk's status ----

function linkChanged(detail) {
  link = detail;
  clearInterval(linkTimer);
  if (detail.state === 'waiting') {
    linkTimer = setInterval(drawLink, 1000);
  }
  if (detail.state === 'ended' && detail.needsToken) {
    forgetToken(PAGE);
    enter(
      detail.code === 'unauthorized' ? errorText(detail) : 'Your sign-in has ended. Sign in again: nothing is lost.',
    );
    return;
  }
  if (detail.state === 'online') {
    waiting.refresh();
    if (!detail.welcome.availability) {
      readAvailability();
    }
  }
  drawLink();
  drawSoon();
}

function drawLink() {
  fill($('link'), connectionBadge(link.state, link.state === 'waiting' ? 'No connection' : linkText(link)));
  const strip = $('strip');
  const button = (text, onclick) => h('button', { type: 'button', class: 'quiet', text, onclick });
  let parts = null;
  if (link.state === 'ended') {
    strip.className = 'strip bad';
    parts = [linkText(link), button('Continue here', () => (renameTerminal(PAGE), enter()))];
  } else if (link.state === 'waiting') {
    strip.className = 'strip warn';
    parts = [
      `${linkText(link)}. Your conversations stay yours for a while.`,
      button('Try now', () => session.client.retryNow()),
    ];
  }
  strip.hidden = !parts;
  fill(strip, ...(parts ?? []));
  for (const input of $('availability').querySelectorAll('input')) {
    input.disabled = link.state !== 'online';
  }
}

async function readAvailability() {
  try {
    showAvailability((await session.http('GET', `/agents/${encodeURIComponent(session.me.id)}`)).availability);
  } catch {
    // the switch stays as it is
  }
}

function showAvailability(availability) {
  session.availability = availability;
  for (const input of $('availability').querySelectorAll('input')) {
    input.checked = input.value === availability;
  }
}

async function setAvailability(availability) {
  const before = session.availability;
  showAvailability(availability);
  try {
    await session.request('status', { availability });
    say(`You are ${availability}.`);
    waiting.refresh();
  } catch (error) {
    showAvailability(before);
    notice(errorText(error), { error: true });
  }
}

// ---- offers and the line ----

async function accept(offer) {
  try {
    const reply = await session.request('accept', { offer: offer.offer });
    session.offers.delete(offer.offer);
    session.own(reply.conv ?? offer.conv, reply, offer.preview);
    select(reply.conv ?? offer.conv);
    focusCompose();
  } catch (error) {
    if (!error.retryable) {
      session.offers.delete(offer.offer);
    }
    notice(errorText(error), { error: true });
  }
}

async function decline(offer) {
  try {
    await session.request('decline', { offer: offer.offer });
    session.offers.delete(offer.offer);
  } catch (error) {
    if (!error.retryable) {
      session.offers.delete(offer.offer);
    }
    notice(errorText(error), { error: true });
  }
}

async function take(conv) {
  try {
    const reply = await session.ask('assign', () => ({ conv }));
    session.own(conv, reply);
    select(conv);
    focusCompose();
  } catch (error) {
    notice(errorText(error), { error: true });
  }
}

// ---- the conversation on screen ----

function select(conv) {
  current = conv;
  setMode(false);
  const c = session.conversations.get(conv);
  $('thread').hidden = !c;
  $('empty').hidden = Boolean(c);
  $('app').classList.toggle('reading', Boolean(c));
  if (c) {
    timeline.show(conv);
    $('compose').value = session.draft(conv);
    grow($('compose'));
    seen();
  }
  draw();
  drawDetails();
}

function drawSoon() {
  if (!drawing) {
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      draw();
    });
    // a hidden page gets no frames, but its title must count on
    setTimeout(() => drawing && ((drawing = false), draw()), 500);
  }
}

function draw() {
  drawMine(session, current, (conv) => {
    select(conv);
    if (!matchMedia('(max-width: 48rem)').matches) {
      focusCompose();
    }
  });
  waiting.draw();
  drawThread();
  drawTitle();
}

function drawThread() {
  const c = session.conversations.get(current);
  if (!c) {
    if (current !== null) {
      select(null);
    }
    return;
  }
  timeline.renderTicks();
  const name = c.customer ?? c.conv;
  fill($('thread-picture'), avatar(name));
  $('thread-name').textContent = name;
  const presence = c.presence && c.presence.role !== 'agent' ? (c.presence.online ? 'online' : 'offline') : null;
  $('thread-state').textContent = [
    c.gone ? goneText(c) : statusText(c.status),
    presence,
    c.queue,
    ...c.labels.map((l) => `#${l}`),
  ]
    .filter(Boolean)
    .join(' · ');
  for (const id of ['do-transfer', 'do-label', 'do-close', 'mode-reply', 'mode-note', 'compose', 'send']) {
    $(id).disabled = c.gone;
  }
  drawThreadStrip(c);
  if (
    c.customer !== $('facts').dataset.customer ||
    c.labels.join() !== $('facts').dataset.labels ||
    c.status !== $('facts').dataset.status
  ) {
    drawDetails();
  }
}

function drawThreadStrip(c) {
  const strip = $('thread-strip');
  const reopened = c.log.entries.findLast?.((entry) => entry.kind === 'reopened' || entry.kind === 'closed');
  let parts = null;
  if (c.gone) {
    parts = [
      `${goneText(c)}. ${c.status === 'closed' ? 'If the customer writes again, it is offered anew.' : 'You can read here what you had.'}`,
      h('button', {
        type: 'button',
        class: 'quiet',
        text: 'Remove from my list',
        onclick: () => session.dismiss(c.conv),
      }),
    ];
  } else if (reopened?.kind === 'reopened') {
    parts = [`Opened again ${new Date(reopened.ts).toLocaleString()} because the customer wrote.`];
  }
  const text = parts ? parts[0] : '';
  strip.hidden = !parts;
  if (strip.dataset.text !== text) {
    strip.dataset.text = text;
    fill(strip, ...(parts ?? []));
  }
}

function drawDetails() {
  const c = session.conversations.get(current);
  const facts = $('facts');
  facts.hidden = !c || !factsWanted;
  $('do-facts').setAttribute('aria-expanded', String(!facts.hidden));
  if (!facts.hidden) {
    facts.dataset.customer = c.customer ?? '';
    facts.dataset.labels = c.labels.join();
    facts.dataset.status = c.status;
    drawFacts(facts, session, c, toggleFacts);
  }
}

function drawTitle() {
  let unread = 0;
  for (const c of session.conversations.values()) {
    unread += session.unread(c).count;
  }
  const offered = session.offers.size > 0 ? '★ ' : '';
  document.title = `${offered}${unread > 0 ? `(${unread}) ` : ''}Desk · Switchboard`;
}

function seen() {
  if (current !== null && isWatched() && timeline.atEnd && !$('thread').hidden) {
    session.markRead(current);
  }
}

// ---- writing ----

function setMode(note) {
  noting = note;
  $('mode-reply').setAttribute('aria-pressed', String(!note));
  $('mode-note').setAttribute('aria-pressed', String(note));
  $('composer').classList.toggle('note', note);
  $('compose').placeholder = note ? 'Write a note. The customer never sees it.' : 'Write a reply';
  $('compose-label').textContent = note ? 'Note for colleagues' : 'Reply';
}

function write(text) {
  const field = $('compose');
  field.value = field.value ? `${text}\n${field.value}` : text;
  grow(field);
  session.keepDraft(current, field.value);
  field.focus();
}

function focusCompose() {
  if (!$('compose').disabled) {
    $('compose').focus();
  }
}

async function send() {
  const field = $('compose');
  const text = field.value.trim();
  const conv = current;
  if (!text || conv === null) {
    return;
  }
  field.value = '';
  grow(field);
  session.keepDraft(conv, '');
  if (!noting) {
    session.post(conv, text);
    timeline.toEnd();
    return;
  }
  setMode(false);
  try {
    await session.ask('note', () => ({ conv, text, ...session.epochOf(conv) }));
  } catch (error) {
    notice(`The note was not saved. ${errorText(error)}`, { error: true });
    if (current === conv) {
      setMode(true);
      write(text);
    }
  }
}

// ---- actions ----

function owned() {
  const c = session.conversations.get(current);
  return c && !c.gone ? c : null;
}

async function transfer() {
  const c = owned();
  const epoch = c?.epoch;
  if (c && (await transferDialog(session, c))) {
    session.lost(c.conv, epoch, { kind: 'transferred' });
    notice(`${c.customer ?? c.conv} was passed on.`);
    waiting.refresh();
  }
}

async function close() {
  const c = owned();
  const epoch = c?.epoch;
  if (c && (await closeDialog(session, c))) {
    session.lost(c.conv, epoch, { kind: 'closed' });
    say('The conversation is closed.');
  }
}

async function labels() {
  const c = owned();
  if (c) {
    await labelDialog(session, c);
  }
}

function toggleFacts() {
  factsWanted = !factsWanted;
  drawDetails();
  if (!factsWanted) {
    $('do-facts').focus();
  }
}

function move(step) {
  const all = mineInOrder(session);
  if (all.length > 0) {
    const at = all.findIndex((c) => c.conv === current);
    select(all[(at + step + all.length) % all.length].conv);
  }
}

async function signOut() {
  const open = [...session.conversations.values()].filter((c) => !c.gone).length;
  const unsent = session.outbox.unsentCount;
  const sure = await dialog({
    title: 'Sign out?',
    label: 'Sign out',
    danger: unsent > 0,
    build: (body) =>
      add(
        body,
        h('p', {
          text:
            open > 0
              ? `You have ${open} open. They go back in line when you stay away.`
              : 'You have no open conversation.',
        }),
        unsent > 0 && h('p', { class: 'problem', text: `${unsent} not sent yet would be lost.` }),
        h(
          'label',
          { class: 'option' },
          h('input', { type: 'checkbox', name: 'offline', checked: true }),
          'Go offline first',
        ),
      ),
    submit: async (data) => {
      if (data.get('offline') && session.online) {
        await session.request('status', { availability: 'offline' }).catch(() => {});
      }
      return true;
    },
  });
  if (sure) {
    session.stop();
    session.forget();
    forgetToken(PAGE);
    enter();
  }
}

// ---- the keyboard ----

const KEYS = {
  a: () => offers.first && $('offers').querySelector('[data-part=accept]:not(:disabled)')?.click(),
  d: () => offers.first && $('offers').querySelector('[data-part=decline]:not(:disabled)')?.click(),
  j: () => move(1),
  k: () => move(-1),
  r: () => current !== null && (setMode(false), focusCompose()),
  n: () => owned() && (setMode(true), focusCompose()),
  t: transfer,
  l: labels,
  c: close,
  i: () => current !== null && toggleFacts(),
  '?': () => showKeys(),
};

function showKeys() {
  keysDialog(singleKeys(), (on) => localStorage.setItem(KEYS_SETTING, on ? 'on' : 'off'));
}

function singleKeys() {
  return localStorage.getItem(KEYS_SETTING) !== 'off';
}

function keyPressed(event) {
  if (
    $('app').hidden ||
    document.querySelector('dialog[open]') ||
    event.isComposing ||
    event.ctrlKey ||
    event.metaKey
  ) {
    return;
  }
  const inField = event.target.closest?.('input:not([type=radio]):not([type=checkbox]), textarea, select');
  if (event.key === 'Escape') {
    if (inField) {
      inField.blur();
    } else if (!$('facts').hidden && matchMedia('(max-width: 74rem)').matches) {
      toggleFacts();
    }
    return;
  }
  const withAlt = event.altKey && event.shiftKey;
  if ((inField || !singleKeys() || event.altKey) && !withAlt) {
    return;
  }
  const letter = withAlt && event.code?.startsWith('Key') ? event.code.slice(3).toLowerCase() : event.key.toLowerCase();
  if (Object.hasOwn(KEYS, letter)) {
    event.preventDefault();
    KEYS[letter]();
  }
}

function wire() {
  const field = $('compose');
  $('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener('keydown', (event) => {
    const touch = matchMedia('(pointer: coarse)').matches;
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && (!touch || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  });
  field.addEventListener('input', () => {
    grow(field);
    session.keepDraft(current, field.value);
    if (field.value.trim() && !noting) {
      session.typing(current);
    }
  });
  $('availability').addEventListener('change', (event) => setAvailability(event.target.value));
  $('mode-reply').addEventListener('click', () => (setMode(false), focusCompose()));
  $('mode-note').addEventListener('click', () => (setMode(true), focusCompose()));
  $('back').addEventListener('click', () => select(null));
  $('do-transfer').addEventListener('click', transfer);
  $('do-label').addEventListener('click', labels);
  $('do-close').addEventListener('click', close);
  $('do-facts').addEventListener('click', toggleFacts);
  $('keys').addEventListener('click', showKeys);
  $('sign-out').addEventListener('click', signOut);
  roomForFacts.addEventListener('change', () => {
    factsWanted = roomForFacts.matches;
    drawDetails();
  });
  document.addEventListener('keydown', keyPressed);
  for (const type of ['focus', 'pointerdown', 'keydown']) {
    addEventListener(type, () => session && timeline && seen());
  }
  document.addEventListener('visibilitychange', () => session && timeline && seen());
  addEventListener('hashchange', () => {
    const token = takeFromFragment('token');
    if (token && session) {
      sessionStorage.setItem(`switchboard.token.${PAGE}`, token);
      session.client.setToken(token).catch((error) => notice(errorText(error), { error: true }));
    }
  });
}
