// @ts-check
// The form of an operation: fields or raw JSON, and the places of mistakes in them.

import { h, newId } from './dom.js';
import { object } from './field.js';
import { parse } from './json.js';
import { Mistake } from './mistake.js';

/** The argument that the page adds after the user has confirmed. */
const CONFIRM = 'confirm';

/**
 * @param {import('./session.js').Operation} operation
 */
export function form(operation) {
    const left = new Set([...Object.keys(operation.fixed), ...(operation.confirm ? [CONFIRM] : [])]);
    const fields = object(operation.schema, `Arguments of ${operation.id}`, left, operation.notes);
    const rawId = newId('raw');
    const raw = h('textarea', { id: rawId, rows: 12, spellcheck: false, class: 'code' });
    const rawPart = h('div', { hidden: true }, h('label', { for: rawId }, 'Arguments as JSON'), raw);
    const message = h('div', { class: 'fault', role: 'alert' });
    const toggle = h('button', { type: 'button', class: 'small', 'aria-pressed': 'false', onclick: () => switchTo(!isRaw()) }, 'Edit as JSON');
    const element = h('div', { class: 'arguments' }, h('div', { class: 'tools' }, toggle), fields.element, rawPart, message);

    const isRaw = () => !rawPart.hidden;

    /** @param {boolean} wanted */
    function show(wanted) {
        rawPart.hidden = !wanted;
        fields.element.hidden = wanted;
        toggle.setAttribute('aria-pressed', String(wanted));
    }

    /** @param {boolean} wanted */
    function switchTo(wanted) {
        if (wanted) {
            clean();
            raw.value = JSON.stringify(fields.draft(), null, 2);
            show(true);
        } else {
            write(raw.value);
        }
    }

    /**
     * The arguments; null if they are not valid, which the form then shows.
     * @returns {Record<string, unknown> | null}
     */
    function read() {
        clean();
        try {
            return isRaw() ? readRaw(raw.value) : /** @type {Record<string, unknown>} */ (fields.read());
        } catch (error) {
            const mistake = mistakeOf(error);
            if (isRaw() || !fields.complain(mistake.path, mistake.message)) {
                message.textContent = mistake.message;
            }
            return null;
        }
    }

    /**
     * Shows arguments, which are JSON. What does not fit the fields stays as JSON, with the reason.
     * @param {string} text
     */
    function write(text) {
        clean();
        try {
            fields.write(readRaw(text));
            show(false);
        } catch (error) {
            const { path, message: words } = mistakeOf(error);
            fields.write({});
            raw.value = text;
            message.textContent = path.length > 0 ? `The form cannot show the argument "${path.join('.')}". ${words}` : words;
            show(true);
        }
    }

    function clean() {
        fields.clean();
        message.replaceChildren();
    }

    /**
     * Shows why the server refuses a call, and marks the argument that its pointer names.
     * @param {import('./api.js').Fault} fault
     */
    function complain(fault) {
        clean();
        const path = (fault.path ?? '').split('/').slice(1);
        const keys = path.map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
        const words = [fault.message, fault.expected && `Expected: ${fault.expected}.`].filter(Boolean).join(' ');
        if (keys.length > 0 && !isRaw()) {
            fields.complain(keys, words);
        }
        message.append(...faultLines(fault));
    }

    return { element, read, write, complain };
}

/**
 * The arguments of a text.
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function readRaw(text) {
    const value = parse(text.trim() || '{}');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new Mistake([], 'Expected an object: { "name": value }.');
    }
    return /** @type {Record<string, unknown>} */ (value);
}

/**
 * @param {unknown} error
 * @returns {Mistake}
 */
function mistakeOf(error) {
    if (error instanceof Mistake) {
        return error;
    }
    throw error;
}

/**
 * A fault as people read it.
 * @param {import('./api.js').Fault} fault
 * @returns {HTMLElement[]}
 */
export function faultLines(fault) {
    const lines = [
        h('p', {}, h('strong', {}, fault.code), ` ${fault.message}`),
        fault.path && h('p', {}, 'Argument: ', h('code', {}, fault.path)),
        fault.expected && h('p', {}, `Expected: ${fault.expected}`),
        fault.did_you_mean?.length && h('p', {}, `Did you mean: ${fault.did_you_mean.join(', ')}?`),
        fault.hint && h('p', {}, fault.hint),
    ];
    return lines.filter(line => line instanceof HTMLElement);
}
