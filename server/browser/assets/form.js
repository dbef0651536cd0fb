// @ts-check
// The form of an operation: fields or raw JSON, and the places of mistakes in them.

import { h, newId } from './dom.js';
import { Mistake, object } from './field.js';

/** The argument that the page adds after the user has confirmed. */
const CONFIRM = 'confirm';

/**
 * @param {import('./session.js').Operation} operation
 */
export function form(operation) {
    const left = new Set([...Object.keys(operation.fixed), ...(operation.confirm ? [CONFIRM] : [])]);
    const fields = object(operation.schema, `Arguments of ${operation.id}`, left);
    const rawId = newId('raw');
    const raw = h('textarea', { id: rawId, rows: 12, spellcheck: false, class: 'code' });
    const rawPart = h('div', { hidden: true }, h('label', { for: rawId }, 'Arguments as JSON'), raw);
    const message = h('div', { class: 'fault', role: 'alert' });
    const toggle = h('button', { type: 'button', class: 'small', 'aria-pressed': 'false', onclick: () => switchTo(!isRaw()) }, 'Edit as JSON');
    const element = h('div', { class: 'arguments' }, h('div', { class: 'tools' }, toggle), fields.element, rawPart, message);

    const isRaw = () => !rawPart.hidden;

    /** @param {boolean} wanted */
    function switchTo(wanted) {
        const args = read();
        if (!args) {
            return;
        }
        write(args);
        rawPart.hidden = !wanted;
        fields.element.hidden = wanted;
        toggle.setAttribute('aria-pressed', String(wanted));
    }

    /**
     * The arguments; null if they are not valid, which the form then shows.
     * @returns {Record<string, unknown> | null}
     */
    function read() {
        clean();
        try {
            return isRaw() ? readRaw() : /** @type {Record<string, unknown>} */ (fields.read());
        } catch (error) {
            if (!(error instanceof Mistake)) {
                throw error;
            }
            if (isRaw() || !fields.complain(error.path, error.message)) {
                message.textContent = error.message;
            }
            return null;
        }
    }

    function readRaw() {
        let value;
        try {
            value = JSON.parse(raw.value || '{}');
        } catch (error) {
            throw new Mistake([], `This is not JSON: ${/** @type {Error} */ (error).message}`);
        }
        if (typeof value !== 'object' || value === null || Array.isArray(value)) {
            throw new Mistake([], 'Expected an object: { "name": value }.');
        }
        return value;
    }

    /** @param {Record<string, unknown>} args */
    function write(args) {
        fields.write(args);
        raw.value = JSON.stringify(args, null, 2);
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

    write(/** @type {Record<string, unknown>} */ (initial(operation)));
    return { element, read, write, complain, clean };
}

/**
 * What a new form sends: the required arguments.
 * @param {import('./session.js').Operation} operation
 */
function initial(operation) {
    const { properties = {}, required = [] } = operation.schema;
    const empty = (/** @type {any} */ schema) => {
        if (schema.default !== undefined) {
            return schema.default;
        }
        if (Array.isArray(schema.enum)) {
            return schema.enum[0];
        }
        return { string: '', boolean: true, integer: '', number: '', array: [], object: {} }[/** @type {string} */ (schema.type)] ?? '';
    };
    const own = required.filter((/** @type {string} */ name) => !(name in operation.fixed));
    return Object.fromEntries(own.map((/** @type {string} */ name) => [name, empty(properties[name] ?? {})]));
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
