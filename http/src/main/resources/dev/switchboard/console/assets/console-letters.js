/** The dead letters: search, detail, retry, discard, and retries of many with their progress. */
import { newId } from './outbox.js';
import { $, dialog, fill, h, notice } from './ui.js';
import { errorText } from './words.js';

const PAGE = 50;
const JOBS_SHOWN = 3;
const LOOK_AGAIN_MS = 1500;

const who = (person) => (person ? `${person.role} ${person.id}` : '–');
const when = (text) => (text ? new Date(text).toLocaleString() : '–');

/** What operators do with dead letters. `call(method, path, body, key)` asks the API and throws what it refuses. */
export class Letters {
  constructor(call) {
    this.call = call;
    this.cursor = null;
    this.items = [];
    $('letters-search').addEventListener('submit', (event) => {
      event.preventDefault();
      this.search();
    });
    $('letters-more').addEventListener('click', () => this.load(true));
    $('letters-all').addEventListener('click', () => this.retryMany());
  }

  filter() {
    const filter = {};
    for (const name of ['queue', 'conv']) {
      const value = $(`letters-${name}`).value.trim();
      if (value) {
        filter[name] = value;
      }
    }
    return filter;
  }

  search() {
    this.loadJobs();
    return this.load(false);
  }

  async load(more) {
    const query = new URLSearchParams({ ...this.filter(), limit: PAGE });
    const state = $('letters-state').value;
    if (state) {
      query.set('state', state);
    }
    if (more && this.cursor) {
      query.set('cursor', this.cursor);
    }
    try {
      const page = await this.call('GET', `/dead-letters?${query}`);
      this.items = more ? [...this.items, ...page.items] : page.items;
      this.cursor = page.cursor ?? null;
      this.show();
    } catch (error) {
      notice(errorText(error), { error: true });
    }
  }

  show() {
    $('letters-count').textContent = this.items.length + (this.cursor ? '+' : '');
    $('letters-none').hidden = this.items.length > 0;
    $('letters-more').hidden = !this.cursor;
    $('letters-list').hidden = this.items.length === 0;
    fill(
      $('letters-list'),
      h(
        'table',
        {},
        h('thead', {}, h('tr', {}, ...['Died', 'Conversation', 'To', 'Queue', 'Code', 'State', ''].map((text) => h('th', { text })))),
        h('tbody', {}, ...this.items.map((letter) => this.row(letter))),
      ),
    );
  }

  row(letter) {
    return h(
      'tr',
      { 'data-key': letter.id },
      h('td', { text: when(letter.diedAt) }),
      h('td', { text: `${letter.conv} #${letter.seq}` }),
      h('td', { text: who(letter.receiver) }),
      h('td', { text: letter.queue }),
      h('td', { text: letter.code ?? '–' }),
      h('td', { class: 'state', text: letter.state }),
      h('td', {}, h('button', { type: 'button', 'data-part': 'open', text: 'Open', onclick: () => this.open(letter.id) })),
    );
  }

  async open(id) {
    let letter;
    try {
      letter = await this.call('GET', `/dead-letters/${encodeURIComponent(id)}`);
    } catch (error) {
      notice(errorText(error), { error: true });
      return;
    }
    const settled = !['dead', 'retried'].includes(letter.state);
    let act = 'retry';
    const done = await dialog({
      title: `Message ${letter.seq} of ${letter.conv}`,
      label: settled ? null : 'Retry',
      build: (body, form) => {
        body.classList.add('letter');
        body.append(detail(letter), history(letter));
        if (!settled) {
          body.append(
            h('button', {
              type: 'button',
              class: 'quiet',
              text: 'Discard',
              onclick: () => {
                act = 'discard';
                form.requestSubmit();
              },
            }),
          );
        }
      },
      submit: async () => {
        try {
          return await this.call('POST', `/dead-letters/${encodeURIComponent(id)}/${act}`, null, newId());
        } catch (error) {
          const text = errorText(error);
          act = 'retry';
          throw text;
        }
      },
    });
    if (done) {
      notice(done.state === 'retried' ? 'Sent. It is delivered when the receiver has acknowledged it.' : `It is ${done.state}.`);
      await this.load(false);
      if (done.state === 'retried') {
        this.follow(id);
      }
    }
  }

