// @ts-check
// Editors of values that a JSON schema describes. The schemas of the server are portable: they have no unions and no
// references. What a form cannot show is edited as JSON.

import { anything, choice, json, number, secret, text } from './control.js';
import { h, newId } from './dom.js';
import { Mistake, below } from './mistake.js';

/** @typedef {import('./control.js').Field} Field */

/**
 * What the schema of an argument does not say: the name of its type, and whether it is a secret.
 * @typedef {{ type?: string, sensitive?: boolean }} Note
 */

/**
 * The editor of a value.
 * @param {any} schema
 * @param {string} label
 * @param {string} [describedBy] the id of its description
 * @param {boolean} [isSecret]
 * @returns {Field}
 */
export function field(schema, label, describedBy, isSecret) {
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
            return isSecret ? secret(label, describedBy) : text(schema, label, describedBy);
        case 'array':
            return schema.items ? list(schema, label, isSecret) : json(label, describedBy, []);
        case 'object':
            return schema.properties && schema.additionalProperties === false
                ? object(schema, label)
                : json(label, describedBy, {});
        default:
            return anything(label, describedBy);
    }
}

/**
 * A list, whose items are added and removed.
 * @param {any} schema
 * @param {string} label
 * @param {boolean} [isSecret]
 * @returns {Field}
 */
function list(schema, label, isSecret) {
    /** @type {{ field: Field, row: HTMLElement }[]} */
    let items = [];
    const rows = h('div', { class: 'rows' });
    const message = h('p', { class: 'mistake', id: newId('mistake') });
    const more = h('button', { type: 'button', class: 'small', onclick: () => add(undefined).focus() }, `Add to ${label}`);
    const element = h('fieldset', { class: 'list', 'aria-label': label }, rows, more, message);

    /** @param {unknown} value */
    function add(value) {
        const own = field(schema.items, `${label}, item ${items.length + 1}`, undefined, isSecret);
        own.write(value);
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
        draft: () => items.map(item => item.field.draft() ?? null),
        write(value) {
            if (value !== undefined && !Array.isArray(value)) {
                throw new Mistake([], 'Expected a list.');
            }
            items = [];
            rows.replaceChildren();
            (value ?? []).forEach((own, at) => below(String(at), () => add(own)));
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
 * An object. Members that may be absent are sent only if the user says so: absent is not empty.
 * @param {any} schema
 * @param {string} label
 * @param {Set<string>} [left] names of members that are not shown
 * @param {Record<string, Note>} [notes] of members
 * @returns {Field}
 */
export function object(schema, label, left = new Set(), notes = {}) {
    const required = new Set(schema.required ?? []);
    const names = Object.keys(schema.properties ?? {}).filter(name => !left.has(name));
    const members = new Map(names.map(name =>
        [name, member(name, schema.properties[name], required.has(name), notes[name] ?? {})]));
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
        draft() {
            const sent = [...members].filter(([, own]) => own.isSent()).map(([name, own]) => [name, own.field.draft()]);
            return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
        },
        write(value = {}) {
            if (typeof value !== 'object' || value === null || Array.isArray(value)) {
                throw new Mistake([], 'Expected an object.');
            }
            const given = new Map(Object.entries(value));
            const unknown = [...given.keys()].find(name => !members.has(name));
            if (unknown !== undefined) {
                throw new Mistake([unknown], 'It has no field of this name.');
            }
            for (const [name, own] of members) {
                own.send(given.has(name));
                below(name, () => own.field.write(given.has(name) ? given.get(name) : own.usual));
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
 * @param {Note} note
 */
function member(name, schema, isRequired, note) {
    const id = newId('about');
    const own = field(schema, name, id, note.sensitive);
    const usual = usualOf(own, schema);
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
            h('span', { class: 'quiet' }, ` ${note.type ?? typeName(schema)}${isRequired ? ', required' : ''}`)),
        h('p', { class: 'about', id }, about),
        own.element);
    return { element, field: own, usual, isSent: () => isRequired || box.checked, send: show };
}

/**
 * The default of a schema, which the field then shows. Schemas of other servers may have one that does not fit.
 * @param {Field} own
 * @param {any} schema
 */
function usualOf(own, schema) {
    try {
        own.write(schema.default);
        return schema.default;
    } catch {
        own.write(undefined);
        return undefined;
    }
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
