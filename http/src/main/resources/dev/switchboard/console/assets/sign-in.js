/**
 * Who uses this page. A token comes from the address (`#token=…`, taken out of it at once), from this tab's earlier life,
 * or from the form. It is kept for this tab only.
 */
import { tokenClaims } from './switchboard-client.js';
import { newId } from './outbox.js';
import { $, h } from './ui.js';

/** What the server accepts as a person's id. */
const PERSON_ID = /^[A-Za-z0-9][A-Za-z0-9._@:+-]{0,99}$/;

/** The server's address, whatever path the pages are mounted at. */
export const BASE = new URL('.', location.href).href.replace(/\/$/, '');

/** Facts about this installation; the Date header tells how far this device's clock is off. */
export async function loadSite() {
  try {
    const asked = Date.now();
    const response = await fetch(`${BASE}/assets/site.json`, { cache: 'no-store', credentials: 'omit' });
    const site = await response.json();
    const date = Date.parse(response.headers.get('date') ?? '');
    const skewMs = Number.isFinite(date) ? date + 500 - (asked + Date.now()) / 2 : 0;
    return { ...site, clockSkewMs: Math.abs(skewMs) > 2_000 ? skewMs : 0 };
  } catch {
    return { signInByName: false, mediaHosts: [], clockSkewMs: 0 };
  }
}

/** Takes `name=value` out of the address's fragment. */
export function takeFromFragment(name) {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const value = fragment.get(name);
  if (value !== null) {
    fragment.delete(name);
    const rest = fragment.toString();
    history.replaceState(null, '', location.pathname + location.search + (rest ? `#${rest}` : ''));
  }
  return value;
}

/** This tab's terminal name. A duplicated tab inherits it; where the browser has locks, the copy takes another one. */
export async function terminalName(page) {
  const key = `switchboard.terminal.${page}`;
  let name = sessionStorage.getItem(key);
  if (name && navigator.locks && !(await holdLock(`switchboard.terminal.${name}`))) {
    name = null;
  }
  if (!name) {
    name = `${page}-${newId().slice(0, 12)}`;
    sessionStorage.setItem(key, name);
    if (navigator.locks) {
      await holdLock(`switchboard.terminal.${name}`);
    }
  }
  return name;
}

/** Another name for this tab, after another one took over. */
export function renameTerminal(page) {
  sessionStorage.removeItem(`switchboard.terminal.${page}`);
}

function holdLock(name) {
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise(() => {}); // held until the tab ends
      })
      .catch(() => resolve(true));
  });
}

/**
 * Gives the token of a person with one of these roles, asking for it when there is none.
 *
 * @param {object} options
 * @param {string} options.page `chat` or `desk`
 * @param {string[]} options.roles the roles this page is for; the first is what a development name becomes
 * @param {object} options.site from {@link loadSite}
 * @param {string} [options.because] why it is asked (again)
 */
export async function signIn({ page, roles, site, because }) {
  const key = `switchboard.token.${page}`;
  const given = takeFromFragment('token') ?? (because ? null : sessionStorage.getItem(key));
  if (given && !problemWith(given, roles)) {
    sessionStorage.setItem(key, given);
    return given;
  }
  const token = await askForToken(page, roles, site, given ? problemWith(given, roles) : because);
  sessionStorage.setItem(key, token);
  return token;
}

export function forgetToken(page) {
  sessionStorage.removeItem(`switchboard.token.${page}`);
}

function problemWith(token, roles) {
  const claims = tokenClaims(token);
  if (!claims?.sub || !claims.role) {
    return 'This is not a token.';
  }
  if (!roles.includes(claims.role)) {
    return `This token is for a ${claims.role}. This page is for ${roles.map((role) => `a ${role}`).join(' or ')}.`
      .replaceAll('a agent', 'an agent')
      .replaceAll('a operator', 'an operator');
  }
  return claims.exp && claims.exp * 1000 < Date.now() ? 'This token has ended.' : null;
}

function askForToken(page, roles, site, because) {
  const form = $('sign-in-form');
  const name = $('sign-in-name');
  const token = $('sign-in-token');
  const problem = $('sign-in-problem');
  const nameKey = `switchboard.name.${page}`;
  $('sign-in').hidden = false;
  $('app').hidden = true;
  $('sign-in-by-name').hidden = !site.signInByName;
  $('sign-in-by-token').open = !site.signInByName;
  name.value = localStorage.getItem(nameKey) ?? '';
  problem.textContent = because ?? '';
  (site.signInByName ? name : token).focus();
  return new Promise((resolve) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      const pasted = token.value.trim();
      const id = name.value.trim().replace(/\s+/g, '-');
      let wrong;
      let answer = pasted;
      if (pasted) {
        wrong = problemWith(pasted, roles);
      } else if (!site.signInByName) {
        wrong = 'Please paste your token.';
      } else if (!PERSON_ID.test(id)) {
        wrong = id ? 'Please use letters, digits and . _ @ : + - only.' : 'Please enter a name.';
      } else {
        answer = `dev:${roles[0]}:${id}`;
        localStorage.setItem(nameKey, id);
      }
      if (wrong) {
        problem.textContent = wrong;
        return;
      }
      form.onsubmit = null;
      token.value = '';
      $('sign-in').hidden = true;
      resolve(answer);
    };
  });
}

/** The connection's state as a coloured dot; with `quiet` its words are for screen readers and the pointer only. */
export function connectionBadge(state, text, quiet = false) {
  return h(
    'span',
    { class: `link link-${state}`, title: quiet ? text : null },
    h('span', { class: 'dot', 'aria-hidden': 'true' }),
    h('span', { class: quiet ? 'hidden-text' : null, text }),
  );
}
