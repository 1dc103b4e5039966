/** Figures in the text format of Prometheus: reading them, and what two readings say together. */

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads a scrape: a map from each name to its series, `{labels, value}` each. */
export function readScrape(text) {
  const families = new Map();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) {
      continue;
    }
    const found = LINE.exec(line);
    if (!found) {
      continue;
    }
    const labels = {};
    for (const [, name, value] of (found[2] ?? '').matchAll(LABEL)) {
      labels[name] = value.replace(/\\(.)/g, (all, c) => (c === 'n' ? '\n' : c));
    }
    const series = families.get(found[1]) ?? [];
    series.push({ labels, value: Number(found[3].replace('Inf', 'Infinity')) });
    families.set(found[1], series);
  }
  return families;
}

const fits = (labels, wanted) => Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** The series of a name that have these labels. */
export function series(scrape, name, wanted = {}) {
  return (scrape?.get(name) ?? []).filter((one) => fits(one.labels, wanted));
}

/** Their sum; 0 when there is none. */
export function total(scrape, name, wanted = {}) {
  return series(scrape, name, wanted).reduce((sum, one) => sum + one.value, 0);
}

/** The values of a label, in order. */
export function labelValues(scrape, name, label) {
  return [...new Set(series(scrape, name).map((one) => one.labels[label]))].sort((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
}

/** How much a counter grew each second between two readings; a restart counts from 0. Null when there is no telling. */
export function rate(before, now, name, wanted = {}) {
  if (!before || !now || now.at <= before.at) {
    return null;
  }
  const grown = total(now.scrape, name, wanted) - total(before.scrape, name, wanted);
  return (grown >= 0 ? grown : total(now.scrape, name, wanted)) / ((now.at - before.at) / 1000);
}

/** A quantile of what a histogram counted between two readings, within its bucket in proportion; null for nothing. */
export function quantile(before, now, name, part, wanted = {}) {
  if (!before || !now) {
    return null;
  }
  const grown = new Map();
  for (const [reading, sign] of [
    [now, 1],
    [before, -1],
  ]) {
    for (const one of series(reading.scrape, `${name}_bucket`, wanted)) {
      const bound = Number(one.labels.le.replace('+Inf', 'Infinity'));
      grown.set(bound, (grown.get(bound) ?? 0) + sign * one.value);
    }
  }
  const bounds = [...grown.keys()].sort((a, b) => a - b);
  const all = grown.get(Infinity) ?? 0;
  if (all <= 0) {
    return null;
  }
  const wantedCount = all * part;
  let below = 0;
  let lower = 0;
  for (const bound of bounds) {
    const count = grown.get(bound);
    if (count >= wantedCount) {
      return bound === Infinity ? lower : lower + ((bound - lower) * (wantedCount - below)) / Math.max(1, count - below);
    }
    below = count;
    lower = bound;
  }
  return lower;
}

/** A number for people: three figures, with k, M or G. */
export function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return '–';
  }
  for (const [size, unit] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e4, 'k'],
  ]) {
    if (Math.abs(value) >= size) {
      const scaled = value / (size === 1e4 ? 1e3 : size);
      return `${scaled.toFixed(scaled >= 100 ? 0 : 1)}${unit}`;
    }
  }
  return Number.isInteger(value) ? String(value) : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/** A time in seconds for people. */
export function time(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) {
    return '–';
  }
  if (seconds < 0.001) {
    return `${Math.round(seconds * 1e6)} µs`;
  }
  if (seconds < 1) {
    return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  }
  if (seconds < 120) {
    return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  }
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Bytes for people. */
export function bytes(value) {
  return value >= 1 << 20 ? `${(value / (1 << 20)).toFixed(1)} MiB` : value >= 1024 ? `${(value / 1024).toFixed(1)} KiB` : `${value} B`;
}

/** A share of 1 in per cent. */
export const percent = (value) => (value === null || value === undefined ? '–' : `${Math.round(value * 100)} %`);
