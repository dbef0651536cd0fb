// @ts-check
// The list of operations: a search that ranks as the server does, and chips that narrow it.

import { Refused, request } from './api.js';
import { fill, h, newId } from './dom.js';
import { session } from './session.js';
import { fragmentOf } from './share.js';

/** How long to wait for the next key, in milliseconds. */
const PAUSE = 15;
const EFFECTS = ['read', 'write', 'destroy'];

/**
 * @param {() => Promise<void>} reload loads the operations under another focus mode or role
 */
export function filters(reload) {
    const chosen = { category: '', effect: '' };
    /** The order of a search; null without one. @type {string[] | null} */
    let ranked = null;
    let selected = '';
    const searchId = newId('search');
    const input = h('input', {
        id: searchId, type: 'search', placeholder: 'Search operations', autocomplete: 'off', spellcheck: false,
        'aria-keyshortcuts': '/', oninput: () => later(),
    });
    const count = h('p', { class: 'quiet count', role: 'status' });
    const items = h('div', { class: 'items' });
    const chips = h('div', { class: 'chips' });
    const element = h('div', { class: 'finder' },
        h('search', {}, h('label', { for: searchId, class: 'hidden' }, 'Search operations'), input),
        h('details', { class: 'narrow' }, h('summary', {}, 'Narrow'), chips), count, items);

    /** @type {number | undefined} */
    let timer;
    /** @type {AbortController | undefined} */
    let running;

    function later() {
        clearTimeout(timer);
        timer = setTimeout(find, PAUSE);
    }

    async function find() {
        running?.abort();
        const query = input.value.trim();
        if (!query) {
            ranked = null;
            draw();
            return;
        }
        const own = new AbortController();
        running = own;
        try {
            const { operations } = await request(`browser/api/search?${new URLSearchParams({ q: query })}`, { signal: own.signal });
            ranked = operations.map((/** @type {{ id: string }} */ found) => found.id);
            draw();
        } catch (error) {
            if (!own.signal.aborted && error instanceof Refused) {
                count.textContent = `${error.message} ${error.hint ?? ''}`;
            }
        }
    }

    input.addEventListener('keydown', event => {
        const first = /** @type {HTMLElement | null} */ (items.querySelector('a'));
        if (event.key === 'ArrowDown' && first) {
            event.preventDefault();
            first.focus();
        } else if (event.key === 'Enter') {
            clearTimeout(timer);
            find().then(() => items.querySelector('a')?.click());
        }
    });
    items.addEventListener('keydown', event => {
        const links = [...items.querySelectorAll('a')];
        const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
        const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
        if (next !== undefined && at >= 0) {
            event.preventDefault();
            (links[next] ?? (next < 0 ? input : links[at]))?.focus();
        }
    });

    function shown() {
        const all = session.info?.operations ?? [];
        const fits = all.filter(own => (!chosen.category || own.category === chosen.category)
            && (!chosen.effect || own.effect === chosen.effect));
        if (!ranked) {
            return fits;
        }
        const places = new Map(ranked.map((id, at) => [id, at]));
        const found = fits.filter(own => places.has(own.id));
        return found.sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
    }

    function draw() {
        const operations = shown();
        const one = operations.length === 1 ? '1 operation' : `${operations.length} operations`;
        count.textContent = operations.length > 0 ? one : 'No operation matches. Use fewer words, or fewer chips.';
        const titles = new Map(session.info?.categories.map(own => [own.name, own.title ?? own.name]));
        /** @type {import('./dom.js').Child[]} */
        const parts = [];
        if (ranked) {
            parts.push(h('ul', { 'aria-label': 'Operations that match' }, operations.map(entry)));
        } else {
            for (const [name, title] of titles) {
                const own = operations.filter(operation => operation.category === name);
                if (own.length > 0) {
                    const id = newId('category');
                    parts.push(h('h2', { id }, title), h('ul', { 'aria-labelledby': id }, own.map(entry)));
                }
            }
        }
        // The answer to an earlier key may come when the user is in the list already.
        const focused = items.querySelector('a:focus')?.getAttribute('data-id');
        fill(items, parts);
        if (focused) {
            const link = [...items.querySelectorAll('a')].find(own => own.dataset.id === focused);
            (link ?? input).focus();
        }
    }

    /** @param {import('./session.js').Operation} operation */
    function entry(operation) {
        const { id, effect, summary, unavailable, deprecated } = operation;
        return h('li', {}, h('a', { href: fragmentOf(id), 'data-id': id, 'aria-current': id === selected ? 'true' : null },
            h('span', { class: 'line' }, h('code', {}, id), effectMark(effect)),
            h('span', { class: 'quiet' }, summary, deprecated && ' Deprecated.', unavailable && ` Not available: ${unavailable.code}.`)));
    }

    function drawChips() {
        const { whole, info } = session;
        if (!whole || !info) {
            return;
        }
        const categories = whole.categories.map(own => ({ name: own.name, label: own.title ?? own.name }));
        /** @param {{ name: string }[]} all */
        const plain = all => all.map(own => ({ name: own.name, label: own.name }));
        fill(chips,
            group('Category', categories, chosen.category, name => {
                chosen.category = name;
            }),
            group('Effect', plain(EFFECTS.map(name => ({ name }))), chosen.effect, name => {
                chosen.effect = name;
            }),
            group('Focus', plain(whole.focus), session.focus ?? '', name => narrow('focus', name)),
            group('Role', plain(whole.roles), session.role ?? '', name => narrow('role', name)));
    }

    /**
     * @param {'focus' | 'role'} what
     * @param {string} name
     */
    async function narrow(what, name) {
        session[what] = name || null;
        await reload();
        await find();
    }

    /**
     * Chips of which at most one is chosen.
     * @param {string} title
     * @param {{ name: string, label: string }[]} choices
     * @param {string} current
     * @param {(name: string) => void | Promise<void>} choose
     */
    function group(title, choices, current, choose) {
        if (choices.length < 2) {
            return null;
        }
        const buttons = choices.map(({ name, label }) => {
            const isChosen = name === current;
            const button = h('button', { type: 'button', class: 'chip', 'aria-pressed': String(isChosen), 'data-name': `${title} ${name}` }, label);
            button.addEventListener('click', async () => {
                await choose(isChosen ? '' : name);
                drawChips();
                draw();
                /** @type {HTMLElement | null} */ (chips.querySelector(`[data-name="${CSS.escape(`${title} ${name}`)}"]`))?.focus();
            });
            return button;
        });
        return h('div', { class: 'group', role: 'group', 'aria-label': title }, h('span', { class: 'quiet' }, title), buttons);
    }

    return {
        element,
        focus: () => input.focus(),
        draw() {
            drawChips();
            draw();
        },
        /** @param {string} id */
        select(id) {
            selected = id;
            // The link that was followed stays, and keeps the focus.
            for (const link of items.querySelectorAll('a')) {
                if (link.dataset.id === id) {
                    link.setAttribute('aria-current', 'true');
                } else {
                    link.removeAttribute('aria-current');
                }
            }
        },
    };
}

/** @param {string} effect */
export function effectMark(effect) {
    return h('span', { class: `effect ${effect}` }, effect);
}
