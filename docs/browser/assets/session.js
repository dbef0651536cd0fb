// @ts-check
// What the page knows while it is open.

/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} tool its name on the flat surface
 * @property {Record<string, unknown>} fixed arguments that name the operation there
 * @property {string} category
 * @property {string} summary
 * @property {string | null} description
 * @property {'read' | 'write' | 'destroy'} effect
 * @property {string} signature
 * @property {any} schema
 * @property {Record<string, import('./field.js').Note>} notes what the schema does not say of its arguments
 * @property {any} returns
 * @property {{ args: Record<string, unknown>, note: string | null }[]} examples
 * @property {boolean} confirm
 * @property {boolean} dry_run
 * @property {string[]} aliases
 * @property {{ since: string | null, replacement: string | null, note: string | null } | null} deprecated
 * @property {import('./api.js').Fault | null} unavailable
 */

/** @typedef {{ name: string, title?: string, summary: string | null }} Named */

/**
 * @typedef {object} Info
 * @property {{ name: string, title: string, version: string, command: string | null, docs: boolean }} server `command` is
 *     followed by the operation, and null on a server that this user has not started
 * @property {{ principal: string, role: string, focus: string, writes: boolean, operator: boolean }} caller
 * @property {Named[]} categories
 * @property {Named[]} focus
 * @property {Named[]} roles
 * @property {Operation[]} operations
 */

/**
 * A call that this page has made. Its arguments are nowhere else.
 * @typedef {object} Run
 * @property {number} id
 * @property {Operation} operation
 * @property {Record<string, unknown>} args
 * @property {number} sent
 * @property {number} received
 * @property {import('./api.js').Answer} answer
 */

/** The most calls that are remembered. */
const MOST_RUNS = 100;

export const session = {
    /** @type {Info | null} */
    info: null,
    /** What the server offers before the user narrows it. @type {Info | null} */
    whole: null,
    /** The focus mode that the user has chosen. @type {string | null} */
    focus: null,
    /** The role that the user has chosen. @type {string | null} */
    role: null,
    /** Calls, the newest first. @type {Run[]} */
    runs: [],
};

let last = 0;

/**
 * @param {Omit<Run, 'id'>} made
 * @returns {Run}
 */
export function remember(made) {
    last += 1;
    const run = { ...made, id: last };
    session.runs.unshift(run);
    session.runs.length = Math.min(session.runs.length, MOST_RUNS);
    return run;
}

/**
 * The operation with this id or older name.
 * @param {string} id
 */
export function operationOf(id) {
    return session.info?.operations.find(own => own.id === id || own.aliases.includes(id));
}
