/** Small helpers of both pages: elements, icons, dialogs, notices, the theme. Nothing here takes HTML as text. */

/** Makes an element. `props`: attributes, `on…` handlers, `class`, `text`; false and null leave an attribute out. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (name === 'text') {
      element.textContent = value;
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  return add(element, ...children);
}

/** Appends children; null, undefined and false are left out. */
export function add(parent, ...children) {
  parent.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

export const $ = (id) => document.getElementById(id);

/** Puts these children in the place of those that are there, and keeps the focus on the same `data-key`. */
export function fill(parent, ...children) {
  const active = document.activeElement;
  const key = parent.contains(active) ? active.closest('[data-key]')?.dataset.key : undefined;
  const part = active?.dataset?.part;
  parent.replaceChildren(...children.flat().filter(Boolean));
  if (key !== undefined) {
    const holder = [...parent.querySelectorAll('[data-key]')].find((element) => element.dataset.key === key);
    const target = part
      ? [...(holder?.querySelectorAll('[data-part]') ?? [])].find((e) => e.dataset.part === part)
      : null;
    (target ?? holder)?.focus({ preventScroll: true });
  }
}

const PATHS = {
  sending: ['M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z', 'M8 5v3.2l2 1.3'],
  accepted: ['M3.5 8.5 6.7 11.7 13 5'],
  delivered: ['M1 8.5 4.2 11.7 10.5 5', 'M7.5 11.7 14 5'],
  read: ['M1 8.5 4.2 11.7 10.5 5', 'M7.5 11.7 14 5'],
  refused: ['M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z', 'M8 5v3.6', 'M8 10.9v.2'],
  send: ['M2.5 8 13.5 3 10 13.5 7.7 8.9 2.5 8Z'],
  back: ['M10 3 5 8l5 5'],
  more: ['M8 3.5v.1', 'M8 8v.1', 'M8 12.5v.1'],
  sun: [
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6Z',
    'M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  ],
  moon: ['M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6Z'],
  auto: ['M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Z', 'M8 2.5v11', 'M8 5h4.6M8 8h5.5M8 11h4.6'],
  keys: ['M1.5 4.5h13v7h-13z', 'M4 7v.1M6.6 7v.1M9.3 7v.1M12 7v.1M5 9.3h6'],
  down: ['M3.5 6 8 10.5 12.5 6'],
  people: [
    'M6 3.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6Z',
    'M1.8 13c.3-2.4 2-3.7 4.2-3.7s3.9 1.3 4.2 3.7',
    'M11 8.3c1.8.1 3 1.3 3.2 3.2',
    'M10.3 3.4a2 2 0 0 1 0 3.9',
  ],
};

/** A line icon, hidden from assistive technology: whoever uses it says the words beside it. */
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `icon icon-${name}`);
  for (const d of PATHS[name] ?? []) {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

// ---- theme ----

const THEMES = ['auto', 'light', 'dark'];
const THEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' };
const THEME_WORDS = { auto: 'as the device', light: 'light', dark: 'dark' };

/** Makes a button switch between the device's theme, light and dark. */
export function themeButton(button) {
  const show = () => {
    const theme = THEMES.includes(localStorage.getItem('switchboard.theme'))
      ? localStorage.getItem('switchboard.theme')
      : 'auto';
    if (theme === 'auto') {
      delete document.documentElement.dataset.theme;
    } else {
      document.documentElement.dataset.theme = theme;
    }
    const label = `Colours: ${THEME_WORDS[theme]}`;
    button.replaceChildren(icon(THEME_ICONS[theme]));
    button.setAttribute('aria-label', label);
    button.title = label;
    return theme;
  };
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(show()) + 1) % THEMES.length];
    localStorage.setItem('switchboard.theme', next);
    show();
  });
  addEventListener('storage', (event) => event.key === 'switchboard.theme' && show());
  show();
}

// ---- notices ----

/** Says something for a moment, on screen and to screen readers. Errors stay until they are dismissed. */
export function notice(text, { error = false, action } = {}) {
  const area = $('notices');
  for (const other of area.querySelectorAll('.notice')) {
    if (other.dataset.text === text) {
      other.remove();
    }
  }
  const box = h(
    'div',
    { class: error ? 'notice error' : 'notice', 'data-text': text },
    h('p', { text }),
    action &&
      h('button', { type: 'button', class: 'quiet', text: action.label, onclick: () => (box.remove(), action.run()) }),
    h('button', { type: 'button', class: 'quiet', text: 'Dismiss', onclick: () => box.remove() }),
  );
  area.append(box);
  while (area.childElementCount > 3) {
    area.firstElementChild.remove();
  }
  if (!error) {
    setTimeout(() => box.remove(), 8_000);
  }
  return box;
}

/** Tells screen readers only. */
export function say(text, urgent = false) {
  const region = $(urgent ? 'said-now' : 'said');
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 50);
}

/**
 * Opens a modal dialog with a form. `build(form)` fills it; `submit(data)` runs on its main button, may throw a text for
 * the person, and closes it on success.
 */
export function dialog({ title, build, submit, label, danger = false }) {
  return new Promise((resolve) => {
    const problem = h('p', { class: 'problem', role: 'alert' });
    const body = h('div', { class: 'dialog-body' });
    const go = h('button', { type: 'submit', class: danger ? 'danger' : 'primary', text: label });
    const form = h(
      'form',
      {
        onsubmit: async (event) => {
          event.preventDefault();
          go.disabled = true;
          problem.textContent = '';
          try {
            const result = (await submit?.(new FormData(form))) ?? true;
            box.dataset.done = 'true';
            box.close();
            resolve(result);
          } catch (error) {
            problem.textContent = typeof error === 'string' ? error : error.message;
          } finally {
            go.disabled = false;
          }
        },
      },
      h('h2', { text: title, id: 'dialog-title' }),
      body,
      problem,
      h(
        'div',
        { class: 'dialog-actions' },
        h('button', { type: 'button', class: 'quiet', text: label ? 'Cancel' : 'Done', onclick: () => box.close() }),
        label && go,
      ),
    );
    const box = h('dialog', { 'aria-labelledby': 'dialog-title' }, form);
    const before = document.activeElement;
    box.addEventListener('close', () => {
      box.remove();
      before?.focus?.();
      if (!box.dataset.done) {
        resolve(null);
      }
    });
    build?.(body, form);
    document.body.append(box);
    box.showModal();
    (body.querySelector('[autofocus]') ?? body.querySelector('input, select, textarea') ?? go).focus();
  });
}

/** Lets a text field grow with its text, up to the style sheet's maximum. */
export function grow(field) {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

/** True when a person can be looking at the page. */
export function isWatched() {
  return document.visibilityState === 'visible' && document.hasFocus();
}

/** Initials or the first letter: a quiet stand-in for a picture. The hue follows from the name. */
export function avatar(name) {
  const text = (name ?? '?').replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const initials = text
    .split(' ')
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
  let hash = 0;
  for (const c of name ?? '') {
    hash = (hash * 31 + c.codePointAt(0)) % 6;
  }
  return h('span', { class: `avatar hue-${hash}`, 'aria-hidden': 'true', text: initials || '?' });
}
