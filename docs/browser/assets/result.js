// @ts-check
// The result of a call: as a table, a tree, Markdown or as it came.

import { copy, h, newId, scrolling } from './dom.js';
import { faultLines } from './form.js';
import { markdown } from './markdown.js';

/** The most rows and columns of a table, and members of a part of a tree. */
const MOST = 500;
const MOST_COLUMNS = 16;

/**
 * @param {import('./session.js').Run} run
 */
export function resultView(run) {
    const { operation, answer, received, sent } = run;
    const outcome = answer.fault ? answer.fault.code : 'ok';
    return h('div', { class: 'result' },
        h('h2', {}, 'Result'),
        h('p', { class: 'quiet', role: 'status' },
            h('strong', { class: answer.fault ? 'bad' : 'good' }, outcome),
            ` ${operation.id}, ${received - sent} ms, ${bytes(answer.bytes)}`),
        answer.fault ? h('div', { class: 'fault', role: 'alert' }, faultLines(answer.fault)) : null,
        images(answer.content),
        views(answer));
}

/**
 * Tabs of the views that fit an answer.
 * @param {import('./api.js').Answer} answer
 */
function views({ value, raw }) {
    const text = textOf(value);
    const rows = rowsOf(value);
    /** @type {{ name: string, draw: () => HTMLElement }[]} */
    const all = [];
    if (text !== null) {
        all.push({ name: 'Markdown', draw: () => markdown(text) });
    }
    if (rows) {
        all.push({ name: 'Table', draw: () => h('div', {}, beside(value), table(rows)) });
    }
    if (typeof value === 'object' && value !== null) {
        all.push({ name: 'Tree', draw: () => tree(value, 'Tree') });
    }
    all.push({
        name: 'Raw',
        draw: () => h('div', {}, h('button', { type: 'button', class: 'small', onclick: () => copy(raw, 'The result') }, 'Copy'),
            h('pre', { tabindex: 0, 'aria-label': 'Raw result' }, raw)),
    });
    return tabs(all);
}

/**
 * Tabs, of which the arrow keys choose one.
 * @param {{ name: string, draw: () => HTMLElement }[]} all
 */
function tabs(all) {
    const panel = h('div', { role: 'tabpanel', id: newId('panel'), tabindex: 0 });
    const buttons = all.map(({ name }, at) => h('button', {
        type: 'button', role: 'tab', id: newId('tab'), 'aria-controls': panel.id, onclick: () => show(at),
    }, name));
    /** @param {number} at */
    function show(at) {
        buttons.forEach((button, own) => {
            button.setAttribute('aria-selected', String(own === at));
            button.tabIndex = own === at ? 0 : -1;
        });
        panel.setAttribute('aria-labelledby', buttons[at]?.id ?? '');
        const chosen = all[at];
        panel.replaceChildren(...(chosen ? [chosen.draw()] : []));
    }
    const list = h('div', { role: 'tablist', 'aria-label': 'Views of the result' }, buttons);
    list.addEventListener('keydown', event => {
        const at = buttons.findIndex(button => button === document.activeElement);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step && at >= 0) {
            event.preventDefault();
            const next = (at + step + buttons.length) % buttons.length;
            show(next);
            buttons[next]?.focus();
        }
    });
    show(0);
    return h('div', { class: 'tabs' }, list, panel);
}

/**
 * The text of a result that is mostly text: itself, or its longest text of several lines.
 * @param {unknown} value
 * @returns {string | null}
 */
function textOf(value) {
    if (typeof value === 'string') {
        return value;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return null;
    }
    const texts = Object.values(value).filter(own => typeof own === 'string' && own.includes('\n'));
    return texts.sort((a, b) => b.length - a.length)[0] ?? null;
}

/**
 * The rows of a result that has some: itself, or its first member that is a list of objects.
 * @param {unknown} value
 * @returns {Record<string, unknown>[] | null}
 */
function rowsOf(value) {
    /** @param {unknown} own */
    const fits = own => Array.isArray(own) && own.length > 0
        && own.every(row => typeof row === 'object' && row !== null && !Array.isArray(row));
    if (fits(value)) {
        return /** @type {Record<string, unknown>[]} */ (value);
    }
    const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
    return members.find(fits) ?? null;
}

/**
 * What an answer says beside its rows, such as how many there are in all, and where the next ones begin.
 * @param {unknown} value
 */
function beside(value) {
    const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    const facts = members.filter(([, own]) => typeof own !== 'object' && own !== '');
    return facts.length > 0 && h('dl', { class: 'facts' },
        facts.map(([name, own]) => h('div', {}, h('dt', {}, name), h('dd', {}, String(own)))));
}

/** @param {Record<string, unknown>[]} rows */
function table(rows) {
    const shown = rows.slice(0, MOST);
    const columns = [...new Set(shown.flatMap(row => Object.keys(row)))].slice(0, MOST_COLUMNS);
    const head = h('tr', {}, columns.map(name => h('th', { scope: 'col' }, name)));
    const body = shown.map(row => h('tr', {}, columns.map(name => h('td', {}, short(row[name])))));
    const more = rows.length > MOST && h('p', { class: 'quiet' }, `${MOST} of ${rows.length} rows. The others are in the raw result.`);
    return h('div', {}, scrolling('Table', h('table', {}, h('thead', {}, head), h('tbody', {}, body))), more);
}

/** @param {unknown} value */
function short(value) {
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value === undefined ? '' : String(value);
}

/**
 * A value as parts that open and close.
 * @param {unknown} value
 * @param {string} label
 */
export function tree(value, label) {
    return h('div', { class: 'tree', tabindex: 0, role: 'region', 'aria-label': label }, part(value, 0));
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @returns {HTMLElement}
 */
function part(value, depth) {
    if (typeof value !== 'object' || value === null) {
        return h('span', { class: `leaf ${typeof value}` }, typeof value === 'string' ? value : String(value));
    }
    const members = Object.entries(value);
    const items = members.slice(0, MOST).map(([key, own]) => {
        const isLeaf = typeof own !== 'object' || own === null;
        return h('li', {}, isLeaf ? [h('span', { class: 'key' }, key), ': ', part(own, depth + 1)] : branch(key, own, depth + 1));
    });
    if (members.length > MOST) {
        items.push(h('li', { class: 'quiet' }, `${members.length - MOST} more`));
    }
    return h('ul', {}, items);
}

/**
 * @param {string} key
 * @param {object} value
 * @param {number} depth
 */
function branch(key, value, depth) {
    const size = Object.keys(value).length;
    const count = Array.isArray(value) ? `${size} items` : `${size} members`;
    const own = h('details', { open: depth < 3 },
        h('summary', {}, h('span', { class: 'key' }, key), h('span', { class: 'quiet' }, ` ${count}`)));
    // What is closed is built when it opens.
    const build = () => own.querySelector('ul') ?? own.append(part(value, depth));
    if (own.open) {
        build();
    }
    own.addEventListener('toggle', build);
    return own;
}

/** @param {any[]} content */
function images(content) {
    const shown = content.filter(block => block.type === 'image' && /^image\/(png|jpeg|gif|webp)$/.test(block.mimeType));
    return shown.map(block => h('img', { src: `data:${block.mimeType};base64,${block.data}`, alt: 'An image in the result' }));
}

/** @param {number} count */
export function bytes(count) {
    return count < 2000 ? `${count} bytes` : `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)} kB`;
}
