/** The operators' console: asks the node for its figures and shows them. It keeps what it shows and nothing else. */
import { Chart } from './console-charts.js';
import { bytes, labelValues, percent, quantile, rate, readScrape, series, short, time, total } from './console-figures.js';
import { Letters } from './console-letters.js';
import { BASE, forgetToken, loadSite, signIn } from './sign-in.js';
import { $, fill, h, themeButton } from './ui.js';
import { errorText } from './words.js';

const EVERY_MS = 2_000;
const DOCTOR_EVERY_MS = 5_000;
const RATE_OVER_MS = 10_000;
const KEPT_READINGS = 20;

let token;
let paused = false;
let charts;
let letters;
const readings = [];

// ---- asking ----

async function ask(path, options = {}) {
  const response = await fetch(BASE + path, {
    cache: 'no-store',
    credentials: 'omit',
    ...options,
    headers: { authorization: `Bearer ${token}`, ...options.headers },
  });
  if (response.ok) {
    return response;
  }
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401) {
    signInAgain(problem);
  }
  throw Object.assign(new Error(problem.detail ?? response.statusText), { code: problem.code, status: response.status });
}

async function call(method, path, body = null, key = null) {
  const headers = { accept: 'application/json' };
  if (body) {
    headers['content-type'] = 'application/json';
  }
  if (key) {
    headers['idempotency-key'] = key;
  }
  return (await ask(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) })).json();
}

function problem(text) {
  $('strip').hidden = !text;
  $('strip').className = 'strip warn';
  if ($('strip').textContent !== (text ?? '')) {
    $('strip').textContent = text ?? '';
  }
}

// ---- the charts ----

function makeCharts() {
  const place = $('charts');
  const make = (title, ...lines) => new Chart(place, title, lines, 'console');
  const share = { show: percent, least: 1 };
  const seconds = { show: time, least: 0.005 };
  const count = { show: short, least: 5 };
  return {
    entries: make('Entries a second', { name: 'accepted', ...count }, { name: 'written', ...count }, { name: 'acknowledged', ...count }),
    latency: make(
      'From acceptance',
      { name: 'to the socket P50', ...seconds },
      { name: 'P99', ...seconds },
      { name: 'to the acknowledgement P99', ...seconds },
    ),
    stages: make('Stages, P99', { name: 'journal', ...seconds }, { name: 'wait for a lane', ...seconds }, { name: 'GC, longest', ...seconds }),
    cpu: make('Processor', { name: 'user', ...share }, { name: 'system', ...share }, { name: 'this process', ...share }),
    switches: make(
      'Context switches a second',
      { name: 'machine', ...count },
      { name: 'own, voluntary', ...count },
      { name: 'own, involuntary', ...count },
    ),
  };
}

function addReading(reading) {
  readings.push(reading);
  if (readings.length > KEPT_READINGS) {
    readings.shift();
  }
  const at = reading.at / 1000;
  const before = readings.find((one) => reading.at - one.at <= RATE_OVER_MS + 500 && one !== reading);
  const last = readings[readings.length - 2];
  charts.entries.add(at, [
    rate(last, reading, 'switchboard_entries_accepted_total'),
    rate(last, reading, 'switchboard_entries_written_total'),
    rate(last, reading, 'switchboard_entries_delivered_total'),
  ]);
  charts.latency.add(at, [
    quantile(before, reading, 'switchboard_delivery_written_seconds', 0.5),
    quantile(before, reading, 'switchboard_delivery_written_seconds', 0.99),
    quantile(before, reading, 'switchboard_delivery_acknowledged_seconds', 0.99),
  ]);
  charts.stages.add(at, [
    quantile(before, reading, 'switchboard_journal_write_seconds', 0.99),
    quantile(before, reading, 'switchboard_mailbox_wait_seconds', 0.99),
    Math.max(0, ...series(reading.scrape, 'jvm_gc_pause_seconds_max').map((one) => one.value)),
  ]);
  showTables(before, reading);
}

