// @ts-check
// The page: signs the user in, loads the operations, and shows the view that the address names.

import { Refused, keepToken, request, token } from './api.js';
import { compareView } from './compare.js';
import { byId, fill, h, tell } from './dom.js';
import { filters } from './filters.js';
import { historyView } from './history.js';
import { end, isBack } from './oauth.js';
import { operationView } from './operation.js';
import { resultView } from './result.js';
import { operationOf, session } from './session.js';
import { fragmentOf, launched, placeOf } from './share.js';
import { signInView } from './signin.js';
import { statusView } from './status.js';

/** @type {[string, string][]} */
const VIEWS = [['op', 'Operations'], ['history', 'History'], ['compare', 'Compare'], ['status', 'Status']];
/** Where the theme is kept; the site has the same choice. */
const THEME = 'toolwrit-theme';

const content = byId('content');
const finder = filters(load);
const [list, middle, right] = ['List', 'Operation', 'Result'].map(name => h('div', { class: 'pane', id: `pane-${name}`, role: 'region', 'aria-label': name }));
const panes = h('div', { class: 'panes', 'data-pane': 'List' },
    h('h1', { class: 'hidden' }, 'Operations'),
    h('div', { class: 'pane-tabs', role: 'group', 'aria-label': 'Parts' }, ['List', 'Operation', 'Result'].map(name => h('button', {
        type: 'button', 'aria-controls': `pane-${name}`, 'aria-pressed': 'false', onclick: () => showPane(name),
    }, name))),
    list ?? null, middle ?? null, right ?? null);
list?.append(finder.element);
fill(/** @type {Element} */ (middle), h('h2', {}, 'Choose an operation'), h('p', { class: 'lead' }, 'Choose an operation from the list, or search for what you want to do.'));
fill(/** @type {Element} */ (right), h('p', { class: 'quiet' }, 'Results appear here.'));

/** The view of each operation that the user has opened, with what is typed there. @type {Map<string, { element: HTMLElement }>} */
const views = new Map();
/** The call that the pane of results shows. @type {symbol | null} */
let newest = null;

/** @param {string} name */
function showPane(name) {
    panes.dataset.pane = name;
    panes.querySelectorAll('.pane-tabs button').forEach(button => {
        button.setAttribute('aria-pressed', String(button.textContent === name));
    });
}

/** Loads what the user may do, under the chosen focus mode and role. */
async function load() {
    session.info = await request('browser/api/operations');
    if (!session.focus && !session.role) {
        session.whole = session.info;
    }
    finder.draw();
}

async function enter() {
    try {
        session.focus = null;
        session.role = null;
        await load();
    } catch (error) {
        if (error instanceof Refused && error.status === 401) {
            return;
        }
        if (error instanceof Refused) {
            await leave(`${sentence(error.message)} ${error.hint ?? ''}`);
            return;
        }
        throw error;
    }
    if (token()) {
        // Links to the documentation carry no token. Without this cookie they ask for one, which is no failure here.
        await request('session', { method: 'POST' }).catch(() => null);
    }
    const { caller, server } = /** @type {import('./session.js').Info} */ (session.info);
    byId('brand').textContent = server.title;
    byId('who').textContent = `${caller.principal}, ${caller.role}${caller.writes ? '' : ', read-only'}`;
    byId('leave').hidden = !token();
    fill(byId('views'), VIEWS.map(([view, title]) => h('a', { href: `#/${view}`, 'data-view': view }, title)),
        server.docs && h('a', { href: '../docs/' }, 'Documentation'));
    await show();
}

/**
 * Asks for a token.
 * @param {string} [words] what went wrong
 */
async function leave(words) {
    const offer = await request('browser/api/sign-in');
    byId('leave').hidden = true;
    byId('who').textContent = '';
    fill(byId('views'));
    session.info = null;
    session.whole = null;
    views.clear();
    const view = signInView(offer, enter);
    fill(content, view.element);
    view.complain(words ?? '');
    view.focus();
}

/** Shows the view that the address names. */
async function show() {
    if (!session.info) {
        return;
    }
    const place = placeOf(location.hash);
    tell('');
    for (const link of byId('views').querySelectorAll('[data-view]')) {
        const isCurrent = link.getAttribute('data-view') === place.view;
        if (isCurrent) {
            link.setAttribute('aria-current', 'page');
        } else {
            link.removeAttribute('aria-current');
        }
    }
    const title = VIEWS.find(([view]) => view === place.view)?.[1] ?? 'Operations';
    document.title = `${place.id || title} - ${session.info.server.title}`;
    switch (place.view) {
        case 'history':
            return open(historyView());
        case 'status':
            return open(statusView());
        case 'compare':
            return open({ element: compareView(), load: async () => undefined });
        default:
            return showOperation(place);
    }
}

