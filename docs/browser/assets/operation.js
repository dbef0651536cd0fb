// @ts-check
// One operation: what it does, the form of its arguments, and the ways to call it.

import { Refused, check } from './api.js';
import { copy, fill, h, scrolling, tell } from './dom.js';
import { effectMark } from './filters.js';
import { faultLines, form } from './form.js';
import { forms } from './copy.js';
import { run } from './run.js';
import { session } from './session.js';
import { fragmentOf } from './share.js';

/**
 * @param {import('./session.js').Operation} operation
 * @param {string | null} args JSON
 * @param {() => (run: import('./session.js').Run | null) => void} begin shows that a call runs; what it returns shows the
 *     result, or that there is none
 */
export function operationView(operation, args, begin) {
    const own = form(operation);
    // An example of a read can be tried at once.
    const example = operation.effect === 'read' ? operation.examples[0]?.args : null;
    own.write(args ?? JSON.stringify(example ?? {}));
    const trouble = h('div', { class: 'fault', role: 'alert' });
    const go = h('button', { type: 'submit', class: operation.effect === 'destroy' ? 'danger' : 'primary' }, 'Run');
    const stop = h('button', { type: 'button', hidden: true }, 'Stop');
    const test = h('button', { type: 'button' }, 'Check');
    const others = h('div', { class: 'copies' });
    const element = h('div', { class: 'operation' },
        h('h2', { class: 'title' }, h('code', {}, operation.id), ' ', effectMark(operation.effect)),
        h('p', { class: 'lead' }, operation.summary),
        operation.description && h('p', {}, operation.description),
        deprecation(operation),
        operation.unavailable && h('div', { class: 'fault' }, faultLines(operation.unavailable)),
        scrolling('Signature', h('code', {}, operation.signature)),
        docs(operation),
        examples(operation, own.write),
        h('form', { novalidate: true, onsubmit: submit, onkeydown: submitOnEnter },
            own.element, h('div', { class: 'buttons' }, go, stop, test), trouble),
        h('h3', {}, 'Use it elsewhere'), others);

    test.addEventListener('click', () => guarded(async () => {
        const given = own.read();
        const fault = given && await check(operation, given);
        if (fault) {
            own.complain(fault);
        } else if (given) {
            tell('The arguments are valid. Nothing was run.');
        }
    }));

    /** @param {Event} event */
    function submit(event) {
        event.preventDefault();
        const given = isBusy() ? null : own.read();
        if (!given) {
            return;
        }
        guarded(async () => {
            const abort = new AbortController();
            /** @type {(run: import('./session.js').Run | null) => void} */
            let end = () => undefined;
            /** @type {import('./session.js').Run | null} */
            let made = null;
            showBusy(true);
            stop.onclick = () => abort.abort();
            try {
                made = await run(operation, given, {
                    complain: own.complain,
                    begin() {
                        end = begin();
                    },
                    signal: abort.signal,
                });
            } finally {
                showBusy(false);
                end(made);
            }
        });
    }

    const isBusy = () => go.getAttribute('aria-disabled') === 'true';

    /** @param {boolean} isBusy A button that is disabled would lose the focus. */
    function showBusy(isBusy) {
        go.setAttribute('aria-disabled', String(isBusy));
        go.textContent = isBusy ? 'Running' : 'Run';
        stop.hidden = !isBusy;
    }

    /** @param {() => Promise<void>} work */
    async function guarded(work) {
        trouble.replaceChildren();
        try {
            await work();
        } catch (error) {
            if (error instanceof DOMException && error.name === 'AbortError') {
                tell('The call was cancelled. What it had done by then stays done.');
            } else if (error instanceof Refused) {
                fill(trouble, h('p', {}, error.message), error.hint && h('p', {}, error.hint));
            } else {
                throw error;
            }
        }
    }

    const { command } = /** @type {import('./session.js').Info} */ (session.info).server;
    const link = h('button', { type: 'button' }, 'Copy a link to this call');
    link.addEventListener('click', () => {
        const given = own.read();
        if (given) {
            copy(new URL(fragmentOf(operation.id, withoutSecrets(operation, given)), location.href).href, 'The link');
        }
    });
    const copies = forms(operation, {}, command).map((form, at) => h('button', {
        type: 'button',
        onclick: () => {
            const given = own.read();
            if (given) {
                copy(forms(operation, given, command)[at]?.text ?? '', form.name);
            }
        },
    }, `Copy as ${form.name}`));
    fill(others, link, copies);
    return { element };
}

/**
 * Enter sends a form from a field of one line, and with Ctrl from every field. With Shift it begins a line.
 * @param {KeyboardEvent} event
 */
function submitOnEnter(event) {
    const { target } = event;
    const isLine = target instanceof HTMLTextAreaElement && target.rows === 1 && !event.shiftKey;
    if (event.key === 'Enter' && !event.isComposing && (isLine || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        /** @type {HTMLFormElement} */ (event.currentTarget).requestSubmit();
    }
}

/**
 * Arguments that may be in an address.
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 */
function withoutSecrets({ notes }, args) {
    return Object.fromEntries(Object.entries(args).filter(([name]) => !notes[name]?.sensitive));
}

/** @param {import('./session.js').Operation} operation */
function deprecation({ deprecated }) {
    if (!deprecated) {
        return null;
    }
    const { since, replacement, note } = deprecated;
    return h('p', { class: 'fault' }, `Deprecated${since ? ` since ${since}` : ''}.`,
        replacement && [' Use ', h('a', { href: fragmentOf(replacement) }, h('code', {}, replacement)), '.'],
        note && ` ${note}`);
}

/** @param {import('./session.js').Operation} operation */
function docs(operation) {
    if (!session.info?.server.docs) {
        return null;
    }
    const page = operation.id.split('.').map(encodeURIComponent).join('/');
    const address = new URL(`../docs/operations/${page}.html`, document.baseURI).href;
    return h('p', {}, h('a', { href: address, target: '_blank', rel: 'noopener' }, 'Documentation of this operation'));
}

/**
 * @param {import('./session.js').Operation} operation
 * @param {(text: string) => void} write
 */
function examples(operation, write) {
    const buttons = operation.examples.map((example, at) => h('button', {
        type: 'button', class: 'small', onclick: () => write(JSON.stringify(example.args)),
    }, example.note ?? `Example ${at + 1}`));
    return buttons.length > 0 && h('div', { class: 'tools', role: 'group', 'aria-label': 'Examples' }, buttons);
}