function addDoctor(report) {
  const start = Date.parse(report.window.startedAt) / 1000;
  for (const look of report.looks) {
    const cpu = look.system.cpu;
    const at = start + look.at;
    const cores = report.process.cores;
    charts.cpu.add(at, [cpu.user, cpu.system + cpu.interrupts + cpu.softInterrupts, look.cpuSeconds / look.seconds / cores]);
    charts.switches.add(at, [look.system.switchesPerSecond, look.voluntary / look.seconds, look.involuntary / look.seconds]);
  }
  showDoctor(report);
}

function draw() {
  const until = Date.now() / 1000;
  Object.values(charts).forEach((chart) => chart.draw(until));
}

// ---- the tables ----

function table(place, heads, rows) {
  if (rows.length === 0) {
    fill(place, h('p', { class: 'nothing', text: 'None.' }));
    return;
  }
  const cell = (tag) => (value, i) => h(tag, { class: i > 0 ? 'number' : null, text: value });
  fill(
    place,
    h('table', {}, h('thead', {}, h('tr', {}, ...heads.map(cell('th')))), h('tbody', {}, ...rows.map((row) => h('tr', {}, ...row.map(cell('td')))))),
  );
}

function list(place, pairs) {
  fill(place, ...pairs.flatMap(([name, value]) => [h('dt', { class: 'muted', text: name }), h('dd', { text: value })]));
}

function showTables(before, now) {
  const scrape = now.scrape;
  const each = (name, wanted) => short(rate(before, now, name, wanted));
  table(
    $('lanes'),
    ['Lane', 'messages/s', 'backlog', 'spins/s', 'yields/s', 'naps/s', 'parks/s', 'wake-ups/s', 'lost'],
    labelValues(scrape, 'switchboard_lane_messages_total', 'lane').map((lane) => [
      lane,
      each('switchboard_lane_messages_total', { lane }),
      short(total(scrape, 'switchboard_lane_backlog', { lane })),
      ...['spins', 'yields', 'naps', 'parks', 'wake_ups'].map((what) => each(`switchboard_lane_${what}_total`, { lane })),
      short(total(scrape, 'switchboard_lane_wake_ups_lost_total', { lane })),
    ]),
  );
  const queues = new Set([
    ...labelValues(scrape, 'switchboard_line_length', 'queue'),
    ...labelValues(scrape, 'switchboard_line_wait_seconds_count', 'queue'),
  ]);
  const start = readings[0];
  table(
    $('lines'),
    ['Queue', 'waiting', 'oldest', 'wait, P90'],
    [...queues].map((queue) => [
      queue,
      short(total(scrape, 'switchboard_line_length', { queue })),
      total(scrape, 'switchboard_line_length', { queue }) ? time(total(scrape, 'switchboard_line_oldest_seconds', { queue })) : '–',
      time(quantile(start, now, 'switchboard_line_wait_seconds', 0.9, { queue, outcome: 'assigned' })),
    ]),
  );
  table(
    $('desks'),
    ['Availability', 'desks', 'slots', 'held'],
    labelValues(scrape, 'switchboard_desks', 'availability').map((availability) => [
      availability,
      ...['switchboard_desks', 'switchboard_desk_slots', 'switchboard_desk_slots_held'].map((name) => short(total(scrape, name, { availability }))),
    ]),
  );
  list($('sockets'), [
    ['open', short(total(scrape, 'switchboard_sockets_open'))],
    ['frames in, a second', each('switchboard_sockets_frames_in_total')],
    ['frames out, a second', each('switchboard_sockets_frames_out_total')],
    ['in send queues', bytes(total(scrape, 'switchboard_sockets_queue_bytes'))],
    ['refused', short(total(scrape, 'switchboard_sockets_refused_total'))],
    ...series(scrape, 'switchboard_sockets_closes_total')
      .filter((one) => one.value > 0)
      .map((one) => [`ended: ${one.labels.code}`, short(one.value)]),
  ]);
  list($('journal'), [
    ['events a second', each('switchboard_journal_rows_total')],
    ['transactions a second', each('switchboard_journal_batches_total')],
    ['time of a write, P50', time(quantile(before, now, 'switchboard_journal_write_seconds', 0.5))],
    ['P99', time(quantile(before, now, 'switchboard_journal_write_seconds', 0.99))],
    ['waiting', short(total(scrape, 'switchboard_journal_waiting'))],
    ['failures', short(total(scrape, 'switchboard_journal_failures_total'))],
    ['halvings', short(total(scrape, 'switchboard_journal_halvings_total'))],
    ['in the spool', short(total(scrape, 'switchboard_spool_posts'))],
  ]);
  table(
    $('shards'),
    ['Of', 'shards', 'in memory'],
    labelValues(scrape, 'switchboard_shards', 'type').map((type) => [
      type,
      short(total(scrape, 'switchboard_shards', { type })),
      short(total(scrape, 'switchboard_entities', { type })),
    ]),
  );
}

