// @ts-check
// Two results of this page, line by line.

import { fill, h, newId, scrolling } from './dom.js';
import { session } from './session.js';

/** Beyond this many lines on a side, the middle is compared as one part. */
const MOST_LINES = 1500;

export function compareView() {
    const { runs } = session;
    if (runs.length < 2) {
        return h('section', { class: 'page' }, h('h1', {}, 'Compare two results'),
            h('p', {}, 'Run an operation twice, or two operations. Their results can then be compared here.'));
    }
    const shown = h('div', {});
    const first = choice('First', 1);
    const second = choice('Second', 0);
    const draw = () => {
        const [a, b] = [runs[Number(first.select.value)], runs[Number(second.select.value)]];
        if (a && b) {
            fill(shown, difference(lines(a), lines(b)));
        }
    };
    first.select.addEventListener('change', draw);
    second.select.addEventListener('change', draw);
    draw();
    return h('section', { class: 'page' }, h('h1', {}, 'Compare two results'),
        h('div', { class: 'choices' }, first.element, second.element), shown);
}

/**
 * @param {string} title
 * @param {number} start
 */
function choice(title, start) {
    const id = newId('run');
    const options = session.runs.map(({ operation, args, received }, at) => h('option', { value: at, selected: at === start },
        `${new Date(received).toLocaleTimeString()} ${operation.id} ${JSON.stringify(args).slice(0, 80)}`));
    const select = h('select', { id }, options);
    return { select, element: h('div', { class: 'choice' }, h('label', { for: id }, title), select) };
}

/** @param {import('./session.js').Run} run */
function lines({ answer: { raw } }) {
    return raw.split('\n');
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function difference(a, b) {
    const rows = changes(a, b);
    const changed = rows.filter(row => row.sign !== ' ').length;
    const words = { '+': 'only in the second', '-': 'only in the first', ' ': '' };
    const body = rows.map(({ sign, text }) => h('tr', { class: { '+': 'added', '-': 'removed', ' ': 'same' }[sign] },
        h('td', { class: 'sign' }, sign, h('span', { class: 'hidden' }, words[sign])), h('td', {}, h('code', {}, text))));
    const head = h('tr', {}, h('th', { scope: 'col' }, 'Side'), h('th', { scope: 'col' }, 'Line'));
    return [
        h('p', { role: 'status' }, changed === 0 ? 'The results are equal.' : `${changed} lines differ.`),
        scrolling('Differences', h('table', { class: 'difference' }, h('thead', {}, head), h('tbody', {}, body))),
    ];
}

/**
 * The lines of both sides, with those that they share once.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {{ sign: '+' | '-' | ' ', text: string }[]}
 */
export function changes(a, b) {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) {
        start += 1;
    }
    let end = 0;
    while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
        end += 1;
    }
    /** @param {string} text */
    const same = text => ({ sign: /** @type {const} */ (' '), text });
    return [
        ...a.slice(0, start).map(same),
        ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
        ...a.slice(a.length - end).map(same),
    ];
}

/**
 * The longest common subsequence of two lists, and what is beside it.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {{ sign: '+' | '-' | ' ', text: string }[]}
 */
function middle(a, b) {
    /** @param {string} text */
    const removed = text => ({ sign: /** @type {const} */ ('-'), text });
    /** @param {string} text */
    const added = text => ({ sign: /** @type {const} */ ('+'), text });
    if (a.length > MOST_LINES || b.length > MOST_LINES) {
        return [...a.map(removed), ...b.map(added)];
    }
    const width = b.length + 1;
    const longest = new Uint16Array((a.length + 1) * width);
    /** @param {number} at @param {number} to */
    const length = (at, to) => longest[at * width + to] ?? 0;
    for (let at = a.length - 1; at >= 0; at -= 1) {
        for (let to = b.length - 1; to >= 0; to -= 1) {
            longest[at * width + to] = a[at] === b[to] ? length(at + 1, to + 1) + 1 : Math.max(length(at + 1, to), length(at, to + 1));
        }
    }
    /** @type {{ sign: '+' | '-' | ' ', text: string }[]} */
    const rows = [];
    let [at, to] = [0, 0];
    while (at < a.length || to < b.length) {
        if (at < a.length && to < b.length && a[at] === b[to]) {
            rows.push({ sign: ' ', text: a[at] ?? '' });
            at += 1;
            to += 1;
        } else if (to >= b.length || (at < a.length && length(at + 1, to) >= length(at, to + 1))) {
            rows.push(removed(a[at] ?? ''));
            at += 1;
        } else {
            rows.push(added(b[to] ?? ''));
            to += 1;
        }
    }
    return rows;
}
