// @ts-check
// Runs a call: a read at once, a write after a question, and one that removes data after showing what it would do.

import { call, check } from './api.js';
import { ask } from './dialog.js';
import { h, tell } from './dom.js';
import { remember } from './session.js';
import { tree } from './result.js';

/** The code of the answer to a call that must be confirmed first. */
const MUST_CONFIRM = 'CONFIRMATION_REQUIRED';

/**
 * What a call tells the page.
 * @typedef {object} Listener
 * @property {(fault: import('./api.js').Fault) => void} complain marks what is wrong with the arguments
 * @property {() => void} begin the operation runs from now on
 * @property {AbortSignal} signal
 */

/**
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {Listener} listener
 * @returns {Promise<import('./session.js').Run | null>} null if nothing was run
 */
export async function run(operation, args, listener) {
    const fault = await check(operation, args);
    if (fault) {
        listener.complain(fault);
        return null;
    }
    const isDry = operation.dry_run && args.dry_run === true;
    if (operation.effect === 'read' || isDry) {
        return send(operation, args, args, listener);
    }
    if (operation.effect === 'write' && !operation.confirm) {
        const agreed = await ask(`Run ${operation.id}?`, [h('p', {}, operation.summary), shown(args)], 'Run it');
        return agreed ? send(operation, args, args, listener) : stopped();
    }
    return confirmed(operation, args, listener);
}

/**
 * Shows what a call would do, and runs it if the user wants that.
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {Listener} listener
 */
async function confirmed(operation, args, listener) {
    const { complain, signal } = listener;
    let preview = null;
    if (operation.dry_run) {
        const dry = await call(operation, { ...args, dry_run: true }, signal);
        if (dry.fault) {
            complain(dry.fault);
            return null;
        }
        preview = dry.value;
    }
    let token;
    if (operation.confirm) {
        // The first call gets the confirmation token, and does nothing.
        const first = await call(operation, args, signal);
        if (first.fault?.code !== MUST_CONFIRM) {
            return ended(operation, args, Date.now(), first);
        }
        token = first.fault.expected;
    }
    const what = [
        h('p', {}, operation.summary),
        shown(args),
        preview !== null && [h('h3', {}, 'What it would do'), tree(preview, 'Preview')],
    ];
    if (!await ask(`Run ${operation.id}?`, what.flat(), 'Run it', true)) {
        return stopped();
    }
    return send(operation, args, token ? { ...args, confirm: token } : args, listener);
}

function stopped() {
    tell('Nothing was run.');
    return null;
}

/**
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args what the user has given
 * @param {Record<string, unknown>} all the same, with what the page adds
 * @param {Listener} listener
 */
async function send(operation, args, all, { begin, signal }) {
    const sent = Date.now();
    begin();
    return ended(operation, args, sent, await call(operation, all, signal));
}

/**
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {number} sent
 * @param {import('./api.js').Answer} answer
 */
function ended(operation, args, sent, answer) {
    return remember({ operation, args, sent, received: Date.now(), answer });
}

/** @param {Record<string, unknown>} args */
function shown(args) {
    return h('pre', { tabindex: 0, 'aria-label': 'Arguments' }, JSON.stringify(args, null, 2));
}
