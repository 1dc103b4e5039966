/** The customer's chat. */
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
import { errorText, linkText, queueText } from './words.js';
import { $, add, avatar, dialog, fill, grow, h, icon, isWatched, notice, say, themeButton } from './ui.js';

const PAGE = 'chat';

const site = await loadSite();
let session;
let timeline;
let link = { state: 'stopped' };
let current = null; // the conversation on screen; null while none is open
let linkTimer;

themeButton($('theme'));
$('send').append(icon('send'));
$('menu').append(icon('more'));
wire();
await enter();

async function enter(because) {
  const queue = takeFromFragment('queue') ?? sessionStorage.getItem('switchboard.queue');
  const token = await signIn({ page: PAGE, roles: ['customer'], site, because });
  session?.stop();
  session = new Session({ base: BASE, token, terminal: await terminalName(PAGE), storage: localStorage });
  session.openIn = queue;
  if (queue) {
    sessionStorage.setItem('switchboard.queue', queue);
  }
  timeline = new Timeline($('timeline'), {
    session,
    mediaHosts: site.mediaHosts,
    editAgain: (post) => write(post?.body.text ?? ''),
    reachedEnd: () => seen(),
  });
  current = null;
  listen(session);
  $('app').hidden = false;
  timeline.show(null);
  $('compose').value = session.draft(null);
  grow($('compose'));
  $('compose').focus();
  session.start();
}

function listen(s) {
  const on = (type, handler) => s.addEventListener(type, (event) => s === session && handler(event.detail));
  on('link', linkChanged);
  on('conversations', choose);
  on('entries', ({ conv, fresh, reset }) => {
    choose();
    if (conv !== current) {
      return;
    }
    if (reset) {
      timeline.show(conv);
    } else {
      timeline.append(fresh);
    }
    seen();
    draw();
    announce(fresh);
  });
  on('typing', ({ conv }) => conv === current && timeline.renderTyping());
  on('outbox', () => {
    timeline.renderUnsent();
    draw();
  });
  on('problem', (problem) => notice(errorText(problem), { error: true }));
}

/** The conversation to show: one that is open, else the one that was written in last. */
function choose() {
  const all = [...session.conversations.values()].sort((a, b) => rank(b) - rank(a));
  const best = all[0]?.conv ?? null;
  if (best !== current) {
    const draft = $('compose').value;
    if (current === null && best !== null) {
      session.keepDraft(null, '');
      session.keepDraft(best, draft || session.draft(best));
    }
    current = best;
    $('compose').value = session.draft(current);
    grow($('compose'));
    timeline.show(current);
  }
  timeline.renderTicks();
  draw();
}

function rank(c) {
  const latest = c.log.entries.at(-1)?.ts ?? c.openedAt;
  return (c.status === 'closed' ? 0 : 1e15) + (latest ? Date.parse(latest) : 0);
}

function linkChanged(detail) {
  link = detail;
  clearInterval(linkTimer);
  if (detail.state === 'waiting') {
    linkTimer = setInterval(draw, 1000);
  }
  if (detail.state === 'ended' && detail.needsToken) {
    forgetToken(PAGE);
    enter(
      detail.code === 'unauthorized' ? errorText(detail) : 'Your sign-in has ended. Sign in again: nothing is lost.',
    );
    return;
  }
  draw();
}

function draw() {
  const c = session.conversations.get(current);
  const agent = c?.status === 'assigned' ? c.owner : null;
  fill(
    $('partner-picture'),
    agent ? avatar(agent) : h('img', { src: 'assets/favicon.svg', alt: '', width: 36, height: 36 }),
  );
  $('partner-name').textContent = agent ?? 'Switchboard';
  $('partner-state').textContent = agent
    ? c.presence?.online === false
      ? 'is away for a moment'
      : 'is here for you'
    : !c
      ? `Signed in as ${session.me.id}`
      : c.status === 'closed'
        ? 'Conversation closed'
        : 'We look for somebody for you';
  fill($('link'), connectionBadge(link.state, linkText(link), true));
  drawStrip(c);
  $('end').disabled = !c || c.status === 'closed';
  document.title = `${agent ?? 'Chat'} · Switchboard`;
  drawGreeting(c);
}