  /** Looks again until the letter is settled, or dead again. */
  async follow(id) {
    for (let looks = 0; looks < 40; looks++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      try {
        const letter = await this.call('GET', `/dead-letters/${encodeURIComponent(id)}`);
        if (letter.state !== 'retried') {
          notice(letter.state === 'dead' ? `It failed again: ${letter.code ?? ''}` : `It is ${letter.state}.`, {
            error: letter.state === 'dead',
          });
          await this.load(false);
          return;
        }
      } catch {
        return; // The list says it when somebody searches again.
      }
    }
  }

  // ---- many ----

  async retryMany() {
    const filter = this.filter();
    const job = await dialog({
      title: 'Retry many',
      label: 'Start',
      build: (body) =>
        body.append(
          h('p', {
            text: `All that are dead now${filter.queue ? `, of the queue ${filter.queue}` : ''}${filter.conv ? `, of ${filter.conv}` : ''}: the oldest first.`,
          }),
          h('label', { class: 'field' }, 'How many at most', h('input', { name: 'cap', type: 'number', min: 1, max: 10000, value: 1000, required: true })),
          h('label', { class: 'field' }, 'How many a second', h('input', { name: 'pace', type: 'number', min: 1, max: 200, value: 10, required: true })),
        ),
      submit: async (data) => {
        try {
          const order = { filter, cap: Number(data.get('cap')), pace: Number(data.get('pace')) };
          return await this.call('POST', '/dead-letters/retry', order, newId());
        } catch (error) {
          throw errorText(error);
        }
      },
    });
    if (job) {
      this.loadJobs();
    }
  }

  async loadJobs() {
    clearTimeout(this.looking);
    let jobs;
    try {
      jobs = (await this.call('GET', `/dead-letters/retry/jobs?limit=${JOBS_SHOWN}`)).items;
    } catch {
      return;
    }
    fill($('jobs'), ...jobs.map((job) => this.job(job)));
    if (jobs.some((job) => job.state === 'running' || job.state === 'stopping')) {
      this.looking = setTimeout(() => this.loadJobs(), LOOK_AGAIN_MS);
    } else if (this.busy) {
      this.load(false);
    }
    this.busy = jobs.some((job) => job.state === 'running' || job.state === 'stopping');
  }

  job(job) {
    const p = job.progress;
    const settled = p.delivered + p.failed + p.skipped;
    return h(
      'article',
      { class: 'tile job', 'data-key': job.id },
      h('p', {
        text: `Retry of ${p.total} by ${who(job.by)}, ${when(job.at)}: ${job.state}. ${p.delivered} delivered, ${p.failed} failed, ${p.skipped} skipped, ${p.waiting + p.sent} to go.`,
      }),
      h('progress', { max: Math.max(1, p.total), value: settled, 'aria-label': 'Progress of the retry' }),
    );
  }
}

function detail(letter) {
  const pairs = [
    ['To', who(letter.receiver)],
    ['From', who(letter.sender)],
    ['Queue', letter.queue],
    ['State', letter.state],
    ['Policy', letter.policy],
    ['Died', when(letter.diedAt)],
    ['Why', [letter.code, letter.reason].filter(Boolean).join(': ') || '–'],
  ];
  return h('dl', {}, ...pairs.flatMap(([name, value]) => [h('dt', { class: 'muted', text: name }), h('dd', { text: value })]));
}

function history(letter) {
  return h(
    'div',
    { class: 'attempts', tabindex: '0', role: 'region', 'aria-label': 'Attempts' },
    h(
      'ul',
      {},
      ...(letter.attempts ?? []).map((attempt) =>
        h('li', { text: `${attempt.attempt}. ${when(attempt.at)} ${attempt.terminal ?? ''} ${[attempt.code, attempt.reason].filter(Boolean).join(': ')}` }),
      ),
      ...(letter.actions ?? []).map((action) => h('li', { text: `${when(action.at)} ${action.action} by ${who(action.by)}` })),
    ),
  );
}
