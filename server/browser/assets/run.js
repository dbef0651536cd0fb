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
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {(fault: import('./api.js').Fault) => void} complain marks what is wrong with the arguments
 * @param {AbortSignal} signal
 * @returns {Promise<import('./session.js').Run | null>} null if nothing was run
 */
export async function run(operation, args, complain, signal) {
    const fault = await check(operation, args);
    if (fault) {
        complain(fault);
        return null;
    }
    const isDry = operation.dry_run && args.dry_run === true;
    if (operation.effect === 'read' || isDry) {
        return send(operation, args, signal);
    }
    if (operation.effect === 'write' && !operation.confirm) {
        const agreed = await ask(`Run ${operation.id}?`, [h('p', {}, operation.summary), shown(args)], 'Run it');
        return agreed ? send(operation, args, signal) : stopped();
    }
    return confirmed(operation, args, complain, signal);
}

/**
 * Shows what a call would do, and runs it if the user wants that.
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {(fault: import('./api.js').Fault) => void} complain
 * @param {AbortSignal} signal
 */
async function confirmed(operation, args, complain, signal) {
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
    const sent = Date.now();
    const answer = await call(operation, token ? { ...args, confirm: token } : args, signal);
    return ended(operation, args, sent, answer);
}

function stopped() {
    tell('Nothing was run.');
    return null;
}

/**
 * @param {import('./session.js').Operation} operation
 * @param {Record<string, unknown>} args
 * @param {AbortSignal} signal
 */
async function send(operation, args, signal) {
    const sent = Date.now();
    return ended(operation, args, sent, await call(operation, args, signal));
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