function showDoctor(report) {
  const verdict = report.verdict;
  const well = verdict.kind === 'healthy';
  const items = (lines) => h('ul', { class: 'doctor-lists' }, ...lines.map((text) => h('li', { text })));
  const busiest = report.threads.slice(0, 6);
  fill(
    $('doctor'),
    h('p', { class: well ? 'verdict good' : 'verdict bad', text: `${verdict.kind} (sure: ${verdict.sure})` }),
    h('p', { text: verdict.saw }),
    items(verdict.evidence),
    verdict.next.length > 0 && h('p', { class: 'muted', text: 'What to look at next:' }),
    items(verdict.next),
    h('div', { id: 'doctor-threads', class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Threads that switch most' }),
    h('p', { class: 'muted small', text: `Window: ${report.window.seconds.toFixed(1)} s from ${new Date(report.window.startedAt).toLocaleTimeString()}.` }),
  );
  table(
    $('doctor-threads'),
    ['Thread', 'voluntary/s', 'involuntary/s', 'processor'],
    busiest.map((thread) => [
      thread.name,
      short(thread.voluntaryPerSecond),
      short(thread.involuntaryPerSecond),
      percent(thread.cpuSeconds / report.window.seconds),
    ]),
  );
}

// ---- life ----

async function repeat(everyMs, what) {
  for (;;) {
    if (token && !paused && document.visibilityState === 'visible') {
      try {
        await what();
        problem(null);
      } catch (error) {
        if (error.status !== 401) {
          problem(error.code ? errorText(error) : 'The node doesn’t answer.');
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function look() {
  const response = await ask('/metrics', { headers: { accept: 'text/plain' } });
  addReading({ at: Date.now(), scrape: readScrape(await response.text()) });
  draw();
}

async function lookAtSwitches() {
  try {
    const response = await ask('/ops/switches', { headers: { accept: 'application/json' } });
    addDoctor(await response.json());
  } catch (error) {
    if (error.code !== 'not-supported') {
      throw error;
    }
    fill($('doctor'), h('p', { class: 'muted', text: error.message }));
  }
}

let asking = false;

async function signInAgain(because) {
  if (asking) {
    return;
  }
  asking = true;
  forgetToken('console');
  token = null;
  await start(because ? errorText(because) : undefined);
  asking = false;
}

async function start(because) {
  const site = await loadSite();
  token = await signIn({ page: 'console', roles: ['operator'], site, because });
  $('app').hidden = false;
  charts ??= makeCharts();
  letters ??= new Letters(call);
  letters.search();
}

themeButton($('theme'));
const recolour = () => charts && Object.values(charts).forEach((chart) => chart.redraw());
new MutationObserver(recolour).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', String(paused));
  $('pause').textContent = paused ? 'Go on' : 'Pause';
});
$('sign-out').addEventListener('click', () => signInAgain());
addEventListener('keydown', (event) => {
  const inField = /INPUT|TEXTAREA|SELECT/.test(document.activeElement?.tagName ?? '');
  if (inField || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) {
    return;
  }
  const place = ['live', 'threads', 'hall', 'letters'][Number(event.key) - 1];
  if (place) {
    $(place).scrollIntoView();
  } else if (event.key === '/') {
    event.preventDefault();
    $('letters-queue').focus();
  } else if (event.key === 'p') {
    $('pause').click();
  }
});
await start();
repeat(EVERY_MS, look);
repeat(DOCTOR_EVERY_MS, lookAtSwitches);
