// @ts-check
// Editors of values that a JSON schema describes. The schemas of the server are portable: they have no unions and no
// references. What a form cannot show is edited as JSON.

import { h, newId } from './dom.js';

/**
 * @typedef {object} Field
 * @property {HTMLElement} element
 * @property {() => unknown} read throws a `Mistake`
 * @property {(value: unknown) => void} write
 * @property {(path: string[], message: string) => boolean} complain marks the value at a path; false if there is none
 * @property {() => void} clean removes marks
 * @property {() => void} focus
 */

/** A value that is not what the schema says. */
export class Mistake extends Error {
    /**
     * @param {string[]} path
     * @param {string} message
     */
    constructor(path, message) {
        super(message);
        this.path = path;
    }
}

/**
 * The editor of a value.
 * @param {any} schema
 * @param {string} label
 * @param {string} [describedBy] the id of its description
 * @returns {Field}
 */
export function field(schema, label, describedBy) {
    if (Array.isArray(schema.enum)) {
        return choice(schema.enum, label, describedBy);
    }
    switch (schema.type) {
        case 'boolean':
            return choice([true, false], label, describedBy);
        case 'integer':
        case 'number':
            return number(schema, label, describedBy);
        case 'string':
            return text(schema, label, describedBy);
        case 'array':
            return schema.items ? list(schema, label) : json(label, describedBy);
        case 'object':
            return schema.properties && schema.additionalProperties === false
                ? object(schema, label)
                : json(label, describedBy);
        default:
            return anything(label, describedBy);
    }
}

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
function text(schema, label, describedBy) {
    const isShort = (schema.maxLength ?? Infinity) <= 4096 || schema.pattern;
    const control = h('textarea', { 'aria-label': label, rows: isShort ? 1 : 3, spellcheck: false });
    return single(control, () => control.value, value => {
        control.value = typeof value === 'string' ? value : JSON.stringify(value);
        const lines = control.value.split('\n').length;
        control.rows = Math.min(Math.max(lines, isShort ? 1 : 3), 12);
    }, describedBy);
}

/**
 * @param {any} schema
 * @param {string} label
 * @param {string} [describedBy]
 */
function number(schema, label, describedBy) {
    const whole = schema.type === 'integer';
    const control = h('input', { 'aria-label': label, inputmode: whole ? 'numeric' : 'decimal', autocomplete: 'off' });
    const read = () => {
        const value = Number(control.value);
        if (control.value.trim() === '' || Number.isNaN(value) || (whole && !Number.isInteger(value))) {
            throw new Mistake([], whole ? 'Expected a whole number.' : 'Expected a number.');
        }
        return value;
    };
    return single(control, read, value => {
        control.value = String(value);
    }, describedBy);
}

/**
 * @param {unknown[]} values
 * @param {string} label
 * @param {string} [describedBy]
 */
function choice(values, label, describedBy) {
    const options = values.map((value, at) => h('option', { value: at }, String(value)));
    const control = h('select', { 'aria-label': label }, options);
    return single(control, () => values[Number(control.value)], value => {
        control.value = String(Math.max(values.indexOf(value), 0));
    }, describedBy);
}

/**
 * @param {string} label
 * @param {string} [describedBy]
 */
function json(label, describedBy) {
    const control = h('textarea', { 'aria-label': `${label}, as JSON`, rows: 3, spellcheck: false, class: 'code' });
    const read = () => {
        try {
            return JSON.parse(control.value);
        } catch (error) {
            throw new Mistake([], `Expected JSON: ${/** @type {Error} */ (error).message}`);
        }
    };
    return single(control, read, value => {
        control.value = JSON.stringify(value, null, 2) ?? '';
    }, describedBy);
}

/**
 * Any value: text as it stands, or JSON.
 * @param {string} label
 * @param {string} [describedBy]
 * @returns {Field}
 */
function anything(label, describedBy) {
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
        write(value) {
            show(typeof value === 'string' || value === undefined ? 'text' : 'json');
            current().write(value ?? '');
        },
        complain: (path, words) => current().complain(path, words),
        clean() {
            asText.clean();
            asJson.clean();
        },
        focus: () => current().focus(),
    };
}

/**
 * A list, whose items are added and removed.
 * @param {any} schema
 * @param {string} label
 * @returns {Field}
 */
