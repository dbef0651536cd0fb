// @ts-check
// What the operations need and how they are doing.

import { Refused, request } from './api.js';
import { fill, h, tell } from './dom.js';
import { plots } from './plots.js';

/** The words for what can be done with a provider. */
const ACTIONS = new Map([['test', 'Test'], ['restart', 'Restart'], ['enable', 'Enable again']]);
/** The words for the states of upstream servers that can be called. */
const STATES = new Map([['idle', 'it starts with its first call'], ['starting', 'it is starting'], ['ready', 'it is running']]);

export function statusView() {
    const providers = h('div', { class: 'cards' });
    const charts = h('div', {});
    async function load() {
        const [status, series, costs] = await Promise.all([
            request('browser/api/status'),
            request('browser/api/series?hours=24'),
            request('tools/metrics'),
        ]);
        draw(status.providers);
        fill(charts, plots(series, costs));
    }

    /** @param {any[]} all */
    function draw(all) {
        fill(providers, all.length === 0 && h('p', {}, 'The operations of this server need no provider.'), all.map(card));
    }

    /** @param {any} provider */
    function card(provider) {
        const { enabled, version } = provider;
        // The words of reasons are those of the wire: `not_installed`.
        const reason = String(provider.reason).replaceAll('_', ' ');
        const isFailing = provider.failing || provider.state === 'backoff';
        const state = enabled ? isFailing ? 'Failing' : 'Available' : `Not available: ${reason}`;
        const running = enabled && STATES.get(provider.state);
        const buttons = provider.actions.map((/** @type {string} */ action) => h('button', {
            type: 'button', onclick: (/** @type {Event} */ event) => act(provider, action, /** @type {HTMLButtonElement} */ (event.target)),
        }, ACTIONS.get(action) ?? action));
        return h('section', { class: 'card', 'aria-label': provider.title },
            h('h3', {}, provider.title),
            h('p', {}, h('strong', { class: enabled && !isFailing ? 'good' : 'bad' }, state), version && ` ${version}`, running && `, ${running}`),
            provider.state === 'backoff' && h('p', {}, 'It has ended, and is started again after a pause.'),
            h('p', { class: 'quiet' }, provider.summary),
            provider.message && h('p', {}, provider.message),
            provider.remedy && h('p', {}, provider.remedy),
            provider.failing && h('p', {}, provider.failing),
            (provider.problems ?? []).map((/** @type {string} */ problem) => h('p', {}, problem)),
            provider.enabled && h('p', { class: 'quiet' }, provider.operations === 1 ? '1 operation' : `${provider.operations} operations`),
            h('div', { class: 'buttons' }, buttons));
    }

    /**
     * @param {any} provider
     * @param {string} action
     * @param {HTMLButtonElement} button
     */
    async function act(provider, action, button) {
        button.disabled = true;
        tell(`${provider.title}: working.`);
        try {
            const path = `browser/api/status/${encodeURIComponent(provider.name)}/${encodeURIComponent(action)}`;
            const status = await request(path, { method: 'POST' });
            draw(status.providers);
            tell(`${provider.title}: done.`);
        } catch (error) {
            if (!(error instanceof Refused)) {
                throw error;
            }
            tell(`${error.message} ${error.hint ?? ''}`);
            button.disabled = false;
            // What was done may have changed the state nevertheless.
            draw((await request('browser/api/status')).providers);
        }
    }

    const element = h('section', { class: 'page' }, h('h1', {}, 'Status'), h('h2', {}, 'Providers'), providers, charts);
    return { element, load };
}
