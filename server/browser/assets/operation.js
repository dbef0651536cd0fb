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
 * @param {Record<string, unknown> | null} args
 * @param {(run: import('./session.js').Run) => void} done shows a result
 */
export function operationView(operation, args, done) {
    const own = form(operation);
    // An example of a read can be tried at once.
    const start = args ?? (operation.effect === 'read' ? operation.examples[0]?.args : null);
    if (start) {
        own.write(start);
    }
    const trouble = h('div', { class: 'fault', role: 'alert' });
    const go = h('button', { type: 'submit', class: operation.effect === 'destroy' ? 'danger' : 'primary' }, 'Run');
    const stop = h('button', { type: 'button', hidden: true }, 'Stop');
    const test = h('button', { type: 'button' }, 'Check');
    const others = h('div', { class: 'copies' });
    const element = h('div', { class: 'operation' },
        h('h2', { class: 'title' }, h('code', {}, operation.id), ' ', effectMark(operation.effect)),
        h('p', { class: 'lead' }, operation.summary),
        operation.description && h('p', {}, operation.description),
        operation.unavailable && h('div', { class: 'fault' }, faultLines(operation.unavailable)),
        scrolling('Signature', h('code', {}, operation.signature)),
        docs(operation),
        examples(operation, own.write),
        h('form', { novalidate: true, onsubmit: submit },
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
        const given = own.read();
        if (!given) {
            return;
        }
        guarded(async () => {
            const abort = new AbortController();
            go.disabled = true;
            stop.hidden = false;
            stop.onclick = () => abort.abort();
            try {
                const ended = await run(operation, given, own.complain, abort.signal);
                if (ended) {
                    own.clean();
                    done(ended);
                }
            } finally {
                go.disabled = false;
                stop.hidden = true;
            }
        });
    }

    /** @param {() => Promise<void>} work */
    async function guarded(work) {
        trouble.replaceChildren();
        try {
            await work();
        } catch (error) {
            if (error instanceof DOMException && error.name === 'AbortError') {
                tell('The call was stopped.');
            } else if (error instanceof Refused) {
                fill(trouble, h('p', {}, error.message), error.hint && h('p', {}, error.hint));
            } else {
                throw error;
            }
        }
    }

    const { command, name } = /** @type {import('./session.js').Info} */ (session.info).server;
    const link = h('button', { type: 'button' }, 'Copy a link to this call');
    link.addEventListener('click', () => {
        const given = own.read();
        if (given) {
            copy(new URL(fragmentOf(operation.id, given), location.href).href, 'The link');
        }
    });
    const copies = forms(operation, {}, '').map((form, at) => h('button', {
        type: 'button',
        onclick: () => {
            const given = own.read();
            if (given) {
                copy(forms(operation, given, command ?? name)[at]?.text ?? '', form.name);
            }
        },
    }, `Copy as ${form.name}`));
    fill(others, link, copies);
    return { element };
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
 * @param {(args: Record<string, unknown>) => void} write
 */
function examples(operation, write) {
    const buttons = operation.examples.map((example, at) => h('button', {
        type: 'button', class: 'small', onclick: () => write(example.args),
    }, example.note ?? `Example ${at + 1}`));
    return buttons.length > 0 && h('div', { class: 'tools', role: 'group', 'aria-label': 'Examples' }, buttons);
}