/** @param {{ element: HTMLElement, load: () => Promise<void> }} view */
async function open(view) {
    fill(content, view.element);
    try {
        await view.load();
    } catch (error) {
        if (!(error instanceof Refused)) {
            throw error;
        }
        view.element.append(h('div', { class: 'fault', role: 'alert' }, h('p', {}, error.message), error.hint && h('p', {}, error.hint)));
    }
}

/** @param {import('./share.js').Place} place */
function showOperation({ id, args, run: made }) {
    if (panes.parentElement !== content) {
        fill(content, panes);
    }
    finder.select(id);
    const operation = operationOf(id);
    if (!operation) {
        if (id) {
            const narrowed = [session.focus && `the focus mode ${session.focus}`, session.role && `the role ${session.role}`].filter(Boolean);
            const under = narrowed.length > 0 ? ` under ${narrowed.join(' and ')}, which you have chosen in the list` : '';
            fill(/** @type {Element} */ (middle), h('h2', {}, 'Not found'), h('p', { class: 'lead' }, `There is no operation ${id} for you here${under}.`));
        }
        showPane(id ? 'Operation' : 'List');
        return;
    }
    const key = JSON.stringify([location.hash, session.focus, session.role]);
    const before = session.runs.find(run => run.id === made)?.args;
    const view = views.get(key) ?? operationView(operation, args ?? (before ? JSON.stringify(before) : null),
        () => begin(operation.id, () => views.get(key)?.element.isConnected ?? false));
    views.set(key, view);
    fill(/** @type {Element} */ (middle), view.element);
    middle?.scrollTo(0, 0);
    showPane('Operation');
}

/**
 * Shows that a call runs, and returns what shows its result. A newer call keeps the pane, and a user who has gone to
 * another operation stays there.
 * @param {string} id
 * @param {() => boolean} isShown whether the operation is shown
 * @returns {(run: import('./session.js').Run | null) => void}
 */
function begin(id, isShown) {
    const own = Symbol(id);
    newest = own;
    fill(/** @type {Element} */ (right), h('h2', {}, 'Result'), h('p', { role: 'status' }, h('code', {}, id), ' is running.'));
    return run => {
        if (newest === own) {
            fill(/** @type {Element} */ (right), run ? resultView(run) : h('p', { class: 'quiet' }, h('code', {}, id), ' gave no result.'));
        }
        if (!isShown()) {
            tell(`${id} has ended.`);
        } else if (run && newest === own) {
            showPane('Result');
        }
    };
}

function theme() {
    const root = document.documentElement;
    const kept = localStorage.getItem(THEME);
    if (kept === 'dark' || kept === 'light') {
        root.dataset.theme = kept;
    }
    byId('theme').addEventListener('click', () => {
        const isDark = root.dataset.theme
            ? root.dataset.theme === 'dark'
            : matchMedia('(prefers-color-scheme: dark)').matches;
        root.dataset.theme = isDark ? 'light' : 'dark';
        localStorage.setItem(THEME, root.dataset.theme);
    });
}

byId('skip').addEventListener('click', event => {
    // The fragment is the address of the view.
    event.preventDefault();
    content.focus();
});
byId('leave').addEventListener('click', async () => {
    await request('session', { method: 'DELETE' }).catch(() => null);
    keepToken(null);
    session.runs.length = 0;
    await leave();
});
document.addEventListener('signed-out', event => leave(sentence(/** @type {CustomEvent<string>} */ (event).detail)));
document.addEventListener('keydown', event => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === '/' && !target.closest('input, textarea, select, dialog')) {
        event.preventDefault();
        location.hash = fragmentOf('').replace(/\/op\/$/, '/');
        showPane('List');
        finder.focus();
    }
});
addEventListener('hashchange', show);

/** Takes the token that the address leads to, if it does. */
async function arrive() {
    if (isBack()) {
        keepToken(await end());
        return;
    }
    const given = launched();
    if (given) {
        keepToken(given.value);
    }
    if (given?.kind === 'code') {
        const { token: own } = await request('browser/api/launch', { method: 'POST' });
        keepToken(own);
    }
}

/** @param {string} words what the server said, which may not begin or end as a sentence */
function sentence(words) {
    const whole = /[.!?]$/.test(words) ? words : `${words}.`;
    return whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** Signs in with what the address has, or asks for a token. */
async function start() {
    try {
        await arrive();
    } catch (error) {
        if (error instanceof Refused) {
            await leave(`${sentence(error.message)} ${error.hint ?? ''}`);
            return;
        }
        throw error;
    }
    const offer = await request('browser/api/sign-in');
    document.title = offer.title;
    byId('brand').textContent = offer.title;
    if (offer.required && !token()) {
        await leave();
    } else {
        await enter();
    }
}

theme();
await start();