function list(schema, label) {
    /** @type {{ field: Field, row: HTMLElement }[]} */
    let items = [];
    const rows = h('div', { class: 'rows' });
    const message = h('p', { class: 'mistake', id: newId('mistake') });
    const more = h('button', { type: 'button', class: 'small', onclick: () => add(undefined).focus() }, `Add to ${label}`);
    const element = h('fieldset', { class: 'list', 'aria-label': label }, rows, more, message);

    /** @param {unknown} value */
    function add(value) {
        const own = field(schema.items, `${label}, item ${items.length + 1}`);
        if (value !== undefined) {
            own.write(value);
        }
        const remove = h('button', { type: 'button', class: 'small', 'aria-label': `Remove an item of ${label}` }, 'Remove');
        const row = h('div', { class: 'row' }, own.element, remove);
        remove.addEventListener('click', () => {
            items = items.filter(item => item.row !== row);
            row.remove();
            more.focus();
        });
        items.push({ field: own, row });
        rows.append(row);
        return own;
    }

    return {
        element,
        read: () => items.map((item, at) => below(String(at), () => item.field.read())),
        write(value) {
            items = [];
            rows.replaceChildren();
            (Array.isArray(value) ? value : []).forEach(add);
        },
        complain(path, words) {
            const [first, ...rest] = path;
            const item = first === undefined ? undefined : items[Number(first)];
            if (item && item.field.complain(rest, words)) {
                return true;
            }
            message.textContent = words;
            return true;
        },
        clean() {
            message.textContent = '';
            items.forEach(item => item.field.clean());
        },
        focus: () => (items[0]?.field ?? more).focus(),
    };
}

/**
 * Reads a part, and says where it is if it is wrong.
 * @param {string} key
 * @param {() => unknown} read
 */
function below(key, read) {
    try {
        return read();
    } catch (error) {
        if (error instanceof Mistake) {
            throw new Mistake([key, ...error.path], error.message);
        }
        throw error;
    }
}

/**
 * An object. Members that may be absent are sent only if the user says so: absent is not empty.
 * @param {any} schema
 * @param {string} label
 * @param {Set<string>} [left] names of members that are not shown
 * @returns {Field}
 */
export function object(schema, label, left = new Set()) {
    const required = new Set(schema.required ?? []);
    const names = Object.keys(schema.properties ?? {}).filter(name => !left.has(name));
    const members = new Map(names.map(name => [name, member(name, schema.properties[name], required.has(name))]));
    const message = h('p', { class: 'mistake' });
    const element = h('fieldset', { class: 'object', 'aria-label': label },
        [...members.values()].map(own => own.element), message);
    return {
        element,
        read() {
            /** @type {Record<string, unknown>} */
            const value = {};
            for (const [name, own] of members) {
                if (own.isSent()) {
                    value[name] = below(name, () => own.field.read());
                }
            }
            return value;
        },
        write(value) {
            const given = /** @type {Record<string, unknown>} */ (value && typeof value === 'object' ? value : {});
            for (const [name, own] of members) {
                own.send(name in given);
                if (name in given) {
                    own.field.write(given[name]);
                }
            }
        },
        complain(path, words) {
            const [first, ...rest] = path;
            const own = first === undefined ? undefined : members.get(first);
            if (!own) {
                message.textContent = first === undefined ? words : `${first}: ${words}`;
                return first === undefined;
            }
            own.send(true);
            if (!own.field.complain(rest, words)) {
                return false;
            }
            own.field.focus();
            return true;
        },
        clean() {
            message.textContent = '';
            members.forEach(own => own.field.clean());
        },
        focus: () => [...members.values()].find(own => own.isSent())?.field.focus(),
    };
}

/**
 * A member of an object: its name, what it means, and its editor.
 * @param {string} name
 * @param {any} schema
 * @param {boolean} isRequired
 */
function member(name, schema, isRequired) {
    const id = newId('about');
    const own = field(schema, name, id);
    if (schema.default !== undefined) {
        own.write(schema.default);
    }
    const box = h('input', { type: 'checkbox', 'aria-label': `Send ${name}`, checked: isRequired });
    /** @param {boolean} sent */
    const show = sent => {
        box.checked = sent;
        own.element.hidden = !sent && !isRequired;
    };
    box.addEventListener('change', () => {
        show(box.checked);
        if (box.checked) {
            own.focus();
        }
    });
    show(isRequired);
    const about = [schema.description, constraints(schema)].filter(Boolean).join(' ');
    const element = h('div', { class: 'member' },
        h('div', { class: 'name' },
            isRequired ? h('code', {}, name) : h('label', {}, box, h('code', {}, name)),
            h('span', { class: 'quiet' }, ` ${typeName(schema)}${isRequired ? ', required' : ''}`)),
        h('p', { class: 'about', id }, about),
        own.element);
    return { element, field: own, isSent: () => isRequired || box.checked, send: show };
}

/** @param {any} schema */
function typeName(schema) {
    if (Array.isArray(schema.enum)) {
        return 'choice';
    }
    return schema.type === 'array' && schema.items?.type ? `list of ${schema.items.type}` : schema.type ?? 'any';
}

/** @param {any} schema */
function constraints(schema) {
    const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
    const words = [
        range(minimum, maximum, ''),
        range(minLength, maxLength, ' characters'),
        range(minItems, maxItems, ' items'),
        schema.default === undefined ? '' : `Default: ${JSON.stringify(schema.default)}.`,
    ];
    return words.filter(Boolean).join(' ');
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 */
function range(least, most, unit) {
    if (least !== undefined && most !== undefined) {
        return `From ${least} to ${most}${unit}.`;
    }
    if (least !== undefined) {
        return `At least ${least}${unit}.`;
    }
    return most === undefined ? '' : `At most ${most}${unit}.`;
}
