/** What the pages say about codes, states and times. All text a person reads that isn't in the HTML is here. */

const ERRORS = {
  malformed: 'The server could not read this. Please reload the page.',
  'unknown-type': 'This server does not know that action. Reload the page to get its own version.',
  invalid: 'The server did not accept what was entered.',
  unauthorized: 'Your sign-in was not accepted.',
  'token-expired': 'Your sign-in has ended.',
  expired: 'Your sign-in has ended.',
  forbidden: 'You are not allowed to do this.',
  'origin-refused': 'This page’s address is not on the server’s list of allowed origins.',
  'not-found': 'This conversation does not exist, or is not yours to see.',
  'unknown-agent': 'There is no such agent.',
  'unknown-queue': 'There is no such queue.',
  'unknown-offer': 'This offer is no longer open.',
  'not-owner': 'This conversation belongs to somebody else now.',
  'stale-epoch': 'This conversation changed hands in the meantime, so this was not done.',
  closed: 'This conversation is closed.',
  'offer-ended': 'This offer is over.',
  'already-owner': 'This conversation is already yours.',
  'agent-full': 'This agent has no free place at the moment.',
  'agent-unavailable': 'This agent is not available at the moment.',
  'out-of-order': 'An earlier message has to arrive first.',
  'too-large': 'This message is too long.',
  'id-reused': 'This message was sent before with another text.',
  'rate-limited': 'Too much at once. It is tried again in a moment.',
  'too-many-in-flight': 'Too much at once. It is tried again in a moment.',
  overload: 'The service is very busy. It is tried again in a moment.',
  'queue-full': 'The line is full at the moment. Please try again later.',
  'journal-unavailable': 'The service can’t save anything at the moment. It is tried again.',
  unreadable: 'This can’t be read at the moment.',
  'not-now': 'That can’t be done now. Try again later.',
  'letter-settled': 'That has been settled already.',
  'shutting-down': 'The server is restarting.',
  timeout: 'The server did not answer in time.',
  'no-answer': 'The server did not answer in time.',
  offline: 'There is no connection at the moment.',
  undelivered: 'A message could not be delivered.',
  internal: 'Something went wrong at the server.',
  protocol: 'This page and the server don’t understand each other. Reload the page.',
  replaced: 'This conversation was opened in another tab, so this one stopped.',
  'not-supported': 'This server does not offer that.',
};

/** An error of the server in words: what it means to a person, then the server's own sentence where it tells more. */
export function errorText(error) {
  const known = ERRORS[error?.code];
  const owner = error?.owner ?? error?.frame?.owner;
  if ((error?.code === 'not-owner' || error?.code === 'stale-epoch') && owner) {
    return `This conversation belongs to ${owner} now, so this was not done.`;
  }
  if (error?.code === 'invalid' && error.message) {
    return `${known} (${error.message})`;
  }
  return known ?? error?.message ?? 'Something went wrong.';
}

/** The connection's state in words. */
export function linkText(link, now = Date.now()) {
  switch (link.state) {
    case 'online':
      return 'Connected';
    case 'connecting':
      return 'Connecting…';
    case 'waiting': {
      const seconds = Math.ceil((link.retryAt - now) / 1000);
      return seconds > 0 ? `No connection. Trying again in ${seconds} s` : 'Connecting…';
    }
    case 'ended':
      return errorText(link);
    default:
      return 'Not connected';
  }
}

/** Place and waiting time. Unknown is said, not guessed. */
export function queueText(position, eta) {
  const place =
    position === 1 ? 'You are next.' : position > 1 ? `You are number ${position} in line.` : 'You are in line.';
  return `${place} ${etaText(eta)}`;
}

function etaText(eta) {
  if (!eta || !Number.isFinite(eta.high)) {
    return 'How long it takes can’t be said yet.';
  }
  const low = Math.floor((eta.low ?? 0) / 60);
  const high = Math.max(1, Math.ceil(eta.high / 60));
  if (high === 1) {
    return 'It takes about a minute or less.';
  }
  return low >= 1 && low !== high ? `It takes about ${low} to ${high} minutes.` : `It takes up to ${high} minutes.`;
}

/** What a lifecycle entry says. `mine` is the reader, so that it can say "you". */
export function entryText(entry, me) {
  const name = (id) => (me.role === 'agent' && id === me.id ? 'you' : id);
  const by = entry.from ? (entry.from.role === me.role && entry.from.id === me.id ? 'you' : entry.from.id) : null;
  switch (entry.kind) {
    case 'assigned':
      return me.role === 'customer' ? `${entry.owner} is with you now.` : capital(`${name(entry.owner)} took over.`);
    case 'returned':
      return me.role === 'customer'
        ? 'You are back in line and keep your place at the front.'
        : `Back in line${entry.queue ? ` (${entry.queue})` : ''}${reasonIn(entry)}.`;
    case 'transferred': {
      const target = entry.agent ?? entry.queue;
      if (me.role === 'customer') {
        return 'You are being passed on to a colleague.';
      }
      return capital(`${by ? `${by} passed` : 'Passed'} this on${target ? ` to ${target}` : ''}${reasonIn(entry)}.`);
    }
    case 'closed':
      return capital(`closed${by ? ` by ${by}` : ''}${reasonIn(entry)}.`);
    case 'reopened':
      return 'Open again.';
    case 'label': {
      const added = (entry.add ?? []).map((label) => `+${label}`);
      const removed = (entry.remove ?? []).map((label) => `−${label}`);
      return `Labels: ${[...added, ...removed].join(' ')}${by ? ` (${by})` : ''}`;
    }
    case 'erased':
      return 'This was erased.';
    case 'unreadable':
      return 'This can’t be read at the moment.';
    default:
      return entry.kind;
  }
}

function reasonIn(entry) {
  return entry.reason ? `: ${REASONS[entry.reason] ?? entry.reason}` : '';
}

const REASONS = {
  'owner-gone': 'the agent was out of reach',
  unreachable: 'the agent was out of reach',
  offline: 'the agent went offline',
  abandoned: 'the customer left',
  idle: 'nothing was written for a long time',
};

/** Why an offer is over. */
export function offerEndText(reason, who) {
  switch (reason) {
    case 'timeout':
      return `The offer of ${who} ran out.`;
    case 'taken':
      return `${who} was taken by a colleague.`;
    case 'withdrawn':
      return `The offer of ${who} was withdrawn.`;
    default:
      return '';
  }
}

export function statusText(status) {
  return { waiting: 'Waiting', offered: 'Waiting', assigned: 'Open', closed: 'Closed' }[status] ?? status;
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });

const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const clockText = (ts) => clock.format(new Date(ts));
export const dayText = (ts) => day.format(new Date(ts));
export const shortTimeText = (ts) => short.format(new Date(ts));
export const fullTimeText = (ts) => full.format(new Date(ts));

/** How long ago, roughly. */
export function agoText(ts, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - new Date(ts).getTime()) / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min`
    : `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

export function sizeText(bytes) {
  if (!(bytes >= 0)) {
    return '';
  }
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
