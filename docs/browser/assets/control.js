// @ts-check
// Editors of values that one control holds: text, numbers, choices, and JSON as text.

import { h, newId } from './dom.js';
import { isRounded, parse, tooLarge } from './json.js';
import { Mistake } from './mistake.js';

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => unknown} read throws a `Mistake`
 * @property {() => unknown} draft what the user has given so far, valid or not; undefined for nothing
 * @property {(value: unknown) => void} write shows a value, and undefined as a field without one. Throws a `Mistake` if it
 *     cannot show this value
 * @property {(path: string[], message: string) => boolean} complain marks the value at a path; false if there is none
 * @property {() => void} clean removes marks
 * @property {() => void} focus
 */

/**
 * A field of one control, and the message below it.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @param {() => unknown} read
 * @param {(value: unknown) => void} write
 * @param {string} [describedBy]
 * @returns {Field}
 */
function single(control, read, write, describedBy) {
    const message = h('p', { class: 'mistake', id: newId('mistake') });
    const described = describedBy ? `${describedBy} ${message.id}` : message.id;
    control.setAttribute('aria-describedby', described);
    return {
        element: h('div', { class: 'field' }, control, message),
        read,
        draft() {
            try {
                return read();
            } catch {
                return control.value || undefined;
            }
        },
        write,
        complain(_path, words) {
            control.setAttribute('aria-invalid', 'true');
            message.textContent = words;
            return true;
        },
        clean() {
            control.removeAttribute('aria-invalid');
            message.textContent = '';
        },
        focus: () => control.focus(),
    };
}

/**
 * @param {any} schema
 * @param {string} label
 * @param {string} [describedBy]
 */
export function text(schema, label, describedBy) {
    const isShort = (schema.maxLength ?? Infinity) <= 4096 || schema.pattern;
    const control = h('textarea', { 'aria-label': label, rows: isShort ? 1 : 3, spellcheck: false });
    return single(control, () => control.value, value => {
        writeText(control, value);
        const lines = control.value.split('\n').length;
        control.rows = Math.min(Math.max(lines, isShort ? 1 : 3), 12);
    }, describedBy);
}

/**
 * A text that nobody else should read from the screen.
 * @param {string} label
 * @param {string} [describedBy]
 */
export function secret(label, describedBy) {
    const control = h('input', { 'aria-label': label, type: 'password', autocomplete: 'off' });
    return single(control, () => control.value, value => writeText(control, value), describedBy);
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} control
 * @param {unknown} value
 */
function writeText(control, value = '') {
    if (typeof value !== 'string') {
        throw new Mistake([], 'Expected text.');
    }
    control.value = value;
    if (control.value !== value) {
        throw new Mistake([], 'It has ends of lines that the field would change.');
    }
}

/**
 * @param {any} schema
 * @param {string} label
 * @param {string} [describedBy]
 */
export function number(schema, label, describedBy) {
    const whole = schema.type === 'integer';
    const form = whole ? /^-?\d+$/ : /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
    const expected = whole ? 'Expected a whole number.' : 'Expected a number.';
    const control = h('input', { 'aria-label': label, inputmode: whole ? 'numeric' : 'decimal', autocomplete: 'off' });
    const read = () => {
        const given = control.value.trim();
        if (!form.test(given)) {
            throw new Mistake([], expected);
        }
        if (isRounded(given)) {
            throw new Mistake([], tooLarge(given));
        }
        return Number(given);
    };
    return single(control, read, value => {
        if (value !== undefined && (typeof value !== 'number' || (whole && !Number.isInteger(value)))) {
            throw new Mistake([], expected);
        }
        control.value = String(value ?? '');
    }, describedBy);
}

/**
 * One of several values. None is chosen until the user chooses one.
 * @param {unknown[]} values
 * @param {string} label
 * @param {string} [describedBy]
 */
export function choice(values, label, describedBy) {
    const options = values.map((value, at) => h('option', { value: at }, String(value)));
    const control = h('select', { 'aria-label': label }, h('option', { value: '' }, 'Choose'), options);
    const read = () => {
        if (control.value === '') {
            throw new Mistake([], 'Choose a value.');
        }
        return values[Number(control.value)];
    };
    return single(control, read, value => {
        if (value !== undefined && !values.includes(value)) {
            throw new Mistake([], `Expected one of: ${values.join(', ')}.`);
        }
        control.value = value === undefined ? '' : String(values.indexOf(value));
    }, describedBy);
}

/**
 * @param {string} label
 * @param {string} [describedBy]
 * @param {unknown} [start] what a field without a value shows
 */
export function json(label, describedBy, start) {
    const control = h('textarea', { 'aria-label': `${label}, as JSON`, rows: 3, spellcheck: false, class: 'code' });
    return single(control, () => parse(control.value), value => {
        control.value = JSON.stringify(value === undefined ? start : value, null, 2) ?? '';
    }, describedBy);
}

/**
 * Any value: text as it stands, or JSON.
 * @param {string} label
 * @param {string} [describedBy]
 * @returns {Field}
 */
export function anything(label, describedBy) {
    const [asText, asJson] = [text({}, label, describedBy), json(label, describedBy)];
    const kind = h('select', { 'aria-label': `Kind of ${label}`, class: 'small' },
        h('option', { value: 'text' }, 'Text'), h('option', { value: 'json' }, 'JSON'));
    const current = () => (kind.value === 'json' ? asJson : asText);
    /** @param {string} name */
    const show = name => {
        kind.value = name;
        asText.element.hidden = name === 'json';
        asJson.element.hidden = name !== 'json';
    };
    kind.addEventListener('change', () => show(kind.value));
    show('text');
    return {
        element: h('div', {}, kind, asText.element, asJson.element),
        read: () => current().read(),
        draft: () => current().draft(),
        write(value) {
            show(typeof value === 'string' || value === undefined ? 'text' : 'json');
            current().write(value);
        },
        complain: (path, words) => current().complain(path, words),
        clean() {
            asText.clean();
            asJson.clean();
        },
        focus: () => current().focus(),
    };
}