function drawStrip(c) {
  const strip = $('strip');
  let parts;
  let kind = 'strip';
  if (link.state === 'ended') {
    kind = 'strip bad';
    parts = [
      linkText(link),
      h('button', { type: 'button', class: 'quiet', text: 'Continue here', onclick: continueHere }),
    ];
  } else if (link.state === 'waiting') {
    kind = 'strip warn';
    parts = [
      linkText(link),
      h('button', { type: 'button', class: 'quiet', text: 'Try now', onclick: () => session.client.retryNow() }),
      session.outbox.unsentCount > 0 && h('span', { text: 'What you wrote is kept and sent then.' }),
    ];
  } else if (link.state === 'connecting') {
    parts = [linkText(link)];
  } else if (c && (c.status === 'waiting' || c.status === 'offered')) {
    parts = [queueText(c.position, c.eta)];
  } else if (c?.status === 'closed') {
    parts = ['This conversation is closed. Write again to open it.'];
  }
  const text = parts?.map((part) => part?.textContent ?? part).join('|') ?? '';
  strip.hidden = !parts;
  if (strip.dataset.text !== text) {
    strip.dataset.text = text;
    strip.className = kind;
    strip.replaceChildren(...(parts ?? []).filter(Boolean));
  }
}

function drawGreeting(c) {
  const show = (!c || (c.log.loaded && c.log.entries.length === 0)) && session.outbox.of(current).length === 0;
  let greeting = $('timeline').querySelector('.hello');
  if (show && !greeting) {
    greeting = h(
      'div',
      { class: 'hello' },
      h('h2', { text: `Hello ${session.me.id}` }),
      h('p', { text: 'Write what it is about. Somebody answers here, and you can come back at any time.' }),
    );
    $('timeline').prepend(greeting);
  } else if (!show) {
    greeting?.remove();
  }
}

function announce(fresh) {
  const others = fresh.filter((entry) => entry.kind === 'message' && !session.isMe(entry.from));
  if (others.length > 0 && document.visibilityState === 'hidden') {
    document.title = `● ${document.title}`;
  }
}

/** The newest entry is in view: if somebody looks, it is read. */
function seen() {
  if (current !== null && isWatched() && timeline.atEnd) {
    session.markRead(current);
  }
}

function continueHere() {
  renameTerminal(PAGE);
  enter();
}

function write(text) {
  const field = $('compose');
  field.value = field.value ? `${text}\n${field.value}` : text;
  grow(field);
  session.keepDraft(current, field.value);
  field.focus();
}

function send() {
  const field = $('compose');
  const text = field.value.trim();
  if (!text) {
    return;
  }
  field.value = '';
  grow(field);
  session.keepDraft(current, '');
  session.post(current, text);
  timeline.toEnd();
}

async function end() {
  const c = session.conversations.get(current);
  if (!c || c.status === 'closed') {
    return;
  }
  await dialog({
    title: 'End this conversation?',
    label: 'End it',
    build: (body) =>
      add(body, h('p', { text: 'You can write again later: it opens again then, with everything in it.' })),
    submit: async () => {
      try {
        await session.ask('close', () => ({ conv: c.conv }));
        say('The conversation is closed.');
      } catch (error) {
        throw errorText(error);
      }
    },
  });
  $('compose').focus();
}

async function signOut() {
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
            unsent > 0
              ? `${unsent} of your messages ${unsent === 1 ? 'is' : 'are'} not sent yet and would be lost.`
              : 'The conversation stays with the service. Nothing of it stays in this browser.',
        }),
      ),
    submit: async () => true,
  });
  if (sure) {
    session.stop();
    session.forget();
    forgetToken(PAGE);
    sessionStorage.removeItem('switchboard.queue');
    $('compose').value = '';
    enter();
  }
}

function menu() {
  dialog({
    title: 'More',
    build: (body) => {
      const item = (text, run, disabled) =>
        h('button', {
          type: 'button',
          text,
          disabled,
          onclick: (event) => (event.target.closest('dialog').close(), run()),
        });
      add(body, item('End conversation', end, $('end').disabled), item('Sign out', signOut));
    },
  });
}

function wire() {
  const field = $('compose');
  $('composer').addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  field.addEventListener('keydown', (event) => {
    // on a touch screen Enter makes a line; elsewhere it sends
    const touch = matchMedia('(pointer: coarse)').matches;
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && (!touch || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
  });
  field.addEventListener('input', () => {
    grow(field);
    session.keepDraft(current, field.value);
    if (field.value.trim()) {
      session.typing(current);
    }
  });
  $('end').addEventListener('click', end);
  $('sign-out').addEventListener('click', signOut);
  $('menu').addEventListener('click', menu);
  for (const type of ['focus', 'pointerdown', 'keydown']) {
    addEventListener(type, () => session && timeline && seen());
  }
  document.addEventListener('visibilitychange', () => {
    if (session && timeline) {
      seen();
      draw();
    }
  });
  addEventListener('hashchange', () => {
    const token = takeFromFragment('token');
    if (token && session) {
      sessionStorage.setItem(`switchboard.token.${PAGE}`, token);
      session.client.setToken(token).catch((error) => notice(errorText(error), { error: true }));
    }
  });
}
