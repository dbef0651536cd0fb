// @ts-check
// Plots of calls and of the costs of tool listings, each with its numbers as a table.

import { h, scrolling } from './dom.js';

const HEIGHT = 220;
/** The most operations in a plot. */
const MOST = 12;

/**
 * @param {any} answer the numbers of calls
 * @param {any} costs the costs of tool listings
 */
export function plots(answer, costs) {
    const whose = answer.whose === 'all' ? 'of all callers' : 'of yours';
    /** @type {(HTMLElement | null)[]} */
    const parts = [listings(costs)];
    if (answer.series) {
        const { buckets, operations, complete } = answer.series;
        parts.push(
            h('h2', {}, `Calls ${whose} in the last day`),
            complete ? null : h('p', { class: 'quiet' }, 'There are more calls than are counted here. These are the newest.'),
            overTime(buckets), durations(operations.slice(0, MOST)));
    } else {
        parts.push(h('p', {}, 'This server keeps no audit, so there are no numbers of calls.'));
    }
    return parts;
}

/** @param {any} costs */
function listings(costs) {
    const row = (/** @type {string} */ name, /** @type {any} */ own) => [name, own?.requests, own?.totalTokens];
    const rows = [row('All operations as tools', costs.baseline), row('What was sent', costs.filtered)];
    const tokens = rows.map(([, , count]) => Number(count ?? 0));
    return h('section', { 'aria-label': 'Tokens of tool listings' }, h('h2', {}, 'Tokens of tool listings'),
        !costs.filtered?.totalTokens
            ? h('p', {}, costs.filtered?.totalTokens === null ? 'This program cannot count tokens.' : 'No client has listed tools yet.')
            : bars(['All as tools', 'Sent'], [{ label: 'Tokens', values: tokens, colour: '--bar' }]),
        numbers('Tokens of tool listings', ['Listing', 'Requests', 'Tokens'], rows));
}

/** @param {any[]} buckets */
function overTime(buckets) {
    const times = buckets.map(own => own.at);
    const series = [
        { label: 'Calls', values: buckets.map(own => own.calls), colour: '--bar' },
        { label: 'Errors', values: buckets.map(own => own.errors), colour: '--destroy' },
    ];
    const rows = buckets.filter(own => own.calls > 0).map(own => [new Date(own.at * 1000).toLocaleString(), own.calls, own.errors]);
    return h('section', { 'aria-label': 'Calls and errors' }, h('h3', {}, 'Calls and errors'),
        chart([times, ...series.map(own => own.values)], series, {}, { time: true }),
        numbers('Calls and errors', ['From', 'Calls', 'Errors'], rows));
}

/** @param {any[]} operations */
function durations(operations) {
    const ms = (/** @type {number} */ micros) => micros / 1000;
    const rows = operations.map(own => [own.id, own.calls, own.errors, ms(own.p50), ms(own.p95)]);
    return h('section', { 'aria-label': 'Durations' }, h('h3', {}, 'Durations'),
        operations.length > 0 && bars(operations.map(own => own.id), [
            { label: 'p50, ms', values: operations.map(own => ms(own.p50)), colour: '--bar' },
            { label: 'p95, ms', values: operations.map(own => ms(own.p95)), colour: '--write' },
        ]),
        numbers('Durations by operation', ['Operation', 'Calls', 'Errors', 'p50, ms', 'p95, ms'], rows));
}

/**
 * @param {string} label
 * @param {string[]} columns
 * @param {unknown[][]} rows
 */
function numbers(label, columns, rows) {
    const body = rows.map(row => h('tr', {}, row.map((value, at) => h(at === 0 ? 'th' : 'td', at === 0 ? { scope: 'row' } : { class: 'number' }, String(value ?? 'unknown')))));
    return h('details', {}, h('summary', {}, `${label}, as a table`),
        scrolling(`${label}, numbers`, h('table', {}, h('thead', {}, h('tr', {}, columns.map(name => h('th', { scope: 'col' }, name)))), h('tbody', {}, body))));
}

/** @typedef {{ label: string, values: number[], colour: string }} Series */

/**
 * Bars beside each other for each name.
 * @param {string[]} names
 * @param {Series[]} series
 */
function bars(names, series) {
    const places = names.map((_, at) => at);
    const x = {
        splits: () => places,
        values: () => names,
        rotate: names.length > 3 ? -35 : 0,
        size: names.length > 3 ? 110 : 40,
        grid: { show: false },
    };
    const width = 0.8 / series.length;
    const shifted = series.map((own, at) => ({
        ...own,
        paths: uplot().paths.bars({ size: [width, 60], align: series.length === 1 ? 0 : at === 0 ? -1 : 1 }),
    }));
    return chart([places, ...series.map(own => own.values)], shifted, x, { time: false, range: [-0.6, names.length - 0.4] });
}

/**
 * A plot that is as wide as its place.
 * @param {number[][]} data
 * @param {(Series & { paths?: unknown })[]} series
 * @param {object} x
 * @param {object} scale
 */
function chart(data, series, x, scale) {
    const place = h('div', { class: 'plot', 'aria-hidden': 'true' });
    const height = HEIGHT + (data[0] && !('time' in scale && scale.time) && data[0].length > 3 ? 70 : 0);
    /** @type {any} */
    let plot;
    /** @param {number} width */
    function draw(width) {
        const line = { stroke: colour('--line'), width: 1 };
        const axis = { stroke: colour('--quiet'), grid: line, ticks: line };
        plot?.destroy();
        plot = new (uplot())({
            width,
            height,
            cursor: { show: false },
            scales: { x: scale, y: { range: (/** @type {any} */ _, /** @type {number} */ _least, /** @type {number} */ most) => [0, most * 1.1 || 1] } },
            axes: [{ ...axis, ...x, grid: { ...line, .../** @type {any} */ (x).grid } }, { ...axis, size: 60 }],
            series: [{}, ...series.map(own => ({
                label: own.label, stroke: colour(own.colour), fill: own.paths ? colour(own.colour) : undefined, width: 2,
                points: { show: false }, ...(own.paths ? { paths: own.paths } : {}),
            }))],
            legend: { live: false },
        }, data, place);
    }
    new ResizeObserver(([entry]) => {
        const width = Math.floor(entry?.contentRect.width ?? 0);
        if (width === 0) {
            return;
        }
        if (plot) {
            plot.setSize({ width, height });
        } else {
            draw(width);
        }
    }).observe(place);
    charts.add({ place, draw });
    return place;
}

/** The plots that are shown, which have the colours of the theme in which they were drawn. @type {Set<{ place: HTMLElement, draw: (width: number) => void }>} */
const charts = new Set();

function drawAgain() {
    for (const chart of charts) {
        if (!chart.place.isConnected) {
            charts.delete(chart);
        } else if (chart.place.clientWidth > 0) {
            chart.draw(chart.place.clientWidth);
        }
    }
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);
new MutationObserver(drawAgain).observe(document.documentElement, { attributeFilter: ['data-theme'] });

/**
 * A colour of the style sheet as a canvas takes it: the value of the property depends on the theme.
 * @param {string} name
 */
function colour(name) {
    const probe = h('span', { 'data-colour': name });
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
}

/** uPlot, which is not a module. @returns {any} */
function uplot() {
    return Reflect.get(globalThis, 'uPlot');
}
