/** The charts of the console: one above the other, with one time axis and one pointer for all. Drawn by uPlot. */
import uPlot from './uplot.js';
import { h } from './ui.js';

const COLOURS = ['--accent', '--good', '--warn', '--bad'];
const HEIGHT = 150;

/** How much time the charts show, in seconds. */
export const SPAN_SECONDS = 300;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A chart of some lines over the last minutes. `lines`: `{name, show}` each, where `show` writes a value for people.
 * Points are added in the order of their times, in seconds.
 */
export class Chart {
  constructor(parent, title, lines, sync) {
    this.lines = lines;
    this.data = [[], ...lines.map(() => [])];
    this.values = lines.map((line, i) => h('span', { class: `key key-${i}` }));
    this.place = h('div', { class: 'plot' });
    this.figure = h(
      'figure',
      { class: 'chart', role: 'group', 'aria-label': title },
      h('figcaption', {}, h('strong', { text: title }), ...this.values),
      this.place,
    );
    parent.append(this.figure);
    const axis = { stroke: () => colour('--muted'), grid: { stroke: () => colour('--line') }, ticks: { stroke: () => colour('--line') } };
    this.plot = new uPlot(
      {
        width: 300,
        height: HEIGHT,
        legend: { show: false },
        cursor: { sync: { key: sync }, drag: { x: false, y: false } },
        scales: { x: { time: true }, y: { range: (u, low, high) => [0, Math.max(high * 1.1, lines[0].least ?? 1)] } },
        axes: [axis, { ...axis, size: 64, values: (u, splits) => splits.map((value) => lines[0].show(value)) }],
        series: [
          {},
          ...lines.map((line, i) => ({
            label: line.name,
            stroke: () => colour(COLOURS[i]),
            width: 1.5,
            spanGaps: true,
            points: { show: false },
          })),
        ],
        hooks: { setCursor: [(u) => this.tell(u.cursor.idx)] },
      },
      this.data,
      this.place,
    );
    new ResizeObserver(() => this.plot.setSize({ width: Math.max(160, this.place.clientWidth), height: HEIGHT })).observe(this.place);
    this.tell(null);
  }

  /** Adds the values at a time; what is older than is shown goes. A time that isn't later than the last is left out. */
  add(at, values) {
    const times = this.data[0];
    if (times.length > 0 && at <= times[times.length - 1]) {
      return;
    }
    times.push(at);
    values.forEach((value, i) => this.data[i + 1].push(value));
    while (times[0] < at - SPAN_SECONDS - 30) {
      this.data.forEach((column) => column.shift());
    }
  }

  /** Draws up to that time. */
  draw(until) {
    this.plot.setData(this.data, false);
    this.plot.setScale('x', { min: until - SPAN_SECONDS, max: until });
    this.tell(this.plot.cursor.idx);
  }

  redraw() {
    this.plot.redraw();
  }

  /** The values where the pointer is, or the latest. */
  tell(index) {
    const at = index ?? this.data[0].length - 1;
    this.lines.forEach((line, i) => {
      const text = `${line.name} ${line.show(at >= 0 ? this.data[i + 1][at] : null)}`;
      if (this.values[i].textContent !== text) {
        this.values[i].textContent = text;
      }
    });
  }
}
