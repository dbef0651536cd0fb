// @ts-check
// The calls of the user, from the audit of the server. Their arguments are known only of calls of this page.

import { request } from './api.js';
import { fill, h, newId, scrolling } from './dom.js';
import { csv, markdownTable, save } from './download.js';
import { bytes } from './result.js';
import { session } from './session.js';
import { fragmentOf, fragmentOfRun } from './share.js';

const COLUMNS = ['time', 'operation', 'outcome', 'ms', 'bytes in', 'bytes out', 'client', 'surface', 'instance'];
/** How far the clocks of a call and its record may be apart, in milliseconds. */
const APART = 1500;

/**
 * @typedef {object} Row
 * @property {string} time
 * @property {string} name
 * @property {string | null} operation
 * @property {string} outcome
 * @property {number} micros
 * @property {number} bytes_in
 * @property {number} bytes_out
 * @property {string | null} client
 * @property {string} surface
 * @property {string | null} instance what the call was about, such as a vault
 */

export function historyView() {
    const operation = select('Operation', session.info?.operations.map(own => own.id) ?? []);
    const outcome = select('Outcome', ['ok']);
    const since = h('select', { id: newId('since') },
        [['', 'Any time'], ['1', 'The last hour'], ['24', 'The last day'], ['168', 'The last week']]
            .map(([hours, words]) => h('option', { value: hours }, words ?? '')));
    const table = h('div', {});
    const count = h('p', { class: 'quiet', role: 'status' });
    /** @type {Row[]} */
    let rows = [];

    async function load() {
        const query = new URLSearchParams();
        if (operation.select.value) {
            query.set('operation', operation.select.value);
        }
        if (outcome.select.value) {
            query.set('outcome', outcome.select.value);
        }
        if (since.value) {
            query.set('since', new Date(Date.now() - Number(since.value) * 3_600_000).toISOString());
        }
        const answer = await request(`browser/api/history?${query}`);
        if (!answer.calls) {
            count.textContent = 'This server keeps no audit, so there is no history.';
            return;
        }
        rows = answer.calls;
        offer(outcome.select, rows.map(row => row.outcome));
        count.textContent = rows.length === 1 ? '1 call' : `${rows.length} calls`;
        fill(table, draw(rows, Date.parse(answer.now) - Date.now()));
    }

    for (const control of [operation.select, outcome.select, since]) {
        control.addEventListener('change', load);
    }
    const cells = () => rows.map(row => [
        row.time, row.operation ?? row.name, row.outcome, row.micros / 1000, row.bytes_in, row.bytes_out, row.client ?? '', row.surface,
        row.instance ?? '',
    ]);
    const exports = h('div', { class: 'tools', role: 'group', 'aria-label': 'Export' },
        h('button', { type: 'button', onclick: () => save('calls.json', 'application/json', JSON.stringify(rows, null, 2)) }, 'Export JSON'),
        h('button', { type: 'button', onclick: () => save('calls.csv', 'text/csv', csv(COLUMNS, cells())) }, 'Export CSV'),
        h('button', { type: 'button', onclick: () => save('calls.md', 'text/markdown', markdownTable(COLUMNS, cells())) }, 'Export Markdown'));
    const element = h('section', { class: 'page' }, h('h1', {}, 'History'),
        h('div', { class: 'choices' }, operation.element, outcome.element,
            h('div', { class: 'choice' }, h('label', { for: since.id }, 'Since'), since),
            h('button', { type: 'button', onclick: load }, 'Refresh')),
        exports, count, table);
    return { element, load };
}

/**
 * Adds the values that a select does not have yet.
 * @param {HTMLSelectElement} own
 * @param {string[]} values
 */
function offer(own, values) {
    const known = new Set([...own.options].map(option => option.value));
    const others = [...new Set(values)].filter(value => !known.has(value)).sort();
    own.append(...others.map(value => h('option', { value }, value)));
}

/**
 * @param {string} title
 * @param {string[]} values
 */
function select(title, values) {
    const id = newId('filter');
    const options = [h('option', { value: '' }, 'All'), ...values.map(value => h('option', { value }, value))];
    const own = h('select', { id }, options);
    return { select: own, element: h('div', { class: 'choice' }, h('label', { for: id }, title), own) };
}

/**
 * @param {Row[]} rows
 * @param {number} ahead how much the server's clock is ahead, in milliseconds
 */
function draw(rows, ahead) {
    const free = [...session.runs];
    const differ = rows.some(row => row.instance !== rows[0]?.instance);
    const body = rows.map(row => {
        const at = Date.parse(row.time) - ahead;
        const found = free.findIndex(run => run.operation.id === row.operation
            && at > run.sent - APART && at < run.received + APART);
        const [own] = found < 0 ? [] : free.splice(found, 1);
        const name = row.operation ?? row.name;
        const known = session.info?.operations.some(operation => operation.id === name);
        const again = own
            ? h('a', { href: fragmentOfRun(own) }, 'Edit and run again')
            : known && h('a', { href: fragmentOf(name) }, 'Open');
        return h('tr', {},
            h('td', {}, h('time', { datetime: row.time }, new Date(row.time).toLocaleString())),
            differ && h('td', {}, row.instance ?? ''),
            h('td', {}, h('code', {}, name)),
            h('td', {}, h('span', { class: row.outcome === 'ok' ? 'good' : 'bad' }, row.outcome)),
            h('td', { class: 'number' }, (row.micros / 1000).toFixed(1)),
            h('td', { class: 'number' }, bytes(row.bytes_in)),
            h('td', { class: 'number' }, bytes(row.bytes_out)),
            h('td', {}, again));
    });
    const head = h('tr', {}, ['Time', ...differ ? ['Instance'] : [], 'Operation', 'Outcome', 'ms', 'In', 'Out', 'Again']
        .map(name => h('th', { scope: 'col', class: ['ms', 'In', 'Out'].includes(name) ? 'number' : null }, name)));
    return scrolling('Calls', h('table', { class: 'calls' }, h('thead', {}, head), h('tbody', {}, body)));
}
